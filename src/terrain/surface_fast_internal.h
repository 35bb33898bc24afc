/* The surface's fast form, for processors with AVX2: what its files share. It makes the same bits as the plain form,
 * which stays the reference. See surface_fast.c for how it goes about it.
 *
 * In this form a slice of the field, 16 rows of 16 cells, is one vector: lane z + FLAG_HALO holds a row's bits, bit x +
 * FLAG_HALO a cell's. So bit i of a slice's 256 is cell i of the slice.
 */
#ifndef SCREE_TERRAIN_SURFACE_FAST_INTERNAL_H
#define SCREE_TERRAIN_SURFACE_FAST_INTERNAL_H

#include "terrain/surface_cube_internal.h"

#if SCREE_X86

#include <immintrin.h>

/* For what must not be a call: constants then fold, vectors stay in registers. */
#define FAST_INLINE SIMD_FUNCTION static inline __attribute__((always_inline))

/* Before a loop of a few turns whose number is known: it is written out, which compilers otherwise leave to -O3. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#define SLICE_CELLS (FIELD_SIZE * FIELD_SIZE)
#define STEP_Z FIELD_SIZE
#define STEP_Y SLICE_CELLS

/* As SurfaceCells_Init. */
bool SurfaceCells_InitFast(SurfaceCells *cells, const SurfaceField *field, const uint16_t blockiness[256], int reach);

/* ---- slices ------------------------------------------------------------------------------------------------------ */

FAST_INLINE __m256i Load256(const void *from)
{
	return _mm256_loadu_si256((const __m256i *)from);
}
FAST_INLINE void Store256(void *to, __m256i v)
{
	_mm256_storeu_si256((__m256i *)to, v);
}
/* Row z gets what row z + 1 had, or row z - 1; zero comes in. */
FAST_INLINE __m256i RowsFromAbove(__m256i rows)
{
	return _mm256_alignr_epi8(_mm256_permute2x128_si256(rows, rows, 0x81), rows, 2);
}
FAST_INLINE __m256i RowsFromBelow(__m256i rows)
{
	return _mm256_alignr_epi8(rows, _mm256_permute2x128_si256(rows, rows, 0x08), 14);
}
/* All bits of rows and columns first..last, as places in the field. */
FAST_INLINE __m256i SliceWindow(int first, int last)
{
	const __m256i row = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m256i low = _mm256_cmpgt_epi16(row, _mm256_set1_epi16((short)(first - 1)));
	__m256i high = _mm256_cmpgt_epi16(_mm256_set1_epi16((short)(last + 1)), row);
	unsigned columns = ((2u << last) - 1) & ~((1u << first) - 1);
	return _mm256_and_si256(_mm256_and_si256(low, high), _mm256_set1_epi16((short)columns));
}

/* ---- bits to go through ------------------------------------------------------------------------------------------ */

/* Words of bits that are not zero, and where in the field each begins: to go through their bits in one loop, since
 * loops over the bits of single words end where no processor foresees it. */
#define BIT_WORDS (SURFACE_RING_CUBES * 4)
typedef struct BitList {
	uint64_t word[BIT_WORDS + 1];
	int32_t first[BIT_WORDS + 1];
	int words, bits;
} BitList;

FAST_INLINE void BitList_Set(BitList *list, uint64_t slices[][4], int first_slice, int last_slice)
{
	int words = 0, bits = 0;
	for (int slice = first_slice; slice <= last_slice; slice++) {
		const uint64_t *word = slices[slice - first_slice];
		if (_mm256_testz_si256(Load256(word), Load256(word)))
			continue;
		UNROLL
		for (int i = 0; i < 4; i++) {
			list->word[words] = word[i];
			list->first[words] = SLICE_CELLS * slice + 64 * i;
			words += word[i] != 0;
			bits += __builtin_popcountll(word[i]);
		}
	}
	list->word[words] = 0;
	list->words = words;
	list->bits = bits;
}

/* Where one is in a list. */
typedef struct BitPlace {
	const BitList *list;
	uint64_t rest;
	int word;
} BitPlace;

FAST_INLINE BitPlace BitList_Begin(const BitList *list)
{
	return (BitPlace){list, list->word[0], 0};
}

/* The next bit's cell; asked as often as the list has bits. */
FAST_INLINE int BitPlace_Next(BitPlace *at)
{
	int cell = at->list->first[at->word] + __builtin_ctzll(at->rest);
	at->rest &= at->rest - 1;
	uint64_t over = at->rest == 0;
	at->word += (int)over;
	at->rest |= at->list->word[at->word] & (0 - over);
	return cell;
}

/* ---- vertices (surface_fast_vertices.c) -------------------------------------------------------------------------- */

static inline uint32_t LoadPair(const uint8_t *bytes)
{
	uint16_t pair;
	memcpy(&pair, bytes, sizeof pair);
	return pair;
}

/* Values of the corners of the cube at a cell, corner 0 in the lowest byte. */
static inline uint64_t CubeValues(const uint8_t *value)
{
	uint32_t low = LoadPair(value) | LoadPair(value + STEP_Y) << 16;
	uint32_t high = LoadPair(value + STEP_Z) | LoadPair(value + STEP_Y + STEP_Z) << 16;
	return low | (uint64_t)high << 32;
}

/* The pattern that such values make, without a flip. */
FAST_INLINE int PatternOf(uint64_t values)
{
	return (int)_pext_u64(values, 0x8080808080808080u);
}

/* First vertex and pattern of each cube, by its cell's index in the field less CUBE_FIRST: cubes -2..8. */
#define CUBE_FIRST ((FLAG_HALO - 2) * (STEP_Y + STEP_Z + 1))
#define CUBE_LAST ((FLAG_HALO + BLOCK_SIZE) * (STEP_Y + STEP_Z + 1))
typedef struct FastCubes {
	uint16_t first[CUBE_LAST - CUBE_FIRST + 1];
	uint16_t pattern[CUBE_LAST - CUBE_FIRST + 1];
} FastCubes;

#define FAST_SPARE 8 /* arrays of vertices and quads have this much beyond their end: whole vectors are read */

/* The list. `at` holds first a cube's eight values, corner 0 in the lowest byte, then in the same place its vertex: 16
 * bits each for x, y, z, and x again, coordinates as in SurfaceMesh, modulo 2^16. */
typedef struct FastVertices {
	int count;
	int first;   /* number of the list's first vertex in the map */
	bool blocky; /* some cell has a blockiness */
	uint64_t *at;
	uint32_t *rule; /* SurfaceTables.rule */
	uint16_t *cell; /* index of the cube's cell in the field */
} FastVertices;

/* Lists the loops of the cubes whose bits are set, slice by slice (used[0] is first_slice's), and their numbers within
 * their cubes. Returns the number of cubes. */
int FastVertices_List(const SurfaceCells *cells, uint64_t used[][4], int first_slice, int last_slice, FastCubes *map,
                      FastVertices *vertices, uint8_t *loop);
/* Puts their vertices in the list's place. halo: 1 or 2, how far beyond the block its cubes' cells lie. */
void FastVertices_Make(const SurfaceCells *cells, FastVertices *vertices, int halo);

/* Vertex of a cube, on its edge e. */
FAST_INLINE uint64_t VertexOf(const FastCubes *map, const uint8_t (*loop)[12], int cube, int e, bool multi)
{
	unsigned vertex = map->first[cube];
	return multi ? vertex + loop[map->pattern[cube]][e] : vertex;
}

/* ---- quads (surface_fast.c) -------------------------------------------------------------------------------------- */

static const int16_t FAST_STEP[3] = {1, STEP_Y, STEP_Z};

/* Turns the corners of quads along one axis from canonical to stored order. Reads FAST_SPARE beyond the last, whose
 * corners must name vertices. */
void FastQuads_Turn(const uint64_t *at, int axis, int count, const uint8_t *low_inside, uint16_t (*corner)[4]);

/* Positions of corner k of eight quads. */
FAST_INLINE void LoadCorner(const uint64_t *at, const uint16_t corner[8][4], int k, __m256i *xy, __m256i *zx)
{
	__m128 pair[4];
	UNROLL
	for (int i = 0; i < 4; i++) {
		__m128 first = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(at + corner[2 * i][k])));
		pair[i] = _mm_loadh_pi(first, (const __m64 *)(at + corner[2 * i + 1][k]));
	}
	__m256 a = _mm256_set_m128(pair[2], pair[0]), b = _mm256_set_m128(pair[3], pair[1]);
	*xy = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
	*zx = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD));
}

/* Of differences of positions: the parts across the axis, u and v, as pairs. */
FAST_INLINE __m256i Across(int axis, __m256i xy, __m256i zx)
{
	if (axis == 0)
		return _mm256_blend_epi16(_mm256_srli_epi32(xy, 16), _mm256_slli_epi32(zx, 16), 0xAA);
	return axis == 1 ? zx : xy;
}

/* (u, v) -> (v, -u): a pair's product with it is a cross product. */
FAST_INLINE __m256i Turned(__m256i pairs)
{
	__m256i swapped = _mm256_or_si256(_mm256_slli_epi32(pairs, 16), _mm256_srli_epi32(pairs, 16));
	return _mm256_sign_epi16(swapped, _mm256_set1_epi32((int)0xFFFF0001));
}

/* ---- the quads of edge kinds (surface_fast_ring.c) --------------------------------------------------------------- */

#define OWNER_FIRST ((FLAG_HALO - 1) * (STEP_Y + STEP_Z + 1)) /* cell -1 on all axes: the first that has a number */
#define OWNER_SLICES (BLOCK_SIZE + 2)                         /* of cells -1..8 */

/* What stands in the scratch: how many cubes the mesh's quads stand on, and of each axis, where the mesh's quads begin,
 * then where the ring's do, and where these end. */
typedef struct FastRing {
	int cubes, first[7];
} FastRing;

/* Sets in the scratch what is known of quads from `cell` to `low_inside`, all vertices, and the mesh's cubes. */
void FastRing_Make(const SurfaceCells *cells, const SurfaceMesh *mesh, FastRing *ring, SurfaceEdgeScratch *s);

#endif
#endif
