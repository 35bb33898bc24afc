/* The dynamic tree of world boxes against a plain list, and its hard cases: equal boxes, nested boxes, endless ones. */
#include "boxtree_twin.h"
#include "failing_memory.h"

/* ---- the random twin ------------------------------------------------------------------------------------------ */

static void RandomChange(BoxTree *tree, Memory *memory, Random *r, int slots, double range, double size)
{
	int i = Random_Below(r, slots);
	WorldBox box = RandomBox(r, range, size);
	if (Random_Below(r, 10) == 0) /* some huge, some points */
		box = Random_Below(r, 2) ? RandomBox(r, range, 10.0 * range) : MakeBox(box.lo.x, box.lo.y, box.lo.z, 0, 0, 0);
	if (twin.leaf[i] < 0) {
		twin.leaf[i] = BoxTree_Insert(tree, memory, box, i);
		ck_assert_int_ge(twin.leaf[i], 0);
	} else if (Random_Below(r, 3) == 0) {
		BoxTree_Remove(tree, twin.leaf[i]);
		twin.leaf[i] = -1;
	} else {
		BoxTree_Move(tree, twin.leaf[i], box);
	}
	twin.box[i] = box;
}

static void CheckLeaves(const BoxTree *tree, uint64_t seed, int step)
{
	int count = 0;
	for (int i = 0; i < TWIN_LIMIT; i++) {
		if (twin.leaf[i] < 0)
			continue;
		count++;
		WorldBox box = BoxTree_Box(tree, twin.leaf[i]);
		ck_assert_msg(BoxTree_User(tree, twin.leaf[i]) == i && WorldBoxContains(box, twin.box[i]) &&
		                  WorldBoxContains(twin.box[i], box),
		              "seed %llu step %d: leaf of %d changed", (unsigned long long)seed, step, i);
	}
	ck_assert_int_eq(tree->leaf_count, count);
}

START_TEST(test_random_changes)
{
	uint64_t seed = 1000 + (uint64_t)_i;
	double range = _i == 0 ? 10.0 : _i == 1 ? 1000.0 : 1e7;
	double size = _i == 1 ? 100.0 : 0.05 * range;
	Random r = {seed};
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	BoxTree tree;
	BoxTree_Init(&tree);
	Twin_Clear();
	ck_assert(BoxTree_Validate(&tree));
	for (int step = 0; step < 4000; step++) {
		RandomChange(&tree, &memory, &r, step < 2000 ? 40 + step / 4 : 540, range, size);
		if (step % 8 == 0)
			ck_assert_msg(BoxTree_Validate(&tree), "seed %llu step %d", (unsigned long long)seed, step);
		if (step % 16 == 0) {
			CheckQuery(&tree, RandomBox(&r, range, 0.3 * range), seed, step);
			CheckRay(&tree, &r, range, seed, step);
		}
		if (step % 512 == 0)
			CheckLeaves(&tree, seed, step);
	}
	CheckLeaves(&tree, seed, 4000);
	for (int i = 0; i < TWIN_LIMIT; i++)
		if (twin.leaf[i] >= 0)
			BoxTree_Remove(&tree, twin.leaf[i]);
	ck_assert(BoxTree_Validate(&tree));
	ck_assert_int_eq(tree.leaf_count, 0);
	ck_assert_int_eq(tree.root, -1);
	BoxTree_Free(&tree, &memory);
	ck_assert_uint_eq(memory.bytes, 0);
}
END_TEST

/* ---- hard cases ----------------------------------------------------------------------------------------------- */

static int Height(const BoxTree *tree)
{
	return tree->root < 0 ? 0 : tree->nodes.data[tree->root].height;
}

typedef WorldBox BoxMaker(int i);

static WorldBox EqualBox(int i)
{
	(void)i;
	return MakeBox(3.0, 4.0, 5.0, 0.5, 0.5, 0.5);
}
static WorldBox NestedBox(int i)
{
	return MakeBox(0.0, 0.0, 0.0, 1.0 + i, 1.0 + i, 1.0 + i);
}
static WorldBox ShrinkingBox(int i)
{
	return NestedBox(TWIN_LIMIT - i);
}
static WorldBox DoublingBox(int i)
{
	double h = ldexp(1.0, i % 900);
	return MakeBox(0.0, 0.0, 0.0, h, h, h);
}
static WorldBox RowBox(int i)
{
	return MakeBox(2.0 * i, 0.0, 0.0, 0.0, 0.0, 0.0);
}
static WorldBox EndlessBox(int i)
{
	double inf = (double)INFINITY;
	if (i % 7 == 0)
		return (WorldBox){{-inf, -inf, -inf}, {inf, inf, inf}};
	if (i % 7 == 1)
		return (WorldBox){{-DBL_MAX, -DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX, DBL_MAX}};
	if (i % 7 == 2)
		return (WorldBox){{-inf, 0.0, -inf}, {inf, 1.0, inf}};
	return MakeBox(i, 0.0, 0.0, 1e-3, 1e-3, 1e-3);
}

static BoxMaker *const makers[] = {EqualBox, NestedBox, ShrinkingBox, DoublingBox, RowBox, EndlessBox};

/* Logarithmic height whatever the boxes are, and every leaf reported once by huge and endless queries and rays. */
START_TEST(test_hard_boxes)
{
	const int count = 5000;
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	BoxTree tree;
	BoxTree_Init(&tree);
	Twin_Clear();
	for (int i = 0; i < count; i++) {
		twin.box[i] = makers[_i](i);
		twin.leaf[i] = BoxTree_Insert(&tree, &memory, twin.box[i], i);
		ck_assert_int_ge(twin.leaf[i], 0);
	}
	ck_assert_msg(BoxTree_Validate(&tree), "maker %d", _i);
	ck_assert_msg(Height(&tree) <= 72, "maker %d: height %d", _i, Height(&tree)); /* least leaves of 73: over 5,000 */
	if (_i == 0 || _i == 4)
		ck_assert_msg(Height(&tree) <= 20, "maker %d: height %d", _i, Height(&tree));
	double sizes[] = {1e300, (double)INFINITY, DBL_MAX};
	for (int k = 0; k < 3; k++) {
		double s = sizes[k];
		ck_assert_int_eq(QueryAll(&tree, (WorldBox){{-s, -s, -s}, {s, s, s}}), count);
		for (int i = 0; i < count; i++)
			REQUIRE(seen.times[i] == 1, "box %d seen %d times", i, seen.times[i]);
	}
	CheckQuery(&tree, MakeBox(3.0, 4.0, 5.0, 0.1, 0.1, 0.1), 0, 0);
	Random r = {77};
	for (int i = 0; i < 30; i++)
		CheckRay(&tree, &r, 1e4, 77, i);
	for (int i = 0; i < count; i += 2) {
		BoxTree_Move(&tree, twin.leaf[i], makers[_i](count - i));
		twin.box[i] = makers[_i](count - i);
	}
	ck_assert(BoxTree_Validate(&tree));
	CheckQuery(&tree, MakeBox(3.0, 4.0, 5.0, 0.1, 0.1, 0.1), 0, 1);
	for (int i = 0; i < count; i++) {
		BoxTree_Remove(&tree, twin.leaf[i]);
		if (i % 500 == 0)
			ck_assert(BoxTree_Validate(&tree));
	}
	ck_assert(BoxTree_Validate(&tree));
	BoxTree_Free(&tree, &memory);
	ck_assert_uint_eq(memory.bytes, 0);
}
END_TEST

/* The stack of 256 entries holds every tree that can be: the recurrence of the balance. */
START_TEST(test_height_bound)
{
	static double least[256];
	for (int h = 0; h < 256; h++)
		least[h] = h <= 17 ? h + 1 : least[h - 1] + least[h - 17];
	ck_assert(least[157] < 1073741824.0 && least[158] > 1073741824.0);
}
END_TEST

/* ---- quality -------------------------------------------------------------------------------------------------- */

static double BoxArea(WorldBox b)
{
	double x = b.hi.x - b.lo.x, y = b.hi.y - b.lo.y, z = b.hi.z - b.lo.z;
	return x * y + y * z + z * x;
}

static int sort_axis;

static double Along(const WorldBox *b)
{
	return sort_axis == 0 ? b->lo.x + b->hi.x : sort_axis == 1 ? b->lo.y + b->hi.y : b->lo.z + b->hi.z;
}

static int CompareAlong(const void *a, const void *b)
{
	double d = Along(a) - Along(b);
	return d < 0.0 ? -1 : d > 0.0;
}

/* Surface of all branches of a tree that halves the boxes by number along the longest axis. */
static double MedianTreeArea(WorldBox *boxes, int count)
{
	WorldBox all = boxes[0];
	for (int i = 1; i < count; i++)
		all = WorldBoxUnion(all, boxes[i]);
	if (count == 1)
		return 0.0;
	double x = all.hi.x - all.lo.x, y = all.hi.y - all.lo.y, z = all.hi.z - all.lo.z;
	sort_axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
	qsort(boxes, (size_t)count, sizeof(*boxes), CompareAlong);
	return BoxArea(all) + MedianTreeArea(boxes, count / 2) + MedianTreeArea(boxes + count / 2, count - count / 2);
}

/* Built box by box, in random order or from left to right, a tree is nearly as good as one built at once (a tree that
 * takes the wrong side every time: over 40 times the surface). */
START_TEST(test_quality)
{
	const int count = 5000;
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	BoxTree tree;
	BoxTree_Init(&tree);
	Random r = {5};
	for (int i = 0; i < count; i++)
		twin.box[i] = RandomBox(&r, 100.0, 1.0);
	sort_axis = 0;
	if (_i == 1)
		qsort(twin.box, (size_t)count, sizeof(*twin.box), CompareAlong);
	for (int i = 0; i < count; i++)
		ck_assert_int_ge(BoxTree_Insert(&tree, &memory, twin.box[i], i), 0);
	ck_assert(BoxTree_Validate(&tree));
	double sum = 0.0;
	for (int i = 0; i < tree.nodes.count; i++)
		if (tree.nodes.data[i].height > 0)
			sum += BoxArea(tree.nodes.data[i].box);
	double median = MedianTreeArea(twin.box, count);
	ck_assert_msg(sum < 1.35 * median, "order %d: surface %g, of a median tree %g, height %d", _i, sum, median,
	              Height(&tree));
	ck_assert_msg(Height(&tree) <= 26, "height %d", Height(&tree));
	BoxTree_Free(&tree, &memory);
}
END_TEST

START_TEST(test_stopping)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	BoxTree tree;
	BoxTree_Init(&tree);
	Twin_Clear();
	BoxTree_Query(&tree, EqualBox(0), Collect, &seen); /* empty: nothing */
	for (int i = 0; i < 100; i++)
		BoxTree_Insert(&tree, &memory, EqualBox(i), i);
	memset(&seen, 0, sizeof(seen));
	seen.stop_after = 7;
	BoxTree_Query(&tree, EqualBox(0), Collect, &seen);
	ck_assert_int_eq(seen.total, 7);
	double nan = (double)NAN;
	ck_assert_int_eq(QueryAll(&tree, (WorldBox){{nan, nan, nan}, {nan, nan, nan}}), 0);
	ck_assert_int_eq(QueryAll(&tree, (WorldBox){{1, 1, 1}, {-1, -1, -1}}), 0);
	BoxTree_Free(&tree, &memory);
}
END_TEST

static double RayStop(void *context, int32_t user, double max_fraction)
{
	(void)user;
	(void)max_fraction;
	++*(int *)context;
	return -1.0;
}
static double RayPass(void *context, int32_t user, double max_fraction)
{
	(void)user;
	++*(int *)context;
	return max_fraction;
}

static int CountRay(const BoxTree *tree, Pos from, double x, double y, double z, Vec3 extent, double max)
{
	double delta[3] = {x, y, z};
	int calls = 0;
	BoxTree_Ray(tree, from, delta, extent, max, RayPass, &calls);
	return calls;
}

START_TEST(test_ray_edges)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	BoxTree tree;
	BoxTree_Init(&tree);
	Vec3 none = V3(0, 0, 0);
	ck_assert_int_eq(CountRay(&tree, (Pos){0, 0, 0}, 1, 0, 0, none, 1.0), 0);
	ck_assert_int_ge(BoxTree_Insert(&tree, &memory, MakeBox(0, 0, 0, 1, 1, 1), 0), 0);
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 0, 0}, 10, 0, 0, none, 1.0), 1);
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 0, 0}, 10, 0, 0, none, 0.4), 1);
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 0, 0}, 10, 0, 0, none, 0.39), 0);
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 0, 0}, 10, 0, 0, none, -1.0), 0);
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 0, 0}, -10, 0, 0, none, 1.0), 0);
	/* along a face and along an edge: the box is closed */
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 1, 0}, 10, 0, 0, none, 1.0), 1);
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 1, -1}, 10, -0.0, 0, none, 1.0), 1);
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 1.000001, 0}, 10, 0, 0, none, 1.0), 0);
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 1.5, 0}, 10, 0, 0, V3(0, 0.5f, 0), 1.0), 1);
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 1.5, 0}, 10, 0, 0, V3(0, 0.499f, 0), 1.0), 0);
	/* no length: inside, on the face, outside; lengths that are next to none */
	ck_assert_int_eq(CountRay(&tree, (Pos){0, 0, 0}, 0, 0, 0, none, 1.0), 1);
	ck_assert_int_eq(CountRay(&tree, (Pos){1, 0, 0}, 0, 0, 0, none, 1.0), 1);
	ck_assert_int_eq(CountRay(&tree, (Pos){1.1, 0, 0}, 0, 0, 0, none, 1.0), 0);
	ck_assert_int_eq(CountRay(&tree, (Pos){1, 0, 0}, 1e-320, -1e-320, 0, none, 1.0), 1);
	ck_assert_int_eq(CountRay(&tree, (Pos){1.1, 0, 0}, 1e-320, 0, 1e-30, none, 1.0), 0);
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 0, 0}, 1e300, 0, 0, none, 1.0), 1);
	ck_assert_int_eq(CountRay(&tree, (Pos){-5, 0, 0}, 1e308, 1e-320, 1e-320, none, 1.0), 1);
	int calls = 0;
	double delta[3] = {10, 0, 0};
	for (int i = 1; i < 20; i++)
		ck_assert_int_ge(BoxTree_Insert(&tree, &memory, MakeBox(0, 0, 0, 1, 1, 1), i), 0);
	BoxTree_Ray(&tree, (Pos){-5, 0, 0}, delta, none, 1.0, RayStop, &calls);
	ck_assert_int_eq(calls, 1);
	BoxTree_Free(&tree, &memory);
}
END_TEST

static double RayFirst(void *context, int32_t user, double max_fraction)
{
	RayContext *r = context;
	r->calls++;
	return MinD(max_fraction, TwinRay(twin.box[user], r->from, r->delta, r->extent, max_fraction));
}

/* The near side first: along a row of boxes, whichever way, few are looked at before the nearest one ends the ray. */
START_TEST(test_ray_order)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	BoxTree tree;
	BoxTree_Init(&tree);
	for (int i = 0; i < 1000; i++) {
		twin.box[i] = MakeBox(2.0 * i, 0.0, 0.0, 0.5, 0.5, 0.5);
		ck_assert_int_ge(BoxTree_Insert(&tree, &memory, twin.box[i], i), 0);
	}
	for (int way = 0; way < 2; way++) {
		memset(&ray, 0, sizeof(ray));
		ray.from = (Pos){way ? 3000.0 : -1000.0, 0.0, 0.0};
		ray.delta[0] = way ? -4000.0 : 4000.0;
		BoxTree_Ray(&tree, ray.from, ray.delta, V3(0, 0, 0), 1.0, RayFirst, &ray);
		ck_assert_msg(ray.calls == 1, "way %d: %d boxes", way, ray.calls);
	}
	BoxTree_Free(&tree, &memory);
}
END_TEST

START_TEST(test_memory)
{
	FailingMemory f;
	BoxTree tree;
	/* after Reserve nothing can fail */
	FailingMemory_Init(&f, -1);
	BoxTree_Init(&tree);
	ck_assert(BoxTree_Reserve(&tree, &f.memory, 300));
	ck_assert(!BoxTree_Reserve(&tree, &f.memory, INT32_MAX));
	f.left = 0;
	int leaf[300];
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 300; i++) {
			leaf[i] = BoxTree_Insert(&tree, &f.memory, NestedBox(i), i);
			ck_assert_int_ge(leaf[i], 0);
		}
		for (int i = 0; i < 300; i++)
			BoxTree_Remove(&tree, leaf[(i * 7) % 300]);
	}
	BoxTree_Free(&tree, &f.memory);
	ck_assert_uint_eq(f.memory.bytes, 0);
	/* a failed insert changes nothing */
	bool failed = true;
	for (long n = 0; failed && n < 100; n++) {
		FailingMemory_Init(&f, n);
		BoxTree_Init(&tree);
		int i = 0;
		while (BoxTree_Insert(&tree, &f.memory, NestedBox(i), i) >= 0 && i < 400)
			i++;
		ck_assert_int_eq(tree.leaf_count, f.failed ? i : 401);
		ck_assert(BoxTree_Validate(&tree));
		ck_assert_int_eq(QueryAll(&tree, NestedBox(0)), tree.leaf_count);
		BoxTree_Free(&tree, &f.memory);
		ck_assert_uint_eq(f.memory.bytes, 0);
		failed = f.failed;
	}
	ck_assert(!failed);
}
END_TEST

static bool SameBits(const void *a, const void *b, size_t size)
{
	return memcmp(a, b, size) == 0;
}

/* The check itself: any one damage shows. */
START_TEST(test_validate)
{
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	for (int damage = 0; damage < 13; damage++) {
		BoxTree tree;
		BoxTree_Init(&tree);
		ck_assert(BoxTree_Reserve(&tree, &memory, 0));
		int leaf[40];
		for (int i = 0; i < 40; i++)
			leaf[i] = BoxTree_Insert(&tree, &memory, RowBox(i), i);
		for (int i = 0; i < 5; i++)
			BoxTree_Remove(&tree, leaf[7 * i]);
		ck_assert(BoxTree_Validate(&tree));
		BoxNode *node = tree.nodes.data, *root = &node[tree.root];
		int branch = root->child[node[root->child[0]].height == 0];
		switch (damage) {
		case 1:
			root->box.lo.x -= 1.0;
			break;
		case 2:
			root->height++;
			break;
		case 3:
			node[branch].parent = leaf[1];
			break;
		case 4:
			root->child[0] = root->child[1];
			break;
		case 5:
			node[leaf[1]].height = 1;
			break;
		case 6:
			tree.leaf_count++;
			break;
		case 7:
			tree.unused = node[tree.unused].parent;
			break;
		case 8:
			node[tree.unused].height = 0;
			break;
		case 9:
			root->parent = branch;
			break;
		case 10:
			tree.root = tree.nodes.count;
			break;
		case 11:
			root->child[1] = tree.nodes.count + 3;
			break;
		case 12:
			node[branch].box.hi.x += 1e-9;
			break;
		}
		ck_assert_msg(BoxTree_Validate(&tree) == (damage == 0), "damage %d", damage);
		BoxTree_Free(&tree, &memory);
	}
	ck_assert_uint_eq(memory.bytes, 0);
}
END_TEST

/* Same calls, same tree, bit for bit. */
START_TEST(test_determinism)
{
	BoxTree tree[2];
	Memory memory;
	Memory_Init(&memory, NULL, NULL);
	for (int k = 0; k < 2; k++) {
		Random r = {99};
		Twin_Clear();
		BoxTree_Init(&tree[k]);
		for (int step = 0; step < 2000; step++)
			RandomChange(&tree[k], &memory, &r, 300, 50.0, 2.0);
	}
	ck_assert_int_eq(tree[0].nodes.count, tree[1].nodes.count);
	ck_assert_int_eq(tree[0].root, tree[1].root);
	for (int i = 0; i < tree[0].nodes.count; i++) {
		const BoxNode *a = &tree[0].nodes.data[i], *b = &tree[1].nodes.data[i];
		ck_assert(SameBits(&a->box, &b->box, sizeof(WorldBox)));
		ck_assert(a->parent == b->parent && a->child[0] == b->child[0] && a->child[1] == b->child[1] &&
		          a->user == b->user && a->height == b->height);
	}
	BoxTree_Free(&tree[0], &memory);
	BoxTree_Free(&tree[1], &memory);
}
END_TEST

Suite *suite_boxtree(void);
Suite *suite_boxtree(void)
{
	Suite *suite = suite_create("boxtree");
	TCase *tcase = tcase_create("boxtree");
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_random_changes, 0, 3);
	tcase_add_loop_test(tcase, test_hard_boxes, 0, COUNT_OF(makers));
	tcase_add_test(tcase, test_height_bound);
	tcase_add_loop_test(tcase, test_quality, 0, 2);
	tcase_add_test(tcase, test_stopping);
	tcase_add_test(tcase, test_ray_edges);
	tcase_add_test(tcase, test_ray_order);
	tcase_add_test(tcase, test_memory);
	tcase_add_test(tcase, test_validate);
	tcase_add_test(tcase, test_determinism);
	suite_add_tcase(suite, tcase);
	return suite;
}
