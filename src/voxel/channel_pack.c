/* Packing a channel: a short common superstring of its rows, and equal groups of headers kept once. See
 * channel_internal.h. The greedy way to superstrings is Tarhio and Ukkonen's (1988), here by runs of one byte alone. */
#include "voxel/channel_internal.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define TABLE_SIZE (2 * CHUNK_ROWS) /* a power of two */
#define NONE 0xFFFF
#define ALIGNMENT 16
/* An open channel has room for this many slots more, and for a quarter of what it holds. */
#define SPARE_ROWS 4

/* A row that is not uniform: `prefix` equal bytes, the core, `suffix` equal bytes. Rows that differ only in where the
 * core stands are one strip, with the longest prefix and suffix of them. */
typedef struct Strip {
	const uint8_t *bytes; /* of its first row */
	uint8_t own_prefix;   /* of that row */
	uint8_t core;         /* length */
	uint8_t prefix, suffix;
	bool placed;
	uint16_t rows;
	uint16_t at;   /* from where the rows begin in the new block */
	uint16_t next; /* with the same first byte and prefix, while they are chained */
} Strip;

typedef struct Packer {
	Strip strips[CHUNK_ROWS];
	int count;
	uint16_t table[TABLE_SIZE];  /* strips by their hash */
	uint16_t strip[CHUNK_ROWS];  /* of the row */
	uint8_t prefix[CHUNK_ROWS];  /* of the row */
	uint16_t header[CHUNK_ROWS]; /* as if rows began at HEADER_SLOT */
	uint8_t directory[CHUNK_GROUPS];
	uint8_t source[CHUNK_GROUPS]; /* the first group of rows that has these headers */
	int groups;
	uint32_t shared, size;
} Packer;

/* ---- strips ------------------------------------------------------------------------------------------------- */

#if defined(__SSE2__)

/* Bits: the bytes of a row that are not `byte`. */
static inline uint32_t Row_Others(const uint8_t *row, uint8_t byte)
{
	const __m128i all = _mm_set1_epi8((char)byte);
	__m128i low = _mm_loadu_si128((const __m128i *)(const void *)row);
	__m128i high = _mm_loadu_si128((const __m128i *)(const void *)(row + 16));
	uint32_t equal = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, all)) |
	                 (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, all)) << 16;
	return ~equal;
}

/* Number of equal bytes at the start and at the end of a row that is not uniform. */
static int Row_Prefix(const uint8_t *row)
{
	return __builtin_ctz(Row_Others(row, row[0]));
}

static int Row_Suffix(const uint8_t *row)
{
	return __builtin_clz(Row_Others(row, row[CHUNK_SIZE - 1]));
}

#else

/* Number of equal bytes at the start of a row that is not uniform. Little-endian words. */
static int Row_Prefix(const uint8_t *row)
{
	uint64_t want = row[0] * 0x0101010101010101u, word;
	for (int i = 0;; i += 8) {
		memcpy(&word, row + i, 8);
		if (word != want)
			return i + __builtin_ctzll(word ^ want) / 8;
	}
}

static int Row_Suffix(const uint8_t *row)
{
	uint64_t want = row[CHUNK_SIZE - 1] * 0x0101010101010101u, word;
	for (int i = 0;; i += 8) {
		memcpy(&word, row + CHUNK_SIZE - 8 - i, 8);
		if (word != want)
			return i + __builtin_clzll(word ^ want) / 8;
	}
}

#endif

/* `size` bytes (1 to 8) of a row from `at` on, in the low bytes of a word; nothing outside the row is read. */
static uint64_t Row_Part(const uint8_t *row, int at, int size)
{
	int from = Int_Min(at, CHUNK_SIZE - 8);
	uint64_t word;
	memcpy(&word, row + from, 8);
	word >>= 8 * (at - from);
	return size < 8 ? word & (((uint64_t)1 << (8 * size)) - 1) : word;
}

static uint32_t Core_Hash(const uint8_t *row, int prefix, int core)
{
	uint64_t hash = (uint64_t)(row[0] | row[CHUNK_SIZE - 1] << 8 | core << 16) * 0x9E3779B97F4A7C15u;
	for (int i = 0; i + 8 < core; i += 8)
		hash = (hash ^ (hash >> 29) ^ Row_Part(row, prefix + i, 8)) * 0xBF58476D1CE4E5B9u;
	int last = Int_Min(8, core); /* the part at the end may lie over the one before it */
	if (core > 0)
		hash = (hash ^ (hash >> 29) ^ Row_Part(row, prefix + core - last, last)) * 0xBF58476D1CE4E5B9u;
	return (uint32_t)(hash >> 40);
}

static bool Strip_Fits(const Strip *strip, const uint8_t *row, int prefix, int core)
{
	bool fits = strip->core == core && strip->bytes[0] == row[0] && strip->bytes[CHUNK_SIZE - 1] == row[CHUNK_SIZE - 1];
	for (int i = 0; i < core && fits; i += 8) {
		int size = Int_Min(8, core - i);
		fits = Row_Part(strip->bytes, strip->own_prefix + i, size) == Row_Part(row, prefix + i, size);
	}
	return fits;
}

static void Packer_AddRow(Packer *packer, int row, const uint8_t *bytes)
{
	int prefix = Row_Prefix(bytes), suffix = Row_Suffix(bytes), core = CHUNK_SIZE - prefix - suffix;
	uint32_t i = Core_Hash(bytes, prefix, core) % TABLE_SIZE;
	while (packer->table[i] != NONE && !Strip_Fits(&packer->strips[packer->table[i]], bytes, prefix, core))
		i = (i + 1) % TABLE_SIZE;
	if (packer->table[i] == NONE) {
		packer->table[i] = (uint16_t)packer->count;
		packer->strips[packer->count++] = (Strip){.bytes = bytes, .own_prefix = (uint8_t)prefix, .core = (uint8_t)core};
	}
	Strip *strip = &packer->strips[packer->table[i]];
	strip->prefix = (uint8_t)Int_Max(strip->prefix, prefix);
	strip->suffix = (uint8_t)Int_Max(strip->suffix, suffix);
	strip->rows++;
	packer->strip[row] = packer->table[i];
	packer->prefix[row] = (uint8_t)prefix;
}

static int Strip_Length(const Strip *strip)
{
	return strip->prefix + strip->core + strip->suffix;
}

/* Of an open channel: strips of several rows first, then the slots. */
static void Packer_PlaceSlots(Packer *packer)
{
	uint32_t at = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < packer->count; i++) {
			Strip *strip = &packer->strips[i];
			if ((strip->rows > 1) == (pass == 1))
				continue;
			strip->at = (uint16_t)at;
			at += (uint32_t)Strip_Length(strip);
		}
		if (pass == 0)
			packer->shared = at = (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	}
	packer->size = at;
}

/* Strips that are not placed yet, by first byte and prefix. */
typedef struct Heads {
	uint32_t prefixes[256]; /* bit p: there may be one in first[byte][p] */
	uint16_t first[256][CHUNK_SIZE];
} Heads;

static void Heads_Init(Heads *heads, Packer *packer)
{
	memset(heads->prefixes, 0, sizeof(heads->prefixes));
	for (int i = packer->count - 1; i >= 0; i--) {
		Strip *strip = &packer->strips[i];
		uint8_t byte = strip->bytes[0];
		bool any = heads->prefixes[byte] >> strip->prefix & 1;
		strip->next = any ? heads->first[byte][strip->prefix] : NONE;
		heads->first[byte][strip->prefix] = (uint16_t)i;
		heads->prefixes[byte] |= (uint32_t)1 << strip->prefix;
	}
}

/* The strip that begins with a run of the byte that suits the length best: the least that is as long, else the
 * longest. NULL: none begins with the byte. */
static Strip *Heads_Take(Heads *heads, Packer *packer, uint8_t byte, int length)
{
	while (heads->prefixes[byte] != 0) {
		uint32_t longer = heads->prefixes[byte] >> length << length;
		int prefix = longer != 0 ? __builtin_ctz(longer) : 31 - __builtin_clz(heads->prefixes[byte]);
		uint16_t i = heads->first[byte][prefix];
		while (i != NONE && packer->strips[i].placed)
			i = packer->strips[i].next;
		if (i != NONE) {
			heads->first[byte][prefix] = i;
			return &packer->strips[i];
		}
		heads->prefixes[byte] &= ~((uint32_t)1 << prefix);
	}
	return NULL;
}

/* Strips in the order of their prefixes. */
static void Packer_SortByPrefix(const Packer *packer, uint16_t order[CHUNK_ROWS])
{
	int start[CHUNK_SIZE + 1] = {0};
	for (int i = 0; i < packer->count; i++)
		start[packer->strips[i].prefix + 1]++;
	for (int p = 0; p < CHUNK_SIZE; p++)
		start[p + 1] += start[p];
	for (int i = 0; i < packer->count; i++)
		order[start[packer->strips[i].prefix]++] = (uint16_t)i;
}

/* Of a packed channel: one after another, a strip that begins with the byte that the last one ends with lying over its
 * end. Greedy; where none fits goes on the one that has least to share at its beginning. */
static void Packer_PlaceChain(Packer *packer)
{
	Heads heads;
	uint16_t order[CHUNK_ROWS];
	Heads_Init(&heads, packer);
	Packer_SortByPrefix(packer, order);
	Strip *last = NULL;
	uint32_t at = 0;
	for (int i = 0; i < packer->count;) {
		Strip *strip = last ? Heads_Take(&heads, packer, last->bytes[CHUNK_SIZE - 1], last->suffix) : NULL;
		if (strip)
			at -= (uint32_t)Int_Min(strip->prefix, last->suffix);
		else
			strip = &packer->strips[order[i++]];
		last = strip->placed ? last : strip;
		if (strip->placed)
			continue;
		strip->placed = true;
		strip->at = (uint16_t)at;
		at += (uint32_t)Strip_Length(strip);
	}
	packer->shared = packer->size = at;
}

static void Packer_Place(Packer *packer, const RowList *list, bool open)
{
	if (open)
		Packer_PlaceSlots(packer);
	else
		Packer_PlaceChain(packer);
	for (int row = 0; row < CHUNK_ROWS; row++) {
		packer->header[row] = list->header[row];
		if (list->header[row] < HEADER_SLOT)
			continue;
		const Strip *strip = &packer->strips[packer->strip[row]];
		packer->header[row] = (uint16_t)(HEADER_SLOT + strip->at + strip->prefix - packer->prefix[row]);
	}
}

/* ---- groups ------------------------------------------------------------------------------------------------- */

static void Packer_OwnGroups(Packer *packer)
{
	for (int group = 0; group < CHUNK_GROUPS; group++)
		packer->directory[group] = packer->source[group] = (uint8_t)group;
	packer->groups = CHUNK_GROUPS;
}

static void Packer_EqualGroups(Packer *packer)
{
	uint8_t table[2 * CHUNK_GROUPS];
	memset(table, 0xFF, sizeof(table)); /* a chunk's groups are fewer than 255 */
	packer->groups = 0;
	for (int group = 0; group < CHUNK_GROUPS; group++) {
		const uint16_t *header = packer->header + GROUP_ROWS * group;
		uint64_t word[2];
		memcpy(word, header, sizeof(word));
		uint64_t hash = (word[0] ^ (word[1] * 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u;
		uint8_t i = (uint8_t)(hash >> 56);
		while (table[i] != 0xFF &&
		       memcmp(packer->header + GROUP_ROWS * packer->source[table[i]], header, GROUP_BYTES) != 0)
			i++;
		if (table[i] == 0xFF) {
			table[i] = (uint8_t)packer->groups;
			packer->source[packer->groups++] = (uint8_t)group;
		}
		packer->directory[group] = table[i];
	}
}

/* ---- the block ---------------------------------------------------------------------------------------------- */

/* Prefix and suffix may be longer than in the row that the strip knows. */
static void Strip_Write(const Strip *strip, uint8_t *to)
{
	if (strip->rows == 1) {
		memcpy(to, strip->bytes, CHUNK_SIZE);
		return;
	}
	memset(to, strip->bytes[0], strip->prefix);
	memcpy(to + strip->prefix, strip->bytes + strip->own_prefix, strip->core);
	memset(to + strip->prefix + strip->core, strip->bytes[CHUNK_SIZE - 1], strip->suffix);
}

typedef uint16_t Headers8 __attribute__((vector_size(GROUP_BYTES)));

static void Packer_WriteGroups(const Packer *packer, uint8_t *block, uint32_t rows)
{
	memcpy(block, packer->directory, CHUNK_GROUPS);
	uint16_t *to = (uint16_t *)(block + CHUNK_GROUPS);
	for (int group = 0; group < packer->groups; group++) {
		const uint16_t *header = packer->header + GROUP_ROWS * packer->source[group];
		Headers8 headers;
		memcpy(&headers, header, sizeof(headers));
		headers += (Headers8)(headers >= HEADER_SLOT) & (uint16_t)(rows - HEADER_SLOT);
		memcpy(to, &headers, sizeof(headers));
		to += GROUP_ROWS;
	}
}

static bool Packer_Write(const Packer *packer, uint32_t spare, Memory *memory, ChannelData *out)
{
	uint32_t rows = (uint32_t)Int_Max(HEADER_SLOT, CHUNK_GROUPS + packer->groups * GROUP_BYTES);
	uint32_t capacity = (uint32_t)Int_Max(SMALLEST_BLOCK, (int)(rows + packer->size + spare));
	uint8_t *block = Memory_Alloc(memory, capacity);
	if (!block)
		return false;
	*out = (ChannelData){.header = block, .rows = (uint16_t)rows, .capacity = (uint16_t)capacity, .unused = SLOT_NONE};
	out->shared = (uint16_t)(rows + packer->shared);
	out->used = (uint16_t)(rows + packer->size);
	/* No byte that may be read is left as it came: small blocks have gaps, and the shared bytes end with one. */
	memset(block, 0, SMALLEST_BLOCK);
	memset(block + out->shared - ALIGNMENT, 0, ALIGNMENT);
	Packer_WriteGroups(packer, block, rows);
	for (int i = 0; i < packer->count; i++) {
		const Strip *strip = &packer->strips[i];
		Strip_Write(strip, block + rows + strip->at);
		if (strip->at >= packer->shared)
			out->owning++;
		else
			out->sharing = (uint16_t)(out->sharing + strip->rows);
	}
	return true;
}

void RowList_Init(RowList *list, const ChannelData *channel)
{
	for (int row = 0; row < CHUNK_ROWS; row++) {
		uint16_t header = Channel_Header(channel, row);
		list->header[row] = header < HEADER_SLOT ? header : HEADER_SLOT;
		list->bytes[row] = header < HEADER_SLOT ? uniform_rows[header] : Channel_Slot(channel, header);
	}
}

static bool Headers_AllSame(const uint16_t *header)
{
	return header[0] < HEADER_SLOT && memcmp(header, header + 1, (CHUNK_ROWS - 1) * sizeof(uint16_t)) == 0;
}

bool Channel_Pack(const RowList *list, bool open, Memory *memory, ChannelData *out)
{
	if (!open && Headers_AllSame(list->header)) {
		*out = Channel_Uniform((uint8_t)list->header[0]);
		return true;
	}
	Packer packer;
	packer.count = 0;
	memset(packer.table, 0xFF, sizeof(packer.table));
	for (int row = 0; row < CHUNK_ROWS; row++)
		if (list->header[row] >= HEADER_SLOT)
			Packer_AddRow(&packer, row, list->bytes[row]);
	Packer_Place(&packer, list, open);
	if (open)
		Packer_OwnGroups(&packer);
	else
		Packer_EqualGroups(&packer);
	uint32_t spare = open ? packer.size / 4 / CHUNK_SIZE * CHUNK_SIZE + SPARE_ROWS * CHUNK_SIZE : 0;
	return Packer_Write(&packer, spare, memory, out);
}
