/* What the tests of fills share: a store of their own, brushes, and a naive writer to compare with. */
#ifndef TESTS_BRUSH_NAIVE_H
#define TESTS_BRUSH_NAIVE_H

#include "failing_memory.h"
#include "store_twin.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static Memory heap;
static Store *store;
static MaterialTable table;

enum { GRASS = 2, GROUND = 3, SAND = 4, ROCK = 6, BRICK = 12 };

static inline void Setup(void)
{
	Memory_Init(&heap, NULL, NULL);
	MaterialTable_Init(&table);
	store = Store_Create(&heap);
	ck_assert_ptr_nonnull(store);
}

static inline void Teardown(void)
{
	Store_CheckValid(store, "at the end");
	Store_Destroy(store);
	ck_assert_uint_eq(heap.bytes, 0);
}

/* ---- brushes ------------------------------------------------------------------------------------------------ */

static inline Brush MakeBox(double x0, double y0, double z0, double x1, double y1, double z1)
{
	return (Brush){.shape = BRUSH_BOX,
	               .center = {0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5 * (z0 + z1)},
	               .half = {0.5 * (x1 - x0), 0.5 * (y1 - y0), 0.5 * (z1 - z0)}};
}

static inline Brush MakeBall(double x, double y, double z, double r)
{
	return (Brush){.shape = BRUSH_BALL, .center = {x, y, z}, .half = {r, 0, 0}};
}

/* Rodrigues: a turn about the axis (any length) by the angle with cosine c and sine s. */
static inline void Turn(Brush *brush, double ax, double ay, double az, double c, double s)
{
	double l = sqrt(ax * ax + ay * ay + az * az), a[3] = {ax / l, ay / l, az / l};
	double cross[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			brush->rotation[i][j] = (i == j ? c : 0) + (1 - c) * a[i] * a[j] + s * cross[i][j];
	brush->rotated = true;
}

static inline void Fill(const Brush *brush, uint8_t material, EditMode mode, Tally *tally)
{
	Error error = {0};
	int code = Store_Fill(store, &table, brush, material, mode, tally, &error);
	REQUIRE(code == ERROR_NONE, "fill: %s", error.text);
}

/* ---- the naive writer --------------------------------------------------------------------------------------- */

/* Recipe 9, as written down. */
static inline int Recipe(double d)
{
	if (d >= 0)
		return 128 + (int)fmin(127, floor(128 * d));
	return 127 - (int)fmin(127, floor(-128 * d));
}

static inline bool Whole(double v)
{
	return fabs(v - floor(v + 0.5)) < 1e-6;
}

static inline int Least(int a, int b)
{
	return a < b ? a : b;
}

/* One squared face at `face`, the solid on the side of `sign`. */
static inline int FaceByte(const Brush *b, double d, double face, bool blocky)
{
	if ((!b->rotated && Whole(face)) || blocky)
		return d >= -1e-7 ? 255 : 0;
	return Recipe(d);
}

static const bool low_faces[4][3] = {{0, 0, 0}, {1, 1, 1}, {0, 1, 0}, {1, 1, 0}};
static const bool high_faces[4][3] = {{0, 0, 0}, {1, 1, 1}, {0, 1, 0}, {1, 0, 1}};

/* The cell's centre as the brush sees it, and how far inside the part of it that is no squared face. */
static inline double NaiveRest(const Brush *b, Cell c, double p[3])
{
	double w[3] = {c.x + 0.5 - b->center[0], c.y + 0.5 - b->center[1], c.z + 0.5 - b->center[2]};
	for (int i = 0; i < 3; i++)
		p[i] = !b->rotated ? w[i] : b->rotation[0][i] * w[0] + b->rotation[1][i] * w[1] + b->rotation[2][i] * w[2];
	const double *h = b->half;
	double r = h[0], slope = (p[2] * h[1] - p[1] * h[2]) / sqrt(h[1] * h[1] + h[2] * h[2]), rest = 1e9;
	if (b->shape == BRUSH_BALL)
		rest = (r >= 1.5 ? r + 1 / (3 * r) : r) - sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
	if (b->shape == BRUSH_CYLINDER)
		rest = (r >= 1.5 ? r + 1 / (6 * r) : r) - sqrt(p[0] * p[0] + p[2] * p[2]);
	if (b->shape == BRUSH_WEDGE)
		rest = slope;
	return rest;
}

/* The occupancy byte that the brush wants in a cell; 0: nothing. */
static inline int NaiveByte(const Brush *b, Cell c, bool blocky)
{
	double p[3], rest = NaiveRest(b, c, p);
	const double *h = b->half;
	int byte = blocky ? (rest >= 0 ? 255 : 0) : Recipe(rest);
	for (int i = 0; i < 3; i++) {
		if (low_faces[b->shape][i])
			byte = Least(byte, FaceByte(b, h[i] + p[i], b->center[i] - h[i], blocky));
		if (high_faces[b->shape][i])
			byte = Least(byte, FaceByte(b, h[i] - p[i], b->center[i] + h[i], blocky));
	}
	return byte;
}

/* The distance that this byte is made of; false where a hard face decides. */
static inline bool NaiveSoft(const Brush *b, Cell c, bool blocky, double *d)
{
	double p[3];
	*d = NaiveRest(b, c, p);
	for (int i = 0; i < 6; i++) {
		int axis = i / 2, side = i % 2 ? 1 : -1;
		double face = b->center[axis] + side * b->half[axis], e = b->half[axis] - side * p[axis];
		if (!(side > 0 ? high_faces : low_faces)[b->shape][axis])
			continue;
		if (b->rotated || !Whole(face))
			*d = fmin(*d, e);
		else if (e < -1e-7)
			return false;
	}
	return !blocky && *d < 1e8;
}

static inline Brush NaiveWidened(Brush b)
{
	for (int i = 0; i < 3 && b.shape != BRUSH_BALL; i++) {
		bool fits = !b.rotated && Whole(b.center[i] - b.half[i]) && Whole(b.center[i] + b.half[i]);
		if (b.shape == BRUSH_CYLINDER && i != 1)
			fits = false;
		if (b.half[i] < 0.75 && !fits)
			b.half[i] = 0.75;
	}
	return b;
}

static inline double NaiveColumn(const Brush *b, Cell c)
{
	double share = 1;
	const int at[3] = {c.x, c.y, c.z};
	if (b->shape == BRUSH_CYLINDER) {
		double r = b->half[0], x = c.x + 0.5 - b->center[0], z = c.z + 0.5 - b->center[2];
		return fmin(1, fmax(0, 0.5 + (r >= 1.5 ? r + 1 / (6 * r) : r) - sqrt(x * x + z * z)));
	}
	for (int i = 0; i < 3; i += 2)
		share *= fmax(0, fmin(b->center[i] + b->half[i], at[i] + 1) - fmax(b->center[i] - b->half[i], at[i]));
	return share;
}

/* Share of the cell in 1/255, and what the shape leaves below it in a cell that it goes out of at the top. */
static inline int NaiveShare(const Brush *b, Cell c, int *keep)
{
	*keep = 0;
	if (b->rotated || b->shape == BRUSH_BALL || b->shape == BRUSH_WEDGE) {
		double d = Brush_Distance(b, c.x + 0.5, c.y + 0.5, c.z + 0.5);
		return (int)floor(255 * fmin(1, fmax(0, 0.5 + d)) + 0.5);
	}
	double low = b->center[1] - b->half[1], high = b->center[1] + b->half[1], column = NaiveColumn(b, c);
	if (low > c.y && low < c.y + 1 && floor(255 * column * fmin(1, high - c.y - 1) + 0.5) > 0)
		*keep = (int)floor(255 * column * (low - c.y) + 0.5);
	return (int)floor(255 * column * fmax(0, fmin(high, c.y + 1) - fmax(low, c.y)) + 0.5);
}

/* The least w' that leaves no water of a fill of the same shape, and takes none from a level that stands. */
static inline int NaiveDrain(const Twin *was, Cell c, int share, int keep)
{
	int water = Twin_Get(was, c).water, left = water > share ? water - share : 0;
	Voxel below = Twin_Get(was, (Cell){c.x, c.y - 1, c.z}), above = Twin_Get(was, (Cell){c.x, c.y + 1, c.z});
	bool stands = below.water > 0 || (below.material != MATERIAL_AIR && above.water == 0);
	int standing = Least(water, keep);
	return stands && standing > left ? standing : left;
}

static inline Voxel NaiveFill(Voxel v, int byte, uint8_t material, EditMode mode)
{
	if (mode == EDIT_REMOVE) {
		if (v.material != MATERIAL_AIR && table.items[v.material].blockiness >= 1)
			byte = byte >= 128 ? 255 : 0;
		v.occupancy = (uint8_t)Least(v.occupancy, 255 - byte);
		if (byte == 255)
			v.material = MATERIAL_AIR;
	} else if (mode == EDIT_PAINT) {
		if (v.material != MATERIAL_AIR && byte >= 128)
			v.material = material;
	} else if (byte > 0) {
		if (v.material == MATERIAL_AIR || (mode == EDIT_SET && (byte >= 128 || byte >= v.occupancy)))
			v.material = material;
		if (byte > v.occupancy)
			v.occupancy = (uint8_t)byte;
	}
	return v;
}

/* ---- the naive clean-up ------------------------------------------------------------------------------------- */

static inline int Level(const Twin *twin, Cell c)
{
	Voxel v = Twin_Get(twin, c);
	return v.material == MATERIAL_AIR ? 0 : v.occupancy + 1;
}

static inline Cell Near(Cell c, int i)
{
	return (Cell){c.x + i % 3 - 1, c.y + i / 3 % 3 - 1, c.z + i / 9 - 1};
}

/* Counts as inside only by rule 2. */
static inline bool Promoted(const Twin *twin, Cell c)
{
	int level = Level(twin, c);
	if (level == 0 || level > 128)
		return false;
	for (int i = 0; i < 27; i++)
		if (Level(twin, Near(c, i)) > level)
			return false;
	return true;
}

static inline bool Inside(const Twin *twin, Cell c)
{
	return Level(twin, c) > 128 || Promoted(twin, c);
}

static inline bool StaysInside(const Twin *was, const Twin *now, Cell c, bool dig)
{
	return Level(now, c) > 128 || (Promoted(now, c) && (!dig || Promoted(was, c)));
}

static inline void NaiveClean(const Twin *was, Twin *now, CellBox box, bool dig)
{
	Twin edited = Twin_Copy(now);
	box = Twin_Clip(now,
	                (CellBox){{box.lo.x - 1, box.lo.y - 1, box.lo.z - 1}, {box.hi.x + 1, box.hi.y + 1, box.hi.z + 1}});
	FOR_CELLS(c, box)
	{
		int level = Level(&edited, c);
		if (level == 0 || level > 128)
			continue;
		bool seen = false, was_seen = false;
		for (int i = 0; i < 27 && !seen; i++)
			seen = StaysInside(was, &edited, Near(c, i), dig);
		if (seen)
			continue;
		for (int i = 0; i < 27 && !was_seen; i++)
			was_seen = Inside(was, Near(c, i));
		Voxel a = Twin_Get(was, c), b = Twin_Get(&edited, c);
		if (was_seen || a.material != b.material || a.occupancy != b.occupancy)
			Twin_Set(now, c, (Voxel){MATERIAL_AIR, 0, b.water});
	}
	Twin_Free(&edited);
}

/* ---- the naive mending of fringes --------------------------------------------------------------------------- */

/* How far from the centre of an inside cell (byte a) the surface crosses towards b; less than nothing when a is out. */
static inline double Crossing(int a, int b)
{
	return a < 128 ? -1 : (a - 127.5) / (a - b);
}

typedef struct Three {
	int was, brush, now;
} Three;

/* As fills see a cell: when digging, what is missing of it. */
static inline Three ThreeOf(const Twin *was, const Twin *now, const uint8_t *bytes, Cell c, bool dig)
{
	Voxel a = Twin_Get(was, c), b = Twin_Get(now, c);
	int u = a.material == MATERIAL_AIR ? 0 : a.occupancy, m = b.material == MATERIAL_AIR ? 0 : b.occupancy;
	int byte = Twin_Holds(now, c) ? bytes[Twin_Index(now, c)] : 0;
	if (dig && a.material != MATERIAL_AIR && table.items[a.material].blockiness >= 1)
		byte = byte >= 128 ? 255 : 0;
	return (Three){dig ? 255 - u : u, byte, dig ? 255 - m : m};
}

static inline void NaiveMend(const Twin *was, Twin *now, const uint8_t *bytes, bool dig, const Brush *brush,
                             bool blocky)
{
	Twin edited = Twin_Copy(now);
	FOR_CELLS(c, now->box)
	{
		Three q = ThreeOf(was, &edited, bytes, c, dig);
		Voxel v = Twin_Get(&edited, c), old = Twin_Get(was, c);
		if (q.now < 1 || q.now > 127 || (dig && table.items[v.material].blockiness >= 1))
			continue;
		static const int near[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
		int most = -1;
		bool steep = false;
		for (int k = 0; k < 6; k++) {
			Cell beside = {c.x + near[k][0], c.y + near[k][1], c.z + near[k][2]};
			Three p = ThreeOf(was, &edited, bytes, beside, dig);
			if (p.now < 128)
				continue;
			double by_was = Crossing(p.was, q.was), by_brush = Crossing(p.brush, q.brush), t = fmax(by_was, by_brush),
			       d, e;
			bool whole = dig && table.items[Twin_Get(was, beside).material].blockiness >= 1;
			if (by_brush > by_was && p.brush != p.now && q.brush < 128 && !whole &&
			    NaiveSoft(brush, beside, blocky, &d) && NaiveSoft(brush, c, blocky, &e))
				t = d / (d - e);
			int wanted = p.now - (int)fmin(300, floor((p.now - 127.5) / t + 0.5));
			most = wanted > most ? wanted : most;
			steep = steep || p.was - q.was > 129 || p.brush - q.brush > 129;
		}
		if (!steep || most < 0 || most >= q.now)
			continue;
		v.occupancy = (uint8_t)(dig ? 255 - most : most);
		if (!dig && most == 0)
			v.material = MATERIAL_AIR;
		else if (!dig && most <= q.was)
			v.material = old.material;
		Twin_Set(now, c, v);
	}
	Twin_Free(&edited);
}

static inline void NaiveStoreFill(Twin *twin, Brush brush, uint8_t material, EditMode mode, bool everywhere)
{
	Twin was = Twin_Copy(twin);
	bool water = material == MATERIAL_WATER;
	if (material == MATERIAL_AIR)
		mode = EDIT_REMOVE;
	bool fills = mode == EDIT_SET || mode == EDIT_ADD;
	if (fills && !water)
		brush = NaiveWidened(brush);
	CellBox bounds = Brush_Bounds(&brush);
	CellBox box = everywhere ? twin->box : Twin_Clip(twin, bounds);
	bool blocky = fills && table.items[material].blockiness >= 1;
	uint8_t *bytes = calloc(1, Twin_Size(twin));
	FOR_CELLS(c, box)
	{
		Voxel v = Twin_Get(twin, c);
		if (!water) {
			int byte = bytes[Twin_Index(twin, c)] = (uint8_t)NaiveByte(&brush, c, blocky);
			Twin_Set(twin, c, NaiveFill(v, byte, material, mode));
			continue;
		}
		int keep, share = NaiveShare(&brush, c, &keep);
		if (mode == EDIT_REMOVE)
			v.water = (uint8_t)NaiveDrain(&was, c, share, keep);
		else if (v.water < share)
			v.water = (uint8_t)share;
		Twin_Set(twin, c, v);
	}
	if (!water && mode != EDIT_PAINT)
		NaiveMend(&was, twin, bytes, mode == EDIT_REMOVE, &brush, blocky);
	free(bytes);
	if (!water && mode != EDIT_PAINT)
		NaiveClean(&was, twin, bounds, mode == EDIT_REMOVE);
	Twin_Free(&was);
}
static inline Voxel At(int x, int y, int z)
{
	return Store_Get(store, (Cell){x, y, z});
}

#define CHECK_AT(x, y, z, m, v)                                                                                        \
	do {                                                                                                               \
		Voxel got_ = At(x, y, z);                                                                                      \
		REQUIRE(got_.material == (m) && got_.occupancy == (v), "(%d, %d, %d) is {%d, %d}, not {%d, %d}", x, y, z,      \
		        got_.material, got_.occupancy, (m), (v));                                                              \
	} while (0)

static inline HeightFill MakeHeights(const double *heights, int width, int depth, double x0, double z0, double spacing)
{
	return (HeightFill){.heights = heights,
	                    .width = width,
	                    .depth = depth,
	                    .x0 = x0,
	                    .z0 = z0,
	                    .spacing = spacing,
	                    .bottom = -20,
	                    .layer_count = 3,
	                    .layer_material = {GRASS, GROUND, ROCK},
	                    .layer_depth = {1.0, 4.0, 0.0}};
}

static inline int64_t FillHeights(const HeightFill *fill, EditMode mode, Tally *tally)
{
	int64_t voids = -1;
	Error error = {0};
	int code = Store_FillHeights(store, &table, fill, mode, tally, &voids, &error);
	REQUIRE(code == ERROR_NONE, "heights: %s", error.text);
	return voids;
}

#endif
