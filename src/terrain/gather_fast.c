/* The fast form of gather.c for boxes that reach few blocks, which most do: the same blocks in the same order, but what
 * they need is fetched ahead for all of them, as the memory's answers take longer than all else. */
#include "terrain/gather_internal.h"

#if SCREE_X86

#include <immintrin.h>

#define GROUPS_LIMIT 256
#define UNIT_REACH (1 << 26) /* beyond all that is near: 512 blocks of 2^15 units are less */

/* The block stands first, since its numbers are read as a vector. */
typedef struct Reached {
	Cell block;
	int32_t id;
	Record *record;
} Reached;

SIMD_FUNCTION static inline __m128i Load128(const void *from)
{
	return _mm_loadu_si128((const __m128i *)from);
}
SIMD_FUNCTION static inline void Store128(void *to, __m128i v)
{
	_mm_storeu_si128((__m128i *)to, v);
}
SIMD_FUNCTION static inline __m256d CellDoubles(Cell cell)
{
	return _mm256_cvtepi32_pd(_mm_setr_epi32(cell.x, cell.y, cell.z, 0));
}

/* ---- the box ------------------------------------------------------------------------------------------------- */

/* All numbers are whole or halves of a unit and so small that doubles hold them exactly, or beyond all cells. */
SIMD_FUNCTION NearAnswer NearBox_From(const Terrain *terrain, WorldBox box, NearBox *near)
{
	const __m256d scale = _mm256_set1_pd(terrain->cells_per_metre * SURFACE_UNIT);
	const __m256d half = _mm256_set1_pd(0.5 * SURFACE_UNIT), one = _mm256_set1_pd(1.0);
	const __m256d cube = _mm256_set1_pd(1.0 / SURFACE_UNIT), side = _mm256_set1_pd(BLOCK_SIZE);
	if (terrain->record_count == 0)
		return NEAR_NOTHING;
	__m256d lo = _mm256_loadu_pd(&box.lo.x), hi = _mm256_permute4x64_pd(_mm256_loadu_pd(&box.lo.z), 0x39);
	unsigned valid = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(lo, hi, _CMP_LE_OQ));
	lo = _mm256_ceil_pd(_mm256_add_pd(_mm256_mul_pd(lo, scale), half));
	hi = _mm256_floor_pd(_mm256_add_pd(_mm256_mul_pd(hi, scale), half));
	__m256d first = _mm256_sub_pd(_mm256_mul_pd(CellDoubles(terrain->lo), side), one);
	__m256d last = _mm256_add_pd(_mm256_mul_pd(CellDoubles(terrain->hi), side), _mm256_sub_pd(side, one));
	__m256d cube_hi = _mm256_sub_pd(_mm256_floor_pd(_mm256_mul_pd(hi, cube)), one);
	__m256d cube_lo = _mm256_sub_pd(_mm256_floor_pd(_mm256_mul_pd(lo, cube)), one);
	cube_lo = _mm256_min_pd(cube_lo, cube_hi); /* a box thinner than a unit may lie between two cubes */
	valid &= (unsigned)_mm256_movemask_pd(
	    _mm256_and_pd(_mm256_cmp_pd(cube_lo, last, _CMP_LE_OQ), _mm256_cmp_pd(cube_hi, first, _CMP_GE_OQ)));
	if ((valid & 7) != 7)
		return NEAR_NOTHING;
	__m128i cubes_lo = _mm256_cvttpd_epi32(_mm256_max_pd(cube_lo, first));
	__m128i cubes_hi = _mm256_cvttpd_epi32(_mm256_min_pd(cube_hi, last));
	__m128i blocks_lo = _mm_srai_epi32(cubes_lo, BLOCK_BITS);
	__m128i blocks_hi = _mm_srai_epi32(_mm_sub_epi32(cubes_hi, _mm_set1_epi32(-1)), BLOCK_BITS);
	__m256d origin = _mm256_mul_pd(_mm256_cvtepi32_pd(blocks_lo), _mm256_set1_pd(BLOCK_SIZE * SURFACE_UNIT));
	__m256d reach = _mm256_set1_pd(UNIT_REACH), back = _mm256_set1_pd(-UNIT_REACH);
	lo = _mm256_max_pd(_mm256_min_pd(_mm256_sub_pd(lo, origin), reach), back);
	hi = _mm256_max_pd(_mm256_min_pd(_mm256_sub_pd(hi, origin), reach), back);
	Store128(near->cube_lo, cubes_lo);
	Store128(near->cube_hi, cubes_hi);
	Store128(near->block_lo, blocks_lo);
	Store128(near->block_hi, blocks_hi);
	Store128(near->unit_lo, _mm256_cvttpd_epi32(lo));
	Store128(near->unit_hi, _mm256_cvttpd_epi32(hi));
	__m128i span = _mm_sub_epi32(blocks_hi, blocks_lo);
	int64_t x = _mm_extract_epi32(span, 0), y = _mm_extract_epi32(span, 1), z = _mm_extract_epi32(span, 2);
	bool few = (x | y | z) < NEAR_BLOCKS && (x + 1) * (y + 1) * (z + 1) <= NEAR_BLOCKS;
	return few ? NEAR_FEW : NEAR_MANY;
}

/* ---- the blocks ---------------------------------------------------------------------------------------------- */

/* The groups that a box of blocks touches. */
typedef struct GroupTable {
	int lo[3], nx, nz;
	const Group *group[GROUPS_LIMIT]; /* by x, z, y */
} GroupTable;

static void FindGroups(const Terrain *terrain, const NearBox *near, GroupTable *table)
{
	int hi[3], i = 0;
	for (int a = 0; a < 3; a++) {
		table->lo[a] = near->block_lo[a] >> GROUP_BITS;
		hi[a] = near->block_hi[a] >> GROUP_BITS;
	}
	table->nx = hi[0] - table->lo[0] + 1;
	table->nz = hi[2] - table->lo[2] + 1;
	for (int y = table->lo[1]; y <= hi[1]; y++)
		for (int z = table->lo[2]; z <= hi[2]; z++)
			for (int x = table->lo[0]; x <= hi[0]; x++) {
				SCREE_ASSERT(i < GROUPS_LIMIT);
				table->group[i++] = Group_Find(terrain, x, y, z);
			}
}

/* The blocks that have mixed cubes, in the order y, z, x. */
SIMD_FUNCTION static inline int ListReached(const Terrain *terrain, const NearBox *near, Reached *list)
{
	GroupTable table;
	int count = 0;
	FindGroups(terrain, near, &table);
	for (int y = near->block_lo[1]; y <= near->block_hi[1]; y++)
		for (int z = near->block_lo[2]; z <= near->block_hi[2]; z++) {
			int shift = (y & 3) * 16 + (z & 3) * 4;
			int line = ((y >> GROUP_BITS) - table.lo[1]) * table.nz + (z >> GROUP_BITS) - table.lo[2];
			for (int i = 0; i < table.nx; i++) {
				const Group *group = table.group[line * table.nx + i];
				int x = (table.lo[0] + i) * GROUP_SIDE;
				int below = Int_Max(near->block_lo[0] - x, 0), above = Int_Max(x + 3 - near->block_hi[0], 0);
				if (!group)
					continue;
				unsigned bits = (unsigned)(group->mixed >> shift) & 0xfu << below & 0xfu >> above;
				int id = Record_Id(terrain, group, 0);
				for (; bits; bits &= bits - 1) {
					int index = shift + __builtin_ctz(bits);
					Record *record = &group->records[__builtin_popcountll(_bzhi_u64(group->mixed, (unsigned)index))];
					__builtin_prefetch(record->mixed);
					__builtin_prefetch(&record->collider);
					list[count++] = (Reached){{x + (index & 3), y, z}, id + index, record};
				}
			}
		}
	return count;
}

/* As MeetsMixed. */
SIMD_FUNCTION static inline bool MeetsMixedFast(const Reached *reached, const NearBox *near)
{
	int32_t lo[4], hi[4];
	const __m128i last = _mm_set1_epi32(BLOCK_SIZE - 1), zero = _mm_setzero_si128();
	__m128i at = _mm_slli_epi32(Load128(&reached->block), BLOCK_BITS);
	Store128(lo, _mm_max_epi32(_mm_sub_epi32(Load128(near->cube_lo), at), zero));
	Store128(hi, _mm_min_epi32(_mm_sub_epi32(Load128(near->cube_hi), at), last));
	/* No clamp is missing: the block is among those that the cubes need, but for hi = -1. */
	int x = Int_Max(hi[0], 0), y = Int_Max(hi[1], 0), z = Int_Max(hi[2], 0);
	uint64_t columns = Words_Columns(lo[0], x) & Words_Rows(lo[2], z), rows = Words_Rows(lo[1], y);
	const uint64_t *mixed = reached->record->mixed;
	__m256i first = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)mixed),
	                                 _mm256_cvtepi8_epi64(_mm_cvtsi64_si128((long long)rows)));
	__m256i second = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)(mixed + 4)),
	                                  _mm256_cvtepi8_epi64(_mm_cvtsi64_si128((long long)(rows >> 32))));
	return !_mm256_testz_si256(_mm256_or_si256(first, second), _mm256_set1_epi64x((long long)columns));
}

/* Those that the cubes meet; their colliders are on their way into the cache. */
SIMD_FUNCTION static inline int KeepMixed(const NearBox *near, Reached *list, int count)
{
	int kept = 0;
	for (int i = 0; i < count; i++) {
		const Collider *collider = list[i].record->collider;
		list[kept] = list[i];
		if (!MeetsMixedFast(&list[i], near))
			continue;
		kept++;
		Collider_Prefetch(collider);
	}
	return kept;
}

/* As UnitBox_In. */
SIMD_FUNCTION static inline void BoxIn(const Reached *reached, const NearBox *near, KdQuadBox *out)
{
	__m128i at = _mm_slli_epi32(_mm_sub_epi32(Load128(&reached->block), Load128(near->block_lo)), BLOCK_BITS + 12);
	__m128i lo = _mm_sub_epi32(Load128(near->unit_lo), at), hi = _mm_sub_epi32(Load128(near->unit_hi), at);
	__m128i both = _mm_packus_epi32(lo, hi);
	both = _mm_shuffle_epi8(both, _mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1));
	uint64_t low = (uint64_t)_mm_cvtsi128_si64(both);
	uint32_t high = (uint32_t)_mm_extract_epi32(both, 2);
	memcpy(out->lo, &low, sizeof low);
	memcpy((char *)out + 8, &high, sizeof high);
}

/* ---- the answer ---------------------------------------------------------------------------------------------- */

/* Hardly any quads lie in it for certain: it is less than three cubes thick along some axis. */
static inline bool IsThin(const KdQuadBox *box)
{
	return box->hi[0] - box->lo[0] < 3 << 12 || box->hi[1] - box->lo[1] < 3 << 12 || box->hi[2] - box->lo[2] < 3 << 12;
}

/* As NameQuads in gather.c. */
SIMD_FUNCTION static inline bool NameQuadsFast(const Gathering *to, const Reached *reached, const KdQuadBox *asked)
{
	TerrainQuadList *out = to->quads;
	const Collider *collider = reached->record->collider;
	if (!Array_Reserve(to->terrain->memory, out->items, out->items.count + collider->quad_count + 1))
		return false;
	TerrainQuad *quad = out->items.data + out->items.count;
	if (IsThin(asked) && to->terrain->narrowphase == NARROWPHASE_LATTICE) {
		out->items.count += Collider_NameNear(collider, asked, reached->id, quad);
		return true;
	}
	QuadsFound found;
	Collider_Overlap(to->terrain, collider, asked, &found);
	for (uint32_t rows = found.rows; rows; rows &= rows - 1) {
		unsigned r = (unsigned)__builtin_ctz(rows);
		uint64_t first = found.half[0][r], second = found.half[1][r], bits = first | second;
		uint64_t base = (uint32_t)reached->id | (uint64_t)r << 38;
		TerrainQuad *end = quad + __builtin_popcountll(bits);
		/* Two at a time, of which the last may be none. */
		for (; quad < end; quad += 2)
			for (int i = 0; i < 2; i++, bits = _blsr_u64(bits)) {
				uint64_t bit = _tzcnt_u64(bits);
				uint64_t halves = (first >> (bit & 63) & 1) | (second >> (bit & 63) & 1) << 1;
				uint64_t one = base + (bit << 32) + (halves << 48);
				memcpy(&quad[i], &one, sizeof one);
			}
		quad = end;
	}
	out->items.count = (int)(quad - out->items.data);
	return true;
}

SIMD_FUNCTION bool Gather_NearFast(const Gathering *to, const NearBox *near)
{
	Reached list[NEAR_BLOCKS];
	Terrain *terrain = to->terrain;
	int count = KeepMixed(near, list, ListReached(terrain, near, list));
	for (int i = 0; i < count; i++) {
		const Reached *reached = &list[i];
		const Record *record = reached->record;
		KdQuadBox asked;
		if (record->quads == 0)
			continue;
		if (!Cache_Ready(terrain, record, to->edge_kinds) &&
		    !Terrain_Build(terrain, &reached->id, 1, to->edge_kinds, NULL))
			return false;
		BoxIn(reached, near, &asked);
		if (!(to->triangles ? Gather_Triangles(to, reached->block, record, &asked)
		                    : NameQuadsFast(to, reached, &asked)))
			return false;
	}
	return true;
}

#endif
