/* What an edit changed in a chunk: what it took and gave of each material, and where. */
#include "voxel/store_internal.h"

#if SCREE_X86
#include <immintrin.h>
#endif

/* A run of cells that keep their pair of materials, old and new, summed up before it goes to the tally. */
typedef struct DiffRun {
	int m, m2;
	int64_t cells, removed, added;
} DiffRun;

static void DiffRun_End(const DiffRun *run, Diff *diff)
{
	if (run->m != run->m2)
		diff->solid += run->cells * ((run->m2 != MATERIAL_AIR) - (run->m != MATERIAL_AIR));
	diff->tally->removed[run->m] += run->removed;
	diff->tally->added[run->m2] += run->added;
}

/* Adds n cells that were all (m, v, w) and became all (m2, v2, w2). */
static inline void DiffRun_Add(DiffRun *run, Diff *diff, const uint8_t old[CHANNEL_COUNT],
                               const uint8_t new[CHANNEL_COUNT], int64_t n)
{
	int m = old[CHANNEL_MATERIAL], m2 = new[CHANNEL_MATERIAL];
	if (m != run->m || m2 != run->m2) {
		DiffRun_End(run, diff);
		*run = (DiffRun){.m = m, .m2 = m2};
	}
	int matter = m == MATERIAL_AIR ? 0 : old[CHANNEL_OCCUPANCY] + 1;
	int matter2 = m2 == MATERIAL_AIR ? 0 : new[CHANNEL_OCCUPANCY] + 1;
	int kept = m == m2 ? Int_Min(matter, matter2) : 0;
	run->cells += n;
	run->removed += n * (matter - kept);
	run->added += n * (matter2 - kept);
	if ((old[CHANNEL_WATER] | new[CHANNEL_WATER]) == 0)
		return;
	int wetter = Cell_Water(m2, new[CHANNEL_OCCUPANCY], new[CHANNEL_WATER]) -
	             Cell_Water(m, old[CHANNEL_OCCUPANCY], old[CHANNEL_WATER]);
	diff->tally->added[MATERIAL_WATER] += n * Int_Max(wetter, 0);
	diff->tally->removed[MATERIAL_WATER] += n * Int_Max(-wetter, 0);
}

static void Diff_Run(Diff *diff, const uint8_t old[CHANNEL_COUNT], const uint8_t new[CHANNEL_COUNT], int64_t n)
{
	DiffRun run = {0};
	DiffRun_Add(&run, diff, old, new, n);
	DiffRun_End(&run, diff);
}

/* Notes cells of `rows` rows, which follow each other along z. */
static inline void Diff_AddRows(Diff *diff, int row, int rows, uint32_t cells)
{
	diff->x |= cells;
	diff->y |= (uint32_t)1 << row / CHUNK_SIZE;
	diff->z |= (uint32_t)(((uint64_t)1 << rows) - 1) << row % CHUNK_SIZE;
}

/* Bits first..last. */
static inline uint32_t Bits_From(int first, int last)
{
	return UINT32_MAX << first & UINT32_MAX >> (CHUNK_SIZE - 1 - last);
}

static bool Word_IsUniform(uint64_t word)
{
	return word == (word & 0xFF) * 0x0101010101010101u;
}

/* A row that differs: eight cells at once where they are all the same, before and after. */
static void Diff_Row(Diff *diff, int row, const uint8_t *old[CHANNEL_COUNT], const uint8_t *new[CHANNEL_COUNT])
{
	DiffRun run = {0};
	int first = CHUNK_SIZE, last = -1, step;
	for (int x = 0; x < CHUNK_SIZE; x += step) {
		bool uniform = x % 8 == 0;
		for (int c = 0; c < CHANNEL_COUNT && uniform; c++) {
			uint64_t was, is;
			memcpy(&was, old[c] + x, 8);
			memcpy(&is, new[c] + x, 8);
			uniform = Word_IsUniform(was) && Word_IsUniform(is);
		}
		step = uniform ? 8 : 1;
		const uint8_t was[] = {old[0][x], old[1][x], old[2][x]}, is[] = {new[0][x], new[1][x], new[2][x]};
		if (was[0] == is[0] && was[1] == is[1] && was[2] == is[2])
			continue;
		first = Int_Min(first, x);
		last = x + step - 1;
		DiffRun_Add(&run, diff, was, is, step);
	}
	DiffRun_End(&run, diff);
	Diff_AddRows(diff, row, 1, Bits_From(first, last));
}

/* ---- rows of one material, eight cells at once ---- */

#define BYTES_TOP 0x8080808080808080u
#define BYTES_LOW 0x7F7F7F7F7F7F7F7Fu

/* Top bit of each byte: it is not 0; a's is at least b's. */
static inline uint64_t Bytes_Some(uint64_t a)
{
	return (((a & BYTES_LOW) + BYTES_LOW) | a) & BYTES_TOP;
}

static inline uint64_t Bytes_NotLess(uint64_t a, uint64_t b)
{
	uint64_t low = (a | BYTES_TOP) - (b & BYTES_LOW);
	return ((a & ~b) | (~(a ^ b) & low)) & BYTES_TOP;
}

static inline int64_t Bytes_Sum(uint64_t a)
{
	const uint64_t even = 0x00FF00FF00FF00FFu;
	return (int64_t)((((a & even) + (a >> 8 & even)) * 0x0001000100010001u) >> 48);
}

/* The eight cells from x on, all of air or material m, become others such. False: some lose matter and some gain it. */
static inline bool Diff_Word(DiffRun *run, uint64_t v, uint64_t v2, uint64_t solid, uint64_t solid2)
{
	int64_t cells = Bytes_Sum(solid2 >> 7) - Bytes_Sum(solid >> 7), more = Bytes_Sum(v2) - Bytes_Sum(v) + cells;
	run->cells += cells;
	if (Bytes_NotLess(v2, v) == BYTES_TOP && (solid & ~solid2) == 0)
		run->added += more;
	else if (Bytes_NotLess(v, v2) == BYTES_TOP && (solid2 & ~solid) == 0)
		run->removed -= more;
	else
		return false;
	return true;
}

/* False, and nothing told: the row is wet, or of several materials, or loses and gains. */
static bool Diff_PlainRow(Diff *diff, int row, const uint8_t *old[CHANNEL_COUNT], const uint8_t *new[CHANNEL_COUNT])
{
	uint8_t m = new[0][0] | new[0][CHUNK_SIZE - 1] | old[0][0] | old[0][CHUNK_SIZE - 1];
	uint64_t every = m * 0x0101010101010101u, bad = 0;
	uint32_t changed = 0;
	DiffRun run = {0};
	for (int i = 0; i < CHUNK_SIZE / 8; i++) {
		uint64_t was = Row_Word(old[0], i), is = Row_Word(new[0], i), v = Row_Word(old[1], i), v2 = Row_Word(new[1], i);
		uint64_t solid = Bytes_Some(was), solid2 = Bytes_Some(is), differ = Bytes_Some((was ^ is) | (v ^ v2));
		bad |= Row_Word(old[2], i) | Row_Word(new[2], i);
		bad |= (was ^ every) & ((solid >> 7) * 255);
		bad |= (is ^ every) & ((solid2 >> 7) * 255);
		if (bad || !Diff_Word(&run, v, v2, solid, solid2))
			return false;
		changed |= (uint32_t)(((differ >> 7) * 0x0102040810204080u) >> 56) << (8 * i);
	}
	diff->solid += run.cells;
	diff->tally->removed[m] += run.removed;
	diff->tally->added[m] += run.added;
	Diff_AddRows(diff, row, 1, changed);
	return true;
}

#if SCREE_X86

SIMD_FUNCTION static inline __m256i Row_Load(const uint8_t *row)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)row);
}

SIMD_FUNCTION static inline uint32_t Row_Bits(__m256i bytes)
{
	return (uint32_t)_mm256_movemask_epi8(bytes);
}

/* The sum of 32 bytes. */
SIMD_FUNCTION static inline int64_t Row_Sum(__m256i bytes)
{
	__m256i four = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
	__m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
	return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

/* Adds to each material of the cells `left` the sum of their bytes, and one for each that is also in `whole`. */
SIMD_FUNCTION static inline void Tally_Row(int64_t tally[MATERIAL_LIMIT], const uint8_t *materials, __m256i row,
                                           __m256i bytes, uint32_t left, uint32_t whole)
{
	while (left) {
		uint8_t material = materials[__builtin_ctz(left)];
		__m256i of_it = _mm256_cmpeq_epi8(row, _mm256_set1_epi8((char)material));
		uint32_t cells = Row_Bits(of_it);
		tally[material] += Row_Sum(_mm256_and_si256(bytes, of_it)) + __builtin_popcount(cells & whole);
		left &= ~cells;
	}
}

/* What water is in the cells, as Cell_Water. air: all ones in cells of air. */
SIMD_FUNCTION static inline __m256i Row_Water(__m256i air, __m256i occupancy, __m256i level)
{
	__m256i beside = _mm256_subs_epu8(_mm256_subs_epu8(level, occupancy), _mm256_set1_epi8(1));
	return _mm256_blendv_epi8(beside, level, air);
}

/* A row that may differ, whatever it is made of: 32 cells at once. Air has no occupancy, so its bytes add nothing. */
SIMD_FUNCTION static void Diff_RowFast(Diff *diff, int row, const uint8_t *old[CHANNEL_COUNT],
                                       const uint8_t *new[CHANNEL_COUNT])
{
	const __m256i zero = _mm256_setzero_si256();
	__m256i m = Row_Load(old[CHANNEL_MATERIAL]), v = Row_Load(old[CHANNEL_OCCUPANCY]), w = Row_Load(old[CHANNEL_WATER]);
	__m256i m2 = Row_Load(new[CHANNEL_MATERIAL]), v2 = Row_Load(new[CHANNEL_OCCUPANCY]);
	__m256i w2 = Row_Load(new[CHANNEL_WATER]), same = _mm256_cmpeq_epi8(m, m2);
	__m256i kept = _mm256_and_si256(_mm256_and_si256(same, _mm256_cmpeq_epi8(v, v2)), _mm256_cmpeq_epi8(w, w2));
	uint32_t changed = ~Row_Bits(kept), other = ~Row_Bits(same);
	if (!changed)
		return;
	__m256i air = _mm256_cmpeq_epi8(m, zero), air2 = _mm256_cmpeq_epi8(m2, zero);
	uint32_t solid = ~Row_Bits(air), solid2 = ~Row_Bits(air2);
	__m256i taken = _mm256_blendv_epi8(v, _mm256_subs_epu8(v, v2), same);
	__m256i given = _mm256_blendv_epi8(v2, _mm256_subs_epu8(v2, v), same);
	Tally_Row(diff->tally->removed, old[CHANNEL_MATERIAL], m, taken, solid & changed, other);
	Tally_Row(diff->tally->added, new[CHANNEL_MATERIAL], m2, given, solid2 & changed, other);
	diff->solid += __builtin_popcount(solid2) - __builtin_popcount(solid);
	if (!_mm256_testz_si256(_mm256_or_si256(w, w2), _mm256_or_si256(w, w2))) {
		__m256i water = Row_Water(air, v, w), water2 = Row_Water(air2, v2, w2);
		diff->tally->removed[MATERIAL_WATER] += Row_Sum(_mm256_subs_epu8(water, water2));
		diff->tally->added[MATERIAL_WATER] += Row_Sum(_mm256_subs_epu8(water2, water));
	}
	Diff_AddRows(diff, row, 1, changed);
}

#endif

static void Diff_AnyRow(Diff *diff, const ChannelData *was, const Chunk *chunk, int row)
{
	const uint8_t *old[CHANNEL_COUNT], *new[CHANNEL_COUNT];
	bool same = true;
	for (int c = 0; c < CHANNEL_COUNT; c++) {
		old[c] = Channel_Row(&was[c], row);
		new[c] = Channel_Row(&chunk->channel[c], row);
	}
#if SCREE_X86
	if (diff->simd) {
		Diff_RowFast(diff, row, old, new);
		return;
	}
#endif
	for (int c = 0; c < CHANNEL_COUNT; c++)
		same = same && (old[c] == new[c] || Row_IsSame(old[c], new[c]));
	if (!same && !Diff_PlainRow(diff, row, old, new))
		Diff_Row(diff, row, old, new);
}

/* Are the group's 8 rows of one byte? */
static bool Group_IsUniform(const ChannelData *channel, int group, uint8_t *byte)
{
	*byte = channel->uniform;
	if (!channel->header)
		return true;
	const uint16_t *header = Channel_Group(channel, group);
	uint64_t words[2];
	memcpy(words, header, sizeof(words));
	*byte = (uint8_t)header[0];
	return header[0] < HEADER_SLOT && words[0] == header[0] * 0x0001000100010001u && words[0] == words[1];
}

void Diff_Chunk(Diff *diff, const ChannelData *was, const Chunk *chunk)
{
	diff->x = diff->y = diff->z = 0;
	for (int group = 0; group < CHUNK_GROUPS; group++) {
		uint8_t old[CHANNEL_COUNT], new[CHANNEL_COUNT];
		bool uniform = true;
		for (int c = 0; c < CHANNEL_COUNT && uniform; c++)
			uniform = Group_IsUniform(&was[c], group, &old[c]) && Group_IsUniform(&chunk->channel[c], group, &new[c]);
		if (!uniform) {
			for (int i = 0; i < GROUP_ROWS; i++)
				Diff_AnyRow(diff, was, chunk, GROUP_ROWS * group + i);
		} else if (memcmp(old, new, sizeof(old)) != 0) {
			Diff_Run(diff, old, new, GROUP_ROWS * CHUNK_SIZE);
			Diff_AddRows(diff, GROUP_ROWS * group, GROUP_ROWS, UINT32_MAX);
		}
	}
	diff->box = CellBox_Empty();
	if (diff->x == 0)
		return;
	Cell lo = Chunk_Box((Cell){chunk->x, chunk->y, chunk->z}).lo;
	diff->box.lo = (Cell){lo.x + __builtin_ctz(diff->x), lo.y + __builtin_ctz(diff->y), lo.z + __builtin_ctz(diff->z)};
	diff->box.hi = (Cell){lo.x + 31 - __builtin_clz(diff->x), lo.y + 31 - __builtin_clz(diff->y),
	                      lo.z + 31 - __builtin_clz(diff->z)};
}
