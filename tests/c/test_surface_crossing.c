/* The surface does not cut itself: all pairs of nearby triangles, by exact whole-number predicates.
 *
 * What counts. Two triangles share a corner when it is one vertex or, in fields with exact cubes, when both vertices
 * lie at the same place: cubes that touch along an edge or at a corner are snapped to the same lattice points there,
 * and must touch. In fields without exact cubes no two vertices may lie at one place at all, and that is counted too. A
 * pair
 *   - without a common corner counts when the two have any point in common, be it a single one;
 *   - with one common corner, when they have any other point in common;
 *   - with two, when one is folded flat onto the other;
 *   - with three, always.
 */
#include "require.h"
#include "surface_fields.h"
#include "surface_terrain.h"

#include <check.h>
#include <stdlib.h>

/* ---- predicates: places in 1/4096 cell, less than 8 cells apart: products of three stay below 2^47 --------------- */

typedef struct Place {
	int64_t x, y, z;
} Place;

typedef struct Triangle3 {
	Place p[3];
	int vertex[3];
} Triangle3;

static Place Minus(Place a, Place b)
{
	return (Place){a.x - b.x, a.y - b.y, a.z - b.z};
}

static Place CrossProduct(Place a, Place b)
{
	return (Place){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static int SignOf(int64_t v)
{
	return (v > 0) - (v < 0);
}

static int64_t DotProduct(Place a, Place b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* On which side of plane abc does d lie? */
static int Side(Place a, Place b, Place c, Place d)
{
	return SignOf(DotProduct(CrossProduct(Minus(b, a), Minus(c, a)), Minus(d, a)));
}

static bool SamePlace(Place a, Place b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

typedef struct Flat {
	int64_t u, v;
} Flat;

static int Side2(Flat a, Flat b, Flat c)
{
	return SignOf((b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u));
}

/* c is on the line through a and b. */
static bool Between(Flat a, Flat b, Flat c)
{
	return (c.u - a.u) * (c.u - b.u) <= 0 && (c.v - a.v) * (c.v - b.v) <= 0;
}

static bool SegmentsMeet(Flat a, Flat b, Flat c, Flat d)
{
	int sc = Side2(a, b, c), sd = Side2(a, b, d), sa = Side2(c, d, a), sb = Side2(c, d, b);
	if (sc * sd < 0 && sa * sb < 0)
		return true;
	return (sc == 0 && Between(a, b, c)) || (sd == 0 && Between(a, b, d)) || (sa == 0 && Between(c, d, a)) ||
	       (sb == 0 && Between(c, d, b));
}

static bool TriangleHolds(const Flat t[3], Flat p)
{
	int a = Side2(t[0], t[1], p), b = Side2(t[1], t[2], p), c = Side2(t[2], t[0], p);
	return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

/* Everything in one plane: look along the axis that its normal is longest on. */
static bool MeetsInPlane(const Triangle3 *t, Place p, Place q)
{
	Place n = CrossProduct(Minus(t->p[1], t->p[0]), Minus(t->p[2], t->p[0]));
	int64_t x = n.x < 0 ? -n.x : n.x, y = n.y < 0 ? -n.y : n.y, z = n.z < 0 ? -n.z : n.z;
	Flat flat[5];
	for (int i = 0; i < 5; i++) {
		Place at = i < 3 ? t->p[i] : i == 3 ? p : q;
		flat[i] = x >= y && x >= z ? (Flat){at.y, at.z} : y >= z ? (Flat){at.z, at.x} : (Flat){at.x, at.y};
	}
	for (int i = 0; i < 3; i++)
		if (SegmentsMeet(flat[i], flat[(i + 1) % 3], flat[3], flat[4]))
			return true;
	return TriangleHolds(flat, flat[3]);
}

/* Have the segment and the triangle a point in common? */
static bool SegmentMeets(const Triangle3 *t, Place p, Place q)
{
	int side_p = Side(t->p[0], t->p[1], t->p[2], p), side_q = Side(t->p[0], t->p[1], t->p[2], q);
	if (side_p == 0 && side_q == 0)
		return MeetsInPlane(t, p, q);
	if (side_p * side_q > 0)
		return false;
	int a = Side(p, q, t->p[0], t->p[1]), b = Side(p, q, t->p[1], t->p[2]), c = Side(p, q, t->p[2], t->p[0]);
	return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

static bool AnyEdgeMeets(const Triangle3 *a, const Triangle3 *b)
{
	for (int i = 0; i < 3; i++)
		if (SegmentMeets(a, b->p[i], b->p[(i + 1) % 3]) || SegmentMeets(b, a->p[i], a->p[(i + 1) % 3]))
			return true;
	return false;
}

/* Common edge: do they lie in one plane, on the same side of it? i and j: the corners that are not common. */
static bool IsFolded(const Triangle3 *a, int i, const Triangle3 *b, int j)
{
	Place u = a->p[(i + 1) % 3], v = a->p[(i + 2) % 3], e = Minus(v, u);
	Place m = CrossProduct(e, Minus(a->p[i], u)), n = CrossProduct(e, Minus(b->p[j], u));
	return Side(u, v, a->p[i], b->p[j]) == 0 && DotProduct(m, n) > 0;
}

/* See on top. by_place: corners at one place are common. */
static bool CutEachOther(const Triangle3 *a, const Triangle3 *b, bool by_place)
{
	int common = 0, in_a = 0, in_b = 0;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			if (a->vertex[i] == b->vertex[j] || (by_place && SamePlace(a->p[i], b->p[j]))) {
				common++;
				in_a += i;
				in_b += j;
			}
	if (common == 0)
		return AnyEdgeMeets(a, b);
	/* A ray from the common corner leaves the common part through the edge opposite to it in one of the two. */
	if (common == 1)
		return SegmentMeets(a, b->p[(in_b + 1) % 3], b->p[(in_b + 2) % 3]) ||
		       SegmentMeets(b, a->p[(in_a + 1) % 3], a->p[(in_a + 2) % 3]);
	return common > 2 || IsFolded(a, 3 - in_a, b, 3 - in_b);
}

/* Known answers, so that the predicates themselves are not taken on trust. */
START_TEST(predicates)
{
	const Triangle3 base = {{{0, 0, 0}, {400, 0, 0}, {0, 400, 0}}, {0, 1, 2}};
	static const struct {
		Triangle3 other;
		bool cut;
	} cases[] = {
	    {{{{100, 100, -50}, {100, 100, 50}, {600, 600, 0}}, {3, 4, 5}}, true}, /* through it */
	    {{{{100, 100, 0}, {100, 100, 50}, {600, 600, 20}}, {3, 4, 5}}, true},  /* a corner on it */
	    {{{{100, 100, 1}, {100, 100, 50}, {600, 600, 20}}, {3, 4, 5}}, false}, /* a corner just above it */
	    {{{{200, 200, -9}, {200, 200, 9}, {600, 600, 0}}, {3, 4, 5}}, true},   /* on its rim */
	    {{{{201, 200, -9}, {201, 200, 9}, {600, 600, 0}}, {3, 4, 5}}, false},  /* beside its rim */
	    {{{{100, 100, 0}, {150, 100, 0}, {100, 150, 0}}, {3, 4, 5}}, true},    /* in its plane, within */
	    {{{{-900, -900, 0}, {4000, 0, 0}, {0, 4000, 0}}, {3, 4, 5}}, true},    /* in its plane, around */
	    {{{{300, 300, 0}, {500, 300, 0}, {300, 500, 0}}, {3, 4, 5}}, false},   /* in its plane, beside */
	    {{{{0, 0, 0}, {-400, 0, 0}, {0, -400, 0}}, {0, 4, 5}}, false},         /* one corner in common */
	    {{{{0, 0, 0}, {100, 100, 0}, {0, 0, 400}}, {0, 4, 5}}, true},          /* ... and more */
	    {{{{0, 0, 0}, {100, 100, -9}, {100, 100, 9}}, {0, 4, 5}}, true},       /* ... crossing */
	    {{{{0, 0, 0}, {400, 0, 0}, {0, -400, 0}}, {0, 1, 5}}, false},          /* an edge in common, flat */
	    {{{{0, 0, 0}, {400, 0, 0}, {0, 300, 0}}, {0, 1, 5}}, true},            /* ... folded back */
	    {{{{0, 0, 0}, {400, 0, 0}, {0, 300, 1}}, {0, 1, 5}}, false},           /* ... almost */
	    {{{{0, 0, 0}, {-400, 0, 0}, {0, -400, 0}}, {3, 4, 5}}, true},          /* two vertices at one place */
	};
	for (int i = 0; i < COUNT_OF(cases); i++)
		for (int turn = 0; turn < 6; turn++) {
			Triangle3 other = cases[i].other, t = base;
			for (int k = 0; k < 3; k++) {
				int from = turn < 3 ? (k + turn) % 3 : (turn - k) % 3;
				other.p[k] = cases[i].other.p[from];
				other.vertex[k] = cases[i].other.vertex[from];
			}
			ck_assert_msg(CutEachOther(&t, &other, false) == cases[i].cut, "case %d, turn %d", i, turn);
			ck_assert_msg(CutEachOther(&other, &t, false) == cases[i].cut, "case %d, turn %d, swapped", i, turn);
		}
	const Triangle3 *touching = &cases[COUNT_OF(cases) - 1].other;
	ck_assert(!CutEachOther(&base, touching, true));
}
END_TEST

/* ---- pairs of a mesh --------------------------------------------------------------------------------------------- */

static Triangle3 TriangleAt(const RefMesh *mesh, int quad, int half)
{
	Triangle3 t;
	const int *corner = mesh->quads[quad].corner;
	for (int k = 0; k < 3; k++) {
		t.vertex[k] = corner[k == 0 ? 0 : k + half];
		const int *at = mesh->vertices[t.vertex[k]].at;
		t.p[k] = (Place){at[0], at[1], at[2]};
	}
	return t;
}

static bool BoxesMeet(const RefMesh *mesh, const RefQuad *a, const RefQuad *b)
{
	for (int i = 0; i < 3; i++) {
		int lo[2], hi[2];
		for (int side = 0; side < 2; side++) {
			const RefQuad *q = side ? b : a;
			lo[side] = hi[side] = mesh->vertices[q->corner[0]].at[i];
			for (int k = 1; k < 4; k++) {
				lo[side] = Int_Min(lo[side], mesh->vertices[q->corner[k]].at[i]);
				hi[side] = Int_Max(hi[side], mesh->vertices[q->corner[k]].at[i]);
			}
		}
		if (lo[0] > hi[1] || lo[1] > hi[0])
			return false;
	}
	return true;
}

static int CutsOfQuads(const RefMesh *mesh, int q, int r, bool by_place)
{
	int cuts = 0;
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++) {
			Triangle3 a = TriangleAt(mesh, q, i), b = TriangleAt(mesh, r, j);
			cuts += CutEachOther(&a, &b, by_place);
		}
	return cuts;
}

/* Pairs of triangles that cut each other, those of one quad included. A quad reaches less than a cell from its lattice
 * edge's ends, so partners have owners within two cells. */
static int Cuts(const RefMesh *mesh, bool by_place)
{
	int cuts = 0;
	for (int q = 0; q < mesh->quad_count; q++) {
		const RefQuad *quad = &mesh->quads[q];
		Triangle3 halves[2] = {TriangleAt(mesh, q, 0), TriangleAt(mesh, q, 1)};
		cuts += CutEachOther(&halves[0], &halves[1], by_place);
		for (int i = 0; i < 375; i++) {
			int r = RefMesh_QuadAt(mesh, quad->cell[0] + i % 5 - 2, quad->cell[1] + i / 5 % 5 - 2,
			                       quad->cell[2] + i / 25 % 5 - 2, i / 125);
			if (r > q && BoxesMeet(mesh, quad, &mesh->quads[r]))
				cuts += CutsOfQuads(mesh, q, r, by_place);
		}
	}
	return cuts;
}

/* Vertices of one cube at one place; other cubes' lie elsewhere, or the triangles between them cut each other. */
static int CoincidentVertices(const RefMesh *mesh)
{
	int count = 0;
	for (int i = 1; i < mesh->vertex_count; i++)
		for (int j = i - 1; j >= 0 && memcmp(mesh->vertices[i].cube, mesh->vertices[j].cube, sizeof(int[3])) == 0; j--)
			count += memcmp(mesh->vertices[i].at, mesh->vertices[j].at, sizeof(int[3])) == 0;
	return count;
}

/* exact_cubes: the field has materials of blockiness 1. Returns the number of quads. */
static int CheckField(RefField *field, const char *name, uint64_t seed, bool exact_cubes)
{
	RefMesh mesh = RefMesh_Create(field, true);
	int cuts = Cuts(&mesh, exact_cubes), coincident = CoincidentVertices(&mesh), quads = mesh.quad_count;
	ck_assert_msg(cuts == 0, "%s, seed %llu: %d pairs of triangles cut each other, of %d quads", name,
	              (unsigned long long)seed, cuts, quads);
	ck_assert_msg(exact_cubes || coincident == 0, "%s, seed %llu: %d vertices at the same place", name,
	              (unsigned long long)seed, coincident);
	int differing = Field_DifferingBlocks(field, &mesh, NULL, SURFACE_HALO, seed);
	ck_assert_msg(differing == 0, "%s, seed %llu: %d blocks are not as in the twin", name, (unsigned long long)seed,
	              differing);
	RefMesh_Free(&mesh);
	RefField_Free(field);
	return quads;
}

START_TEST(noise)
{
	int quads = 0;
	for (int i = 0; i < 10; i++) {
		uint64_t seed = 100 + (uint64_t)i;
		Random random = {seed};
		RefField field = Field_Noise(16, i < 8 ? 0.6 + 0.1 * (i % 4) : 0.3, &random);
		bool mixed = i >= 4 && i < 8;
		if (mixed)
			Field_MixBlockiness(&field);
		quads += CheckField(&field, "noise", seed, mixed);
	}
	ck_assert_int_gt(quads, 40000);
}
END_TEST

START_TEST(adversarial)
{
	for (int i = 0; i < 8; i++) {
		uint64_t seed = 200 + (uint64_t)i;
		Random random = {seed};
		bool mixed = (i & 2) != 0;
		double share = 0.6 + 0.1 * (i % 4);
		int value = 20 + 15 * i;
		RefField field = i & 1 ? Field_Adversarial(18, share, value, &random) : Field_Extremes(16, share, &random);
		if (mixed)
			Field_MixBlockiness(&field);
		CheckField(&field, "adversarial", seed, mixed);
	}
}
END_TEST

/* Every vertex of a material with a blockiness just below 1 lies within a step or two of the lattice corner. */
START_TEST(almost_cubes)
{
	for (int i = 0; i < 4; i++) {
		uint64_t seed = 300 + (uint64_t)i;
		Random random = {seed};
		RefField field = Field_Noise(14, 0.3 + 0.2 * i, &random);
		static const uint16_t strong[4] = {255, 250, 200, 128};
		for (int m = 1; m < 5; m++)
			field.blockiness[m] = strong[(m + i) % 4];
		/* So close to the corner, rounding may put two loops at one place: they count as one there. */
		CheckField(&field, "almost cubes", seed, true);
	}
}
END_TEST

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

typedef double DistanceFn(const double p[3], Random *shape);

static double Ball(const double p[3], Random *shape)
{
	double r = Random_Range(shape, 0.5, 7.0);
	return r - sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

static double Torus(const double p[3], Random *shape)
{
	double large = Random_Range(shape, 3.0, 6.0), small = Random_Range(shape, 1.0, 2.5);
	double ring = sqrt(p[0] * p[0] + p[2] * p[2]) - large;
	return small - sqrt(ring * ring + p[1] * p[1]);
}

static double Plate(const double p[3], Random *shape)
{
	double n[3], length = 0.0, half = Random_Range(shape, 0.2, 1.5);
	for (int i = 0; i < 3; i++) {
		n[i] = Random_Range(shape, -1.0, 1.0);
		length += n[i] * n[i];
	}
	double d = (p[0] * n[0] + p[1] * n[1] + p[2] * n[2]) / sqrt(length);
	return half - fabs(d);
}

static double RoundedBox(const double p[3], Random *shape)
{
	double turn = Random_Range(shape, 0.0, 1.5), size = Random_Range(shape, 2.0, 5.0), c = cos(turn), s = sin(turn);
	double q[3] = {c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]}, d = 100.0;
	for (int i = 0; i < 3; i++)
		d = d < size - fabs(q[i]) ? d : size - fabs(q[i]);
	return d;
}

/* Added, and taken away again elsewhere. */
START_TEST(shapes)
{
	static DistanceFn *const made[] = {Ball, Torus, Plate, RoundedBox};
	for (int i = 0; i < 16; i++) {
		uint64_t seed = 400 + (uint64_t)i;
		Random random = {seed};
		RefField field = RefField_Create(20, 20, 20);
		for (int step = 0; step < 3; step++) {
			double center[3];
			for (int k = 0; k < 3; k++)
				center[k] = 10.0 + Random_Range(&random, -3.0, 3.0);
			uint64_t shape_seed = Random_U64(&random);
			for (int c = 0; c < 20 * 20 * 20; c++) {
				double p[3] = {c % 20 + 0.5 - center[0], c / 400 + 0.5 - center[1], c / 20 % 20 + 0.5 - center[2]};
				Random shape = {shape_seed};
				int v = Ref_WriteDistance(made[(i + step) % 4](p, &shape)), old = field.value[c];
				v = step == 1 ? Int_Min(old, 255 - v) : Int_Max(old, v);
				field.value[c] = (uint8_t)v;
				field.material[c] = (uint8_t)(v == 0 ? 0 : v == old && old > 0 ? field.material[c] : 1 + step);
			}
		}
		if (i & 1)
			Field_MixBlockiness(&field);
		CheckField(&field, "shapes", seed, i & 1);
	}
}
END_TEST

START_TEST(hills_and_caves)
{
	RefField field = RefField_Create(40, 40, 40);
	for (int z = 0; z < 40; z++)
		for (int x = 0; x < 40; x++) {
			double height = Ground_Height(x + 0.5, z + 0.5, 22.0, 5);
			for (int y = 0; y < 40; y++) {
				int v = Ground_Value(Ground_Depth(x + 0.5, y + 0.5, z + 0.5, height, 5));
				if (v > 0)
					RefField_Set(&field, x, y, z, 1, v);
			}
		}
	ck_assert_int_gt(CheckField(&field, "hills and caves", 5, false), 5000);
}
END_TEST

/* The test sees: with vertices anywhere in their cubes the same quads do cut each other. */
START_TEST(control)
{
	Random random = {500};
	RefField field = Field_Noise(14, 0.7, &random);
	RefMesh mesh = RefMesh_Create(&field, true);
	ck_assert_int_eq(Cuts(&mesh, false), 0);
	for (int i = 0; i < mesh.vertex_count; i++)
		for (int k = 0; k < 3; k++)
			mesh.vertices[i].at[k] = 4096 * mesh.vertices[i].cube[k] + 5 + Random_Below(&random, 4087);
	ck_assert_int_gt(Cuts(&mesh, false), 1000);
	RefMesh_Free(&mesh);
	RefField_Free(&field);
}
END_TEST

Suite *suite_surface_crossing(void)
{
	Suite *suite = suite_create("surface_crossing");
	TCase *all = tcase_create("pairs");
	tcase_set_timeout(all, 120);
	tcase_add_test(all, predicates);
	tcase_add_test(all, noise);
	tcase_add_test(all, adversarial);
	tcase_add_test(all, almost_cubes);
	tcase_add_test(all, shapes);
	tcase_add_test(all, hills_and_caves);
	tcase_add_test(all, control);
	suite_add_tcase(suite, all);
	return suite;
}
