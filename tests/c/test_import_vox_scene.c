/* The scene graph of .vox files: placements against a brute-force twin, hidden nodes and layers, and broken graphs. */
#include "vox_reading.h"

/* The twin: matrices of doubles, recursion, a plain list and qsort. */
typedef struct TwinCell {
	int32_t x, y, z, order;
	uint8_t color;
} TwinCell;

typedef struct Twin {
	VoxWriter w;
	Random random;
	int next_id;
	TwinCell *cells;
	int count, hidden_shown, instances, hidden;
	int sizes[3][3];
	uint8_t voxels[3][24][4];
	int reach; /* of translations */
} Twin;

typedef struct TwinPlace {
	double r[3][3], t[3];
	bool hidden;
} TwinPlace;

static double TwinFloor(double v)
{
	double whole = (double)(int64_t)v;
	return whole > v ? whole - 1 : whole;
}

static void Twin_Place(Twin *twin, int m, const TwinPlace *at)
{
	twin->instances++;
	twin->hidden += at->hidden;
	for (int i = 0; i < 24 && !at->hidden; i++) {
		double c[3], w[3];
		for (int a = 0; a < 3; a++)
			c[a] = twin->voxels[m][i][a] + 0.5 - TwinFloor(twin->sizes[m][a] / 2.0);
		for (int a = 0; a < 3; a++)
			w[a] = TwinFloor(at->r[a][0] * c[0] + at->r[a][1] * c[1] + at->r[a][2] * c[2] + at->t[a]);
		twin->cells = realloc(twin->cells, sizeof(TwinCell) * (size_t)(twin->count + 1));
		REQUIRE(twin->cells, "no memory for the test itself");
		twin->cells[twin->count] =
		    (TwinCell){(int32_t)w[0], (int32_t)w[1], (int32_t)w[2], twin->count, twin->voxels[m][i][3]};
		twin->count++;
	}
}

static int CompareTwin(const void *a, const void *b)
{
	const TwinCell *p = a, *q = b;
	if (p->z != q->z)
		return p->z < q->z ? -1 : 1;
	if (p->y != q->y)
		return p->y < q->y ? -1 : 1;
	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return p->order < q->order ? -1 : 1;
}

/* Writes a transform and what is under it, and places it in the twin; returns its id. Twice in a while the child is
 * named by two transforms, as copies in the editor are. */
static int Twin_Transform(Twin *twin, const TwinPlace *above, int depth)
{
	Random *random = &twin->random;
	int axis[3] = {0, 1, 2}, sign[3];
	for (int i = 2; i > 0; i--) {
		int j = Random_Below(random, i + 1), swap = axis[i];
		axis[i] = axis[j];
		axis[j] = swap;
	}
	double r[3][3] = {{0}}, t[3];
	int packed = axis[0] | axis[1] << 2;
	for (int a = 0; a < 3; a++) {
		sign[a] = Random_Below(random, 2) ? -1 : 1;
		packed |= (sign[a] < 0) << (4 + a);
		r[a][axis[a]] = sign[a];
		t[a] = Random_Below(random, 2 * twin->reach + 1) - twin->reach;
	}
	TwinPlace here = {.hidden = above->hidden};
	for (int i = 0; i < 3; i++) {
		here.t[i] = above->t[i];
		for (int j = 0; j < 3; j++) {
			here.t[i] += above->r[i][j] * t[j];
			for (int k = 0; k < 3; k++)
				here.r[i][j] += above->r[i][k] * r[k][j];
		}
	}
	int layer = Random_Below(random, 5) - 1, hidden = Random_Below(random, 9) == 0;
	here.hidden |= hidden || layer == 3;
	int id = twin->next_id++, child = twin->next_id++;
	char rotation[16], translation[64];
	snprintf(rotation, sizeof rotation, "%d", packed);
	snprintf(translation, sizeof translation, "%.0f %.0f %.0f", t[0], t[1], t[2]);
	Write_Transform(&twin->w, id, hidden, child, layer, rotation, translation);
	if (depth == 0 || Random_Below(random, 4) == 0) {
		int m = Random_Below(random, 3);
		Write_Shape(&twin->w, child, m);
		Twin_Place(twin, m, &here);
		return id;
	}
	int32_t children[3];
	int count = 1 + Random_Below(random, 3);
	for (int i = 0; i < count; i++)
		children[i] = Twin_Transform(twin, &here, depth - 1);
	Write_Group(&twin->w, child, count, children);
	return id;
}

static void Twin_Run(uint64_t seed, int reach)
{
	Twin twin = {.random = {seed}, .reach = reach};
	Write_Begin(&twin.w);
	for (int m = 0; m < 3; m++) {
		for (int a = 0; a < 3; a++)
			twin.sizes[m][a] = 1 + Random_Below(&twin.random, m == 0 ? 256 : 6);
		for (int i = 0; i < 24; i++) {
			for (int a = 0; a < 3; a++)
				twin.voxels[m][i][a] = (uint8_t)Random_Below(&twin.random, twin.sizes[m][a]);
			twin.voxels[m][i][3] = (uint8_t)(1 + Random_Below(&twin.random, 255));
		}
		Write_Size(&twin.w, twin.sizes[m][0], twin.sizes[m][1], twin.sizes[m][2]);
		Write_Voxels(&twin.w, 24, twin.voxels[m][0]);
	}
	TwinPlace top = {.r = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
	Twin_Transform(&twin, &top, 3);
	Write_Layer(&twin.w, 0, 0);
	Write_Layer(&twin.w, 3, 1);
	VoxModel model;
	Error error;
	int code = ReadWriter(&twin.w, false, &model, &error);
	REQUIRE(code == 0, "seed %llu: %s", (unsigned long long)seed, error.text);
	if (twin.count > 0)
		qsort(twin.cells, (size_t)twin.count, sizeof *twin.cells, CompareTwin);
	int64_t n = 0;
	for (int i = 0; i < twin.count; i++) {
		const TwinCell *c = &twin.cells[i];
		if (i + 1 < twin.count && c[0].x == c[1].x && c[0].y == c[1].y && c[0].z == c[1].z)
			continue;
		const VoxCell *got = &model.cells[n++];
		REQUIRE(n <= model.count && got->x == c->x && got->y == c->y && got->z == c->z && got->color == c->color,
		        "seed %llu: cell %lld", (unsigned long long)seed, (long long)n);
	}
	REQUIRE(n == model.count && model.overlaps == twin.count - n, "seed %llu", (unsigned long long)seed);
	REQUIRE(model.instances == twin.instances && model.hidden == twin.hidden, "seed %llu", (unsigned long long)seed);
	VoxModel_Free(&heap, &model);
	free(twin.cells);
}

START_TEST(AgreesWithTwinOnRandomScenes)
{
	for (uint64_t seed = 1; seed <= 150; seed++) {
		Twin_Run(seed, 4);
		Twin_Run(seed + 1000, 40);
		Twin_Run(seed + 2000, 200000000);
	}
	ck_assert_uint_eq(heap.bytes, 0);
}
END_TEST

/* All 48 rotations and mirrors of one L-shaped model, written out by hand for three of them. */
START_TEST(TurnsAndMirrors)
{
	static const struct {
		const char *rotation;
		int a[3], b[3]; /* where the voxels (0,0,0) and (2,1,0) of a 3 x 2 x 1 model go */
	} known[] = {
	    {"4", {-1, -1, 0}, {1, 0, 0}},   /* identity: less floor(size / 2) = (1, 1, 0) */
	    {"17", {0, -1, 0}, {-1, 1, 0}},  /* rows -y, x, z: a quarter turn about z */
	    {"20", {0, -1, 0}, {-2, 0, 0}},  /* x mirrored */
	    {"84", {0, -1, -1}, {-2, 0, -1}} /* half a turn about y */
	};
	for (int i = 0; i < COUNT_OF(known); i++) {
		VoxWriter w;
		VoxModel model;
		Error error;
		Write_Begin(&w);
		Write_Size(&w, 3, 2, 1);
		Write_Voxels(&w, 2, (const uint8_t[]){0, 0, 0, 1, 2, 1, 0, 2});
		Write_Transform(&w, 0, 0, 1, -1, known[i].rotation, "100 -200 300");
		Write_Shape(&w, 1, 0);
		ck_assert_int_eq(ReadWriter(&w, false, &model, &error), 0);
		const int *a = known[i].a, *b = known[i].b;
		ck_assert_msg(ColorAt(&model, 100 + a[0], -200 + a[1], 300 + a[2]) == 1, "rotation %s", known[i].rotation);
		ck_assert_msg(ColorAt(&model, 100 + b[0], -200 + b[1], 300 + b[2]) == 2, "rotation %s", known[i].rotation);
		VoxModel_Free(&heap, &model);
	}
}
END_TEST

/* Begins a file with a model of one voxel. */
static void BeginScene(VoxWriter *w)
{
	Write_Begin(w);
	Write_Size(w, 1, 1, 1);
	Write_Voxels(w, 1, (const uint8_t[]){0, 0, 0, 1});
}

START_TEST(RefusesBadRotationsAndTranslations)
{
	static const char *const rotations[] = {"0",   "3",  "5", "10", "12", "15",  "128",
	                                        "132", "-4", "",  "x",  "4x", "4 4", "99999999999999999999"};
	for (int i = 0; i < COUNT_OF(rotations); i++) {
		VoxWriter w;
		BeginScene(&w);
		Write_Transform(&w, 0, 0, 1, -1, rotations[i], "0 0 0");
		Write_Shape(&w, 1, 0);
		ExpectRefusal(&w, ERROR_FILE, "rotation");
	}
	static const char *const translations[] = {
	    "",      "1",     "1 2",   "1 2 3 4",        "1 2 x",           "1.5 2 3",
	    "1,2,3", "- 1 2", "1 2 -", "2147483648 0 0", "0 0 -2147483649", "0 999999999999999999999999 0"};
	for (int i = 0; i < COUNT_OF(translations); i++) {
		VoxWriter w;
		BeginScene(&w);
		Write_Transform(&w, 0, 0, 1, -1, NULL, translations[i]);
		Write_Shape(&w, 1, 0);
		ExpectRefusal(&w, ERROR_FILE, "translation");
	}
	/* In range each, but not where cells can be. */
	static const char *const far[] = {"2147483647 0 0", "0 -2147483648 0", "0 0 1073741824"};
	for (int i = 0; i < COUNT_OF(far); i++) {
		VoxWriter w;
		BeginScene(&w);
		Write_Transform(&w, 0, 0, 1, -1, NULL, far[i]);
		Write_Shape(&w, 1, 0);
		ExpectRefusal(&w, ERROR_FILE, "beyond");
	}
}
END_TEST

START_TEST(RefusesCircles)
{
	VoxWriter w;
	BeginScene(&w);
	Write_Transform(&w, 0, 0, 0, -1, NULL, NULL);
	ExpectRefusal(&w, ERROR_FILE, "circle");
	BeginScene(&w);
	Write_Transform(&w, 0, 0, 1, -1, NULL, NULL);
	Write_Group(&w, 1, 1, (const int32_t[]){0});
	ExpectRefusal(&w, ERROR_FILE, "circle");
	BeginScene(&w); /* a root above the circle */
	Write_Transform(&w, 0, 0, 1, -1, NULL, NULL);
	Write_Group(&w, 1, 2, (const int32_t[]){2, 4});
	Write_Transform(&w, 2, 0, 3, -1, NULL, NULL);
	Write_Group(&w, 3, 2, (const int32_t[]){4, 2});
	Write_Shape(&w, 4, 0);
	ExpectRefusal(&w, ERROR_FILE, "circle");
}
END_TEST

START_TEST(RefusesMissingAndRepeatedNodes)
{
	VoxWriter w;
	BeginScene(&w);
	Write_Transform(&w, 0, 0, 7, -1, NULL, NULL);
	ExpectRefusal(&w, ERROR_FILE, "child 7");
	BeginScene(&w);
	Write_Group(&w, 0, 2, (const int32_t[]){1, -5});
	Write_Shape(&w, 1, 0);
	ExpectRefusal(&w, ERROR_FILE, "child -5");
	BeginScene(&w);
	Write_Shape(&w, 0, 0);
	Write_Shape(&w, 0, 0);
	ExpectRefusal(&w, ERROR_FILE, "taken");
	for (int32_t model = -1; model <= 1; model += 2) {
		BeginScene(&w);
		Write_Transform(&w, 0, 0, 1, -1, NULL, NULL);
		Write_Shape(&w, 1, model);
		ExpectRefusal(&w, ERROR_FILE, "model");
	}
	BeginScene(&w); /* a group that announces more children than there are */
	Write_Open(&w, "nGRP");
	Write_U32(&w, 0);
	Write_U32(&w, 0);
	Write_U32(&w, 1u << 30);
	Write_Close(&w);
	ExpectRefusal(&w, ERROR_FILE, "nGRP");
	BeginScene(&w); /* a dictionary without its pairs */
	Write_Open(&w, "LAYR");
	Write_U32(&w, 0);
	Write_U32(&w, UINT32_MAX);
	Write_Close(&w);
	ExpectRefusal(&w, ERROR_FILE, "LAYR");
}
END_TEST

/* Thirty groups that each name the next one twice unfold to 2^30 placements. */
START_TEST(LimitsWhatGroupsUnfoldTo)
{
	VoxWriter w;
	BeginScene(&w);
	for (int32_t i = 0; i < 30; i++)
		Write_Group(&w, i, 2, (const int32_t[]){i + 1, i + 1});
	Write_Shape(&w, 30, 0);
	ExpectRefusal(&w, ERROR_LIMIT, "unfolds");

	/* 2^16 placements of a model of 2^11 voxels are more than the cells that may be, though none is inside. */
	static uint8_t voxels[2048][4];
	for (int i = 0; i < COUNT_OF(voxels); i++)
		voxels[i][0] = 9;
	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, COUNT_OF(voxels), voxels[0]);
	for (int32_t i = 0; i < 16; i++)
		Write_Group(&w, i, 2, (const int32_t[]){i + 1, i + 1});
	Write_Shape(&w, 16, 0);
	ExpectRefusal(&w, ERROR_LIMIT, "voxels");
	ck_assert_uint_eq(heap.bytes, 0);
}
END_TEST

START_TEST(WalksDeepChains)
{
	enum { DEPTH = 50000 };
	VoxWriter w;
	VoxModel model;
	Error error;
	BeginScene(&w);
	for (int32_t i = 0; i < DEPTH; i++)
		Write_Transform(&w, i, 0, i + 1, -1, "4", "1 -2 3");
	Write_Shape(&w, DEPTH, 0);
	ck_assert_int_eq(ReadWriter(&w, false, &model, &error), 0);
	ck_assert_int_eq(model.count, 1);
	ck_assert_int_eq(ColorAt(&model, DEPTH, -2 * DEPTH, 3 * DEPTH), 1);
	VoxModel_Free(&heap, &model);
}
END_TEST

START_TEST(CountsHiddenNodesAndLayers)
{
	for (int show = 0; show < 2; show++) {
		VoxWriter w;
		VoxModel model;
		Error error;
		BeginScene(&w);
		Write_Transform(&w, 0, 0, 1, -1, NULL, NULL);
		Write_Group(&w, 1, 4, (const int32_t[]){2, 3, 4, 5});
		Write_Transform(&w, 2, 0, 9, 0, NULL, "10 0 0"); /* shown */
		Write_Transform(&w, 3, 1, 9, 0, NULL, "20 0 0"); /* hidden itself */
		Write_Transform(&w, 4, 0, 9, 1, NULL, "30 0 0"); /* in a hidden layer */
		Write_Transform(&w, 5, 1, 6, 0, NULL, "40 0 0"); /* hidden, and with it what is under it */
		Write_Group(&w, 6, 2, (const int32_t[]){7, 8});
		Write_Transform(&w, 7, 0, 9, 0, NULL, "1 0 0");
		Write_Transform(&w, 8, 0, 9, 0, NULL, "2 0 0");
		Write_Shape(&w, 9, 0);
		Write_Layer(&w, 0, 0);
		Write_Layer(&w, 1, 1);
		ck_assert_int_eq(ReadWriter(&w, show, &model, &error), 0);
		ck_assert_int_eq(model.instances, 5);
		ck_assert_int_eq(model.hidden, 4);
		ck_assert_int_eq(model.count, show ? 5 : 1);
		ck_assert_int_eq(ColorAt(&model, 10, 0, 0), 1);
		ck_assert_int_eq(ColorAt(&model, 42, 0, 0), show);
		VoxModel_Free(&heap, &model);
	}
}
END_TEST

/* Later frames of an animation and later models of a shape are read over. */
START_TEST(TakesTheFirstFrameOfNodes)
{
	VoxWriter w;
	VoxModel model;
	Error error;
	BeginScene(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 1, (const uint8_t[]){0, 0, 0, 2});
	Write_Open(&w, "nTRN");
	for (int i = 0; i < 6; i++)
		Write_I32(&w, (const int32_t[]){0, 0, 1, -1, -1, 2}[i]); /* id, no attributes, child, ..., two frames */
	for (int frame = 0; frame < 2; frame++) {
		Write_U32(&w, 2);
		Write_Text(&w, "_t");
		Write_Text(&w, frame == 0 ? "5 6 7" : "50 60 70");
		Write_Text(&w, "_f");
		Write_Text(&w, frame == 0 ? "0" : "30");
	}
	Write_Close(&w);
	Write_Open(&w, "nSHP");
	for (int i = 0; i < 7; i++)
		Write_I32(&w, (const int32_t[]){1, 0, 2, 1, 0, 0, 0}[i]); /* id, no attributes, models 1 and 0 */
	Write_Close(&w);
	ck_assert_int_eq(ReadWriter(&w, false, &model, &error), 0);
	ck_assert_int_eq(model.count, 1);
	ck_assert_int_eq(ColorAt(&model, 5, 6, 7), 2);
	VoxModel_Free(&heap, &model);
}
END_TEST

Suite *suite_import_vox_scene(void);

Suite *suite_import_vox_scene(void)
{
	Suite *suite = suite_create("import_vox_scene");
	TCase *tcase = tcase_create("scene");
	tcase_add_checked_fixture(tcase, Setup, NULL);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, AgreesWithTwinOnRandomScenes);
	tcase_add_test(tcase, TurnsAndMirrors);
	tcase_add_test(tcase, RefusesBadRotationsAndTranslations);
	tcase_add_test(tcase, RefusesCircles);
	tcase_add_test(tcase, RefusesMissingAndRepeatedNodes);
	tcase_add_test(tcase, LimitsWhatGroupsUnfoldTo);
	tcase_add_test(tcase, WalksDeepChains);
	tcase_add_test(tcase, CountsHiddenNodesAndLayers);
	tcase_add_test(tcase, TakesTheFirstFrameOfNodes);
	suite_add_tcase(suite, tcase);
	return suite;
}
