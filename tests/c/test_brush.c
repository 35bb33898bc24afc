/* Fills against known bytes and against a naive dense twin, heights included. */
#include "failing_memory.h"
#include "store_twin.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static Memory heap;
static Store *store;
static MaterialTable table;

enum { GRASS = 2, GROUND = 3, SAND = 4, ROCK = 6, BRICK = 12 };

static void Setup(void)
{
	Memory_Init(&heap, NULL, NULL);
	MaterialTable_Init(&table);
	store = Store_Create(&heap);
	ck_assert_ptr_nonnull(store);
}

static void Teardown(void)
{
	Store_CheckValid(store, "at the end");
	Store_Destroy(store);
	ck_assert_uint_eq(heap.bytes, 0);
}

/* ---- brushes ------------------------------------------------------------------------------------------------ */

static Brush MakeBox(double x0, double y0, double z0, double x1, double y1, double z1)
{
	return (Brush){.shape = BRUSH_BOX,
	               .center = {0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5 * (z0 + z1)},
	               .half = {0.5 * (x1 - x0), 0.5 * (y1 - y0), 0.5 * (z1 - z0)}};
}

static Brush MakeBall(double x, double y, double z, double r)
{
	return (Brush){.shape = BRUSH_BALL, .center = {x, y, z}, .half = {r, 0, 0}};
}

/* Rodrigues: a turn about the axis (any length) by the angle with cosine c and sine s. */
static void Turn(Brush *brush, double ax, double ay, double az, double c, double s)
{
	double l = sqrt(ax * ax + ay * ay + az * az), a[3] = {ax / l, ay / l, az / l};
	double cross[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			brush->rotation[i][j] = (i == j ? c : 0) + (1 - c) * a[i] * a[j] + s * cross[i][j];
	brush->rotated = true;
}

static void Fill(const Brush *brush, uint8_t material, EditMode mode, Tally *tally)
{
	Error error = {0};
	int code = Store_Fill(store, &table, brush, material, mode, tally, &error);
	REQUIRE(code == ERROR_NONE, "fill: %s", error.text);
}

/* ---- the naive writer --------------------------------------------------------------------------------------- */

/* Recipe 9, as written down. */
static int Recipe(double d)
{
	if (d >= 0)
		return 128 + (int)fmin(127, floor(128 * d));
	return 127 - (int)fmin(127, floor(-128 * d));
}

static bool Whole(double v)
{
	return fabs(v - floor(v + 0.5)) < 1e-6;
}

static int Least(int a, int b)
{
	return a < b ? a : b;
}

/* One squared face at `face`, the solid on the side of `sign`. */
static int FaceByte(const Brush *b, double d, double face, bool blocky)
{
	if ((!b->rotated && Whole(face)) || blocky)
		return d >= -1e-7 ? 255 : 0;
	return Recipe(d);
}

/* The occupancy byte that the brush wants in a cell; 0: nothing. */
static int NaiveByte(const Brush *b, Cell c, bool blocky)
{
	double w[3] = {c.x + 0.5 - b->center[0], c.y + 0.5 - b->center[1], c.z + 0.5 - b->center[2]}, p[3];
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
	int byte = blocky ? (rest >= 0 ? 255 : 0) : Recipe(rest);
	static const bool low[4][3] = {{0, 0, 0}, {1, 1, 1}, {0, 1, 0}, {1, 1, 0}};
	static const bool high[4][3] = {{0, 0, 0}, {1, 1, 1}, {0, 1, 0}, {1, 0, 1}};
	for (int i = 0; i < 3; i++) {
		if (low[b->shape][i])
			byte = Least(byte, FaceByte(b, h[i] + p[i], b->center[i] - h[i], blocky));
		if (high[b->shape][i])
			byte = Least(byte, FaceByte(b, h[i] - p[i], b->center[i] + h[i], blocky));
	}
	return byte;
}

static Brush NaiveWidened(Brush b)
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

static int NaiveShare(const Brush *b, Cell c)
{
	double share = 1;
	const int at[3] = {c.x, c.y, c.z};
	if (b->shape == BRUSH_BOX && !b->rotated) {
		for (int i = 0; i < 3; i++)
			share *= fmax(0, fmin(b->center[i] + b->half[i], at[i] + 1) - fmax(b->center[i] - b->half[i], at[i]));
	} else {
		share = fmin(1, fmax(0, 0.5 + Brush_Distance(b, c.x + 0.5, c.y + 0.5, c.z + 0.5)));
	}
	return (int)floor(255 * share + 0.5);
}

static Voxel NaiveFill(Voxel v, int byte, uint8_t material, EditMode mode)
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

static int Level(const Twin *twin, Cell c)
{
	Voxel v = Twin_Get(twin, c);
	return v.material == MATERIAL_AIR ? 0 : v.occupancy + 1;
}

static Cell Near(Cell c, int i)
{
	return (Cell){c.x + i % 3 - 1, c.y + i / 3 % 3 - 1, c.z + i / 9 - 1};
}

/* Counts as inside only by rule 2. */
static bool Promoted(const Twin *twin, Cell c)
{
	int level = Level(twin, c);
	if (level == 0 || level > 128)
		return false;
	for (int i = 0; i < 27; i++)
		if (Level(twin, Near(c, i)) > level)
			return false;
	return true;
}

static bool Inside(const Twin *twin, Cell c)
{
	return Level(twin, c) > 128 || Promoted(twin, c);
}

static bool StaysInside(const Twin *was, const Twin *now, Cell c, bool dig)
{
	return Level(now, c) > 128 || (Promoted(now, c) && (!dig || Promoted(was, c)));
}

static void NaiveClean(const Twin *was, Twin *now, CellBox box, bool dig)
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

static void NaiveStoreFill(Twin *twin, Brush brush, uint8_t material, EditMode mode, bool everywhere)
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
	FOR_CELLS(c, box)
	{
		Voxel v = Twin_Get(twin, c);
		if (!water) {
			Twin_Set(twin, c, NaiveFill(v, NaiveByte(&brush, c, blocky), material, mode));
			continue;
		}
		int share = NaiveShare(&brush, c);
		if (mode == EDIT_REMOVE)
			v.water = (uint8_t)Least(v.water, 255 - share);
		else if (v.water < share)
			v.water = (uint8_t)share;
		Twin_Set(twin, c, v);
	}
	if (!water && mode != EDIT_PAINT)
		NaiveClean(&was, twin, bounds, mode == EDIT_REMOVE);
	Twin_Free(&was);
}

/* ---- known bytes -------------------------------------------------------------------------------------------- */

static Voxel At(int x, int y, int z)
{
	return Store_Get(store, (Cell){x, y, z});
}

#define CHECK_AT(x, y, z, m, v)                                                                                        \
	do {                                                                                                               \
		Voxel got_ = At(x, y, z);                                                                                      \
		REQUIRE(got_.material == (m) && got_.occupancy == (v), "(%d, %d, %d) is {%d, %d}, not {%d, %d}", x, y, z,      \
		        got_.material, got_.occupancy, (m), (v));                                                              \
	} while (0)

/* A floor at any height k/64: three layers of bytes tell it, and reading it back gives the height to 1/256. */
START_TEST(test_floor_heights)
{
	for (int k = -70; k <= 70; k++) {
		double top = k / 64.0;
		Brush floor_box = MakeBox(-8, -10, -8, 8, top, 8);
		Fill(&floor_box, ROCK, EDIT_SET, NULL);
		bool whole = k % 64 == 0;
		int expected[8], highest = 0;
		for (int y = -4; y < 4; y++) {
			double d = top - (y + 0.5);
			int byte = whole ? (d > 0 ? 255 : 0) : Recipe(d);
			expected[y + 4] = byte;
			for (int x = -8; x < 8; x += 5)
				CHECK_AT(x, y, -1 - x, byte ? ROCK : 0, byte);
			if (byte >= 128)
				highest = y;
		}
		/* Crossing of 127.5 above the highest inside cell. */
		double a = expected[highest + 4], b = expected[highest + 5];
		double height = highest + 0.5 + (a - 127.5) / (a - b);
		REQUIRE(fabs(height - top) <= 1.0 / 256 + 1e-12, "floor at %g is read as %g", top, height);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

/* A rotated box: the bytes near the middle of a face are those of the plane. */
START_TEST(test_tilted_plane)
{
	Brush box = MakeBox(-20, -20, -20, 20, 20, 20);
	Turn(&box, 1, 2, -0.5, 0.8, 0.6);
	box.center[1] = -20.25;
	Fill(&box, ROCK, EDIT_SET, NULL);
	int partial = 0;
	for (int x = -5; x <= 5; x++)
		for (int z = -5; z <= 5; z++)
			for (int y = -8; y <= 8; y++) {
				double w[3] = {x + 0.5, y + 0.5 + 20.25, z + 0.5};
				/* Local y axis is the second column. */
				double d = 20 - (box.rotation[0][1] * w[0] + box.rotation[1][1] * w[1] + box.rotation[2][1] * w[2]);
				int byte = Recipe(d);
				if (byte > 0 && byte < 128 && At(x, y, z).material == 0)
					continue; /* dropped as never seen: checked elsewhere */
				CHECK_AT(x, y, z, byte ? ROCK : 0, byte);
				partial += byte > 0 && byte < 255;
			}
	ck_assert_int_gt(partial, 100);
}
END_TEST

START_TEST(test_ball)
{
	const double r = 6.3, grown = r + 1 / (3 * r);
	Brush ball = MakeBall(-31.7, 0.2, 31.9, r);
	Tally tally = {0};
	Fill(&ball, SAND, EDIT_SET, &tally);
	ck_assert_double_eq_tol(Brush_Distance(&ball, -31.7, 0.2, 31.9), grown, 1e-12);
	CellBox box = {{-45, -12, 20}, {-20, 12, 45}};
	int64_t sum = 0;
	FOR_CELLS(c, box)
	{
		double dx = c.x + 0.5 + 31.7, dy = c.y + 0.5 - 0.2, dz = c.z + 0.5 - 31.9;
		int byte = Recipe(grown - sqrt(dx * dx + dy * dy + dz * dz));
		CHECK_AT(c.x, c.y, c.z, byte ? SAND : 0, byte);
		sum += byte ? byte + 1 : 0;
	}
	ck_assert_int_eq(tally.added[SAND], sum);
	/* Under 1.5 there is no compensation. */
	Brush bead = MakeBall(0, 0, 0, 1.4);
	ck_assert_double_eq_tol(Brush_Distance(&bead, 0, 0, 0), 1.4, 1e-12);
}
END_TEST

START_TEST(test_faces_hard_and_soft)
{
	/* x from 2 to 7.25, y from -3 to 5, z from 0.5 to 9. */
	Brush box = MakeBox(2, -3, 0.5, 7.25, 5, 9);
	Fill(&box, ROCK, EDIT_SET, NULL);
	CHECK_AT(2, 0, 4, ROCK, 255);
	CHECK_AT(1, 0, 4, 0, 0);
	CHECK_AT(4, -3, 4, ROCK, 255);
	CHECK_AT(4, -4, 4, 0, 0);
	CHECK_AT(4, 4, 4, ROCK, 255);
	CHECK_AT(4, 5, 4, 0, 0);
	CHECK_AT(4, 0, 8, ROCK, 255);
	CHECK_AT(4, 0, 9, 0, 0);
	CHECK_AT(6, 0, 4, ROCK, 128 + 96);
	CHECK_AT(7, 0, 4, ROCK, 127 - 32);
	CHECK_AT(8, 0, 4, 0, 0);
	CHECK_AT(4, 0, 0, ROCK, 128);
	CHECK_AT(4, 0, 1, ROCK, 255);
	CHECK_AT(4, 0, -1, 0, 0);
}
END_TEST

/* Two boxes that meet on a grid plane are one box, to the byte; so are cylinders and wedges stacked on a plane. */
START_TEST(test_no_groove)
{
	Store *other = Store_Create(&heap);
	Brush a = MakeBox(-10.3, -4, -7.7, 3, 6.4, 8), b = MakeBox(3, -4, -7.7, 17.2, 6.4, 8);
	Brush both = MakeBox(-10.3, -4, -7.7, 17.2, 6.4, 8);
	Fill(&a, ROCK, EDIT_SET, NULL);
	Fill(&b, ROCK, EDIT_SET, NULL);
	ck_assert_int_eq(Store_Fill(other, &table, &both, ROCK, EDIT_SET, NULL, NULL), ERROR_NONE);
	ck_assert_uint_eq(Store_HashValue(store), Store_HashValue(other));
	Brush low = {.shape = BRUSH_CYLINDER, .center = {40.3, 2, 0.1}, .half = {5.5, 4, 0}};
	Brush high = {.shape = BRUSH_CYLINDER, .center = {40.3, 8.25, 0.1}, .half = {5.5, 2.25, 0}};
	Brush tall = {.shape = BRUSH_CYLINDER, .center = {40.3, 4.25, 0.1}, .half = {5.5, 6.25, 0}};
	Fill(&low, ROCK, EDIT_SET, NULL);
	Fill(&high, ROCK, EDIT_ADD, NULL);
	ck_assert_int_eq(Store_Fill(other, &table, &tall, ROCK, EDIT_SET, NULL, NULL), ERROR_NONE);
	ck_assert_uint_eq(Store_HashValue(store), Store_HashValue(other));
	Store_Destroy(other);
}
END_TEST

START_TEST(test_dig_and_refill)
{
	Brush block = MakeBox(-20, -20, -20, 20, 0, 20), pit = MakeBox(-6, -9, -5, 7, 0, 4);
	Fill(&block, ROCK, EDIT_SET, NULL);
	uint64_t hash = Store_HashValue(store);
	Tally dug = {0}, filled = {0};
	Fill(&pit, MATERIAL_AIR, EDIT_SET, &dug);
	ck_assert_int_eq(dug.removed[ROCK], 256 * 13 * 9 * 9);
	ck_assert_uint_ne(Store_HashValue(store), hash);
	Fill(&pit, ROCK, EDIT_SET, &filled);
	ck_assert_int_eq(filled.added[ROCK], 256 * 13 * 9 * 9);
	ck_assert_uint_eq(Store_HashValue(store), hash);
	/* A fractional pit: no inside cell is lost. */
	Brush soft = MakeBox(-6.3, -9.6, -5.2, 7.1, 0.4, 4.45);
	Fill(&soft, ROCK, EDIT_REMOVE, NULL);
	Fill(&soft, ROCK, EDIT_SET, NULL);
	CellBox box = {{-20, -20, -20}, {19, -1, 19}};
	FOR_CELLS(c, box)
	REQUIRE(At(c.x, c.y, c.z).occupancy >= 128, "(%d, %d, %d) is outside now", c.x, c.y, c.z);
}
END_TEST

START_TEST(test_modes)
{
	Brush ground = MakeBox(0, 0, 0, 8, 8, 8), half = MakeBox(0, 0, 0, 8, 4.25, 8);
	Fill(&ground, GROUND, EDIT_SET, NULL);
	/* Cells whose centre the brush covers change (3.5 is under 4.25); weaker ones do not overrule full ground. */
	Fill(&half, ROCK, EDIT_SET, NULL);
	CHECK_AT(4, 2, 4, ROCK, 255);
	CHECK_AT(4, 3, 4, ROCK, 255);
	CHECK_AT(4, 4, 4, GROUND, 255);
	CHECK_AT(4, 5, 4, GROUND, 255);
	Brush taller = MakeBox(0, 0, 0, 8, 12, 8);
	Fill(&taller, SAND, EDIT_ADD, NULL);
	CHECK_AT(4, 2, 4, ROCK, 255);
	CHECK_AT(4, 7, 4, GROUND, 255);
	CHECK_AT(4, 8, 4, SAND, 255);
	/* Paint reaches what is at least half covered: to y = 4.25, the cell at 3.5 and the one at 4.5 not. */
	Tally tally = {0};
	Fill(&half, GRASS, EDIT_PAINT, &tally);
	CHECK_AT(4, 3, 4, GRASS, 255);
	CHECK_AT(4, 4, 4, GROUND, 255);
	ck_assert_int_eq(tally.added[GRASS], 256 * 8 * 8 * 4);
	ck_assert_int_eq(tally.removed[ROCK], 256 * 8 * 8 * 4);
	ck_assert_int_eq(tally.removed[GROUND], 0);
	/* Digging by half a cell leaves half. */
	Brush top = MakeBox(-2, 10.5, -2, 10, 14, 10);
	Fill(&top, ROCK, EDIT_REMOVE, NULL);
	CHECK_AT(4, 9, 4, SAND, 255);
	CHECK_AT(4, 10, 4, SAND, 127);
	CHECK_AT(4, 11, 4, 0, 0);
	/* Water stays where it was not displaced. */
	ck_assert_int_eq(Store_Set(store, (Cell){4, 10, 4}, (Voxel){SAND, 127, 9}, NULL, NULL), ERROR_NONE);
	Fill(&top, MATERIAL_AIR, EDIT_SET, NULL);
	ck_assert_int_eq(At(4, 10, 4).water, 9);
}
END_TEST

START_TEST(test_blocky_materials)
{
	Brush ball = MakeBall(0.2, 0.3, 0.4, 7), hole = MakeBall(5, 0, 0, 5);
	Fill(&ball, BRICK, EDIT_SET, NULL);
	Fill(&hole, MATERIAL_AIR, EDIT_SET, NULL);
	CellBox box = {{-12, -12, -12}, {12, 12, 12}};
	int solid = 0;
	FOR_CELLS(c, box)
	{
		bool in = Brush_Distance(&ball, c.x + 0.5, c.y + 0.5, c.z + 0.5) >= 0;
		bool out = Brush_Distance(&hole, c.x + 0.5, c.y + 0.5, c.z + 0.5) >= 0;
		CHECK_AT(c.x, c.y, c.z, in && !out ? BRICK : 0, in && !out ? 255 : 0);
		solid += in && !out;
	}
	ck_assert_int_gt(solid, 500);
	ck_assert_int_eq(Store_SolidCells(store), solid);
}
END_TEST

START_TEST(test_thin_plates)
{
	/* 0.4 thick at a fractional height becomes 1.5 thick: 4.55 to 6.05. */
	Brush plate = MakeBox(-6, 5.1, -6, 6, 5.5, 6), same = MakeBox(-6, 4.55, -6, 6, 6.05, 6);
	Fill(&plate, ROCK, EDIT_SET, NULL);
	uint64_t hash = Store_HashValue(store);
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	Fill(&same, ROCK, EDIT_SET, NULL);
	ck_assert_uint_eq(Store_HashValue(store), hash);
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	/* One layer between grid planes stays one layer of full cells. */
	Brush layer = MakeBox(-6, 5, -6, 6, 6, 6);
	Fill(&layer, ROCK, EDIT_SET, NULL);
	ck_assert_int_eq(Store_SolidCells(store), 144);
	CHECK_AT(0, 5, 0, ROCK, 255);
	/* A slit is cut as thin as it is asked for. */
	Brush block = MakeBox(-6, 0, -6, 6, 12, 6), slit = MakeBox(-7, 3.3, -7, 7, 3.7, 7);
	Fill(&block, ROCK, EDIT_SET, NULL);
	Fill(&slit, ROCK, EDIT_REMOVE, NULL);
	CHECK_AT(0, 2, 0, ROCK, 255 - Recipe(-0.8));
	CHECK_AT(0, 3, 0, ROCK, 255 - Recipe(0.2 - 1e-9));
	/* Every ray through a thin tilted plate meets an inside cell. */
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	Brush tilted = MakeBox(-14, -0.2, -14, 14, 0.2, 14);
	Turn(&tilted, 1, 0.3, 0.6, 0.9, sqrt(1 - 0.81));
	Fill(&tilted, ROCK, EDIT_SET, NULL);
	for (int x = -6; x <= 6; x++)
		for (int z = -6; z <= 6; z++) {
			int inside = 0;
			for (int y = -12; y <= 12; y++)
				inside += At(x, y, z).occupancy >= 128;
			REQUIRE(inside > 0, "leak at (%d, %d)", x, z);
		}
}
END_TEST

/* ---- water -------------------------------------------------------------------------------------------------- */

START_TEST(test_water_levels)
{
	for (int k = 1; k <= 64; k++) {
		double level = k / 64.0;
		Brush water = MakeBox(-3, -2, -3, 3, level, 3);
		Tally tally = {0};
		Fill(&water, MATERIAL_WATER, EDIT_SET, &tally);
		int byte = (int)floor(255 * level + 0.5);
		ck_assert_int_eq(At(0, 0, 0).water, byte);
		ck_assert_int_eq(At(0, -1, 0).water, 255);
		ck_assert_int_eq(At(0, 1, 0).water, 0);
		ck_assert_int_eq(tally.added[MATERIAL_WATER], 36 * (2 * 255 + byte));
		ck_assert_int_eq(Store_SolidCells(store), 0);
		Fill(&water, MATERIAL_WATER, EDIT_REMOVE, &tally);
		ck_assert_int_eq(At(0, -1, 0).water, 0);
		/* What the drain's own share leaves. */
		ck_assert_int_eq(At(0, 0, 0).water, Least(byte, 255 - byte));
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
	/* A corner is the product of its sides. */
	Brush corner = MakeBox(0.5, 0.25, 0.3, 4, 4, 4);
	Fill(&corner, MATERIAL_WATER, EDIT_ADD, NULL);
	ck_assert_int_eq(At(0, 0, 0).water, (int)floor(255 * 0.5 * 0.75 * 0.7 + 0.5));
	ck_assert_int_eq(At(2, 0, 2).water, (int)floor(255 * 0.75 + 0.5));
}
END_TEST

START_TEST(test_water_in_a_basin)
{
	Brush block = MakeBox(-10, -10, -10, 10, 0, 10), basin = MakeBox(-5, -6, -5, 5, 1, 5);
	Brush water = MakeBox(-10, -10, -10, 10, -1.5, 10);
	Fill(&block, ROCK, EDIT_SET, NULL);
	Fill(&basin, MATERIAL_AIR, EDIT_SET, NULL);
	Tally tally = {0};
	Fill(&water, MATERIAL_WATER, EDIT_SET, &tally);
	ck_assert_int_eq(tally.added[MATERIAL_WATER], 100 * (4 * 255 + 128));
	ck_assert_int_eq(At(0, -2, 0).water, 128);
	ck_assert_int_eq(At(7, -4, 0).water, 0);
	/* Rock dropped into it takes its place; a lower level does not drain. */
	Brush stone = MakeBox(-2, -6, -2, 2, -3, 2), shallow = MakeBox(-10, -10, -10, 10, -4, 10);
	memset(&tally, 0, sizeof(tally));
	Fill(&stone, ROCK, EDIT_SET, &tally);
	ck_assert_int_eq(tally.removed[MATERIAL_WATER], 16 * 3 * 255);
	Fill(&shallow, MATERIAL_WATER, EDIT_SET, NULL);
	ck_assert_int_eq(At(4, -2, 4).water, 128);
	/* Drained by a larger box. */
	Brush drain = MakeBox(-50, -50, -50, 50, 50, 50);
	memset(&tally, 0, sizeof(tally));
	Fill(&drain, MATERIAL_WATER, EDIT_REMOVE, &tally);
	ck_assert_int_eq(tally.removed[MATERIAL_WATER], 100 * (4 * 255 + 128) - 16 * 3 * 255);
	int64_t counts[MATERIAL_LIMIT], wet;
	Store_Count(store, (CellBox){{-20, -20, -20}, {20, 20, 20}}, counts, &wet);
	ck_assert_int_eq(wet, 0);
	ck_assert_int_eq(counts[ROCK], 20 * 20 * 10 - 10 * 10 * 6 + 16 * 3);
}
END_TEST

/* ---- clean-up ----------------------------------------------------------------------------------------------- */

START_TEST(test_specks_go_and_faint_cells_stay)
{
	Brush block = MakeBox(-10, -10, -10, 10, 0, 10), bead = MakeBall(30.5, 0.5, 0.5, 0.3);
	Fill(&block, ROCK, EDIT_SET, NULL);
	/* A bead under half a cell still has a cell to be seen by. */
	Fill(&bead, SAND, EDIT_SET, NULL);
	ck_assert_int_ge(At(30, 0, 0).occupancy, 128);
	/* Put on purpose: a lone faint cell, and one that nothing shows beside a stronger faint one. */
	Cell lone = {5, 6, 5}, hidden[3] = {{-6, 6, -6}, {-5, 6, -6}, {-4, 6, -6}};
	Store_Set(store, lone, (Voxel){SAND, 40, 0}, NULL, NULL);
	for (int i = 0; i < 3; i++)
		Store_Set(store, hidden[i], (Voxel){SAND, (uint8_t)(10 + 10 * i), 0}, NULL, NULL);
	/* Digging right under them: nothing of theirs is touched. */
	Brush shave = MakeBox(-12, -0.5, -12, 12, 5.9, 12);
	Fill(&shave, MATERIAL_AIR, EDIT_SET, NULL);
	CHECK_AT(5, 6, 5, SAND, 40);
	for (int i = 0; i < 3; i++)
		CHECK_AT(hidden[i].x, 6, -6, SAND, 10 + 10 * i);
	/* A stub of a column: what digging leaves of it is a speck, and goes. */
	Brush column = MakeBox(40, 0, 40, 42, 10, 42), cut = MakeBall(41, 5, 41, 20.4);
	Fill(&column, ROCK, EDIT_SET, NULL);
	Fill(&cut, MATERIAL_AIR, EDIT_SET, NULL);
	ck_assert(Store_IsEmpty(store, (CellBox){{38, -5, 38}, {44, 15, 44}}));
	/* The fringe of a soft floor goes with the floor. */
	Brush slab = MakeBox(60, 0, 60, 70, 4.4, 70), under = MakeBox(59, -1, 59, 71, 4, 71);
	Fill(&slab, ROCK, EDIT_SET, NULL);
	CHECK_AT(65, 4, 65, ROCK, Recipe(-0.1));
	Tally tally = {0};
	Fill(&under, MATERIAL_AIR, EDIT_REMOVE, &tally);
	ck_assert(Store_IsEmpty(store, (CellBox){{58, -5, 58}, {74, 15, 74}}));
}
END_TEST

/* What is added and dropped again in one fill is in no tally. */
START_TEST(test_dropped_cells_are_not_tallied)
{
	for (int k = 0; k < 40; k++) {
		Brush ball = MakeBall(0.03 * k, 0.41, 0.017 * k, 0.8);
		Tally tally = {0};
		Fill(&ball, SAND, EDIT_SET, &tally);
		int64_t sums[MATERIAL_LIMIT];
		Store_Matter(store, (CellBox){{-5, -5, -5}, {5, 5, 5}}, sums);
		ck_assert_int_eq(tally.removed[SAND], 0);
		ck_assert_int_eq(tally.added[SAND], sums[SAND]);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

/* ---- random fills against the twin -------------------------------------------------------------------------- */

static const CellBox block = {{-40, -40, -40}, {39, 39, 39}};

static Brush RandomBrush(Random *random)
{
	Brush brush = {.shape = (BrushShape)Random_Below(random, 4)};
	/* Mostly small; sometimes large enough to cover whole chunks; always within the block, reach included. */
	bool large = Random_Below(random, 8) == 0, snapped = Random_Below(random, 2);
	double most = large ? 20 : 6, reach = 0;
	for (int i = 0; i < 3; i++) {
		brush.half[i] = Random_Range(random, 0.2, most);
		if (snapped)
			brush.half[i] = 0.5 * (1 + Random_Below(random, (int)(2 * most)));
		reach += brush.half[i] * brush.half[i];
	}
	if (brush.shape == BRUSH_BALL)
		reach = brush.half[0] * brush.half[0];
	if (brush.shape == BRUSH_CYLINDER)
		reach += brush.half[0] * brush.half[0];
	reach = Least(38, (int)sqrt(reach) + 4);
	for (int i = 0; i < 3; i++) {
		brush.center[i] = Random_Range(random, reach - 40, 40 - reach);
		if (snapped)
			brush.center[i] = floor(brush.center[i]) + brush.half[i] - floor(brush.half[i]);
	}
	if (Random_Below(random, 3) == 0) {
		double t = Random_Range(random, -1, 1);
		Turn(&brush, Random_Range(random, -1, 1), Random_Range(random, 0.1, 1), Random_Range(random, -1, 1),
		     (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t));
	}
	return brush;
}

START_TEST(test_random_fills)
{
	static const uint8_t materials[] = {0, 0, 1, 2, 3, 6, 6, 12};
	Twin twin = Twin_Create(block);
	Tally total = {0};
	const int64_t nothing[MATERIAL_LIMIT] = {0};
	for (int step = 0; step < 150; step++) {
		Random random = {1000 + (uint64_t)step};
		Brush brush = RandomBrush(&random);
		uint8_t material = materials[Random_Below(&random, COUNT_OF(materials))];
		EditMode mode = (EditMode)Random_Below(&random, material > 1 ? 4 : 3);
		char what[96];
		snprintf(what, sizeof(what), "fill, seed %d: shape %d, material %d, mode %d", 1000 + step, (int)brush.shape,
		         material, (int)mode);
		Twin before = Twin_Copy(&twin);
		uint64_t version = Store_Version(store);
		NaiveStoreFill(&twin, brush, material, mode, step % 40 == 0);
		Fill(&brush, material, mode, &total);
		Twin_CheckEqual(&twin, store, what);
		ck_assert_uint_le(Store_Version(store), version + 1);
		if (step % 8 == 0) {
			Store_CheckValid(store, what);
			Tally_Check(nothing, &total, &twin, what);
			Journal_Check(store, version, &before, &twin, what);
		}
		Twin_Free(&before);
	}
	Twin_Free(&twin);
}
END_TEST

/* Chunks that a fill covers wholly take another way: over every kind of chunk, in every mode. */
START_TEST(test_whole_chunks)
{
	static const Voxel states[] = {{0, 0, 0},      {0, 0, 255},     {0, 0, 90},
	                               {ROCK, 255, 0}, {ROCK, 140, 30}, {BRICK, 200, 7}};
	static const uint8_t materials[] = {GROUND, MATERIAL_AIR, MATERIAL_WATER};
	const CellBox around = {{-2, -2, -2}, {33, 34, 33}}, chunk = {{0, 0, 0}, {31, 31, 31}};
	for (int i = 0; i < COUNT_OF(states) * 2 * COUNT_OF(materials) * 4; i++) {
		Voxel state = states[i % COUNT_OF(states)];
		bool mixed = i / COUNT_OF(states) % 2;
		uint8_t material = materials[i / COUNT_OF(states) / 2 % COUNT_OF(materials)];
		EditMode mode = (EditMode)(i / COUNT_OF(states) / 2 / COUNT_OF(materials));
		if ((mode == EDIT_PAINT && material != GROUND) || (mixed && i % 2))
			continue;
		char what[64];
		snprintf(what, sizeof(what), "whole chunk, case %d: material %d, mode %d", i, material, (int)mode);
		Twin twin = Twin_Create(around);
		FOR_CELLS(c, chunk)
		Twin_Set(&twin, c, mixed && c.x == 9 ? (Voxel){SAND, 150, 60} : state);
		Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], twin.channel[2]}};
		REQUIRE(Store_Write(store, around, &region, NULL, NULL, NULL) == ERROR_NONE, "%s: write", what);
		int64_t before[MATERIAL_LIMIT];
		Twin_Matter(&twin, before);
		Brush box = MakeBox(-1, -1, -1.3, 33, 33.2, 32);
		Tally tally = {0};
		NaiveStoreFill(&twin, box, material, mode, false);
		Fill(&box, material, mode, &tally);
		Twin_CheckEqual(&twin, store, what);
		Tally_Check(before, &tally, &twin, what);
		REQUIRE(Store_Clear(store, NULL, NULL) == ERROR_NONE, "%s: clear", what);
		Twin_Free(&twin);
	}
	/* Balls that only just cover the chunk, or only just do not. */
	for (int i = 0; i < 12; i++) {
		Brush ball = MakeBall(16.1, 15.9, 16, 26 + 0.26 * i);
		Fill(&ball, ROCK, EDIT_SET, NULL);
		FOR_CELLS(c, chunk)
		REQUIRE(At(c.x, c.y, c.z).occupancy == NaiveByte(&ball, c, false), "ball %d at (%d, %d, %d)", i, c.x, c.y, c.z);
		REQUIRE(Store_Clear(store, NULL, NULL) == ERROR_NONE, "clear");
	}
}
END_TEST

/* Faint noise is where the clean-up has to choose: every cell weak, then brushed over. */
START_TEST(test_clean_up_in_noise)
{
	for (uint64_t seed = 1; seed <= 24; seed++) {
		Random random = {seed * 9973};
		const CellBox small = {{-9, -9, -9}, {12, 12, 12}};
		Twin twin = Twin_Create((CellBox){{-14, -14, -14}, {17, 17, 17}});
		int share = 1 + (int)seed % 4, top = seed % 3 == 0 ? 20 : 140;
		FOR_CELLS(c, small)
		if (Random_Below(&random, 5) < share)
			Twin_Set(&twin, c, (Voxel){ROCK, (uint8_t)Random_Below(&random, top), 0});
		Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], twin.channel[2]}};
		ck_assert_int_eq(Store_Write(store, twin.box, &region, NULL, NULL, NULL), ERROR_NONE);
		for (int i = 0; i < 3; i++) {
			Brush ball = MakeBall(Random_Range(&random, -6, 8), Random_Range(&random, -6, 8),
			                      Random_Range(&random, -6, 8), Random_Range(&random, 0.3, 4));
			EditMode mode = (EditMode)Random_Below(&random, 3);
			char what[64];
			snprintf(what, sizeof(what), "noise, seed %d, fill %d, mode %d", (int)seed * 9973, i, (int)mode);
			NaiveStoreFill(&twin, ball, GROUND, mode, false);
			Fill(&ball, GROUND, mode, NULL);
			Twin_CheckEqual(&twin, store, what);
		}
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
		Twin_Free(&twin);
	}
}
END_TEST

/* 500 balls dug at random over chunk borders: counts equal brute force, nothing invisible is left. */
START_TEST(test_many_digs)
{
	const CellBox rock = {{-32, -32, -32}, {31, 31, 31}};
	Twin twin = Twin_Create(block);
	FOR_CELLS(c, rock)
	Twin_Set(&twin, c, (Voxel){ROCK, 255, 0});
	ck_assert_int_eq(Store_Replace(store, rock, MATERIAL_AIR, ROCK, NULL, NULL), ERROR_NONE);
	Random random = {530};
	Tally tally = {0};
	for (int i = 0; i < 500; i++) {
		Brush ball = MakeBall(Random_Range(&random, -33, 33), Random_Range(&random, -33, 33),
		                      Random_Range(&random, -33, 33), 5.3);
		if (i % 5 == 0)
			for (int k = 0; k < 3; k++)
				ball.center[k] = 32 * floor(ball.center[k] / 32 + 0.5);
		Fill(&ball, MATERIAL_AIR, EDIT_REMOVE, &tally);
		if (i < 60)
			NaiveStoreFill(&twin, ball, MATERIAL_AIR, EDIT_REMOVE, false);
		if (i == 59)
			Twin_CheckEqual(&twin, store, "digs, seed 530");
	}
	Region region = {twin.nx, twin.ny, twin.nz, {twin.channel[0], twin.channel[1], twin.channel[2]}};
	Store_Read(store, block, &region);
	int64_t counts[MATERIAL_LIMIT], solid = 0;
	Store_Count(store, block, counts, NULL);
	FOR_CELLS(c, block)
	{
		int level = Level(&twin, c);
		solid += level > 0;
		if (level == 0 || level > 128)
			continue;
		bool seen = false;
		for (int i = 0; i < 27 && !seen; i++)
			seen = Level(&twin, Near(c, i)) > 128;
		REQUIRE(seen, "digs, seed 530: (%d, %d, %d) cannot be seen", c.x, c.y, c.z);
	}
	ck_assert_int_eq(counts[ROCK], solid);
	ck_assert_int_eq(Store_SolidCells(store), solid);
	int64_t before[MATERIAL_LIMIT] = {[ROCK] = 256 * 64 * 64 * 64};
	Tally_Check(before, &tally, &twin, "digs, seed 530");
	Twin_Free(&twin);
}
END_TEST

/* ---- heights ------------------------------------------------------------------------------------------------ */

static HeightFill MakeHeights(const double *heights, int width, int depth, double x0, double z0, double spacing)
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

static int64_t FillHeights(const HeightFill *fill, EditMode mode, Tally *tally)
{
	int64_t voids = -1;
	Error error = {0};
	int code = Store_FillHeights(store, &table, fill, mode, tally, &voids, &error);
	REQUIRE(code == ERROR_NONE, "heights: %s", error.text);
	return voids;
}

/* The ground of a column, from the description in voxel.h; NaN where there is none. */
static double NaiveGround(const HeightFill *f, int x, int z)
{
	if (x < floor(f->x0) || x > floor(f->x0 + (f->width - 1) * f->spacing) || z < floor(f->z0) ||
	    z > floor(f->z0 + (f->depth - 1) * f->spacing))
		return (double)NAN;
	double u = fmin(fmax((x + 0.5 - f->x0) / f->spacing, 0), f->width - 1);
	double w = fmin(fmax((z + 0.5 - f->z0) / f->spacing, 0), f->depth - 1);
	double sum = 0;
	for (int k = 0; k < f->depth; k++) {
		for (int i = 0; i < f->width; i++) {
			double weight = fmax(0, 1 - fabs(u - i)) * fmax(0, 1 - fabs(w - k));
			if (weight > 0)
				sum += weight * f->heights[i + f->width * k];
		}
	}
	return sum;
}

static double NaiveSlope(double a, double here, double b)
{
	if (isnan(a) && isnan(b))
		return 0;
	return isnan(a) ? b - here : isnan(b) ? here - a : (b - a) / 2;
}

/* Distances may differ by rounding from the store's: a byte at a step of the quantiser counts as either. */
static void CheckHeights(const HeightFill *f, CellBox box, bool fringe_may_go, const char *what)
{
	for (int x = box.lo.x; x <= box.hi.x; x++) {
		for (int z = box.lo.z; z <= box.hi.z; z++) {
			double g = NaiveGround(f, x, z);
			double gx = NaiveSlope(NaiveGround(f, x - 1, z), g, NaiveGround(f, x + 1, z));
			double gz = NaiveSlope(NaiveGround(f, x, z - 1), g, NaiveGround(f, x, z + 1));
			double upright = 1 / sqrt(1 + gx * gx + gz * gz);
			for (int y = box.lo.y; y <= box.hi.y; y++) {
				double depth = g - (y + 0.5);
				bool none = isnan(g) || y < f->bottom;
				int least = none ? 0 : Recipe(depth * upright - 1e-9), most = none ? 0 : Recipe(depth * upright + 1e-9);
				int j = 0;
				while (j + 1 < f->layer_count && depth > f->layer_depth[j])
					j++;
				Voxel v = At(x, y, z);
				bool good = v.occupancy >= least && v.occupancy <= most;
				good = good && v.material == (v.occupancy ? f->layer_material[j] : 0);
				if (fringe_may_go && v.material == 0 && least < 128)
					good = true;
				REQUIRE(good, "%s: (%d, %d, %d) is {%d, %d}, not {%d, %d}", what, x, y, z, v.material, v.occupancy,
				        f->layer_material[j], least);
			}
		}
	}
}

START_TEST(test_heights_one_sample_a_cell)
{
	double heights[40 * 30];
	Random random = {8};
	for (int i = 0; i < COUNT_OF(heights); i++)
		heights[i] = (double)Random_Below(&random, 64) / 64.0;
	/* Each sample stands on the centre of its own cell: column bytes give its exact height. */
	HeightFill fill = MakeHeights(heights, 40, 30, -17.5, 3.5, 1);
	ck_assert_int_eq(FillHeights(&fill, EDIT_SET, NULL), 0);
	CellBox bounds;
	ck_assert(Store_Bounds(store, &bounds));
	ck_assert(bounds.lo.x == -18 && bounds.hi.x == 21 && bounds.lo.z == 3 && bounds.hi.z == 32);
	ck_assert_int_eq(bounds.lo.y, -20);
	CheckHeights(&fill, (CellBox){{-20, -24, 0}, {24, 4, 36}}, true, "one a cell");
	/* First sample on a corner of the grid: as many columns, the last one level. */
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	fill.x0 = -18, fill.z0 = 3;
	FillHeights(&fill, EDIT_SET, NULL);
	ck_assert(Store_Bounds(store, &bounds));
	ck_assert(bounds.lo.x == -18 && bounds.hi.x == 21 && bounds.lo.z == 3 && bounds.hi.z == 32);
	CheckHeights(&fill, (CellBox){{-20, -24, 0}, {24, 4, 36}}, true, "from a corner");
}
END_TEST

/* A plane of any slope: every byte is that of the plane, except at the rim. */
START_TEST(test_heights_plane)
{
	static const double slopes[][2] = {{0, 0}, {0.02, 0}, {0.5, -0.25}, {1, 1}, {-2.5, 0.3}};
	static double heights[50 * 50];
	for (int s = 0; s < COUNT_OF(slopes); s++) {
		for (int spacing = 1; spacing <= 2; spacing++) {
			for (int i = 0; i < COUNT_OF(heights); i++)
				heights[i] = 3.37 + spacing * (slopes[s][0] * (i % 50 - 25) + slopes[s][1] * (i / 50 - 25));
			HeightFill fill = MakeHeights(heights, 50, 50, -25.0 * spacing, -25.0 * spacing, spacing);
			fill.bottom = -90;
			FillHeights(&fill, EDIT_SET, NULL);
			double n = 1 / sqrt(1 + slopes[s][0] * slopes[s][0] + slopes[s][1] * slopes[s][1]);
			for (int x = -22; x <= 20; x += 7) {
				for (int z = -22; z <= 20; z += 6) {
					double ground = 3.37 + slopes[s][0] * (x + 0.5) + slopes[s][1] * (z + 0.5);
					for (int y = (int)ground - 5; y < (int)ground + 5; y++) {
						int least = Recipe((ground - y - 0.5) * n - 1e-9), most = Recipe((ground - y - 0.5) * n + 1e-9);
						int v = At(x, y, z).occupancy;
						REQUIRE(v >= least && v <= most, "slope %d, (%d, %d, %d): %d, not %d", s, x, y, z, v, least);
					}
				}
			}
			ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
		}
	}
}
END_TEST

START_TEST(test_heights_random)
{
	static double heights[60 * 60];
	for (uint64_t seed = 1; seed <= 12; seed++) {
		Random random = {seed * 31};
		char what[64];
		snprintf(what, sizeof(what), "heights, seed %d", (int)seed * 31);
		int width = 1 + Random_Below(&random, 40), depth = 1 + Random_Below(&random, 40);
		double rough = seed % 3 == 0 ? 20 : 2;
		for (int i = 0; i < width * depth; i++)
			heights[i] =
			    Random_Below(&random, 12) == 0 && seed % 2 ? (double)NAN : Random_Range(&random, -rough, rough);
		static const double spacings[] = {1, 0.5, 2.5, 0.37, 4};
		HeightFill fill = MakeHeights(heights, width, depth, Random_Range(&random, -30, 10),
		                              Random_Range(&random, -30, 10), spacings[seed % 5]);
		int64_t voids = FillHeights(&fill, EDIT_SET, NULL), want = 0;
		CellBox box = {{-34, -24, -34}, {0, 44, 0}};
		box.hi.x = Least(60, (int)(fill.x0 + width * fill.spacing) + 3);
		box.hi.z = Least(60, (int)(fill.z0 + depth * fill.spacing) + 3);
		CheckHeights(&fill, box, true, what);
		int x1 = (int)floor(fill.x0 + (width - 1) * fill.spacing),
		    z1 = (int)floor(fill.z0 + (depth - 1) * fill.spacing);
		for (int x = (int)floor(fill.x0); x <= x1; x++)
			for (int z = (int)floor(fill.z0); z <= z1; z++)
				want += isnan(NaiveGround(&fill, x, z));
		REQUIRE(voids == want, "%s: %lld voids, not %lld", what, (long long)voids, (long long)want);
		Store_CheckValid(store, what);
		ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	}
}
END_TEST

START_TEST(test_heights_voids)
{
	double heights[100];
	for (int i = 0; i < 100; i++)
		heights[i] = 2.25;
	heights[5 + 10 * 5] = (double)NAN;
	HeightFill fill = MakeHeights(heights, 10, 10, 0.5, 0.5, 1);
	ck_assert_int_eq(FillHeights(&fill, EDIT_SET, NULL), 1);
	ck_assert_int_eq(At(5, -10, 5).material, 0);
	ck_assert_int_eq(At(4, -10, 5).material, ROCK);
	CHECK_AT(4, 1, 4, GRASS, 128 + 96);
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	/* Between samples, each void takes the four columns about it. */
	fill.x0 = fill.z0 = 0;
	ck_assert_int_eq(FillHeights(&fill, EDIT_SET, NULL), 4);
	ck_assert_int_eq(At(5, -10, 5).material, 0);
	ck_assert_int_eq(At(4, -10, 4).material, 0);
	ck_assert_int_eq(At(3, -10, 4).material, ROCK);
	ck_assert_int_eq(At(6, -10, 5).material, ROCK);
	/* Nothing but voids changes nothing. */
	uint64_t version = Store_Version(store);
	for (int i = 0; i < 100; i++)
		heights[i] = (double)NAN;
	ck_assert_int_eq(FillHeights(&fill, EDIT_SET, NULL), 100);
	ck_assert_uint_eq(Store_Version(store), version);
}
END_TEST

START_TEST(test_heights_modes)
{
	static double heights[64 * 64];
	static uint8_t materials[64 * 64];
	for (int i = 0; i < COUNT_OF(heights); i++) {
		heights[i] = 4.5 + 0.125 * (i % 64);
		materials[i] = i % 64 < 30 ? SAND : BRICK;
	}
	HeightFill fill = MakeHeights(heights, 64, 64, -31.5, -31.5, 1);
	fill.bottom = -70;
	Tally put = {0}, taken = {0};
	FillHeights(&fill, EDIT_SET, &put);
	uint64_t hash = Store_HashValue(store);
	/* Adding the same changes nothing; painting changes materials only. */
	FillHeights(&fill, EDIT_ADD, NULL);
	ck_assert_uint_eq(Store_HashValue(store), hash);
	int64_t solid = Store_SolidCells(store), matter[MATERIAL_LIMIT];
	fill.sample_material = materials;
	FillHeights(&fill, EDIT_PAINT, NULL);
	ck_assert_int_eq(Store_SolidCells(store), solid);
	ck_assert_int_eq(At(-10, -60, 0).material, SAND);
	ck_assert_int_eq(At(-2, 3, 0).material, BRICK);
	ck_assert_int_eq(At(-3, 3, 0).material, SAND);
	/* Digging it out again leaves at most a soft skin on the brick, and balances. */
	FillHeights(&fill, EDIT_REMOVE, &taken);
	Store_Matter(store, (CellBox){{-40, -80, -40}, {40, 40, 40}}, matter);
	for (int m = 2; m < 20; m++)
		ck_assert_int_ge(matter[m], 0);
	int64_t sum_put = 0, sum_taken = 0, left = 0;
	for (int m = 2; m < 20; m++)
		sum_put += put.added[m], sum_taken += taken.removed[m], left += matter[m];
	ck_assert_int_eq(sum_put, sum_taken + left);
	ck_assert_int_lt(left, sum_put / 100);
	/* With wider samples, a column takes the material of the nearest. */
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	fill.spacing = 3;
	fill.bottom = -5;
	for (int i = 0; i < COUNT_OF(materials); i++)
		materials[i] = (uint8_t)(2 + (i % 64 + i / 64) % 5);
	FillHeights(&fill, EDIT_SET, NULL);
	for (int x = -31; x < 100; x++)
		for (int z = -31; z < 100; z += 7) {
			int i = (x + 32 + 1) / 3, k = (z + 32 + 1) / 3;
			REQUIRE(At(x, 0, z).material == 2 + (i + k) % 5, "material of column (%d, %d)", x, z);
		}
	for (int i = 0; i < COUNT_OF(materials); i++)
		materials[i] = i % 64 < 30 ? SAND : BRICK;
	fill.spacing = 1;
	/* Blocky ground stands in whole cells. */
	ck_assert_int_eq(Store_Clear(store, NULL, NULL), ERROR_NONE);
	fill.bottom = -5;
	FillHeights(&fill, EDIT_SET, NULL);
	for (int x = 0; x < 32; x++)
		for (int y = -5; y < 15; y++)
			CHECK_AT(x, y, 3, y + 0.5 <= 4.5 + 0.125 * (x + 32) ? BRICK : 0,
			         y + 0.5 <= 4.5 + 0.125 * (x + 32) ? 255 : 0);
}
END_TEST

/* An allocator that keeps the high-water mark. */
static size_t live_bytes, most_bytes;

static void *PeakResize(void *user, void *block_, size_t old_size, size_t new_size)
{
	(void)user;
	live_bytes = live_bytes - old_size + new_size;
	most_bytes = live_bytes > most_bytes ? live_bytes : most_bytes;
	if (new_size)
		return realloc(block_, new_size);
	free(block_);
	return NULL;
}

START_TEST(test_heights_memory_follows_the_surface)
{
	const int n = 320;
	double *heights = malloc(sizeof(*heights) * (size_t)n * (size_t)n);
	Random random = {2};
	for (int i = 0; i < n * n; i++)
		heights[i] = 0.1 * (i % n) + Random_Unit(&random);
	Memory memory;
	live_bytes = most_bytes = 0;
	Memory_Init(&memory, PeakResize, NULL);
	Store *s = Store_Create(&memory);
	HeightFill fill = MakeHeights(heights, n, n, 0.5, 0.5, 1);
	size_t bytes[2];
	for (int pass = 0; pass < 2; pass++) {
		fill.bottom = pass == 0 ? -32 : -32 * 12;
		most_bytes = 0;
		ck_assert_int_eq(Store_FillHeights(s, &table, &fill, EDIT_SET, NULL, NULL, NULL), ERROR_NONE);
		bytes[pass] = most_bytes;
		/* At the worst moment, too: a dense copy would take three bytes a cell. */
		ck_assert_uint_lt(most_bytes, 500u * (size_t)(n * n));
		ck_assert_int_eq(Store_Clear(s, NULL, NULL), ERROR_NONE);
	}
	/* Eleven chunks deeper costs a chunk's head each. */
	ck_assert_uint_lt(bytes[1], bytes[0] + 11 * 11 * 11 * 700);
	Store_Destroy(s);
	ck_assert_uint_eq(live_bytes, 0);
	free(heights);
}
END_TEST

/* ---- errors ------------------------------------------------------------------------------------------------- */

START_TEST(test_bad_brushes)
{
	Error error;
	Brush good = MakeBox(0, 0, 0, 4, 4, 4), bad;

#define REFUSED(change, expected, part)                                                                                \
	do {                                                                                                               \
		bad = good;                                                                                                    \
		change;                                                                                                        \
		ck_assert_int_eq(Store_Fill(store, &table, &bad, ROCK, EDIT_SET, NULL, &error), expected);                     \
		ck_assert_msg(strstr(error.text, part), "%s", error.text);                                                     \
	} while (0)

	REFUSED(bad.center[1] = (double)NAN, ERROR_ARGUMENT, "center: y is nan");
	REFUSED(bad.center[0] = (double)INFINITY, ERROR_ARGUMENT, "center: x is inf");
	REFUSED(bad.half[2] = 0, ERROR_ARGUMENT, "half: z is 0");
	REFUSED(bad.half[0] = -1, ERROR_ARGUMENT, "half: x is -1");
	REFUSED(bad.half[0] = (double)NAN, ERROR_ARGUMENT, "half: x is nan");
	REFUSED(bad.half[0] = 1e300, ERROR_ARGUMENT, "half: x is 1e+300");
	REFUSED(bad.rotated = true, ERROR_ARGUMENT, "rotation");
	REFUSED(bad.shape = (BrushShape)7, ERROR_ARGUMENT, "shape: 7");
	REFUSED(bad.center[0] = 1.5e9, ERROR_LIMIT, "beyond the limit");
	REFUSED((bad.half[0] = 1e6, bad.half[1] = 1e6), ERROR_LIMIT, "may span");
	ck_assert_int_eq(Store_Fill(store, &table, &good, 200, EDIT_SET, NULL, &error), ERROR_ARGUMENT);
	ck_assert_int_eq(Store_Fill(store, &table, &good, ROCK, (EditMode)9, NULL, &error), ERROR_ARGUMENT);
	ck_assert_int_eq(Store_Fill(store, &table, &good, MATERIAL_WATER, EDIT_PAINT, NULL, &error), ERROR_ARGUMENT);
	ck_assert_str_eq(error.text, "material: water cannot be painted with");
	ck_assert_uint_eq(Store_Version(store), 0);
	/* Digging may reach anywhere. */
	Brush huge = MakeBox(-3e9, -3e9, -3e9, 3e9, 3e9, 3e9);
	Fill(&good, ROCK, EDIT_SET, NULL);
	Fill(&huge, GRASS, EDIT_PAINT, NULL);
	CHECK_AT(1, 1, 1, GRASS, 255);
	Fill(&huge, MATERIAL_WATER, EDIT_REMOVE, NULL);
	Fill(&huge, ROCK, EDIT_REMOVE, NULL);
	ck_assert_int_eq(Store_ChunkCount(store), 0);
	/* Up to the last cell of the world. */
	Brush last = MakeBox(CELL_LIMIT - 4, -CELL_LIMIT + 2, 0, CELL_LIMIT - 1, -CELL_LIMIT + 5, 4);
	Fill(&last, ROCK, EDIT_SET, NULL);
	CHECK_AT(CELL_LIMIT - 2, -CELL_LIMIT + 2, 0, ROCK, 255);
}
END_TEST

START_TEST(test_bad_heights)
{
	Error error;
	double heights[4] = {1, 2, 3, 4};
	uint8_t materials[4] = {ROCK, ROCK, 1, ROCK};
	HeightFill good = MakeHeights(heights, 2, 2, 0, 0, 1), bad;

#define WRONG(change, expected, part)                                                                                  \
	do {                                                                                                               \
		bad = good;                                                                                                    \
		change;                                                                                                        \
		ck_assert_int_eq(Store_FillHeights(store, &table, &bad, EDIT_SET, NULL, NULL, &error), expected);              \
		ck_assert_msg(strstr(error.text, part), "%s", error.text);                                                     \
	} while (0)

	WRONG(bad.width = 0, ERROR_ARGUMENT, "0 x 2 samples");
	WRONG(bad.spacing = 0, ERROR_ARGUMENT, "spacing: 0");
	WRONG(bad.spacing = (double)NAN, ERROR_ARGUMENT, "spacing: nan");
	WRONG(bad.x0 = (double)NAN, ERROR_ARGUMENT, "position");
	WRONG(bad.x0 = 2e9, ERROR_LIMIT, "pass the limit");
	WRONG(bad.spacing = 1e9, ERROR_LIMIT, "more than an edit may span");
	WRONG(bad.layer_count = 0, ERROR_ARGUMENT, "layers: 0");
	WRONG(bad.layer_count = 9, ERROR_ARGUMENT, "layers: 9");
	WRONG(bad.layer_material[1] = MATERIAL_WATER, ERROR_ARGUMENT, "layer 2");
	WRONG(bad.layer_depth[0] = (double)NAN, ERROR_ARGUMENT, "depth of layer 1");
	WRONG(bad.sample_material = materials, ERROR_ARGUMENT, "sample 2");
	WRONG(bad.bottom = -CELL_LIMIT - 1, ERROR_LIMIT, "bottom");
	heights[3] = (double)INFINITY;
	WRONG((void)0, ERROR_LIMIT, "sample 3");
	ck_assert_uint_eq(Store_Version(store), 0);
}
END_TEST

typedef int AttemptFn(Store *s, Tally *tally);

static int Attempt_Fill(Store *s, Tally *tally)
{
	Brush ball = MakeBall(3.3, 8, 31.5, 12);
	return Store_Fill(s, &table, &ball, ROCK, EDIT_SET, tally, NULL);
}

static int Attempt_Dig(Store *s, Tally *tally)
{
	Brush ball = MakeBall(3.3, 1, 2, 6);
	return Store_Fill(s, &table, &ball, MATERIAL_AIR, EDIT_SET, tally, NULL);
}

static int Attempt_Water(Store *s, Tally *tally)
{
	Brush box = MakeBox(-20, 0, -20, 20, 7.5, 20);
	return Store_Fill(s, &table, &box, MATERIAL_WATER, EDIT_SET, tally, NULL);
}

static int Attempt_Heights(Store *s, Tally *tally)
{
	static double heights[50 * 50];
	for (int i = 0; i < COUNT_OF(heights); i++)
		heights[i] = i * 37 % 11;
	HeightFill fill = MakeHeights(heights, 50, 50, -20, -20, 1);
	return Store_FillHeights(s, &table, &fill, EDIT_SET, tally, NULL, NULL);
}

START_TEST(test_failing_allocations)
{
	static AttemptFn *const attempts[] = {Attempt_Fill, Attempt_Dig, Attempt_Water, Attempt_Heights};
	for (int k = 0; k < COUNT_OF(attempts); k++) {
		FailingMemory f;
		FailingMemory_Init(&f, -1);
		Store *s = Store_Create(&f.memory);
		Brush ground = MakeBox(-15, -10, -15, 15, 2.3, 15);
		ck_assert_int_eq(Store_Fill(s, &table, &ground, GROUND, EDIT_SET, NULL, NULL), ERROR_NONE);
		uint64_t hash = Store_HashValue(s), version = Store_Version(s);
		int code = ERROR_MEMORY, failures = 0;
		for (long allowed = 0; code != ERROR_NONE; allowed++) {
			Tally tally = {0}, none = {0};
			f.left = allowed;
			code = attempts[k](s, &tally);
			f.left = -1;
			Store_CheckValid(s, "failing fill");
			if (code == ERROR_NONE)
				break;
			failures++;
			REQUIRE(code == ERROR_MEMORY, "fill %d: code %d", k, code);
			REQUIRE(hash == Store_HashValue(s) && version == Store_Version(s), "fill %d: changed by failure %ld", k,
			        allowed);
			REQUIRE(memcmp(&tally, &none, sizeof(none)) == 0, "fill %d: tallied", k);
		}
		ck_assert_int_gt(failures, 5);
		ck_assert_uint_eq(Store_Version(s), version + 1);
		Store_Destroy(s);
		ck_assert_uint_eq(f.memory.bytes, 0);
		ck_assert_uint_eq(f.memory.blocks, 0);
	}
}
END_TEST

Suite *suite_brush(void);
Suite *suite_brush(void)
{
	Suite *suite = suite_create("brush");
	TCase *tests = tcase_create("brush");
	tcase_set_timeout(tests, 120);
	tcase_add_checked_fixture(tests, Setup, Teardown);
	tcase_add_test(tests, test_floor_heights);
	tcase_add_test(tests, test_tilted_plane);
	tcase_add_test(tests, test_ball);
	tcase_add_test(tests, test_faces_hard_and_soft);
	tcase_add_test(tests, test_no_groove);
	tcase_add_test(tests, test_dig_and_refill);
	tcase_add_test(tests, test_modes);
	tcase_add_test(tests, test_blocky_materials);
	tcase_add_test(tests, test_thin_plates);
	tcase_add_test(tests, test_water_levels);
	tcase_add_test(tests, test_water_in_a_basin);
	tcase_add_test(tests, test_specks_go_and_faint_cells_stay);
	tcase_add_test(tests, test_dropped_cells_are_not_tallied);
	tcase_add_test(tests, test_random_fills);
	tcase_add_test(tests, test_whole_chunks);
	tcase_add_test(tests, test_clean_up_in_noise);
	tcase_add_test(tests, test_many_digs);
	tcase_add_test(tests, test_heights_one_sample_a_cell);
	tcase_add_test(tests, test_heights_plane);
	tcase_add_test(tests, test_heights_random);
	tcase_add_test(tests, test_heights_voids);
	tcase_add_test(tests, test_heights_modes);
	tcase_add_test(tests, test_heights_memory_follows_the_surface);
	tcase_add_test(tests, test_bad_brushes);
	tcase_add_test(tests, test_bad_heights);
	tcase_add_test(tests, test_failing_allocations);
	suite_add_tcase(suite, tests);
	return suite;
}
