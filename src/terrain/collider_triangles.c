/* A collider's triangles as the narrowphase wants them: metres relative to an origin, edge kinds, ids. Two forms, plain
 * and AVX2, that give the same bits. */
#include "terrain/terrain_internal.h"

#if SCREE_X86
#include <immintrin.h>
#endif

#define ALL_CONVEX (EDGE_CONVEX * 0x155u) /* in five fields of two bits */

/* Metres relative to the origin. A shared vertex has the same global coordinate in all blocks, exact in double before
 * the one multiplication, so it gets the same bits. The fourth lane is not used. */
typedef struct VertexFrame {
	double zero[4], scale[4], origin[4];
} VertexFrame;

static VertexFrame FrameOf(const Terrain *terrain, Cell block, Pos origin)
{
	const double corner = (double)BLOCK_SIZE * SURFACE_UNIT, half_cell = 0.5 * SURFACE_UNIT;
	const double scale = terrain->cell_size * (1.0 / SURFACE_UNIT);
	return (VertexFrame){{block.x * corner - half_cell, block.y * corner - half_cell, block.z * corner - half_cell},
	                     {scale, scale, scale},
	                     {origin.x, origin.y, origin.z}};
}

/* ---- names --------------------------------------------------------------------------------------------------- */

/* What both triangles of a quad share. */
typedef struct QuadFacts {
	uint64_t hash; /* of the lattice edge's cell */
	Cell cell;     /* the solid one */
	int axis;
	unsigned kinds, material;
} QuadFacts;

/* Finalizer of splitmix64 over the edge's global name, in two parts. */
static inline uint64_t HashCell(Cell p)
{
	uint64_t h = (uint64_t)(uint32_t)p.x * 0x9E3779B97F4A7C15u;
	h = (h ^ (uint32_t)p.y) * 0xBF58476D1CE4E5B9u;
	h = (h ^ h >> 29 ^ (uint32_t)p.z) * 0x94D049BB133111EBu;
	return h ^ h >> 32;
}
static inline uint32_t TriangleId(const QuadFacts *facts, int half)
{
	uint64_t h = (facts->hash ^ (uint32_t)(facts->axis * 2 + half)) * 0xD6E8FEB86659FD93u;
	return (uint32_t)(h >> 32);
}

static inline QuadFacts FactsOf(const Collider *collider, const uint8_t *kinds, Cell block, uint32_t found,
                                const QuadCorners q)
{
	int edge = Found_Edge(found), quad = Found_Quad(found), axis = edge >> 9;
	int cube[3] = {(edge & 7) + 1, (edge >> 6 & 7) + 1, (edge >> 3 & 7) + 1}; /* as a position's high bits have it */
	/* See Quad_Name. */
	int u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
	bool high_u = q[0][u] >> 12 == cube[u], high_v = q[0][v] >> 12 == cube[v];
	bool low_inside = (q[0][u] >> 12 != q[1][u] >> 12) == (high_u == high_v);
	Cell p = {block.x * BLOCK_SIZE + cube[0] - 1, block.y * BLOCK_SIZE + cube[1] - 1,
	          block.z * BLOCK_SIZE + cube[2] - 1};
	QuadFacts facts = {.hash = HashCell(p), .cell = p, .axis = axis, .material = Collider_Materials(collider)[quad]};
	facts.kinds = kinds ? Kinds_Unpack(kinds[quad]) : ALL_CONVEX;
	facts.cell.x += axis == 0 && !low_inside;
	facts.cell.y += axis == 1 && !low_inside;
	facts.cell.z += axis == 2 && !low_inside;
	return facts;
}

/* ---- the plain form ------------------------------------------------------------------------------------------ */

static Vec3 PlaceVertex(const VertexFrame *frame, const uint16_t p[3])
{
	return V3((float)((frame->zero[0] + p[0]) * frame->scale[0] - frame->origin[0]),
	          (float)((frame->zero[1] + p[1]) * frame->scale[1] - frame->origin[1]),
	          (float)((frame->zero[2] + p[2]) * frame->scale[2] - frame->origin[2]));
}

/* Half 0 is corners 0 1 2, half 1 corners 0 2 3. */
static void SetTriangle(Triangle *out, const VertexFrame *frame, const QuadCorners corners, const QuadFacts *facts,
                        int half)
{
	int b = 1 + half, c = 2 + half;
	unsigned kinds = facts->kinds, diagonal = kinds >> 8 & 3;
	*out = (Triangle){.id = TriangleId(facts, half), .material = (uint8_t)facts->material, .cell = facts->cell};
	out->v[0] = PlaceVertex(frame, corners[0]);
	out->v[1] = PlaceVertex(frame, corners[b]);
	out->v[2] = PlaceVertex(frame, corners[c]);
	out->edge[0] = (uint8_t)(half ? diagonal : kinds & 3);
	out->edge[1] = (uint8_t)(kinds >> 2 * b & 3);
	out->edge[2] = (uint8_t)(half ? kinds >> 6 & 3 : diagonal);
}

static int SetTriangles(const Collider *collider, const uint8_t *kinds, Cell block, const VertexFrame *frame,
                        const uint32_t *found, int count, Triangle *out)
{
	int made = 0;
	for (int i = 0; i < count; i++) {
		QuadCorners q;
		Collider_Quad(collider, Found_Quad(found[i]), q);
		QuadFacts facts = FactsOf(collider, kinds, block, found[i], q);
		for (int half = 0; half < 2; half++)
			if (found[i] >> half & 1)
				SetTriangle(&out[made++], frame, q, &facts, half);
	}
	return made;
}

/* ---- the fast form ------------------------------------------------------------------------------------------- */

#if SCREE_X86

/* Four lanes are stored where three belong: the fourth is overwritten by what follows, so the order counts. */
_Static_assert(offsetof(Triangle, v[1]) == 12 && offsetof(Triangle, v[2]) == 24 && offsetof(Triangle, id) == 36 &&
                   offsetof(Triangle, edge) == 40 && offsetof(Triangle, material) == 43 &&
                   offsetof(Triangle, cell) == 44,
               "the layout of a triangle");

SIMD_FUNCTION static inline void StoreTriangle(Triangle *out, __m128 a, __m128 b, __m128 c, const QuadFacts *facts,
                                               int half)
{
	unsigned k = facts->kinds, diagonal = k >> 8 & 3;
	uint32_t edges =
	    half ? diagonal | (k >> 4 & 3) << 8 | (k >> 6 & 3) << 16 : (k & 3) | (k >> 2 & 3) << 8 | diagonal << 16;
	char *at = (char *)out;
	uint32_t id = TriangleId(facts, half);
	edges |= facts->material << 24;
	_mm_storeu_ps((float *)(void *)at, a);
	_mm_storeu_ps((float *)(void *)(at + 12), b);
	_mm_storeu_ps((float *)(void *)(at + 24), c);
	memcpy(at + 36, &id, sizeof id);
	memcpy(at + 40, &edges, sizeof edges);
	memcpy(at + 44, &facts->cell, sizeof facts->cell);
}

SIMD_FUNCTION static inline __m128 PlaceLanes(const VertexFrame *frame, const uint16_t *p)
{
	__m256d at = _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p)));
	at = _mm256_mul_pd(_mm256_add_pd(_mm256_loadu_pd(frame->zero), at), _mm256_loadu_pd(frame->scale));
	return _mm256_cvtpd_ps(_mm256_sub_pd(at, _mm256_loadu_pd(frame->origin)));
}

SIMD_FUNCTION static int SetTrianglesFast(const Collider *collider, const uint8_t *kinds, Cell block,
                                          const VertexFrame *frame, const uint32_t *found, int count, Triangle *out)
{
	Triangle *start = out;
	for (int i = 0; i < count; i++) {
		QuadCorners q;
		Collider_Quad(collider, Found_Quad(found[i]), q);
		QuadFacts facts = FactsOf(collider, kinds, block, found[i], q);
		__m128 a = PlaceLanes(frame, q[0]), c = PlaceLanes(frame, q[2]);
		if (found[i] & 1)
			StoreTriangle(out++, a, PlaceLanes(frame, q[1]), c, &facts, 0);
		if (found[i] & 2)
			StoreTriangle(out++, a, c, PlaceLanes(frame, q[3]), &facts, 1);
	}
	return (int)(out - start);
}

#endif

bool Collider_Triangles(const Terrain *terrain, Cell block, const Collider *collider, const uint8_t *kinds,
                        const UnitBox *box, Pos origin, Memory *memory, TriangleList *out)
{
	KdQuadBox asked;
	uint32_t found[SURFACE_QUAD_LIMIT];
	if (!UnitBox_In(box, block, &asked))
		return true;
	int count = Collider_Overlap(terrain, collider, &asked, found);
	if (count == 0)
		return true;
	if (!Array_Reserve(memory, out->items, out->items.count + 2 * count))
		return false;
	VertexFrame frame = FrameOf(terrain, block, origin);
	Triangle *to = out->items.data + out->items.count;
#if SCREE_X86
	if (terrain->simd) {
		out->items.count += SetTrianglesFast(collider, kinds, block, &frame, found, count, to);
		return true;
	}
#endif
	out->items.count += SetTriangles(collider, kinds, block, &frame, found, count, to);
	return true;
}
