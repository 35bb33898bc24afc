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
static inline uint64_t FinishId(uint64_t h)
{
	return h * 0xD6E8FEB86659FD93u >> 32;
}
static inline uint32_t TriangleId(const QuadFacts *facts, int half)
{
	return (uint32_t)FinishId(facts->hash ^ (uint32_t)(facts->axis * 2 + half));
}

/* Is the cell p that owns the edge the solid one? See Quad_Name: along an axis across the edge, a corner is in the cube
 * of p or in the one before, so the lowest bits tell which. q0, q1: the quad's first corners. */
static inline unsigned IsLowInside(const uint16_t *q0, const uint16_t *q1, int bit, int y, int axis)
{
	const int p[3] = {bit & 7, y, bit >> 3};
	int u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
	return ((unsigned)q1[u] >> 12 ^ (unsigned)q0[v] >> 12 ^ (unsigned)p[u] ^ (unsigned)p[v]) & 1;
}

/* r, bit: the lattice edge, see QuadsFound. */
static inline QuadFacts FactsOf(const Collider *collider, const uint8_t *kinds, Cell block, int r, int bit, int quad,
                                unsigned low_inside)
{
	int axis = r / BLOCK_SIZE, high = 1 - (int)low_inside;
	Cell p = {block.x * BLOCK_SIZE + (bit & 7), block.y * BLOCK_SIZE + r % BLOCK_SIZE,
	          block.z * BLOCK_SIZE + (bit >> 3)};
	QuadFacts facts = {.hash = HashCell(p), .cell = p, .axis = axis, .material = Collider_Materials(collider)[quad]};
	facts.kinds = kinds ? Kinds_Unpack(kinds[quad]) : ALL_CONVEX;
	facts.cell.x += axis == 0 ? high : 0;
	facts.cell.y += axis == 1 ? high : 0;
	facts.cell.z += axis == 2 ? high : 0;
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

static int SetTriangles(const Collider *collider, bool lattice, const uint8_t *kinds, Cell block,
                        const VertexFrame *frame, const QuadsFound *found, Triangle *out)
{
	int made = 0;
	for (uint32_t rows = found->rows; rows; rows &= rows - 1) {
		int r = __builtin_ctz(rows), axis = r / BLOCK_SIZE, y = r % BLOCK_SIZE;
		for (uint64_t bits = found->half[0][r] | found->half[1][r]; bits; bits &= bits - 1) {
			int bit = __builtin_ctzll(bits);
			int quad = lattice ? Lattice_Quad(Collider_Lattice(collider), axis, y, bit) : found->place[r << 6 | bit];
			QuadCorners q;
			Collider_Quad(collider, quad, q);
			QuadFacts facts = FactsOf(collider, kinds, block, r, bit, quad, IsLowInside(q[0], q[1], bit, y, axis));
			for (int half = 0; half < 2; half++)
				if (found->half[half][r] >> bit & 1)
					SetTriangle(&out[made++], frame, q, &facts, half);
		}
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

/* id, edges and material in one word. */
SIMD_FUNCTION static inline void StoreTriangle(char *at, __m128 a, __m128 b, __m128 c, uint64_t middle,
                                               uint64_t cell_xy, uint32_t cell_z)
{
	_mm_storeu_ps((float *)(void *)at, a);
	_mm_storeu_ps((float *)(void *)(at + 12), b);
	_mm_storeu_ps((float *)(void *)(at + 24), c);
	memcpy(at + 36, &middle, sizeof middle);
	memcpy(at + 44, &cell_xy, sizeof cell_xy);
	memcpy(at + 52, &cell_z, sizeof cell_z);
}

SIMD_FUNCTION static inline __m128 PlaceLanes(const VertexFrame *frame, const uint16_t *p)
{
	__m256d at = _mm256_cvtepi32_pd(_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p)));
	at = _mm256_mul_pd(_mm256_add_pd(_mm256_loadu_pd(frame->zero), at), _mm256_loadu_pd(frame->scale));
	return _mm256_cvtpd_ps(_mm256_sub_pd(at, _mm256_loadu_pd(frame->origin)));
}

/* All vertices of a collider: cheaper than each corner by itself when there are many quads. */
typedef struct PlacedVertices {
	float at[SURFACE_VERTEX_LIMIT][4];
} PlacedVertices;

SIMD_FUNCTION static void PlaceAll(const Collider *collider, const VertexFrame *frame, PlacedVertices *placed)
{
	const uint16_t *p = Collider_Positions(collider);
	for (int i = 0; i < collider->vertex_count; i++)
		_mm_storeu_ps(placed->at[i], PlaceLanes(frame, p + 3 * i));
}

typedef struct TriangleWork {
	const Collider *collider;
	const uint8_t *kinds;
	Cell corner; /* the block's first cell */
	VertexFrame frame;
	const QuadsFound *found;
	const PlacedVertices *placed;
	bool lattice;
} TriangleWork;

/* What is the same for all quads of a call: each combination is a loop of its own. */
typedef struct TriangleForm {
	bool placed; /* else corners are placed one by one */
	bool wide, kinds;
} TriangleForm;

#define ALWAYS_INLINE SIMD_FUNCTION static inline __attribute__((always_inline))

ALWAYS_INLINE __m128 CornerOf(const TriangleWork *work, TriangleForm form, const uint16_t *positions, uint64_t index)
{
	return form.placed ? _mm_load_ps(work->placed->at[index]) : PlaceLanes(&work->frame, positions + 3 * index);
}

/* The edge kinds of both triangles, and their material in the top byte. */
ALWAYS_INLINE void EdgesOf(const uint8_t *kinds, TriangleForm form, int quad, uint32_t material, uint64_t edges[2])
{
	unsigned k = form.kinds ? Kinds_Unpack(kinds[quad]) : ALL_CONVEX, diagonal = k >> 8 & 3;
	edges[0] = (uint64_t)((k & 3) | (k >> 2 & 3) << 8 | diagonal << 16 | material << 24) << 32;
	edges[1] = (uint64_t)(diagonal | (k >> 4 & 3) << 8 | (k >> 6 & 3) << 16 | material << 24) << 32;
}

/* Of one row, from `out` on. Both triangles are written and then kept or not: which ones are found is hard to foresee.
 * So there must be room for two of each quad. */
ALWAYS_INLINE char *SetRow(const TriangleWork *work, TriangleForm form, int r, int axis, char *out)
{
	const uint16_t *positions = Collider_Positions(work->collider);
	const uint8_t *corners = Collider_Corners(work->collider), *materials = Collider_Materials(work->collider);
	const uint16_t *places = work->found->place + (r << 6);
	const int u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
	uint64_t first = work->found->half[0][r], second = work->found->half[1][r], word = 0;
	int y = r & (BLOCK_SIZE - 1), rank = 0;
	if (work->lattice) {
		word = Collider_Lattice(work->collider)->word[axis][y];
		rank = Collider_Lattice(work->collider)->rank[axis][y];
	}
	for (uint64_t bits = first | second; bits; bits = _blsr_u64(bits)) {
		int bit = (int)_tzcnt_u64(bits);
		int quad = work->lattice ? rank + __builtin_popcountll(_bzhi_u64(word, (unsigned)bit)) : places[bit];
		uint64_t index[4];
		if (form.wide) {
			for (int i = 0; i < 4; i++)
				memcpy(&index[i], corners + 8 * quad, sizeof index[i]);
			index[0] &= 0xffff;
			index[1] = index[1] >> 16 & 0xffff;
			index[2] = index[2] >> 32 & 0xffff;
			index[3] >>= 48;
		} else {
			uint32_t narrow;
			memcpy(&narrow, corners + 4 * quad, sizeof narrow);
			index[0] = narrow & 0xff;
			index[1] = narrow >> 8 & 0xff;
			index[2] = narrow >> 16 & 0xff;
			index[3] = narrow >> 24;
		}
		Cell cell = {work->corner.x + (bit & 7), work->corner.y + y, work->corner.z + (bit >> 3)};
		const int place[3] = {bit & 7, y, bit >> 3}; /* see IsLowInside */
		uint32_t high = (uint32_t)positions[3 * index[1] + u] >> 12 ^ (uint32_t)positions[3 * index[0] + v] >> 12 ^
		                (uint32_t)place[u] ^ (uint32_t)place[v] ^ 1;
		uint64_t hash = HashCell(cell) ^ (uint32_t)(2 * axis), edges[2];
		EdgesOf(work->kinds, form, quad, materials[quad], edges);
		*(axis == 0 ? &cell.x : axis == 1 ? &cell.y : &cell.z) += (int32_t)(high & 1);
		uint64_t cell_xy = (uint32_t)cell.x | (uint64_t)(uint32_t)cell.y << 32;
		__m128 v0 = CornerOf(work, form, positions, index[0]), v2 = CornerOf(work, form, positions, index[2]);
		StoreTriangle(out, v0, CornerOf(work, form, positions, index[1]), v2, FinishId(hash) | edges[0], cell_xy,
		              (uint32_t)cell.z);
		out += (first >> bit & 1) * sizeof(Triangle);
		StoreTriangle(out, v0, v2, CornerOf(work, form, positions, index[3]), FinishId(hash ^ 1) | edges[1], cell_xy,
		              (uint32_t)cell.z);
		out += (second >> bit & 1) * sizeof(Triangle);
	}
	return out;
}

/* Returns how many. */
ALWAYS_INLINE int SetRows(const TriangleWork *work, TriangleForm form, Triangle *out)
{
	uint32_t rows = work->found->rows;
	char *to = (char *)out;
	for (; rows & 0xff; rows &= rows - 1)
		to = SetRow(work, form, __builtin_ctz(rows), 0, to);
	for (; rows & 0xff00; rows &= rows - 1)
		to = SetRow(work, form, __builtin_ctz(rows), 1, to);
	for (; rows; rows &= rows - 1)
		to = SetRow(work, form, __builtin_ctz(rows), 2, to);
	return (int)((Triangle *)(void *)to - out);
}

SIMD_FUNCTION static int SetManyFast(TriangleWork *work, Triangle *out)
{
	_Alignas(16) PlacedVertices placed;
	PlaceAll(work->collider, &work->frame, &placed);
	work->placed = &placed;
	if (work->collider->wide)
		return SetRows(work, (TriangleForm){true, true, work->kinds != NULL}, out);
	return work->kinds ? SetRows(work, (TriangleForm){true, false, true}, out)
	                   : SetRows(work, (TriangleForm){true, false, false}, out);
}

/* quads: how many were found. */
SIMD_FUNCTION static int SetTrianglesFast(TriangleWork *work, int quads, Triangle *out)
{
	if (4 * quads > work->collider->vertex_count)
		return SetManyFast(work, out);
	return SetRows(work, (TriangleForm){false, work->collider->wide != 0, work->kinds != NULL}, out);
}

#endif

bool Collider_Triangles(const Terrain *terrain, Cell block, const Collider *collider, const uint8_t *kinds,
                        const KdQuadBox *box, Pos origin, Memory *memory, TriangleList *out)
{
	QuadsFound found;
	Collider_Overlap(terrain, collider, box, &found);
	int quads = QuadsFound_Count(&found);
	if (quads == 0)
		return true;
	if (!Array_Reserve(memory, out->items, out->items.count + 2 * quads))
		return false;
	VertexFrame frame = FrameOf(terrain, block, origin);
	Triangle *to = out->items.data + out->items.count;
	bool lattice = terrain->narrowphase == NARROWPHASE_LATTICE;
#if SCREE_X86
	if (terrain->simd) {
		Cell corner = {block.x * BLOCK_SIZE, block.y * BLOCK_SIZE, block.z * BLOCK_SIZE};
		TriangleWork work = {collider, kinds, corner, frame, &found, NULL, lattice};
		out->items.count += SetTrianglesFast(&work, quads, to);
		return true;
	}
#endif
	out->items.count += SetTriangles(collider, lattice, kinds, block, &frame, &found, to);
	return true;
}
