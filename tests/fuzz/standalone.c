/* A target without libFuzzer: runs every file of a folder, and then random changes of them.
 *
 *   fuzz_x FOLDER [CHANGES [SEED]]
 *
 * AFL++ can use it with @@ in the place of FOLDER, which may also be one file. A crash leaves the input that caused it
 * in the file fuzz-last-input, in the current folder. */
#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

#define LONGEST ((size_t)1 << 20)

typedef struct Seed {
	char *name;
	uint8_t *data;
	size_t size;
} Seed;

typedef struct Seeds {
	Seed *seeds;
	int count;
} Seeds;

static void Fail(const char *what, const char *path)
{
	fprintf(stderr, "%s: %s\n", path, what);
	exit(2);
}

static void AddFile(Seeds *all, const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file)
		Fail("cannot be opened", path);
	Seed seed = {.name = strdup(path), .data = malloc(LONGEST)};
	if (!seed.name || !seed.data)
		Fail("no memory", path);
	seed.size = fread(seed.data, 1, LONGEST, file);
	fclose(file);
	all->seeds = realloc(all->seeds, sizeof(Seed) * (size_t)(all->count + 1));
	if (!all->seeds)
		Fail("no memory", path);
	all->seeds[all->count++] = seed;
}

static int ByName(const void *a, const void *b)
{
	return strcmp(((const Seed *)a)->name, ((const Seed *)b)->name);
}

static void AddAll(Seeds *all, const char *path)
{
	struct stat about;
	if (stat(path, &about) != 0)
		Fail("is not there", path);
	if (!S_ISDIR(about.st_mode)) {
		AddFile(all, path);
		return;
	}
	DIR *folder = opendir(path);
	if (!folder)
		Fail("cannot be read", path);
	for (struct dirent *entry; (entry = readdir(folder));) {
		if (entry->d_name[0] == '.')
			continue;
		char name[4096];
		snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
		AddFile(all, name);
	}
	closedir(folder);
	qsort(all->seeds, (size_t)all->count, sizeof(Seed), ByName);
}

/* xorshift64 (Marsaglia, 2003). */
static uint32_t Draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 32);
}

/* One change: a bit, a byte, a telling number, a cut, a piece doubled or a piece of another seed. */
static size_t Change(uint8_t *data, size_t size, const Seed *other, uint64_t *state)
{
	static const uint32_t telling[] = {0,      1,      0x7f,       0x80,       0xff,      0x7fff,
	                                   0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
	if (size == 0)
		return 0;
	size_t at = Draw(state) % size, room = size - at;
	uint32_t number = telling[Draw(state) % COUNT_OF(telling)];
	size_t width = (size_t)1 << Draw(state) % 3, piece = 1 + Draw(state) % 64;
	switch (Draw(state) % 7) {
	case 0:
		data[at] ^= (uint8_t)(1u << Draw(state) % 8);
		break;
	case 1:
		data[at] = (uint8_t)Draw(state);
		break;
	case 2:
		memcpy(data + at, &number, width < room ? width : room);
		break;
	case 3:
		return at;
	case 4: /* a piece goes */
		piece = piece < room ? piece : room;
		memmove(data + at, data + at + piece, room - piece);
		return size - piece;
	case 5: /* a piece comes twice */
		piece = piece < room ? piece : room;
		if (size + piece > LONGEST)
			break;
		memmove(data + at + piece, data + at, room);
		return size + piece;
	default:
		if (other->size > 0) {
			size_t from = Draw(state) % other->size, most = other->size - from;
			piece = piece < room ? piece : room;
			memcpy(data + at, other->data + from, piece < most ? piece : most);
		}
	}
	return size;
}

static void Keep(const uint8_t *data, size_t size)
{
	FILE *file = fopen("fuzz-last-input", "wb");
	if (!file)
		return;
	fwrite(data, 1, size, file);
	fclose(file);
}

static void RunChanges(const Seeds *all, long changes, uint64_t seed)
{
	uint8_t *data = malloc(LONGEST + 64);
	uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
	for (long i = 0; data && i < changes; i++) {
		const Seed *from = &all->seeds[Draw(&state) % (unsigned)all->count];
		size_t size = from->size;
		memcpy(data, from->data, size);
		for (uint32_t n = 1 + Draw(&state) % 6; n > 0; n--)
			size = Change(data, size, &all->seeds[Draw(&state) % (unsigned)all->count], &state);
		Keep(data, size);
		FuzzOne(data, size);
	}
	free(data);
	remove("fuzz-last-input");
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s FOLDER|FILE [CHANGES [SEED]]\n", argv[0]);
		return 2;
	}
	Seeds all = {0};
	AddAll(&all, argv[1]);
	if (all.count == 0)
		Fail("holds no inputs", argv[1]);
	long changes = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	for (int i = 0; i < all.count; i++)
		FuzzOne(all.seeds[i].data, all.seeds[i].size);
	RunChanges(&all, changes, seed);
	printf("%d inputs and %ld changes of them (seed %llu): sound\n", all.count, changes, (unsigned long long)seed);
	for (int i = 0; i < all.count; i++) {
		free(all.seeds[i].name);
		free(all.seeds[i].data);
	}
	free(all.seeds);
	return 0;
}
