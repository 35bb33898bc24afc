/* The loose kD-tree against plain lists: structure, boxes, segments, and the inputs that break trees (equal boxes,
 * fans, flat sets). */
#include "require.h"
#include "spatial/spatial.h"

#include <check.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- inputs -------------------------------------------------------------------------------------------------- */

typedef enum Kind { SURFACE, EQUAL, FAN, FLAT, POINTS, LINE, TWO_CLUSTERS, GROWING, ANYTHING, KIND_COUNT } Kind;

static const char *const kind_names[KIND_COUNT] = {"surface", "equal",        "fan",     "flat",    "points",
                                                   "line",    "two clusters", "growing", "anything"};

static void SetBox(KdQuadBox *box, int axis, int from, int to)
{
	box->lo[axis] = (uint16_t)Int_Clamp(Int_Min(from, to), 0, 65535);
	box->hi[axis] = (uint16_t)Int_Clamp(Int_Max(from, to), 0, 65535);
}

static void MakeBox(KdQuadBox *box, Kind kind, int i, int count, Random *r)
{
	for (int a = 0; a < 3; a++) {
		int at = Random_Below(r, 36000), size = 1000 + Random_Below(r, 6000);
		switch (kind) {
		case SURFACE: /* a rough sheet, one quad a place of a 39 x 39 grid */
			at = a == 0 ? i % 39 * 900 : a == 2 ? i / 39 * 900 : 16000 + (int)(2000.0 * Random_Unit(r));
			size = 1500;
			break;
		case EQUAL:
			at = 1000 * (a + 1);
			size = 500;
			break;
		case FAN: /* all hold one point, each reaches further out in its own direction */
			at = 18000 - Random_Below(r, 18000);
			size = 18000 - at + Random_Below(r, 18000);
			break;
		case FLAT:
			at = a == 1 ? 777 : at;
			size = a == 1 ? 0 : size;
			break;
		case POINTS:
			size = 0;
			break;
		case LINE:
			at = i * 20;
			size = 19;
			break;
		case TWO_CLUSTERS: /* one box far from all the others */
			at = i == count - 1 ? 60000 : 100;
			size = 10;
			break;
		case GROWING: /* midpoints crowd at one end: the mean leaves few on one side, again and again */
			at = (int)(65535.0 / (1.0 + i));
			size = 0;
			break;
		default:
			at = Random_Below(r, 65536);
			size = Random_Below(r, 65536);
		}
		SetBox(box, a, at, at + size);
	}
}

typedef struct Tree {
	KdQuadBox boxes[KD_QUAD_LIMIT];
	KdNode nodes[2 * KD_QUAD_LIMIT];
	uint16_t order[KD_QUAD_LIMIT];
	int count, node_count;
	int leaf_of[KD_QUAD_LIMIT]; /* by place: its leaf's node */
	int parent[2 * KD_QUAD_LIMIT];
	int depth, leaves;
} Tree;

static Tree tree;

static void MakeTree(Kind kind, int count, Random *r)
{
	for (int i = 0; i < count; i++)
		MakeBox(&tree.boxes[i], kind, i, count, r);
	tree.count = count;
	memset(tree.nodes, 0xA5, sizeof tree.nodes);
	tree.node_count = KdTree_Build(tree.boxes, count, tree.nodes, tree.order);
}

/* ---- reading a tree, from its description alone -------------------------------------------------------------- */

static bool IsLeaf(int node)
{
	return (tree.nodes[node].link & 3) == 3;
}
static int Child(int node)
{
	return tree.nodes[node].link >> 2;
}

static const KdQuadBox *BoxAt(int place)
{
	return &tree.boxes[tree.order[place]];
}

/* Is `node` the ancestor's child on that side, or below it? */
static bool IsUnder(int node, int ancestor, int side)
{
	while (node >= 0 && tree.parent[node] != ancestor)
		node = tree.parent[node];
	return node == Child(ancestor) + side;
}

/* Walks the whole tree with a query that everything meets, to learn its leaves, then checks what was promised. */
static void CheckStructure(const char *name, unsigned long long seed)
{
	static int stack[2 * KD_QUAD_LIMIT], depth[2 * KD_QUAD_LIMIT];
	static bool seen[KD_QUAD_LIMIT];
	int top = 0, places = 0, visited = 0;
	tree.depth = tree.leaves = 0;
	stack[top++] = 0;
	tree.parent[0] = -1;
	depth[0] = 1;
	while (top > 0) {
		int node = stack[--top];
		visited++;
		REQUIRE(node >= 0 && node < tree.node_count, "%s, seed %llu: a link leads out", name, seed);
		tree.depth = Int_Max(tree.depth, depth[node]);
		if (IsLeaf(node)) {
			int first = tree.nodes[node].link >> 4, count = (tree.nodes[node].link >> 2 & 3) + 1;
			REQUIRE(first + count <= tree.count, "%s, seed %llu: a leaf leads out", name, seed);
			for (int i = first; i < first + count; i++)
				tree.leaf_of[i] = node;
			places += count;
			tree.leaves++;
			continue;
		}
		for (int side = 0; side < 2; side++) {
			tree.parent[Child(node) + side] = node;
			depth[Child(node) + side] = depth[node] + 1;
			stack[top++] = Child(node) + side;
		}
	}
	REQUIRE(places == tree.count && visited == tree.node_count, "%s, seed %llu: %d of %d quads, %d of %d nodes", name,
	        seed, places, tree.count, visited, tree.node_count);
	REQUIRE(tree.depth <= 24 && tree.node_count <= 2 * tree.count, "%s, seed %llu: depth %d", name, seed, tree.depth);
	memset(seen, 0, sizeof seen);
	for (int i = 0; i < tree.count; i++) {
		REQUIRE(tree.order[i] < tree.count && !seen[tree.order[i]], "%s, seed %llu: no permutation", name, seed);
		seen[tree.order[i]] = true;
	}
	for (int node = 0; node < tree.node_count; node++) {
		if (IsLeaf(node))
			continue;
		int axis = tree.nodes[node].link & 3, end = 0, start = 65535;
		for (int i = 0; i < tree.count; i++) {
			if (IsUnder(tree.leaf_of[i], node, 0))
				end = Int_Max(end, BoxAt(i)->hi[axis]);
			if (IsUnder(tree.leaf_of[i], node, 1))
				start = Int_Min(start, BoxAt(i)->lo[axis]);
		}
		REQUIRE(tree.nodes[node].split[0] == end && tree.nodes[node].split[1] == start,
		        "%s, seed %llu: node %d has planes %d %d, not %d %d", name, seed, node, tree.nodes[node].split[0],
		        tree.nodes[node].split[1], end, start);
	}
}

START_TEST(structure)
{
	for (int kind = 0; kind < KIND_COUNT; kind++)
		for (int run = 0; run < 12; run++) {
			unsigned long long seed = (unsigned)(1000 * kind + run);
			Random r = {seed};
			static const int counts[] = {1, 2, 4, 5, 6, 9, 17, 100, 333, 1535, KD_QUAD_LIMIT, 0};
			int count = counts[run] ? counts[run] : 1 + Random_Below(&r, KD_QUAD_LIMIT);
			MakeTree((Kind)kind, count, &r);
			CheckStructure(kind_names[kind], seed);
		}
}
END_TEST

/* ---- boxes --------------------------------------------------------------------------------------------------- */

static bool Meets(const KdQuadBox *a, const KdQuadBox *b)
{
	for (int i = 0; i < 3; i++)
		if (a->lo[i] > b->hi[i] || a->hi[i] < b->lo[i])
			return false;
	return true;
}

/* A leaf is reached when the box passes every plane above it. */
static bool LeafIsReached(int leaf, const KdQuadBox *box)
{
	for (int node = leaf; tree.parent[node] >= 0; node = tree.parent[node]) {
		int parent = tree.parent[node], axis = tree.nodes[parent].link & 3, side = node - Child(parent);
		if (side == 0 ? tree.nodes[parent].split[0] < box->lo[axis] : tree.nodes[parent].split[1] > box->hi[axis])
			return false;
	}
	return true;
}

START_TEST(boxes)
{
	static uint16_t found[KD_QUAD_LIMIT];
	static bool has[KD_QUAD_LIMIT];
	for (int kind = 0; kind < KIND_COUNT; kind++)
		for (int run = 0; run < 6; run++) {
			unsigned long long seed = (unsigned)(7000 + 100 * kind + run);
			Random r = {seed};
			MakeTree((Kind)kind, run == 0 ? KD_QUAD_LIMIT : 1 + Random_Below(&r, 700), &r);
			CheckStructure(kind_names[kind], seed);
			for (int query = 0; query < 60; query++) {
				KdQuadBox box;
				int side = query % 3 == 0 ? 300 : query % 3 == 1 ? 4000 : 40000;
				for (int a = 0; a < 3; a++) {
					int at = query % 2 ? BoxAt(Random_Below(&r, tree.count))->lo[a] : Random_Below(&r, 65536);
					int lo = at - Random_Below(&r, side);
					SetBox(&box, a, lo, at + Random_Below(&r, side));
				}
				int n = KdTree_Query(tree.nodes, tree.node_count, tree.count, box, found);
				memset(has, 0, sizeof has);
				for (int i = 0; i < n; i++) {
					REQUIRE(found[i] < tree.count && !has[found[i]], "%s, seed %llu: found twice", kind_names[kind],
					        seed);
					has[found[i]] = true;
				}
				for (int i = 0; i < tree.count; i++) {
					REQUIRE(has[i] == LeafIsReached(tree.leaf_of[i], &box), "%s, seed %llu, query %d: place %d is %s",
					        kind_names[kind], seed, query, i, has[i] ? "found" : "missed");
					REQUIRE(has[i] || !Meets(BoxAt(i), &box), "%s, seed %llu, query %d: quad at %d lost",
					        kind_names[kind], seed, query, i);
				}
			}
		}
}
END_TEST

/* The tree must be worth having: a small box in a sheet of 1,521 quads reads few of them. */
START_TEST(boxes_read_little)
{
	static uint16_t found[KD_QUAD_LIMIT];
	Random r = {5};
	MakeTree(SURFACE, 39 * 39, &r);
	int64_t candidates = 0, exact = 0;
	for (int query = 0; query < 400; query++) {
		KdQuadBox box;
		for (int a = 0; a < 3; a++) {
			int at = a == 1 ? 17000 : Random_Below(&r, 35000);
			SetBox(&box, a, at, at + 1000);
		}
		candidates += KdTree_Query(tree.nodes, tree.node_count, tree.count, box, found);
		for (int i = 0; i < tree.count; i++)
			exact += Meets(BoxAt(i), &box);
	}
	ck_assert_msg(exact > 400 * 4 && candidates < 4 * exact, "%lld candidates for %lld quads", (long long)candidates,
	              (long long)exact);
}
END_TEST

START_TEST(nothing_in_nothing)
{
	uint16_t found[1];
	KdQuadBox box = {{0, 0, 0}, {65535, 65535, 65535}};
	ck_assert_int_eq(KdTree_Query(NULL, 0, 0, box, found), 0);
	KdWalk walk;
	int first, count;
	KdWalk_Begin(&walk, NULL, 0, (double[3]){0, 0, 0}, (double[3]){1, 0, 0}, 0.0, 10.0);
	ck_assert(!KdWalk_Next(&walk, 1e9, &first, &count));
}
END_TEST

/* ---- segments ------------------------------------------------------------------------------------------------ */

/* Where o + t d, t in [t0, t1], enters the box; above t1 when it does not. */
static double Entry(const KdQuadBox *box, const double o[3], const double d[3], double t0, double t1)
{
	double enter = t0, leave = t1;
	for (int a = 0; a < 3; a++) {
		if (d[a] == 0.0) {
			if (o[a] < box->lo[a] || o[a] > box->hi[a])
				return t1 + 1.0;
			continue;
		}
		double u = (box->lo[a] - o[a]) / d[a], v = (box->hi[a] - o[a]) / d[a];
		enter = MaxD(enter, MinD(u, v));
		leave = MinD(leave, MaxD(u, v));
	}
	return enter <= leave ? enter : t1 + 1.0;
}

typedef struct Segment {
	double o[3], d[3], t0, t1;
} Segment;

static Segment RandomSegment(Random *r)
{
	Segment s;
	int style = Random_Below(r, 6);
	for (int a = 0; a < 3; a++) {
		double to = BoxAt(Random_Below(r, tree.count))->lo[a];
		s.o[a] = style == 0 ? to : Random_Range(r, -20000.0, 90000.0);
		s.d[a] = to - s.o[a];
		if (style == 1) /* along one axis, through a corner of some box */
			s.o[a] = to, s.d[a] = a == 1 ? -1.0 : 0.0;
		if (style == 2) /* in a plane of the grid */
			s.o[a] = a == 0 ? to : s.o[a], s.d[a] = a == 0 ? 0.0 : s.d[a];
		if (style == 3) /* hardly moves along an axis */
			s.d[a] = a == 2 ? 1e-300 : s.d[a];
	}
	s.t0 = style == 1 ? -1e5 : 0.0;
	s.t1 = style == 1 ? 1e5 : Random_Range(r, 0.2, 3.0);
	return s;
}

START_TEST(segments)
{
	static bool has[KD_QUAD_LIMIT];
	for (int kind = 0; kind < KIND_COUNT; kind++)
		for (int run = 0; run < 6; run++) {
			unsigned long long seed = (unsigned)(20000 + 100 * kind + run);
			Random r = {seed};
			MakeTree((Kind)kind, run == 0 ? KD_QUAD_LIMIT : 1 + Random_Below(&r, 700), &r);
			for (int ray = 0; ray < 100; ray++) {
				Segment s = RandomSegment(&r);
				/* A limit that does not change: everything that starts before it must be shown, nothing twice. */
				double limit = ray % 2 ? s.t1 : Random_Range(&r, s.t0, s.t1);
				KdWalk walk;
				int first, count;
				memset(has, 0, sizeof has);
				KdWalk_Begin(&walk, tree.nodes, tree.node_count, s.o, s.d, s.t0, s.t1);
				while (KdWalk_Next(&walk, limit, &first, &count))
					for (int i = first; i < first + count; i++) {
						REQUIRE(i < tree.count && !has[i], "%s, seed %llu: shown twice", kind_names[kind], seed);
						has[i] = true;
					}
				for (int i = 0; i < tree.count; i++) {
					double enter = Entry(BoxAt(i), s.o, s.d, s.t0, s.t1);
					REQUIRE(has[i] || enter > limit, "%s, seed %llu, ray %d: quad at %d lost", kind_names[kind], seed,
					        ray, i);
				}
				/* The nearest box, with the limit drawn in as hits come. */
				double best = s.t1, naive = s.t1;
				KdWalk_Begin(&walk, tree.nodes, tree.node_count, s.o, s.d, s.t0, s.t1);
				while (KdWalk_Next(&walk, best, &first, &count))
					for (int i = first; i < first + count; i++)
						best = MinD(best, Entry(BoxAt(i), s.o, s.d, s.t0, s.t1));
				for (int i = 0; i < tree.count; i++)
					naive = MinD(naive, Entry(BoxAt(i), s.o, s.d, s.t0, s.t1));
				REQUIRE(best == naive, "%s, seed %llu, ray %d: nearest at %g, not %g", kind_names[kind], seed, ray,
				        best, naive);
			}
		}
}
END_TEST

/* Down through a sheet: one or two leaves of several hundred; and the near ones come first. */
START_TEST(segments_read_little)
{
	Random r = {6};
	MakeTree(SURFACE, 39 * 39, &r);
	int leaves = 0, read_for_nearest = 0, read_in_all = 0;
	for (int ray = 0; ray < 200; ray++) {
		double down[3] = {Random_Range(&r, 1000, 34000), 60000, Random_Range(&r, 1000, 34000)};
		double along[3] = {-1000, Random_Range(&r, 17000, 18000), Random_Range(&r, 1000, 34000)};
		KdWalk walk;
		int first, count;
		KdWalk_Begin(&walk, tree.nodes, tree.node_count, down, (double[3]){0, -1, 0}, 0.0, 60000.0);
		while (KdWalk_Next(&walk, 60000.0, &first, &count))
			leaves++;
		for (int all = 0; all < 2; all++) {
			double best = 40000.0;
			KdWalk_Begin(&walk, tree.nodes, tree.node_count, along, (double[3]){1, 0, 0}, 0.0, 40000.0);
			while (KdWalk_Next(&walk, best, &first, &count))
				for (int i = first; i < first + count; i++) {
					*(all ? &read_in_all : &read_for_nearest) += 1;
					if (!all)
						best = MinD(best, Entry(BoxAt(i), along, (double[3]){1, 0, 0}, 0.0, 40000.0));
				}
		}
	}
	ck_assert_msg(leaves >= 200 && leaves < 200 * 12, "%d leaves for 200 rays", leaves);
	ck_assert_msg(read_for_nearest * 4 < read_in_all, "%d quads read for the nearest, %d for all", read_for_nearest,
	              read_in_all);
}
END_TEST

/* ---- more than one tree holds -------------------------------------------------------------------------------- */

typedef struct Load {
	Kind kind;
	int count;
} Load;

/* As many trees as the limit asks for, each with its own queries; on the small stack that some threads have. */
static void *BuildMany(void *argument)
{
	static uint16_t found[KD_QUAD_LIMIT];
	const Load *load = argument;
	Random r = {77};
	int left = load->count, trees = 0;
	for (; left > 0; trees++) {
		int count = Int_Min(left, KD_QUAD_LIMIT), naive = 0, exact = 0;
		MakeTree(load->kind, count, &r);
		CheckStructure(kind_names[load->kind], 77);
		KdQuadBox box = *BoxAt(Random_Below(&r, count));
		int n = KdTree_Query(tree.nodes, tree.node_count, count, box, found);
		for (int i = 0; i < n; i++)
			exact += Meets(BoxAt(found[i]), &box);
		for (int i = 0; i < count; i++)
			naive += Meets(BoxAt(i), &box);
		REQUIRE(exact == naive && naive > 0, "%s: %d of %d found", kind_names[load->kind], exact, naive);
		left -= count;
	}
	REQUIRE(trees == (load->count + KD_QUAD_LIMIT - 1) / KD_QUAD_LIMIT, "%d trees", trees);
	return NULL;
}

START_TEST(thousands_of_the_same)
{
	static const Load loads[] = {{EQUAL, 20000}, {FAN, 12000}, {FLAT, 12000}, {POINTS, 20000}, {GROWING, 6000}};
	pthread_attr_t attributes;
	ck_assert_int_eq(pthread_attr_init(&attributes), 0);
	ck_assert_int_eq(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
	for (int i = 0; i < COUNT_OF(loads); i++) {
		Load load = loads[i];
		pthread_t thread;
		ck_assert_int_eq(pthread_create(&thread, &attributes, BuildMany, &load), 0);
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
	}
	pthread_attr_destroy(&attributes);
}
END_TEST

Suite *suite_kdtree(void)
{
	Suite *suite = suite_create("kdtree");
	TCase *tcase = tcase_create("kdtree");
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, structure);
	tcase_add_test(tcase, boxes);
	tcase_add_test(tcase, boxes_read_little);
	tcase_add_test(tcase, nothing_in_nothing);
	tcase_add_test(tcase, segments);
	tcase_add_test(tcase, segments_read_little);
	tcase_add_test(tcase, thousands_of_the_same);
	suite_add_tcase(suite, tcase);
	return suite;
}
