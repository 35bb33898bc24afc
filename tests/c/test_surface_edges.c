/* Edge kinds: every block's against a search among all edges of the whole mesh. */
#include "spatial/spatial.h"
#include "surface_fields.h"

#include <check.h>
#include <stdlib.h>

static void CheckKinds(RefField *field, const char *name, uint64_t seed, int count[3])
{
	RefMesh mesh = RefMesh_Create(field, true);
	uint16_t *kinds = RefMesh_EdgeKinds(&mesh);
	int differing = Field_DifferingBlocks(field, &mesh, kinds, FLAG_HALO, seed + 1000);
	ck_assert_msg(differing == 0, "%s, seed %llu: %d blocks are not as in the twin", name, (unsigned long long)seed,
	              differing);
	for (int q = 0; count && q < mesh.quad_count; q++)
		for (int k = 0; k < 5; k++)
			count[kinds[q] >> 2 * k & 3]++;
	free(kinds);
	RefMesh_Free(&mesh);
	RefField_Free(field);
}

START_TEST(noise)
{
	static const double share[] = {0.05, 0.3, 0.5, 0.7, 0.9};
	int count[3] = {0};
	for (int i = 0; i < COUNT_OF(share); i++) {
		uint64_t seed = 100 + (uint64_t)i;
		Random random = {seed};
		RefField field = Field_Noise(23, share[i], &random);
		if (i & 1)
			Field_MixBlockiness(&field);
		CheckKinds(&field, "noise", seed, count);
	}
	for (int kind = 0; kind < 3; kind++)
		ck_assert_int_gt(count[kind], 1000);
}
END_TEST

/* Many flipped cubes: the ambiguous faces' partners are the other way round there. */
START_TEST(adversarial)
{
	for (int i = 0; i < 4; i++) {
		uint64_t seed = 200 + (uint64_t)i;
		Random random = {seed};
		RefField field = Field_Adversarial(24, 0.6 + 0.1 * i, 100, &random);
		CheckKinds(&field, "adversarial", seed, NULL);
	}
	for (int i = 0; i < 3; i++) {
		uint64_t seed = 250 + (uint64_t)i;
		Random random = {seed};
		RefField field = Field_Extremes(23, 0.3 + 0.3 * i, &random);
		Field_MixBlockiness(&field);
		CheckKinds(&field, "extremes", seed, NULL);
	}
}
END_TEST

/* Exact cubes: flat within a face, convex and concave at the steps; the diagonals always flat. */
START_TEST(cubes)
{
	Random random = {300};
	RefField field = RefField_Create(20, 20, 20);
	field.blockiness[1] = 256;
	for (int y = 0; y < 20; y++)
		for (int z = 0; z < 20; z++)
			for (int x = 0; x < 20; x++)
				if (Random_Below(&random, 3) == 0)
					RefField_Set(&field, x, y, z, 1, 255);
	RefMesh mesh = RefMesh_Create(&field, true);
	uint16_t *kinds = RefMesh_EdgeKinds(&mesh);
	int bent = 0;
	for (int q = 0; q < mesh.quad_count; q++)
		bent += (kinds[q] >> 8) != EDGE_FLAT;
	ck_assert_int_gt(mesh.quad_count, 1000);
	ck_assert_int_eq(bent, 0);
	free(kinds);
	RefMesh_Free(&mesh);
	CheckKinds(&field, "cubes", 300, NULL);
}
END_TEST

START_TEST(one_cube_is_convex)
{
	RefField field = RefField_Create(3, 3, 3);
	field.blockiness[1] = 256;
	RefField_Set(&field, 1, 1, 1, 1, 255);
	RefMesh mesh = RefMesh_Create(&field, true);
	uint16_t *kinds = RefMesh_EdgeKinds(&mesh);
	ck_assert_int_eq(mesh.quad_count, 6);
	for (int q = 0; q < 6; q++)
		ck_assert_int_eq(kinds[q], EDGE_FLAT << 8 | EDGE_CONVEX * 0x55);
	free(kinds);
	RefMesh_Free(&mesh);
	CheckKinds(&field, "one cube", 0, NULL);
}
END_TEST

/* The writer keeps planes of any slope flat within the 5 degrees: no inner edge for a ball to trip over. */
START_TEST(planes_are_flat)
{
	Random random = {400};
	for (int i = 0; i < 20; i++) {
		double n[3], length;
		do {
			for (int k = 0; k < 3; k++)
				n[k] = Random_Range(&random, -1.0, 1.0);
			length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
		} while (length > 1.0 || length < 0.01);
		length = sqrt(length);
		RefField field = RefField_Create(20, 20, 20);
		for (int y = 0; y < 20; y++)
			for (int z = 0; z < 20; z++)
				for (int x = 0; x < 20; x++)
					RefField_Write(&field, x, y, z, 1,
					               ((x - 9.6) * n[0] + (y - 9.3) * n[1] + (z - 9.8) * n[2]) / length);
		RefMesh mesh = RefMesh_Create(&field, true);
		uint16_t *kinds = RefMesh_EdgeKinds(&mesh);
		int inner = 0, bent = 0;
		for (int q = 0; q < mesh.quad_count; q++) {
			const int *c = mesh.quads[q].cell;
			if (c[0] < 3 || c[1] < 3 || c[2] < 3 || c[0] > 15 || c[1] > 15 || c[2] > 15)
				continue;
			inner++;
			bent += kinds[q] != 0;
		}
		ck_assert_int_gt(inner, 50);
		ck_assert_msg(bent == 0, "plane %d: %d of %d quads are not flat", i, bent, inner);
		free(kinds);
		RefMesh_Free(&mesh);
		CheckKinds(&field, "plane", (uint64_t)i, NULL);
	}
}
END_TEST

START_TEST(hills)
{
	int count[3] = {0};
	Random random = {500};
	RefField field = Field_Hills(40, 24, &random);
	Field_MixBlockiness(&field);
	CheckKinds(&field, "hills", 500, count);
	for (int kind = 0; kind < 3; kind++)
		ck_assert_int_gt(count[kind], 100);
}
END_TEST

/* Four cells of halo are enough; three are not, which only this kind of field shows. */
START_TEST(halo)
{
	int differing[2] = {0, 0};
	for (int i = 0; i < 6; i++) {
		Random random = {600 + (uint64_t)i};
		RefField field = Field_Adversarial(32, 0.6 + 0.05 * i, 100, &random);
		RefMesh mesh = RefMesh_Create(&field, true);
		uint16_t *kinds = RefMesh_EdgeKinds(&mesh);
		for (int k = 0; k < 2; k++)
			differing[k] += Field_DifferingBlocks(&field, &mesh, kinds, FLAG_HALO - 1 + k, 700 + (uint64_t)i);
		free(kinds);
		RefMesh_Free(&mesh);
		RefField_Free(&field);
	}
	ck_assert_msg(differing[0] > 0, "a halo of 3 cells passes for enough: this test sees nothing");
	ck_assert_int_eq(differing[1], 0);
}
END_TEST

Suite *suite_surface_edges(void)
{
	Suite *suite = suite_create("surface_edges");
	TCase *all = tcase_create("kinds");
	tcase_set_timeout(all, 120);
	tcase_add_test(all, noise);
	tcase_add_test(all, adversarial);
	tcase_add_test(all, cubes);
	tcase_add_test(all, one_cube_is_convex);
	tcase_add_test(all, planes_are_flat);
	tcase_add_test(all, hills);
	tcase_add_test(all, halo);
	suite_add_tcase(suite, all);
	return suite;
}
