/* Many leaves of the tree of boxes that move at once, and all pairs that meet, against a plain list. */
#include "boxtree_twin.h"
#include "failing_memory.h"

#define LEAVES 700

typedef struct Pairs {
	uint8_t met[LEAVES][LEAVES];
	int count, stop_after; /* 0: never */
} Pairs;

static Pairs pairs;

static bool Meet(void *context, int32_t a, int32_t b)
{
	Pairs *p = context;
	p->met[Int_Min(a, b)][Int_Max(a, b)]++;
	return ++p->count != p->stop_after;
}

/* By shares of any number, each pair that meets is named once and no other. */
static void CheckPairs(const BoxTree *tree, int room, uint64_t seed, int step)
{
	BoxNodePair starts[64];
	memset(&pairs, 0, sizeof pairs);
	int shares = BoxTree_PairStarts(tree, starts, room);
	ck_assert_int_le(shares, room);
	for (int i = 0; i < shares; i++)
		ck_assert(BoxTree_Pairs(tree, starts[i], Meet, &pairs));
	for (int a = 0; a < LEAVES; a++)
		for (int b = a + 1; b < LEAVES; b++) {
			bool both = twin.leaf[a] >= 0 && twin.leaf[b] >= 0;
			bool meet = both && WorldBoxOverlap(twin.box[a], twin.box[b]);
			REQUIRE(pairs.met[a][b] == meet, "seed %llu step %d: %d and %d are named %d times",
			        (unsigned long long)seed, step, a, b, pairs.met[a][b]);
		}
}

static void InsertAll(BoxTree *tree, Memory *memory, Random *r, int count, double range, double size)
{
	Twin_Clear();
	for (int i = 0; i < count; i++) {
		twin.box[i] = i % 50 == 49 ? RandomBox(r, range, 10.0 * range) : RandomBox(r, range, size);
		twin.leaf[i] = BoxTree_Insert(tree, memory, twin.box[i], i);
		ck_assert_int_ge(twin.leaf[i], 0);
	}
}

static void PutAll(BoxTree *tree, Arena *arena)
{
	for (int i = 0; i < LEAVES; i++)
		if (twin.leaf[i] >= 0)
			BoxTree_Put(tree, twin.leaf[i], twin.box[i]);
	BoxTree_Settle(tree, arena);
}

/* Boxes wander, among them some that go far; a few leaves come and go. */
START_TEST(test_wandering)
{
	uint64_t seed = 7100 + (uint64_t)_i;
	double range = _i == 0 ? 10.0 : _i == 1 ? 1e6 : 1000.0, size = _i == 1 ? 1e5 : 0.05 * range;
	Random r = {seed};
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	Arena arena;
	Arena_Init(&arena, &memory);
	BoxTree tree;
	BoxTree_Init(&tree);
	InsertAll(&tree, &memory, &r, LEAVES - 20, range, size);
	int built = 0;
	for (int step = 0; step < 60; step++) {
		for (int i = 0; i < LEAVES; i++)
			if (twin.leaf[i] >= 0 && Random_Below(&r, 4) > 0)
				twin.box[i] = RandomBox(&r, step < 30 ? range : 3.0 * range, size);
		PutAll(&tree, &arena);
		built += tree.in_order && tree.turns == 0;
		ck_assert_msg(BoxTree_Validate(&tree), "seed %llu step %d", (unsigned long long)seed, step);
		CheckQuery(&tree, RandomBox(&r, range, 0.3 * range), seed, step);
		CheckPairs(&tree, 3 + step, seed, step);
		int i = Random_Below(&r, LEAVES);
		if (step % 3 > 0 && twin.leaf[i] >= 0) {
			BoxTree_Remove(&tree, twin.leaf[i]);
			twin.leaf[i] = -1;
		} else if (step % 3 > 0) {
			twin.box[i] = RandomBox(&r, range, size);
			twin.leaf[i] = BoxTree_Insert(&tree, &memory, twin.box[i], i);
		}
		ck_assert_msg(BoxTree_Validate(&tree), "seed %llu step %d, changed", (unsigned long long)seed, step);
	}
	ck_assert_msg(built >= 2, "seed %llu: built anew %d times", (unsigned long long)seed, built);
	BoxTree_Free(&tree, &memory);
	Arena_Destroy(&arena);
	ck_assert_uint_eq(memory.bytes, 0);
}
END_TEST

/* Equal boxes, nested ones, a row in which each is farther off than all before it together, endless ones. */
static WorldBox HardBox(int kind, int i)
{
	double far = ldexp(1.0, i % 900);
	switch (kind) {
	case 0:
		return MakeBox(1.0, 2.0, 3.0, 0.5, 0.5, 0.5);
	case 1:
		return MakeBox(0.0, 0.0, 0.0, 1.0 + i, 1.0 + i, 1.0 + i);
	case 2:
		return MakeBox(far, 0.0, 0.0, 0.1, 0.1, 0.1);
	case 3:
		return i % 3 == 0 ? (WorldBox){{-INFINITY, 0.0, 0.0}, {INFINITY, 1.0, 1.0}}
		                  : MakeBox(i, 0.0, 0.0, 0.6, 1.0, 1.0);
	default:
		return MakeBox(i, 0.0, 0.0, 0.0, 0.0, 0.0);
	}
}

START_TEST(test_hard_boxes)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	Arena arena;
	Arena_Init(&arena, &memory);
	BoxTree tree;
	BoxTree_Init(&tree);
	Random r = {7200};
	InsertAll(&tree, &memory, &r, LEAVES, 10.0, 0.01);
	for (int step = 0; step < 20; step++) {
		for (int i = 0; i < LEAVES; i++)
			twin.box[i] = HardBox(_i, i);
		PutAll(&tree, &arena);
		ck_assert_msg(BoxTree_Validate(&tree), "kind %d step %d", _i, step);
	}
	CheckPairs(&tree, 64, 7200, _i);
	BoxTree_Free(&tree, &memory);
	Arena_Destroy(&arena);
	ck_assert_uint_eq(memory.bytes, 0);
}
END_TEST

static double Surface(WorldBox box)
{
	double x = box.hi.x - box.lo.x, y = box.hi.y - box.lo.y, z = box.hi.z - box.lo.z;
	return x * y + y * z + z * x;
}

static double SurfaceOfBranches(const BoxTree *tree)
{
	double sum = 0.0;
	for (int i = 0; i < tree->nodes.count; i++)
		if (tree->nodes.data[i].height > 0)
			sum += Surface(tree->nodes.data[i].box);
	return sum;
}

/* A tree whose leaves have all gone elsewhere is built anew, and is then about as good as one made leaf by leaf. */
START_TEST(test_built_well)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	Arena arena;
	Arena_Init(&arena, &memory);
	BoxTree tree, plain;
	BoxTree_Init(&tree);
	BoxTree_Init(&plain);
	Random r = {7300};
	InsertAll(&tree, &memory, &r, LEAVES, 10.0, 0.2);
	for (int step = 0; step < 20 && (step < 2 || tree.turns > 0); step++) {
		for (int i = 0; i < LEAVES; i++)
			twin.box[i] = RandomBox(&r, 10.0, 0.2);
		PutAll(&tree, &arena);
	}
	ck_assert_int_eq(tree.turns, 0);
	for (int i = 0; i < LEAVES; i++)
		ck_assert_int_ge(BoxTree_Insert(&plain, &memory, twin.box[i], i), 0);
	double built = SurfaceOfBranches(&tree), by_leaves = SurfaceOfBranches(&plain);
	ck_assert_msg(built < 1.15 * by_leaves, "%g, and leaf by leaf %g", built, by_leaves);
	BoxTree_Free(&tree, &memory);
	BoxTree_Free(&plain, &memory);
	Arena_Destroy(&arena);
	ck_assert_uint_eq(memory.bytes, 0);
}
END_TEST

START_TEST(test_stopped_pairs)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	BoxTree tree;
	BoxTree_Init(&tree);
	BoxNodePair starts[64];
	ck_assert_int_eq(BoxTree_PairStarts(&tree, starts, 64), 0);
	for (int i = 0; i < 10; i++)
		ck_assert_int_ge(BoxTree_Insert(&tree, &memory, HardBox(0, i), i), 0);
	ck_assert_int_eq(BoxTree_PairStarts(&tree, starts, 3), 3);
	memset(&pairs, 0, sizeof pairs);
	pairs.stop_after = 1;
	int done = 0;
	for (int i = 0; i < 3; i++)
		done += BoxTree_Pairs(&tree, starts[i], Meet, &pairs);
	ck_assert_int_eq(done, 2);
	BoxTree_Free(&tree, &memory);
	ck_assert_uint_eq(memory.bytes, 0);
}
END_TEST

/* Without room the tree is not built anew, and is right all the same. */
START_TEST(test_no_room)
{
	FailingMemory f;
	FailingMemory_Init(&f, -1);
	Arena arena;
	Arena_Init(&arena, &f.memory);
	BoxTree tree;
	BoxTree_Init(&tree);
	Random r = {7400};
	InsertAll(&tree, &f.memory, &r, LEAVES, 10.0, 0.2);
	f.left = 0;
	for (int step = 0; step < 20; step++) {
		for (int i = 0; i < LEAVES; i++)
			twin.box[i] = RandomBox(&r, 10.0, 0.2);
		PutAll(&tree, &arena);
		ck_assert(BoxTree_Validate(&tree));
	}
	ck_assert_int_ge(tree.turns, 8);
	CheckPairs(&tree, 64, 7400, 0);
	BoxTree_Free(&tree, &f.memory);
	Arena_Destroy(&arena);
	ck_assert_uint_eq(f.memory.bytes, 0);
}
END_TEST

Suite *suite_boxtree_many(void)
{
	Suite *suite = suite_create("boxtree_many");
	TCase *tcase = tcase_create("boxtree_many");
	tcase_add_loop_test(tcase, test_wandering, 0, 3);
	tcase_add_loop_test(tcase, test_hard_boxes, 0, 5);
	tcase_add_test(tcase, test_built_well);
	tcase_add_test(tcase, test_stopped_pairs);
	tcase_add_test(tcase, test_no_room);
	suite_add_tcase(suite, tcase);
	return suite;
}
