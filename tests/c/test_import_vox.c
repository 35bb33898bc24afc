/* The .vox reader: real files against known facts, palettes, sizes, and damaged bytes. */
#include "corpus.h"
#include "failing_memory.h"
#include "vox_reading.h"

/* ---- real files -------------------------------------------------------------------------------------------- */

static int CompareXyz(const void *a, const void *b)
{
	const int32_t *p = a, *q = b;
	for (int i = 0; i < 3; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

static void HashCells(const VoxModel *model, char hex[65])
{
	int32_t *xyz = malloc((size_t)model->count * 12);
	ck_assert_ptr_nonnull(xyz);
	for (int64_t i = 0; i < model->count; i++) {
		xyz[3 * i] = model->cells[i].x;
		xyz[3 * i + 1] = model->cells[i].y;
		xyz[3 * i + 2] = model->cells[i].z;
	}
	qsort(xyz, (size_t)model->count, 12, CompareXyz);
	uint8_t *bytes = malloc((size_t)model->count * 12);
	ck_assert_ptr_nonnull(bytes);
	for (int64_t i = 0; i < 12 * model->count; i++)
		bytes[i] = (uint8_t)((uint32_t)xyz[i / 4] >> (8 * (i % 4)));
	Sha256_Hex(bytes, (size_t)model->count * 12, hex);
	free(bytes);
	free(xyz);
}

static void CompareWithFacts(const char *name, const char *facts, const VoxModel *model)
{
	double n_models = -1, distinct = -1, colors = -1, instances = 1, hidden = 0, overlaps = 0;
	int lo[3], hi[3];
	char want[65] = "", got[65];
	bool scene = Corpus_Number(facts, "world_distinct_cells", &distinct);
	ck_assert_msg(Corpus_Number(facts, "n_models", &n_models), "%s", name);
	ck_assert_msg(Corpus_Number(facts, "distinct_colour_indices", &colors), "%s", name);
	if (scene) {
		ck_assert(Corpus_Number(facts, "instances", &instances));
		ck_assert(Corpus_Number(facts, "instances_hidden", &hidden));
		ck_assert(Corpus_Number(facts, "world_overlaps", &overlaps));
		ck_assert(Corpus_Triple(facts, "world_min", lo) && Corpus_Triple(facts, "world_max", hi));
		ck_assert(Corpus_String(facts, "world_occupancy_sha256", want, sizeof want));
		HashCells(model, got);
		ck_assert_msg(strcmp(want, got) == 0, "%s: cells hash to %s", name, got);
	} else {
		ck_assert(Corpus_Number(facts, "distinct_cells", &distinct));
		ck_assert(Corpus_Triple(facts, "min", lo) && Corpus_Triple(facts, "max", hi));
	}
	bool used[256] = {false};
	int count = 0;
	for (int64_t i = 0; i < model->count; i++) {
		count += !used[model->cells[i].color];
		used[model->cells[i].color] = true;
	}
	ck_assert_msg(count == (int)colors, "%s: %d colours", name, count);
	ck_assert_msg(model->count == (int64_t)distinct, "%s: %lld cells", name, (long long)model->count);
	ck_assert_msg(model->models == (int)n_models, "%s: %d models", name, model->models);
	ck_assert_msg(model->instances == (int)instances, "%s: %d instances", name, model->instances);
	ck_assert_msg(model->hidden == (int)hidden, "%s: %d hidden", name, model->hidden);
	ck_assert_msg(model->overlaps == (int64_t)overlaps, "%s: %lld overlaps", name, (long long)model->overlaps);
	ck_assert_msg(model->dropped == 0, "%s", name);
	ck_assert_msg(model->lo.x == lo[0] && model->lo.y == lo[1] && model->lo.z == lo[2], "%s: lo", name);
	ck_assert_msg(model->hi.x == hi[0] && model->hi.y == hi[1] && model->hi.z == hi[2], "%s: hi", name);
}

static const char *const corpus_names[] = {
    "alien_bot1",  "axes", "corvette",   "hierarchy",  "menger",    "mother",       "obj_house4",
    "placeholder", "rgb",  "scene_park", "scene_test", "veh_tank1", "scene_store9", "test_multiple_model_scene"};

START_TEST(ReadsRealFiles)
{
	for (int i = 0; i < COUNT_OF(corpus_names); i++) {
		char name[64];
		snprintf(name, sizeof name, "vox/%s.vox", corpus_names[i]);
		CorpusFile file = Corpus_Open(name);
		char *facts = Corpus_Facts(name);
		if (file.data && facts) {
			VoxModel model;
			Error error;
			int code = ReadBytes(file.data, file.size, true, &model, &error);
			ck_assert_msg(code == 0, "%s: %s", name, error.text);
			CompareWithFacts(name, facts, &model);
			VoxModel_Free(&heap, &model);
		}
		free(facts);
		Corpus_Close(&file);
	}
	ck_assert_uint_eq(heap.bytes, 0);
}
END_TEST

START_TEST(RefusesWhatIsNoVox)
{
	VoxModel model;
	Error error;
	CorpusFile file = Corpus_Open("vox/not_a.vox");
	if (file.data)
		ck_assert_int_eq(ReadBytes(file.data, file.size, false, &model, &error), ERROR_FILE);
	Corpus_Close(&file);
	ck_assert_int_eq(ReadBytes("", 0, false, &model, &error), ERROR_FILE);
	ck_assert_int_eq(ReadBytes("VOX \x96\0\0\0", 8, false, &model, &error), ERROR_FILE);
	ck_assert_int_eq(ReadBytes("VOX \x96\0\0\0MEIN\0\0\0\0\0\0\0\0", 20, false, &model, &error), ERROR_FILE);
	ck_assert_int_eq(ReadBytes("VOX \x96\0\0\0MAIN\0\0\0\0\0\0\0\0", 20, false, &model, &error), ERROR_FILE);
	ck_assert_ptr_nonnull(strstr(error.text, "no model"));
	ck_assert_int_eq(VoxModel_Read(&heap, "VOX ", IMPORT_SIZE_LIMIT + 1, false, &model, &error), ERROR_FILE);
}
END_TEST

START_TEST(SkipsHiddenInRealFile)
{
	CorpusFile file = Corpus_Open("vox/scene_test.vox");
	if (!file.data)
		return;
	VoxModel all, shown;
	Error error;
	ck_assert_int_eq(ReadBytes(file.data, file.size, true, &all, &error), 0);
	ck_assert_int_eq(ReadBytes(file.data, file.size, false, &shown, &error), 0);
	ck_assert_int_eq(shown.instances, 11);
	ck_assert_int_eq(shown.hidden, 2);
	/* The facts put a hidden cube of 4 x 4 x 4 from (0,-14,2) on, where nothing else is. */
	ck_assert_int_ne(ColorAt(&all, 1, -13, 3), 0);
	ck_assert_int_eq(ColorAt(&shown, 1, -13, 3), 0);
	ck_assert_int_lt(shown.count, all.count - 63);
	VoxModel_Free(&heap, &all);
	VoxModel_Free(&heap, &shown);
	Corpus_Close(&file);
}
END_TEST

/* ---- palettes ---------------------------------------------------------------------------------------------- */

START_TEST(MakesTheDefaultPalette)
{
	static const struct {
		int index;
		uint32_t color;
	} known[] = {{1, 0xffffff},   {2, 0xffffcc},   {6, 0xffff00},   {7, 0xffccff},   {36, 0xff0000},  {37, 0xccffff},
	             {85, 0x9999ff},  {215, 0x000033}, {216, 0xee0000}, {217, 0xdd0000}, {218, 0xbb0000}, {225, 0x110000},
	             {226, 0x00ee00}, {235, 0x001100}, {236, 0x0000ee}, {246, 0xeeeeee}, {254, 0x222222}, {255, 0x111111}};
	VoxWriter w;
	VoxModel model;
	Error error;
	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 1, (const uint8_t[]){0, 0, 0, 1});
	ck_assert_int_eq(ReadWriter(&w, false, &model, &error), 0);
	for (int i = 0; i < COUNT_OF(known); i++)
		ck_assert_msg(model.palette[known[i].index] == known[i].color, "colour %d is %06x", known[i].index,
		              model.palette[known[i].index]);
	VoxModel_Free(&heap, &model);
}
END_TEST

START_TEST(MapsPaletteEntriesToTheNextIndex)
{
	VoxWriter w;
	VoxModel model;
	Error error;
	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 1, (const uint8_t[]){0, 0, 0, 1});
	Write_Palette(&w);
	ck_assert_int_eq(ReadWriter(&w, false, &model, &error), 0);
	ck_assert_uint_eq(model.palette[1], 0x00ff00);
	ck_assert_uint_eq(model.palette[2], 0x01fe07);
	ck_assert_uint_eq(model.palette[255], (254 << 16) | (1 << 8) | (7 * 254 & 255));
	VoxModel_Free(&heap, &model);

	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 1, (const uint8_t[]){0, 0, 0, 1});
	Write_Open(&w, "RGBA");
	Write_U32(&w, 5);
	Write_Close(&w);
	ExpectRefusal(&w, ERROR_FILE, "RGBA");
}
END_TEST

/* ---- sizes and voxels -------------------------------------------------------------------------------------- */

START_TEST(ReadsSmallestAndLargestSizes)
{
	VoxWriter w;
	VoxModel model;
	Error error;
	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 1, (const uint8_t[]){0, 0, 0, 255});
	ck_assert_int_eq(ReadWriter(&w, false, &model, &error), 0);
	ck_assert_int_eq(model.count, 1);
	ck_assert_int_eq(model.cells[0].color, 255);
	VoxModel_Free(&heap, &model);

	/* A whole layer and the far corners of 256 x 256 x 256; one cell is given twice and the later one stays. */
	uint8_t *voxels = malloc(4 * (65536 + 3));
	ck_assert_ptr_nonnull(voxels);
	for (int i = 0; i < 65536; i++) {
		uint8_t v[4] = {(uint8_t)(i & 255), (uint8_t)(i >> 8), 77, (uint8_t)(1 + i % 255)};
		memcpy(voxels + 4 * i, v, 4);
	}
	memcpy(voxels + 4 * 65536, (const uint8_t[]){0, 0, 0, 9, 255, 255, 255, 8, 255, 255, 77, 99}, 12);
	Write_Begin(&w);
	Write_Size(&w, 256, 256, 256);
	Write_Voxels(&w, 65539, voxels);
	free(voxels);
	ck_assert_int_eq(ReadWriter(&w, false, &model, &error), 0);
	ck_assert_int_eq(model.count, 65538);
	ck_assert_int_eq(model.overlaps, 1);
	ck_assert_int_eq(model.hi.z, 255);
	ck_assert_int_eq(ColorAt(&model, 255, 255, 77), 99);
	ck_assert_int_eq(ColorAt(&model, 255, 255, 255), 8);
	ck_assert_int_eq(ColorAt(&model, 3, 1, 77), 1 + 259 % 255);
	VoxModel_Free(&heap, &model);
}
END_TEST

START_TEST(DropsVoxelsOutsideTheirSize)
{
	VoxWriter w;
	VoxModel model;
	Error error;
	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 1, (const uint8_t[]){255, 255, 255, 1});
	ck_assert_int_eq(ReadWriter(&w, false, &model, &error), 0);
	ck_assert_int_eq(model.count, 0);
	ck_assert_int_eq(model.dropped, 1);
	VoxModel_Free(&heap, &model);

	Write_Begin(&w);
	Write_Size(&w, 3, 4, 5);
	Write_Voxels(&w, 6, (const uint8_t[]){2, 3, 4, 1, 3, 0, 0, 1, 0, 4, 0, 1, 0, 0, 5, 1, 1, 1, 1, 0, 1, 1, 1, 2});
	ck_assert_int_eq(ReadWriter(&w, false, &model, &error), 0);
	ck_assert_int_eq(model.count, 2);
	ck_assert_int_eq(model.dropped, 4); /* three outside, one of colour 0, which means empty */
	VoxModel_Free(&heap, &model);
}
END_TEST

/* A model of which nothing is left takes no part in the bounds. */
START_TEST(PlacesEmptyModels)
{
	VoxWriter w;
	VoxModel model;
	Error error;
	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 1, (const uint8_t[]){0, 0, 0, 1});
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 1, (const uint8_t[]){1, 0, 0, 1});
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 0, NULL);
	Write_Group(&w, 0, 4, (const int32_t[]){1, 2, 3, 1});
	for (int32_t i = 0; i < 3; i++)
		Write_Shape(&w, 1 + i, i);
	ck_assert_int_eq(ReadWriter(&w, false, &model, &error), 0);
	ck_assert_int_eq(model.count, 1);
	ck_assert_int_eq(model.instances, 4);
	ck_assert_int_eq(model.overlaps, 1);
	ck_assert_int_eq(model.dropped, 1);
	VoxModel_Free(&heap, &model);
}
END_TEST

START_TEST(RefusesBadSizes)
{
	static const int32_t bad[] = {0, -1, INT32_MAX, INT32_MIN, 257};
	for (int i = 0; i < COUNT_OF(bad); i++)
		for (int a = 0; a < 3; a++) {
			VoxWriter w;
			Write_Begin(&w);
			Write_Size(&w, a == 0 ? bad[i] : 2, a == 1 ? bad[i] : 2, a == 2 ? bad[i] : 2);
			Write_Voxels(&w, 1, (const uint8_t[]){0, 0, 0, 1});
			ExpectRefusal(&w, ERROR_FILE, "SIZE");
		}
}
END_TEST

/* What a chunk announces must cost nothing before it is checked. */
START_TEST(RefusesHugeCountsAtOnce)
{
	VoxModel model;
	Error error;
	for (int variant = 0; variant < 3; variant++) {
		VoxWriter w;
		Write_Begin(&w);
		Write_Size(&w, 1, 1, 1);
		Write_Open(&w, "XYZI");
		Write_U32(&w, variant == 2 ? UINT32_MAX : 1u << 30);
		Write_U32(&w, 0x01000000);
		Write_Close(&w);
		if (variant == 1)
			Write_PutU32(&w, w.chunk - 8, UINT32_MAX);
		uint64_t calls = heap.calls;
		ck_assert_int_eq(ReadWriter(&w, false, &model, &error), ERROR_FILE);
		ck_assert_ptr_nonnull(strstr(error.text, "XYZI"));
		ck_assert_uint_eq(heap.calls, calls);
	}
}
END_TEST

/* One too many, with more of the file behind the chunk so that the bytes would be there. */
START_TEST(RefusesCountsThatAreOneTooLarge)
{
	VoxWriter w;
	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Open(&w, "XYZI");
	Write_U32(&w, 2);
	Write_U32(&w, 0x01000000);
	Write_Close(&w);
	Write_Palette(&w);
	ExpectRefusal(&w, ERROR_FILE, "announces 2 voxels; there are 1");

	Write_Begin(&w);
	Write_Open(&w, "LAYR");
	Write_U32(&w, 0);
	Write_U32(&w, 1);
	Write_Text(&w, "_name");
	Write_U32(&w, 5);
	Write_Raw(&w, "rock", 4);
	Write_Close(&w);
	Write_Palette(&w);
	ExpectRefusal(&w, ERROR_FILE, "LAYR");

	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 1, (const uint8_t[]){0, 0, 0, 1});
	Write_PutU32(&w, w.chunk - 4, 1); /* a byte of chunks within, which is not there */
	ExpectRefusal(&w, ERROR_FILE, "XYZI");
}
END_TEST

START_TEST(RefusesChunksOutOfOrder)
{
	static const uint8_t voxel[4] = {0, 0, 0, 1};
	VoxWriter w;
	Write_Begin(&w);
	Write_Voxels(&w, 1, voxel);
	ExpectRefusal(&w, ERROR_FILE, "SIZE");
	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	Write_Size(&w, 1, 1, 1);
	Write_Voxels(&w, 1, voxel);
	ExpectRefusal(&w, ERROR_FILE, "SIZE");
	Write_Begin(&w);
	Write_Size(&w, 1, 1, 1);
	ExpectRefusal(&w, ERROR_FILE, "cut");
}
END_TEST

/* The frames of an old-style animation are models without a scene: the first is taken. Without PACK all are. */
START_TEST(TakesTheFirstFrame)
{
	for (int pack = 0; pack < 2; pack++) {
		VoxWriter w;
		VoxModel model;
		Error error;
		Write_Begin(&w);
		if (pack) {
			Write_Open(&w, "PACK");
			Write_U32(&w, 2);
			Write_Close(&w);
		}
		for (uint8_t i = 0; i < 2; i++) {
			Write_Size(&w, 5, 5, 5);
			Write_Voxels(&w, 2, (const uint8_t[]){i, 0, 0, 1, 4, 4, 4, (uint8_t)(i + 1)});
		}
		ck_assert_int_eq(ReadWriter(&w, false, &model, &error), 0);
		ck_assert_int_eq(model.models, 2);
		ck_assert_int_eq(model.instances, pack ? 1 : 2);
		ck_assert_int_eq(model.count, pack ? 2 : 3);
		ck_assert_int_eq(ColorAt(&model, 4, 4, 4), pack ? 1 : 2);
		ck_assert_int_eq(ColorAt(&model, 1, 0, 0), pack ? 0 : 1);
		VoxModel_Free(&heap, &model);
	}
}
END_TEST

/* ---- damage ------------------------------------------------------------------------------------------------ */

/* A file with all that is read, palette last as editors write it. far puts one instance so far off that the cells are
 * sorted rather than laid into a grid. */
static void WriteSample(VoxWriter *w, bool far)
{
	Write_Begin(w);
	Write_Size(w, 3, 2, 2);
	Write_Voxels(w, 4, (const uint8_t[]){0, 0, 0, 1, 2, 1, 1, 2, 1, 0, 1, 3, 2, 1, 1, 4});
	Write_Size(w, 1, 1, 4);
	Write_Voxels(w, 2, (const uint8_t[]){0, 0, 3, 200, 0, 0, 0, 255});
	Write_Transform(w, 0, 0, 1, -1, NULL, NULL);
	Write_Group(w, 1, 3, (const int32_t[]){2, 4, 6});
	Write_Transform(w, 2, 0, 3, 0, "17", far ? "900000 -100000 3" : "9 -10 3");
	Write_Shape(w, 3, 0);
	Write_Transform(w, 4, 1, 5, 1, "40", "1 2 3");
	Write_Shape(w, 5, 1);
	Write_Transform(w, 6, 0, 5, 0, NULL, "-4 0 0");
	Write_Layer(w, 0, 0);
	Write_Layer(w, 1, 1);
	Write_Palette(w);
	Write_End(w);
}

START_TEST(BearsFilesCutAnywhere)
{
	VoxWriter w;
	VoxModel whole, part;
	Error error;
	WriteSample(&w, false);
	ck_assert_int_eq(ReadBytes(w.data, w.size, false, &whole, &error), 0);
	ck_assert_int_eq(whole.count, 5);
	ck_assert_int_eq(whole.overlaps, 1);
	for (size_t size = 0; size < w.size; size++) {
		REQUIRE(ReadBytes(w.data, size, false, &part, &error) == ERROR_FILE, "cut after %zu bytes", size);
	}
	/* The same with a MAIN that claims too much, as some writers leave it: with the palette there it is read. */
	Write_PutU32(&w, 16, 0x7fffffff);
	for (size_t size = 0; size < w.size; size++)
		REQUIRE(ReadBytes(w.data, size, false, &part, &error) == ERROR_FILE, "cut after %zu bytes", size);
	ck_assert_int_eq(ReadBytes(w.data, w.size, false, &part, &error), 0);
	ck_assert_int_eq(part.count, whole.count);
	VoxModel_Free(&heap, &part);
	VoxModel_Free(&heap, &whole);
	Write_Free(&w);
	ck_assert_uint_eq(heap.bytes, 0);
}
END_TEST

static void FlipBits(const uint8_t *data, size_t size, uint64_t seed, int rounds, int *read, int *refused)
{
	uint8_t *copy = malloc(size);
	REQUIRE(copy, "no memory for the test itself");
	Random random = {seed};
	for (int i = 0; i < rounds; i++) {
		memcpy(copy, data, size);
		/* The palette's bytes cannot go wrong, so most hits are meant for what is before and after it. */
		for (int flips = 1 + Random_Below(&random, 4); flips > 0; flips--) {
			size_t at = (size_t)Random_Below(&random, (int)size);
			if (flips > 1)
				at = (size_t)Random_Below(&random, (int)(size < 800 ? size : 800));
			copy[at] ^= (uint8_t)(1 << Random_Below(&random, 8));
		}
		VoxModel model;
		Error error;
		if (ReadBytes(copy, size, Random_Below(&random, 2), &model, &error) == 0) {
			(*read)++;
			VoxModel_Free(&heap, &model);
		} else {
			(*refused)++;
		}
		REQUIRE(heap.bytes == 0, "seed %llu, round %d", (unsigned long long)seed, i);
	}
	free(copy);
}

START_TEST(BearsFlippedBits)
{
	int read = 0, refused = 0;
	for (int far = 0; far < 2; far++) {
		VoxWriter w;
		WriteSample(&w, far);
		FlipBits(w.data, w.size, 7 + (uint64_t)far, 4000, &read, &refused);
		Write_Free(&w);
	}
	CorpusFile file = Corpus_Open("vox/hierarchy.vox");
	if (file.data)
		FlipBits(file.data, file.size, 9, 500, &read, &refused);
	Corpus_Close(&file);
	ck_assert_int_gt(read, 500);
	ck_assert_int_gt(refused, 500);
}
END_TEST

START_TEST(BearsFailingAllocations)
{
	for (int far = 0; far < 2; far++) {
		VoxWriter w;
		WriteSample(&w, far);
		int code = ERROR_MEMORY, n = 0;
		for (; code != ERROR_NONE; n++) {
			FailingMemory f;
			FailingMemory_Init(&f, n);
			VoxModel model;
			Error error = {0};
			code = VoxModel_Read(&f.memory, w.data, w.size, true, &model, &error);
			ck_assert_msg(code == (f.failed ? ERROR_MEMORY : ERROR_NONE), "allocation %d: %d %s", n, code, error.text);
			if (code == ERROR_NONE)
				ck_assert_int_eq(model.instances, 3);
			else
				ck_assert_ptr_null(model.cells);
			VoxModel_Free(&f.memory, &model);
			ck_assert_msg(f.memory.bytes == 0, "allocation %d leaks", n);
		}
		ck_assert_int_gt(n, 7); /* models, nodes, links, two maps, steps, instances, cells */
		Write_Free(&w);
	}
}
END_TEST

Suite *suite_import_vox(void);

Suite *suite_import_vox(void)
{
	Suite *suite = suite_create("import_vox");
	TCase *tcase = tcase_create("read");
	tcase_add_checked_fixture(tcase, Setup, NULL);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, ReadsRealFiles);
	tcase_add_test(tcase, RefusesWhatIsNoVox);
	tcase_add_test(tcase, SkipsHiddenInRealFile);
	tcase_add_test(tcase, MakesTheDefaultPalette);
	tcase_add_test(tcase, MapsPaletteEntriesToTheNextIndex);
	tcase_add_test(tcase, ReadsSmallestAndLargestSizes);
	tcase_add_test(tcase, DropsVoxelsOutsideTheirSize);
	tcase_add_test(tcase, PlacesEmptyModels);
	tcase_add_test(tcase, RefusesBadSizes);
	tcase_add_test(tcase, RefusesHugeCountsAtOnce);
	tcase_add_test(tcase, RefusesCountsThatAreOneTooLarge);
	tcase_add_test(tcase, RefusesChunksOutOfOrder);
	tcase_add_test(tcase, TakesTheFirstFrame);
	tcase_add_test(tcase, BearsFilesCutAnywhere);
	tcase_add_test(tcase, BearsFlippedBits);
	tcase_add_test(tcase, BearsFailingAllocations);
	suite_add_tcase(suite, tcase);
	return suite;
}
