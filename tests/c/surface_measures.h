/* What the tests of the surface's accuracy measure with: a store to write in, turned brushes, distances off a shape.
 * Lengths are in cells. */
#ifndef TESTS_SURFACE_MEASURES_H
#define TESTS_SURFACE_MEASURES_H

#include "require.h"
#include "surface_fields.h"
#include "voxel/voxel.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#define GROUND 3
#define DEGREES 57.29577951308232
/* A distance is written in steps of 1/128, so it is off by 1/256 at most; positions are rounded to 1/4096 an axis. */
#define WRITTEN (1.0 / 256.0)
#define STORED (1.7320508075688772 / 8192.0)

/* ---- a store to write in ----------------------------------------------------------------------------------------- */

typedef struct World {
	Memory memory;
	MaterialTable table;
	Store *store;
} World;

static inline void World_Make(World *world)
{
	Memory_Init(&world->memory, NULL, NULL);
	MaterialTable_Init(&world->table);
	world->store = Store_Create(&world->memory);
	ck_assert_ptr_nonnull(world->store);
}

static inline void Fill(World *world, const Brush *brush, EditMode mode)
{
	Error error = {0};
	uint8_t material = mode == EDIT_REMOVE ? MATERIAL_AIR : GROUND;
	int code = Store_Fill(world->store, &world->table, brush, material, mode, NULL, &error);
	REQUIRE(code == ERROR_NONE, "fill: %s", error.text);
}

/* The surface of cells 0..n-1 and the air around them, as the twin has it; that blocks have the same is checked where
 * it does not take long. Frees the store. */
static inline RefMesh World_Mesh(World *world, int n)
{
	RefField field = RefField_Create(n, n, n);
	Region region = {n, n, n, {field.material, field.value, NULL}};
	Store_Read(world->store, (CellBox){{0, 0, 0}, {n - 1, n - 1, n - 1}}, &region);
	Store_Destroy(world->store);
	ck_assert_int_eq((int)world->memory.bytes, 0);
	RefMesh mesh = RefMesh_Create(&field, true);
	int differing = n > 24 ? 0 : Field_DifferingBlocks(&field, &mesh, NULL, SURFACE_HALO, 1);
	ck_assert_msg(differing == 0, "%d blocks are not as in the twin", differing);
	RefField_Free(&field);
	return mesh;
}

static inline Brush MakeBrush(BrushShape shape, const double center[3], double x, double y, double z)
{
	return (Brush){.shape = shape, .center = {center[0], center[1], center[2]}, .half = {x, y, z}};
}

static inline Brush MakeBox(double x0, double y0, double z0, double x1, double y1, double z1)
{
	double center[3] = {0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5 * (z0 + z1)};
	return MakeBrush(BRUSH_BOX, center, 0.5 * (x1 - x0), 0.5 * (y1 - y0), 0.5 * (z1 - z0));
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

static inline double DotOf(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void CrossOf(const double a[3], const double b[3], double n[3])
{
	for (int i = 0; i < 3; i++)
		n[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static inline void Normalise(double v[3])
{
	double length = sqrt(DotOf(v, v));
	for (int i = 0; i < 3; i++)
		v[i] /= length;
}

static inline void RandomDirection(Random *random, double n[3])
{
	do
		for (int i = 0; i < 3; i++)
			n[i] = Random_Range(random, -1.0, 1.0);
	while (DotOf(n, n) > 1.0 || DotOf(n, n) < 0.01);
	Normalise(n);
}

/* Local y along n, turned about it by chance. */
static inline void TurnTo(Brush *brush, const double n[3], Random *random)
{
	double x[3], z[3], other[3];
	RandomDirection(random, other);
	CrossOf(other, n, x);
	Normalise(x);
	CrossOf(x, n, z);
	for (int i = 0; i < 3; i++) {
		brush->rotation[i][0] = x[i];
		brush->rotation[i][1] = n[i];
		brush->rotation[i][2] = z[i];
	}
	brush->rotated = true;
}

/* In the brush's frame, from its centre. */
static inline void ToLocal(const Brush *brush, const double p[3], double local[3])
{
	for (int j = 0; j < 3; j++) {
		local[j] = 0.0;
		for (int i = 0; i < 3; i++)
			local[j] += (brush->rotated ? brush->rotation[i][j] : i == j) * (p[i] - brush->center[i]);
	}
}

static inline void VertexAt(const RefMesh *mesh, int vertex, double at[3])
{
	for (int i = 0; i < 3; i++)
		at[i] = mesh->vertices[vertex].at[i] / 4096.0 + 0.5;
}

/* Corners and unit normal of one of a quad's triangles. */
static inline void TriangleAt(const RefMesh *mesh, int quad, int half, double p[3][3], double normal[3])
{
	const int *corner = mesh->quads[quad].corner;
	double side[2][3];
	for (int k = 0; k < 3; k++)
		VertexAt(mesh, corner[k == 0 ? 0 : k + half], p[k]);
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < 3; i++)
			side[k][i] = p[k + 1][i] - p[0][i];
	CrossOf(side[0], side[1], normal);
	Normalise(normal);
}

/* Degrees between two unit vectors. */
static inline double AngleOf(const double a[3], const double b[3])
{
	double cross[3];
	CrossOf(a, b, cross);
	return DEGREES * atan2(sqrt(DotOf(cross, cross)), DotOf(a, b));
}

typedef struct Spread {
	double sum, squares, most;
	int count;
} Spread;

static inline void Spread_Add(Spread *spread, double off)
{
	spread->sum += off;
	spread->squares += off * off;
	spread->most = fabs(off) > spread->most ? fabs(off) : spread->most;
	spread->count++;
}

static inline double Spread_Rms(const Spread *spread)
{
	return sqrt(spread->squares / spread->count);
}

/* How far a point of the surface is off; NaN where that is not to count. */
typedef double OffFn(const double p[3], const void *shape);

/* All over the surface: at each triangle's corners, edges' middles and middle. */
static inline void MeasureSurface(const RefMesh *mesh, OffFn *off, const void *shape, Spread *spread)
{
	static const double share[7][3] = {{6, 0, 0}, {0, 6, 0}, {0, 0, 6}, {3, 3, 0}, {0, 3, 3}, {3, 0, 3}, {2, 2, 2}};
	for (int q = 0; q < mesh->quad_count; q++)
		for (int half = 0; half < 2; half++) {
			double p[3][3], normal[3];
			TriangleAt(mesh, q, half, p, normal);
			for (int k = 0; k < 7; k++) {
				double at[3];
				for (int i = 0; i < 3; i++)
					at[i] = (share[k][0] * p[0][i] + share[k][1] * p[1][i] + share[k][2] * p[2][i]) / 6.0;
				double d = off(at, shape);
				if (d == d)
					Spread_Add(spread, d);
			}
		}
}

/* rms and most within their bounds, which are printed figures: half a unit of the last place is theirs too. */
static inline void CheckSpread(const Spread *spread, const char *what, double rms, double most)
{
	ck_assert_msg(spread->count > 0, "%s: nothing was measured", what);
	ck_assert_msg(Spread_Rms(spread) <= rms, "%s: %g rms, not within %g", what, Spread_Rms(spread), rms);
	ck_assert_msg(spread->most <= most, "%s: %g at most, not within %g", what, spread->most, most);
}

typedef struct BallShape {
	double center[3], r;
} BallShape;

/* Away from the sides of a field of n cells. */
static inline bool IsInner(const RefVertex *vertex, int n)
{
	for (int i = 0; i < 3; i++)
		if (vertex->cube[i] < 3 || vertex->cube[i] > n - 5)
			return false;
	return true;
}

#endif
