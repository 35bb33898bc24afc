/* Why brushes write half of the distance: floors and planes written in other ways, measured on the twin's mesh
 * (surface_reference.h). What each way can do is known, and another figure than that is a fault of the mesher. */
#include "require.h"

#include "math/math.h"
#include "surface_reference.h"

#include <check.h>

Suite *suite_surface_writers(void);

enum { SIDE = 24, MARGIN = 4 };

typedef enum Writer {
	COVERAGE,      /* how much of the cell lies inside */
	RAMP,          /* 0.5 + d */
	LAYER,         /* one layer of partial cells, exact for planes along the axes */
	LAYER_BY_AXIS, /* the same of d over the normal's longest part */
	HALF,          /* 0.5 + d / 2: what brushes do */
	HALF_BY_AXIS,
	WRITERS
} Writer;

static const char *const writer_names[WRITERS] = {"coverage", "ramp", "layer", "layer by axis", "half", "half by axis"};

typedef struct Plane {
	double n[3], at; /* inside: n.p < at */
} Plane;

static double Distance(const Plane *plane, const double p[3])
{
	return plane->at - (plane->n[0] * p[0] + plane->n[1] * p[1] + plane->n[2] * p[2]);
}

static double Layer(double d)
{
	if (d >= 0.5 || d <= -0.5)
		return d > 0.0 ? 1.0 : 0.0;
	return d >= 0.0 ? 0.5 / (1.0 - d) : 1.0 - 0.5 / (1.0 + d);
}

static double Coverage(const Plane *plane, const double centre[3])
{
	enum { PARTS = 8 };
	int inside = 0;
	for (int i = 0; i < PARTS * PARTS * PARTS; i++) {
		double p[3];
		for (int a = 0, rest = i; a < 3; a++, rest /= PARTS)
			p[a] = centre[a] + (rest % PARTS + 0.5) / PARTS - 0.5;
		inside += Distance(plane, p) > 0.0;
	}
	return (double)inside / (PARTS * PARTS * PARTS);
}

static double Occupancy(Writer writer, const Plane *plane, const double centre[3])
{
	double d = Distance(plane, centre), longest = 0.0;
	for (int a = 0; a < 3; a++)
		longest = MaxD(longest, AbsD(plane->n[a]));
	switch (writer) {
	case COVERAGE:
		return AbsD(d) > 0.9 ? d > 0.0 : Coverage(plane, centre);
	case RAMP:
		return ClampD(0.5 + d, 0.0, 1.0);
	case LAYER:
		return Layer(d);
	case LAYER_BY_AXIS:
		return Layer(d / longest);
	case HALF:
		return ClampD(0.5 + d / 2.0, 0.0, 1.0);
	default:
		return ClampD(0.5 + d / longest / 2.0, 0.0, 1.0);
	}
}

/* Symmetric about the surface, as the brushes' own: what is inside has 128 or more. */
static int ValueOf(double occupancy)
{
	double x = 2.0 * occupancy - 1.0;
	return x >= 0.0 ? 128 + Int_Min(127, (int)(128.0 * x)) : 127 - Int_Min(127, (int)(-128.0 * x));
}

typedef struct Measures {
	double worst, squares; /* distances of vertices from the plane */
	double least_cosine;   /* between a triangle's normal and the plane's */
	int vertices;
} Measures;

static bool InMiddle(const RefVertex *vertex)
{
	for (int a = 0; a < 3; a++)
		if (vertex->cube[a] < MARGIN || vertex->cube[a] >= SIDE - MARGIN)
			return false;
	return true;
}

static void Measure(Writer writer, const Plane *plane, Measures *measures)
{
	RefField field = RefField_Create(SIDE, SIDE, SIDE);
	for (int y = 0; y < SIDE; y++)
		for (int z = 0; z < SIDE; z++)
			for (int x = 0; x < SIDE; x++) {
				const double centre[3] = {x + 0.5, y + 0.5, z + 0.5};
				int value = ValueOf(Occupancy(writer, plane, centre));
				RefField_Set(&field, x, y, z, value > 0, value);
			}
	RefMesh mesh = RefMesh_Create(&field, true);
	for (int q = 0; q < mesh.quad_count; q++) {
		const RefVertex *corner[4];
		bool all = true;
		for (int k = 0; k < 4; k++) {
			corner[k] = &mesh.vertices[mesh.quads[q].corner[k]];
			all = all && InMiddle(corner[k]);
			if (!InMiddle(corner[k]))
				continue;
			double p[3];
			for (int a = 0; a < 3; a++)
				p[a] = corner[k]->at[a] / 4096.0 + 0.5;
			double d = AbsD(Distance(plane, p));
			measures->worst = MaxD(measures->worst, d);
			measures->squares += d * d;
			measures->vertices++;
		}
		for (int half = 0; half < 2 && all; half++) {
			double u[3], v[3];
			for (int a = 0; a < 3; a++) {
				u[a] = corner[1 + half]->at[a] - corner[0]->at[a];
				v[a] = corner[2 + half]->at[a] - corner[0]->at[a];
			}
			const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
			double along = n[0] * plane->n[0] + n[1] * plane->n[1] + n[2] * plane->n[2];
			double cosine = along / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
			measures->least_cosine = MinD(measures->least_cosine, cosine);
		}
	}
	RefMesh_Free(&mesh);
	RefField_Free(&field);
}

/* Of an angle in degrees under ten. */
static double Cosine(double degrees)
{
	double a = degrees * PI / 180.0;
	return 1.0 - a * a / 2.0 + a * a * a * a / 24.0;
}

/* Floors at every 64th of a cell. */
START_TEST(floors)
{
	static const double worst[WRITERS] = {0.0885, 0.0885, 0.0039, 0.0039, 0.0039, 0.0039};
	for (int writer = RAMP; writer < WRITERS; writer++) {
		Measures measures = {.least_cosine = 1.0};
		for (int i = 0; i < 64; i++) {
			Plane plane = {{0, 1, 0}, 12 + i / 64.0};
			Measure((Writer)writer, &plane, &measures);
		}
		REQUIRE(measures.worst > 0.9 * worst[writer] && measures.worst < 1.03 * worst[writer], "%s: %g, not %g",
		        writer_names[writer], measures.worst, worst[writer]);
		ck_assert_msg(measures.least_cosine > 1.0 - 1e-12, "%s: floors are not flat", writer_names[writer]);
	}
}
END_TEST

#if defined(__SANITIZE_ADDRESS__)
enum { DIRECTIONS = 25 };
#else
enum { DIRECTIONS = 60 };
#endif

/* Planes in any direction: only half of the distance is exact. */
START_TEST(planes)
{
	static const struct {
		double worst, rms, degrees;
	} known[WRITERS] = {{.085, .027, 8.2}, {.084, .020, 7.4},    {.054, .015, 6.0},
	                    {.029, .007, 3.3}, {.0039, .0012, 0.41}, {.0036, .0010, 0.41}};
	for (int writer = 0; writer < WRITERS; writer++) {
		Random r = {6060};
		Measures measures = {.least_cosine = 1.0};
		for (int i = 0; i < DIRECTIONS; i++) {
			Plane plane;
			double size;
			do {
				size = 0.0;
				for (int a = 0; a < 3; a++) {
					plane.n[a] = Random_Range(&r, -1.0, 1.0);
					size += plane.n[a] * plane.n[a];
				}
			} while (size > 1.0 || size < 0.01);
			plane.at = Random_Range(&r, -0.5, 0.5);
			for (int a = 0; a < 3; a++) {
				plane.n[a] /= sqrt(size);
				plane.at += plane.n[a] * SIDE / 2;
			}
			Measure((Writer)writer, &plane, &measures);
		}
		double rms = sqrt(measures.squares / measures.vertices);
		const char *name = writer_names[writer];
		double slack = writer >= HALF ? 1.08 : 1.25; /* other directions than those of the table */
		REQUIRE(measures.worst < slack * known[writer].worst && measures.worst > 0.7 * known[writer].worst,
		        "%s: %g cells off, not %g", name, measures.worst, known[writer].worst);
		REQUIRE(rms < 1.25 * known[writer].rms && rms > 0.7 * known[writer].rms, "%s: rms %g, not %g", name, rms,
		        known[writer].rms);
		REQUIRE(measures.least_cosine > Cosine(1.25 * known[writer].degrees) &&
		            measures.least_cosine < Cosine(0.6 * known[writer].degrees),
		        "%s: normals off by another angle than %g degrees: cosine %.9f", name, known[writer].degrees,
		        measures.least_cosine);
	}
}
END_TEST

Suite *suite_surface_writers(void)
{
	Suite *suite = suite_create("surface_writers");
	TCase *tcase = tcase_create("surface_writers");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, floors);
	tcase_add_test(tcase, planes);
	suite_add_tcase(suite, tcase);
	return suite;
}
