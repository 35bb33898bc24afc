/* The fast form against the plain one: the same bytes on everything. Where the processor has no fast form there is
 * nothing to compare. */
#include "require.h"
#include "surface_fields.h"
#include "surface_terrain.h"
#include "test_scale.h"

#include <check.h>
#include <stdlib.h>

#if SCREE_X86

/* Both meshes and edge kinds. */
static bool SameForms(const SurfaceField *cells, const uint16_t blockiness[256])
{
	return Block_SameInBothForms(cells, blockiness) && Block_SameKinds(cells, blockiness);
}

/* Blocks whose meshes or edge kinds differ between the forms; garbage lies beyond the halo. */
static int DifferingForms(const RefField *field, uint64_t seed)
{
	static SurfaceField cells;
	Random garbage = {seed};
	int differing = 0;
	for (int by = -1; by * BLOCK_SIZE <= field->ny; by++)
		for (int bz = -1; bz * BLOCK_SIZE <= field->nz; bz++)
			for (int bx = -1; bx * BLOCK_SIZE <= field->nx; bx++) {
				Block_Gather(field, bx, by, bz, FLAG_HALO, &garbage, &cells);
				differing += !SameForms(&cells, field->blockiness);
			}
	return differing;
}

static void CheckForms(RefField *field, const char *name, uint64_t seed)
{
	int differing = Cpu_Simd() ? DifferingForms(field, seed) : 0;
	ck_assert_msg(differing == 0, "%s, seed %llu: the forms differ in %d blocks", name, (unsigned long long)seed,
	              differing);
	RefField_Free(field);
}

START_TEST(noise)
{
	for (int i = 0; i < LESS(20); i++) {
		uint64_t seed = 1000 + (uint64_t)i;
		Random random = {seed};
		double share = Random_Unit(&random);
		RefField field = Field_Noise(24, share, &random);
		if (i & 1)
			Field_MixBlockiness(&field);
		CheckForms(&field, "noise", seed);
	}
}
END_TEST

START_TEST(adversarial)
{
	for (int i = 0; i < LESS(20); i++) {
		uint64_t seed = 2000 + (uint64_t)i;
		Random random = {seed};
		double share = Random_Range(&random, 0.5, 0.95);
		int value = Random_Below(&random, 160);
		RefField field = i & 1 ? Field_Adversarial(24, share, value, &random) : Field_Extremes(24, share, &random);
		if (i & 2)
			Field_MixBlockiness(&field);
		CheckForms(&field, "adversarial", seed);
	}
}
END_TEST

/* Few cells in air, few holes in the solid, all of few values. */
START_TEST(sparse)
{
	for (int i = 0; i < LESS(20); i++) {
		uint64_t seed = 3000 + (uint64_t)i;
		Random random = {seed};
		RefField field = RefField_Create(24, 24, 24);
		int levels = 1 + Random_Below(&random, 6);
		double share = i & 1 ? 0.01 : 0.99;
		for (int c = 0; c < 24 * 24 * 24; c++)
			if (Random_Unit(&random) < share) {
				field.material[c] = (uint8_t)(1 + Random_Below(&random, 4));
				field.value[c] = (uint8_t)(255 - 255 / levels * Random_Below(&random, levels));
			}
		Field_MixBlockiness(&field);
		CheckForms(&field, "sparse", seed);
	}
}
END_TEST

/* Every material number has a blockiness of its own; few of them stand in the field. */
START_TEST(blockiness)
{
	for (int i = 0; i < LESS(12); i++) {
		uint64_t seed = 4000 + (uint64_t)i;
		Random random = {seed};
		RefField field = Field_Noise(20, 0.5, &random);
		int spread = 1 << Random_Below(&random, 8), blocky = Random_Below(&random, 256);
		int first = Random_Below(&random, 256);
		for (int c = 0; c < 20 * 20 * 20; c++)
			if (field.material[c]) {
				int m = first + Random_Below(&random, spread);
				field.material[c] = (uint8_t)(1 + m % 255);
			}
		for (int m = 1; m < 256; m++)
			if (i % 3 == 0 || (i % 3 == 1 && m == 1 + blocky % 255))
				field.blockiness[m] = (uint16_t)(1 + Random_Below(&random, 256));
		CheckForms(&field, "blockiness", seed);
	}
}
END_TEST

/* Every place of every material: a lone blocky cell is found wherever it lies and whatever number it has. */
START_TEST(one_blocky_cell)
{
	static SurfaceField cells;
	int differing = 0;
	for (int i = 0; i < LESS(1020) && Cpu_Simd(); i++) {
		uint64_t seed = 5000 + (uint64_t)i;
		Random random = {seed};
		uint16_t blocky[256] = {0};
		int material = 1 + i % 255, x = Random_Below(&random, 16), y = Random_Below(&random, 16);
		int z = Random_Below(&random, 16);
		for (int c = 0; c < FIELD_CELLS; c++) {
			bool solid = c / 256 < 8;
			cells.value[c] = solid ? 200 : 0;
			cells.material[c] = solid ? (uint8_t)(1 + material % 255) : 0;
		}
		int c = Field_Cell(x - 4, y - 4, z - 4);
		cells.material[c] = (uint8_t)material;
		cells.value[c] = 230;
		blocky[material] = (uint16_t)(1 + Random_Below(&random, 256));
		differing += !SameForms(&cells, blocky);
	}
	ck_assert_int_eq(differing, 0);
}
END_TEST

START_TEST(hills_and_caves)
{
	for (int i = 0; i < 3; i++) {
		uint64_t seed = 6000 + (uint64_t)i;
		RefField field = RefField_Create(48, 48, 48);
		for (int z = 0; z < 48; z++)
			for (int x = 0; x < 48; x++) {
				double height = Ground_Height(x + 0.5, z + 0.5, 24.0, seed);
				for (int y = 0; y < 48; y++) {
					int v = Ground_Value(Ground_Depth(x + 0.5, y + 0.5, z + 0.5, height, seed));
					if (v > 0)
						RefField_Set(&field, x, y, z, y < height - 3.0 ? 2 : 1, v);
				}
			}
		if (i == 2)
			Field_MixBlockiness(&field);
		CheckForms(&field, "hills and caves", seed);
	}
}
END_TEST

/* A direction of length 1, by chance. */
static void DirectionOf(Random *random, double n[3])
{
	double length;
	do {
		for (int k = 0; k < 3; k++)
			n[k] = Random_Range(random, -1.0, 1.0);
		length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
	} while (length > 1.0 || length < 0.01);
	length = sqrt(length);
	for (int k = 0; k < 3; k++)
		n[k] /= length;
}

/* Fills what lies within all of some planes: `depth` of them at that distance from the middle, which is off the grid.
 */
static void FillWithin(RefField *field, const double (*normal)[3], const double *depth, int planes)
{
	for (int y = 0; y < field->ny; y++)
		for (int z = 0; z < field->nz; z++)
			for (int x = 0; x < field->nx; x++) {
				double least = 1e9;
				for (int i = 0; i < planes; i++) {
					const double *n = normal[i];
					double d = depth[i] - n[0] * (x - 11.7) - n[1] * (y - 11.4) - n[2] * (z - 12.2);
					least = d < least ? d : least;
				}
				RefField_Write(field, x, y, z, 1, least);
			}
}

/* Boxes at any angle. */
START_TEST(turned_boxes)
{
	for (int i = 0; i < LESS(12); i++) {
		uint64_t seed = 7000 + (uint64_t)i;
		Random random = {seed};
		double a[3], b[3], normal[6][3], depth[6];
		DirectionOf(&random, a);
		DirectionOf(&random, b);
		double along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2], length = sqrt(1.0 - along * along);
		for (int k = 0; k < 3; k++) {
			normal[0][k] = a[k];
			normal[1][k] = (b[k] - along * a[k]) / length;
		}
		for (int k = 0; k < 3; k++) {
			int u = (k + 1) % 3, v = (k + 2) % 3;
			normal[2][k] = normal[0][u] * normal[1][v] - normal[0][v] * normal[1][u];
		}
		for (int k = 0; k < 6; k++) {
			depth[k] = Random_Range(&random, 3.0, 9.0);
			for (int j = 0; k > 2 && j < 3; j++)
				normal[k][j] = -normal[k - 3][j];
		}
		RefField field = RefField_Create(24, 24, 24);
		FillWithin(&field, (const double(*)[3])normal, depth, 6);
		if (i & 1)
			Field_MixBlockiness(&field);
		CheckForms(&field, "turned box", seed);
	}
}
END_TEST

/* Two planes that meet at about the angle which parts flat from bent, as ridges and, upside down, as valleys. */
START_TEST(creases)
{
	for (int i = 0; i < LESS(40); i++) {
		uint64_t seed = 8000 + (uint64_t)i;
		Random random = {seed};
		double across[3], normal[2][3];
		const double depth[2] = {0.0, 0.0}, bend = 0.0871557427 * Random_Range(&random, 0.97, 1.03);
		DirectionOf(&random, normal[0]);
		DirectionOf(&random, across);
		double along = across[0] * normal[0][0] + across[1] * normal[0][1] + across[2] * normal[0][2];
		double length = sqrt(1.0 - along * along);
		for (int k = 0; k < 3; k++) {
			across[k] = (across[k] - along * normal[0][k]) / length;
			normal[1][k] = sqrt(1.0 - bend * bend) * normal[0][k] + bend * across[k];
		}
		RefField field = RefField_Create(24, 24, 24);
		FillWithin(&field, (const double(*)[3])normal, depth, 2);
		for (int c = 0; (i & 1) && c < 24 * 24 * 24; c++) {
			field.value[c] = (uint8_t)(255 - field.value[c]);
			field.material[c] = field.value[c] > 0;
		}
		CheckForms(&field, "crease", seed);
	}
}
END_TEST

/* All 256 patterns of a cube, alone and in all places of a block, and the fullest block there is. */
START_TEST(patterns)
{
	static SurfaceField cells;
	static const uint16_t smooth[256];
	int differing = 0;
	for (int pattern = 0; pattern < 256 && Cpu_Simd(); pattern += TEST_STEP)
		for (int place = 0; place < 27; place++) {
			int x = place % 3 * 4 - 1, y = place / 3 % 3 * 4 - 1, z = place / 9 * 4 - 1;
			memset(&cells, 0, sizeof cells);
			for (int k = 0; k < 8; k++) {
				int c = Field_Cell(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
				cells.material[c] = pattern >> k & 1;
				cells.value[c] = pattern >> k & 1 ? 255 : 0;
			}
			differing += !SameForms(&cells, smooth);
		}
	for (int shift = 0; shift < 2 && Cpu_Simd(); shift++) {
		for (int c = 0; c < FIELD_CELLS; c++) {
			bool solid = ((c + c / 16 + c / 256 + shift) & 1) != 0;
			cells.material[c] = solid;
			cells.value[c] = solid ? 255 : 0;
		}
		differing += !SameForms(&cells, smooth);
	}
	ck_assert_int_eq(differing, 0);
}
END_TEST

/* The fast form's one rounded division is the plain form's for every pair of values, on every lattice edge. */
START_TEST(crossings)
{
	static SurfaceField cells;
	static const uint16_t smooth[256];
	int differing = 0;
	for (int a = 128; a < 256 && Cpu_Simd(); a++)
		for (int b = a % TEST_STEP; b < 128; b += TEST_STEP) {
			int axis = (a + b) % 3;
			for (int c = 0; c < FIELD_CELLS; c++) {
				int at[3] = {c & 15, c >> 8, c >> 4 & 15};
				int value = (at[axis] < 7) == ((a ^ b) & 1) ? a : b;
				cells.value[c] = (uint8_t)value;
				cells.material[c] = value > 0;
			}
			differing += !Block_SameInBothForms(&cells, smooth);
		}
	ck_assert_int_eq(differing, 0);
}
END_TEST

#endif

Suite *suite_surface_fast(void)
{
	Suite *suite = suite_create("surface_fast");
	TCase *forms = tcase_create("forms");
	tcase_set_timeout(forms, 120);
#if SCREE_X86
	tcase_add_test(forms, noise);
	tcase_add_test(forms, adversarial);
	tcase_add_test(forms, sparse);
	tcase_add_test(forms, blockiness);
	tcase_add_test(forms, one_blocky_cell);
	tcase_add_test(forms, hills_and_caves);
	tcase_add_test(forms, turned_boxes);
	tcase_add_test(forms, creases);
	tcase_add_test(forms, patterns);
	tcase_add_test(forms, crossings);
#endif
	suite_add_tcase(suite, forms);
	return suite;
}
