/* A block's quads and their index, packed into one allocation; their edge kinds. */
#include "terrain/terrain_internal.h"

#if SCREE_X86
#include <immintrin.h>
#endif

#define U8_VERTICES 256 /* up to here a corner is one byte */

/* ---- edge kinds ---------------------------------------------------------------------------------------------- */

uint8_t Kinds_Pack(unsigned kinds)
{
	unsigned packed = 0;
	for (int field = 4; field >= 0; field--)
		packed = 3 * packed + (kinds >> 2 * field & 3);
	return (uint8_t)packed;
}

/* By byte: digits to the base of three spread to fields of two bits. */
#define KINDS1(k) (k), (k) + 1, (k) + 2
#define KINDS2(k) KINDS1(k), KINDS1((k) + (1 << 2)), KINDS1((k) + (2 << 2))
#define KINDS3(k) KINDS2(k), KINDS2((k) + (1 << 4)), KINDS2((k) + (2 << 4))
#define KINDS4(k) KINDS3(k), KINDS3((k) + (1 << 6)), KINDS3((k) + (2 << 6))
static const uint16_t UNPACKED[243] = {KINDS4(0), KINDS4(1 << 8), KINDS4(2 << 8)};

unsigned Kinds_Unpack(uint8_t packed)
{
	return UNPACKED[packed];
}

/* ---- making -------------------------------------------------------------------------------------------------- */

static KdQuadBox BoxOfQuad(const SurfaceMesh *mesh, int quad)
{
	KdQuadBox box = {{UINT16_MAX, UINT16_MAX, UINT16_MAX}, {0, 0, 0}};
	for (int i = 0; i < 4; i++) {
		const uint16_t *p = mesh->position[mesh->corner[quad][i]];
		for (int a = 0; a < 3; a++) {
			box.lo[a] = (uint16_t)Int_Min(box.lo[a], p[a]);
			box.hi[a] = (uint16_t)Int_Max(box.hi[a], p[a]);
		}
	}
	return box;
}

static void BoxesOfQuads(const SurfaceMesh *mesh, KdQuadBox *boxes)
{
	for (int i = 0; i < mesh->quad_count; i++)
		boxes[i] = BoxOfQuad(mesh, i);
}

#if SCREE_X86

SIMD_FUNCTION static inline __m128i LoadCorner(const SurfaceMesh *mesh, int quad, int i)
{
	return _mm_loadl_epi64((const __m128i *)(const void *)mesh->position[mesh->corner[quad][i]]);
}

/* Eight bytes at a time, of which six count. A store spills into the next six bytes: those are written later, or are
 * the room behind the last box. */
SIMD_FUNCTION static void BoxesOfQuadsFast(const SurfaceMesh *mesh, KdQuadBox *boxes)
{
	for (int i = 0; i < mesh->quad_count; i++) {
		__m128i a = LoadCorner(mesh, i, 0), b = LoadCorner(mesh, i, 1), c = LoadCorner(mesh, i, 2);
		__m128i d = LoadCorner(mesh, i, 3);
		char *to = (char *)&boxes[i];
		_mm_storel_epi64((__m128i *)(void *)to, _mm_min_epu16(_mm_min_epu16(a, b), _mm_min_epu16(c, d)));
		_mm_storel_epi64((__m128i *)(void *)(to + 6), _mm_max_epu16(_mm_max_epu16(a, b), _mm_max_epu16(c, d)));
	}
}

#endif

static KdQuadBox UnionOf(const KdQuadBox *boxes, int count)
{
	KdQuadBox all = boxes[0];
	for (int i = 1; i < count; i++)
		for (int a = 0; a < 3; a++) {
			all.lo[a] = (uint16_t)Int_Min(all.lo[a], boxes[i].lo[a]);
			all.hi[a] = (uint16_t)Int_Max(all.hi[a], boxes[i].hi[a]);
		}
	return all;
}

/* The low bytes of four words. */
static inline void PackCorner(const uint16_t corner[4], uint8_t out[4])
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t wide;
	memcpy(&wide, corner, sizeof wide);
	wide = (wide | wide >> 8) & 0x0000ffff0000ffffu;
	uint32_t packed = (uint32_t)(wide | wide >> 16);
	memcpy(out, &packed, sizeof packed);
#else
	for (int k = 0; k < 4; k++)
		out[k] = (uint8_t)corner[k];
#endif
}

/* order: which of the mesher's quads stands at each place. NULL: the mesher's own order. */
static void PackQuads(const SurfaceMesh *mesh, const uint16_t *order, bool wide, uint8_t *corners, uint8_t *materials)
{
	for (int i = 0; i < mesh->quad_count; i++) {
		int from = order ? order[i] : i;
		const uint16_t *corner = mesh->corner[from];
		if (wide)
			memcpy(corners + 8 * i, corner, 8);
		else
			PackCorner(corner, corners + 4 * i);
		materials[i] = mesh->material[from];
	}
}

void Collider_Mesh(const Terrain *terrain, Cell block, ColliderScratch *scratch)
{
	Terrain_GatherField(terrain, block, &scratch->field);
	Surface_Mesh(terrain->simd, &scratch->field, terrain->blockiness, &scratch->mesh);
}

#define TAIL_BYTES 2 /* of the last position's eight bytes, those behind it */

/* Room for a mesh behind an index of that many bytes, the head filled in. */
static Collider *NewCollider(const Terrain *terrain, const SurfaceMesh *mesh, size_t index_bytes)
{
	Collider head = {.record = -1,
	                 .vertex_count = (uint16_t)mesh->vertex_count,
	                 .quad_count = (uint16_t)mesh->quad_count,
	                 .wide = mesh->vertex_count > U8_VERTICES};
	size_t corner_at = sizeof head + index_bytes;
	size_t position_at = corner_at + (size_t)mesh->quad_count * (head.wide ? 8 : 4);
	size_t material_at = position_at + (size_t)mesh->vertex_count * sizeof mesh->position[0];
	head.corner_at = (uint16_t)corner_at;
	head.position_at = (uint16_t)position_at;
	head.material_at = (uint16_t)material_at;
	head.bytes = (uint32_t)(material_at + Int_Max(mesh->quad_count, TAIL_BYTES));
	Collider *collider = Memory_Alloc(terrain->memory, head.bytes);
	if (!collider)
		return NULL;
	*collider = head;
	memcpy((char *)collider + position_at, mesh->position, (size_t)mesh->vertex_count * sizeof mesh->position[0]);
	memset((char *)collider + material_at, 0, TAIL_BYTES);
	return collider;
}

static Collider *MakeLattice(const Terrain *terrain, ColliderScratch *scratch)
{
	const SurfaceMesh *mesh = &scratch->mesh;
	Collider *collider = NewCollider(terrain, mesh, sizeof(Lattice));
	if (!collider)
		return NULL;
	Lattice *lattice = (Lattice *)(collider + 1);
	int rank = 0;
	memcpy(lattice->word, mesh->word, sizeof lattice->word);
	for (int axis = 0; axis < 3; axis++)
		for (int y = 0; y < BLOCK_SIZE; y++) {
			lattice->rank[axis][y] = (uint16_t)rank;
			rank += __builtin_popcountll(mesh->word[axis][y]);
		}
	PackQuads(mesh, NULL, collider->wide, (uint8_t *)collider + collider->corner_at,
	          (uint8_t *)collider + collider->material_at);
	return collider;
}

static Collider *MakeTree(const Terrain *terrain, ColliderScratch *scratch)
{
	const SurfaceMesh *mesh = &scratch->mesh;
#if SCREE_X86
	if (terrain->simd)
		BoxesOfQuadsFast(mesh, scratch->boxes);
	else
		BoxesOfQuads(mesh, scratch->boxes);
#else
	BoxesOfQuads(mesh, scratch->boxes);
#endif
	int nodes = KdTree_Build(scratch->boxes, mesh->quad_count, scratch->nodes, scratch->order);
	Collider *collider = NewCollider(terrain, mesh, sizeof(KdBounds) + (size_t)nodes * sizeof(KdNode));
	if (!collider)
		return NULL;
	KdBounds *tree = (KdBounds *)(collider + 1);
	tree->box = UnionOf(scratch->boxes, mesh->quad_count);
	memcpy(tree->node, scratch->nodes, (size_t)nodes * sizeof(KdNode));
	PackQuads(mesh, scratch->order, collider->wide, (uint8_t *)collider + collider->corner_at,
	          (uint8_t *)collider + collider->material_at);
	return collider;
}

Collider *Collider_Make(const Terrain *terrain, ColliderScratch *scratch)
{
	SCREE_ASSERT(scratch->mesh.quad_count > 0);
	return terrain->narrowphase == NARROWPHASE_LATTICE ? MakeLattice(terrain, scratch) : MakeTree(terrain, scratch);
}

/* The mesher has the same quads in its own order; lattice edges match them with ours. */
uint8_t *Collider_MakeKinds(const Terrain *terrain, const Collider *collider, ColliderScratch *scratch)
{
	const SurfaceMesh *mesh = &scratch->mesh;
	Surface_Kinds(terrain->simd, &scratch->field, terrain->blockiness, mesh, &scratch->edges, scratch->kinds);
	SCREE_ASSERT(mesh->quad_count == collider->quad_count);
	uint8_t *kinds = Memory_Alloc(terrain->memory, Collider_KindsBytes(collider));
	if (!kinds)
		return NULL;
	if (terrain->narrowphase == NARROWPHASE_LATTICE) {
		for (int i = 0; i < collider->quad_count; i++)
			kinds[i] = Kinds_Pack(scratch->kinds[i]);
		return kinds;
	}
	for (int i = 0; i < mesh->quad_count; i++)
		scratch->place[mesh->edge[i]] = (uint16_t)i;
	for (int i = 0; i < collider->quad_count; i++) {
		QuadCorners corners;
		Collider_Quad(collider, i, corners);
		kinds[i] = Kinds_Pack(scratch->kinds[scratch->place[Quad_Edge(Quad_Name(corners))]]);
	}
	return kinds;
}
