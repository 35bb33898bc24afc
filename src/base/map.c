/* Hash maps by linear probing with backward-shift deletion (Knuth, TAOCP vol. 3, 6.4, algorithm R): no tombstones, so
 * a map that lives long stays as fast as a new one. */
#include "base/base.h"

#define MAP_FIRST 16
#define MAP_LARGEST (1 << 30)

/* The capacity that keeps `count` entries under a load of 0.7; 0 when no map can be that large. */
static int CapacityFor(int capacity, int count)
{
	if (capacity < MAP_FIRST)
		capacity = MAP_FIRST;
	while ((int64_t)count * 10 >= (int64_t)capacity * 7) {
		if (capacity >= MAP_LARGEST)
			return 0;
		capacity *= 2;
	}
	return capacity;
}

static uint64_t Mix(uint64_t h)
{
	h ^= h >> 32;
	h *= 0xD6E8FEB86659FD93u;
	h ^= h >> 29;
	h *= 0x94D049BB133111EBu;
	return h ^ (h >> 32);
}

/* Must the entry at `at`, whose home is `home`, move into `hole` to stay reachable? */
static bool FillsHole(int at, int home, int hole, int mask)
{
	return ((at - home) & mask) >= ((at - hole) & mask);
}

/* ---- coordinates ------------------------------------------------------------------------------------------- */

static int CoordHome(int32_t x, int32_t y, int32_t z, int mask)
{
	uint64_t xy = (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
	return (int)(Mix(xy * 0x9E3779B97F4A7C15u + (uint32_t)z * 0xBF58476D1CE4E5B9u) & (uint64_t)mask);
}

/* The slot of the key, or the empty slot where it would go. */
static int CoordSlot(const CoordMapSlot *slots, int mask, int32_t x, int32_t y, int32_t z)
{
	int i = CoordHome(x, y, z, mask);
	while (slots[i].value >= 0 && !(slots[i].x == x && slots[i].y == y && slots[i].z == z))
		i = (i + 1) & mask;
	return i;
}

int CoordMap_Find(const CoordMap *map, int32_t x, int32_t y, int32_t z)
{
	if (map->count == 0)
		return -1;
	return map->slots[CoordSlot(map->slots, map->capacity - 1, x, y, z)].value;
}

static bool CoordMap_Grow(CoordMap *map, Memory *memory, int count)
{
	int capacity = CapacityFor(map->capacity, count);
	if (capacity == map->capacity)
		return true;
	if (capacity == 0 || (size_t)capacity > SIZE_MAX / sizeof(CoordMapSlot))
		return false;
	CoordMapSlot *slots = Memory_Alloc(memory, (size_t)capacity * sizeof *slots);
	if (!slots)
		return false;
	memset(slots, 0xff, (size_t)capacity * sizeof *slots);
	for (int i = 0; i < map->capacity; i++) {
		const CoordMapSlot *s = &map->slots[i];
		if (s->value >= 0)
			slots[CoordSlot(slots, capacity - 1, s->x, s->y, s->z)] = *s;
	}
	Memory_Free(memory, map->slots, (size_t)map->capacity * sizeof *slots);
	map->slots = slots;
	map->capacity = capacity;
	return true;
}

bool CoordMap_Put(CoordMap *map, Memory *memory, int32_t x, int32_t y, int32_t z, int32_t value)
{
	SCREE_ASSERT(value >= 0);
	if (map->count > 0) {
		int i = CoordSlot(map->slots, map->capacity - 1, x, y, z);
		if (map->slots[i].value >= 0) {
			map->slots[i].value = value;
			return true;
		}
	}
	if (!CoordMap_Grow(map, memory, map->count + 1))
		return false;
	map->slots[CoordSlot(map->slots, map->capacity - 1, x, y, z)] = (CoordMapSlot){x, y, z, value};
	map->count++;
	return true;
}

void CoordMap_Remove(CoordMap *map, int32_t x, int32_t y, int32_t z)
{
	if (map->count == 0)
		return;
	int mask = map->capacity - 1;
	CoordMapSlot *slots = map->slots;
	int hole = CoordSlot(slots, mask, x, y, z);
	if (slots[hole].value < 0)
		return;
	for (int i = (hole + 1) & mask; slots[i].value >= 0; i = (i + 1) & mask) {
		if (FillsHole(i, CoordHome(slots[i].x, slots[i].y, slots[i].z, mask), hole, mask)) {
			slots[hole] = slots[i];
			hole = i;
		}
	}
	slots[hole].value = -1;
	map->count--;
}

void CoordMap_Free(CoordMap *map, Memory *memory)
{
	Memory_Free(memory, map->slots, (size_t)map->capacity * sizeof *map->slots);
	*map = (CoordMap){0};
}

/* ---- 64-bit keys ------------------------------------------------------------------------------------------- */

static int KeyHome(uint64_t key, int mask)
{
	return (int)(Mix(key * 0x9E3779B97F4A7C15u) & (uint64_t)mask);
}

static int KeySlot(const KeyMapSlot *slots, int mask, uint64_t key)
{
	int i = KeyHome(key, mask);
	while (slots[i].value >= 0 && slots[i].key != key)
		i = (i + 1) & mask;
	return i;
}

int KeyMap_Find(const KeyMap *map, uint64_t key)
{
	if (map->count == 0)
		return -1;
	return map->slots[KeySlot(map->slots, map->capacity - 1, key)].value;
}

bool KeyMap_Reserve(KeyMap *map, Memory *memory, int count)
{
	int capacity = CapacityFor(map->capacity, count);
	if (capacity == map->capacity)
		return true;
	if (capacity == 0 || (size_t)capacity > SIZE_MAX / sizeof(KeyMapSlot))
		return false;
	KeyMapSlot *slots = Memory_Alloc(memory, (size_t)capacity * sizeof *slots);
	if (!slots)
		return false;
	memset(slots, 0xff, (size_t)capacity * sizeof *slots);
	for (int i = 0; i < map->capacity; i++) {
		const KeyMapSlot *s = &map->slots[i];
		if (s->value >= 0)
			slots[KeySlot(slots, capacity - 1, s->key)] = *s;
	}
	Memory_Free(memory, map->slots, (size_t)map->capacity * sizeof *slots);
	map->slots = slots;
	map->capacity = capacity;
	return true;
}

bool KeyMap_Put(KeyMap *map, Memory *memory, uint64_t key, int32_t value)
{
	SCREE_ASSERT(value >= 0 && key != UINT64_MAX);
	if (map->count > 0) {
		int i = KeySlot(map->slots, map->capacity - 1, key);
		if (map->slots[i].value >= 0) {
			map->slots[i].value = value;
			return true;
		}
	}
	if (!KeyMap_Reserve(map, memory, map->count + 1))
		return false;
	KeyMapSlot *slot = &map->slots[KeySlot(map->slots, map->capacity - 1, key)];
	slot->key = key;
	slot->value = value;
	map->count++;
	return true;
}

void KeyMap_Remove(KeyMap *map, uint64_t key)
{
	if (map->count == 0)
		return;
	int mask = map->capacity - 1;
	KeyMapSlot *slots = map->slots;
	int hole = KeySlot(slots, mask, key);
	if (slots[hole].value < 0)
		return;
	for (int i = (hole + 1) & mask; slots[i].value >= 0; i = (i + 1) & mask) {
		if (FillsHole(i, KeyHome(slots[i].key, mask), hole, mask)) {
			slots[hole] = slots[i];
			hole = i;
		}
	}
	slots[hole].value = -1;
	map->count--;
}

void KeyMap_Free(KeyMap *map, Memory *memory)
{
	Memory_Free(memory, map->slots, (size_t)map->capacity * sizeof *map->slots);
	*map = (KeyMap){0};
}
