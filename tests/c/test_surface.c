/* The surface's loops, topology and exactness: tables, the twin, noise meant to break it. */
#include "require.h"
#include "surface_fields.h"

#include <check.h>
#include <stdlib.h>

/* ---- the tables -------------------------------------------------------------------------------------------------- */

START_TEST(loops_of_all_patterns)
{
	const SurfaceTables *tables = SurfaceTables_Get();
	int with_loops[LOOP_LIMIT + 1] = {0}, of_length[13] = {0};
	for (int pattern = 0; pattern < 256; pattern++) {
		int length[LOOP_LIMIT] = {0};
		with_loops[tables->loop_count[0][pattern]]++;
		for (int e = 0; e < 12; e++) {
			int loop = tables->loop[0][pattern][e];
			ck_assert_int_eq(loop != LOOP_NONE, tables->crossing[pattern] >> e & 1);
			if (loop != LOOP_NONE)
				length[loop]++;
		}
		for (int loop = 0; loop < tables->loop_count[0][pattern]; loop++)
			of_length[length[loop]]++;
	}
	static const int want_loops[LOOP_LIMIT + 1] = {2, 162, 82, 8, 2};
	static const int want_lengths[13] = {[3] = 144, [4] = 66, [5] = 72, [6] = 52, [7] = 24};
	ck_assert_mem_eq(with_loops, want_loops, sizeof want_loops);
	ck_assert_mem_eq(of_length, want_lengths, sizeof want_lengths);
}
END_TEST

static int AmbiguousFaces(int pattern)
{
	int faces = 0;
	for (int face = 0; face < 6; face++) {
		int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3, base = (face & 1) << axis;
		int a = pattern >> base & 1, b = pattern >> (base | 1 << u) & 1;
		int c = pattern >> (base | 1 << u | 1 << v) & 1, d = pattern >> (base | 1 << v) & 1;
		faces += a == c && b == d && a != b;
	}
	return faces;
}

START_TEST(flip_faces)
{
	static const int want[36][2] = {{61, 1},  {62, 0},  {91, 3},  {94, 2},  {103, 5}, {110, 5}, {111, 5}, {118, 4},
	                                {122, 3}, {123, 3}, {124, 1}, {125, 1}, {155, 5}, {157, 5}, {159, 5}, {167, 3},
	                                {173, 2}, {181, 3}, {183, 3}, {185, 4}, {188, 0}, {190, 0}, {199, 1}, {203, 0},
	                                {211, 1}, {215, 1}, {217, 4}, {218, 2}, {222, 2}, {227, 0}, {229, 2}, {230, 4},
	                                {235, 0}, {237, 2}, {246, 4}, {249, 4}};
	const SurfaceTables *tables = SurfaceTables_Get();
	int count = 0, ambiguous = 0, of_length[13] = {0};
	for (int pattern = 0; pattern < 256; pattern++) {
		ambiguous += AmbiguousFaces(pattern) > 0;
		if (tables->flip_face[pattern] == FACE_NONE) {
			ck_assert_mem_eq(tables->loop[1][pattern], tables->loop[0][pattern], 12);
			continue;
		}
		ck_assert_int_lt(count, 36);
		ck_assert_int_eq(pattern, want[count][0]);
		ck_assert_int_eq(tables->flip_face[pattern], want[count][1]);
		ck_assert_int_eq(AmbiguousFaces(pattern), 1);
		ck_assert_int_eq(tables->flip_face[255 - pattern], FACE_NONE);
		ck_assert_int_eq(tables->loop_count[1][pattern], 2);
		ck_assert_mem_eq(tables->loop[1][pattern], tables->loop[0][255 - pattern], 12);
		int length[2] = {0, 0};
		for (int e = 0; e < 12; e++)
			if (tables->loop[1][pattern][e] != LOOP_NONE)
				length[tables->loop[1][pattern][e]]++;
		of_length[length[0]]++;
		of_length[length[1]]++;
		count++;
	}
	ck_assert_int_eq(count, 36);
	ck_assert_int_eq(ambiguous, 120);
	ck_assert_int_eq(of_length[3], 48);
	ck_assert_int_eq(of_length[4], 24);
}
END_TEST

/* Two cubes with a common face, 12 cells: mesh edges lie only between such cubes, so what coincides there decides
 * whether the whole surface is manifold. An ambiguous face carries two mesh edges; they coincide when each cube has one
 * vertex for both. */
static bool PairIsBad(const SurfaceTables *tables, int axis, int low, int high, bool with_flip)
{
	int face_low = 2 * axis + 1, face_high = 2 * axis;
	bool flip = with_flip && tables->flip_face[low] == face_low && tables->flip_face[high] == face_high;
	/* The four lattice edges of the face, as each cube numbers them. */
	int u = (axis + 1) % 3, v = (axis + 2) % 3;
	/* An edge along u counts 1 for v's side and 2 for the axis' side; along v 1 for the axis' side and 2 for u's. */
	int in_low[4] = {4 * u + 2, 4 * v + 1 + 2, 4 * u + 1 + 2, 4 * v + 1};
	int in_high[4] = {4 * u, 4 * v + 2, 4 * u + 1, 4 * v};
	int one_low = 1, one_high = 1;
	for (int k = 0; k < 4; k++) {
		int a = tables->loop[flip][low][in_low[k]], b = tables->loop[flip][high][in_high[k]];
		REQUIRE((a == LOOP_NONE) == (b == LOOP_NONE), "patterns %d and %d disagree on a face", low, high);
		if (a == LOOP_NONE)
			return false;
		one_low &= a == tables->loop[flip][low][in_low[0]];
		one_high &= b == tables->loop[flip][high][in_high[0]];
	}
	return one_low && one_high;
}

START_TEST(no_pair_of_cubes_is_bad)
{
	const SurfaceTables *tables = SurfaceTables_Get();
	int bad[2] = {0, 0};
	for (int axis = 0; axis < 3; axis++)
		for (int cells = 0; cells < 4096; cells++) {
			/* Bits of the three layers across the axis: layer * 4 + u + 2 * v. */
			int mask[2] = {0, 0}, u = (axis + 1) % 3, v = (axis + 2) % 3;
			for (int cube = 0; cube < 2; cube++)
				for (int i = 0; i < 8; i++) {
					int layer = cube + (i >> 2), corner = (i >> 2) << axis | (i & 1) << u | (i >> 1 & 1) << v;
					if (cells >> (4 * layer + (i & 3)) & 1)
						mask[cube] |= 1 << corner;
				}
			for (int flip = 0; flip < 2; flip++)
				bad[flip] += PairIsBad(tables, axis, mask[0], mask[1], flip != 0);
		}
	ck_assert_int_eq(bad[0], 54);
	ck_assert_int_eq(bad[1], 0);
}
END_TEST

/* ---- the arithmetic ---------------------------------------------------------------------------------------------- */

/* A layer of value a against a layer of value b across an axis: the vertex is the crossing itself. */
static void VertexOfLayers(int axis, int low, int high, uint16_t q[3])
{
	static SurfaceCells cells;
	static uint8_t material[FIELD_CELLS];
	static uint16_t blockiness[256];
	uint16_t vertices[LOOP_LIMIT][3];
	cells.tables = SurfaceTables_Get();
	cells.material = material;
	cells.blockiness = blockiness;
	cells.value = cells.raised;
	int pattern = 0;
	for (int i = 0; i < 8; i++) {
		int value = i >> axis & 1 ? high : low;
		cells.raised[Field_Cell(i & 1, i >> 1 & 1, i >> 2)] = (uint8_t)value;
		pattern |= (value >= 128) << i;
	}
	int loops = SurfaceCube_Vertices(&cells, 0, 0, 0, pattern, vertices);
	REQUIRE(loops == 1, "%d loops between %d and %d", loops, low, high);
	memcpy(q, vertices[0], sizeof vertices[0]);
}

START_TEST(crossings_of_all_values)
{
	int lowest = 4096, highest = 0, wrong = 0, ties = 0;
	for (int a = 128; a < 256; a++)
		for (int b = 0; b < 128; b++) {
			/* 4096 * (a - 127.5) / (a - b), to nearest */
			int numerator = 4096 * (2 * a - 255), denominator = 2 * (a - b);
			int t = (2 * numerator + denominator) / (2 * denominator);
			ties += (2 * numerator) % denominator == 0 && (2 * numerator / denominator) % 2 == 1;
			float plain = (((float)a - 127.5f) * 4096.0f) / (float)(a - b);
			wrong += (int)(plain + 0.5f) != t;
			lowest = t < lowest ? t : lowest;
			highest = t > highest ? t : highest;
			for (int axis = 0; axis < 3; axis++) {
				uint16_t up[3], down[3];
				VertexOfLayers(axis, a, b, up);
				VertexOfLayers(axis, b, a, down);
				for (int i = 0; i < 3; i++) {
					wrong += up[i] != (i == axis ? t : 2048);
					wrong += down[i] != (i == axis ? 4096 - t : 2048);
				}
			}
		}
	ck_assert_int_eq(wrong, 0);
	ck_assert_int_eq(ties, 0);
	ck_assert_int_eq(lowest, 16);
	ck_assert_int_eq(highest, 4080);
}
END_TEST

/* ---- noise ------------------------------------------------------------------------------------------------------- */

/* Closed, manifold, facing outwards; every block as in the twin, whatever lies beyond its halo. */
static void CheckField(RefField *field, const char *name, uint64_t seed, RefTopology *sum)
{
	RefMesh mesh = RefMesh_Create(field, true);
	RefTopology t = RefMesh_Topology(&mesh);
	ck_assert_msg(t.open == 0 && t.non_manifold == 0 && t.vertices == 0,
	              "%s, seed %llu: %d open, %d non-manifold edges, %d non-manifold vertices of %d", name,
	              (unsigned long long)seed, t.open, t.non_manifold, t.vertices, mesh.vertex_count);
	ck_assert_msg(t.backwards == 0 && t.degenerate == 0, "%s, seed %llu: %d triangles backwards, %d without area", name,
	              (unsigned long long)seed, t.backwards, t.degenerate);
	ck_assert_msg(mesh.quad_count == 0 || (t.q_low >= 5 && t.q_high <= 4091), "%s, seed %llu: q %d..%d", name,
	              (unsigned long long)seed, t.q_low, t.q_high);
	ck_assert_msg(mesh.quad_count == 0 || t.volume > 0.0, "%s, seed %llu: volume %g", name, (unsigned long long)seed,
	              t.volume);
	int differing = Field_DifferingBlocks(field, &mesh, NULL, SURFACE_HALO, seed + 1000);
	ck_assert_msg(differing == 0, "%s, seed %llu: %d blocks are not as in the twin", name, (unsigned long long)seed,
	              differing);
	if (sum) {
		sum->q_low = Int_Min(sum->q_low, t.q_low);
		sum->q_high = Int_Max(sum->q_high, t.q_high);
	}
	RefMesh_Free(&mesh);
	RefField_Free(field);
}

START_TEST(noise_is_manifold)
{
	static const double share[] = {0.02, 0.1, 0.3, 0.5, 0.7, 0.9};
	for (int i = 0; i < COUNT_OF(share); i++)
		for (int mixed = 0; mixed < 2; mixed++) {
			uint64_t seed = 100 + 2 * (uint64_t)i + (uint64_t)mixed;
			Random random = {seed};
			RefField field = Field_Noise(21 + i, share[i], &random);
			if (mixed)
				Field_MixBlockiness(&field);
			CheckField(&field, "noise", seed, NULL);
		}
}
END_TEST

START_TEST(extreme_noise_is_manifold)
{
	RefTopology sum = {.q_low = 4096, .q_high = 0};
	for (int i = 0; i < 4; i++) {
		uint64_t seed = 200 + (uint64_t)i;
		Random random = {seed};
		RefField field = Field_Extremes(24, 0.2 + 0.2 * i, &random);
		if (i & 1)
			Field_MixBlockiness(&field);
		CheckField(&field, "extremes", seed, &sum);
	}
	/* The range is nearly used up, so the bound is worth testing. */
	ck_assert_int_le(sum.q_low, 40);
	ck_assert_int_ge(sum.q_high, 4056);
}
END_TEST

START_TEST(adversarial_noise_is_manifold)
{
	for (int i = 0; i < 4; i++) {
		uint64_t seed = 300 + (uint64_t)i;
		Random random = {seed};
		RefField field = Field_Adversarial(24, 0.6 + 0.1 * i, i & 1 ? 127 : 1, &random);
		Field_MixBlockiness(&field);
		CheckField(&field, "adversarial", seed, NULL);
	}
}
END_TEST

/* The flip is what makes it so: without it the same noise is not manifold. */
START_TEST(flip_is_needed)
{
	Random random = {400};
	RefField field = Field_Noise(24, 0.9, &random);
	RefMesh without = RefMesh_Create(&field, false), with = RefMesh_Create(&field, true);
	ck_assert_int_gt(RefMesh_Topology(&without).non_manifold, 0);
	ck_assert_int_eq(RefMesh_Topology(&with).non_manifold, 0);
	ck_assert_int_gt(with.flipped_cubes, 0);
	RefMesh_Free(&without);
	RefMesh_Free(&with);
	RefField_Free(&field);
}
END_TEST

/* Three cells of halo are enough and two are not, on the one kind of field that shows it. */
START_TEST(halo_is_needed)
{
	int differing[4] = {0}, blocks = 0;
	for (int i = 0; i < 3; i++) {
		Random random = {500 + (uint64_t)i};
		RefField field = Field_Adversarial(32, 0.6 + 0.15 * i, 100, &random);
		RefMesh mesh = RefMesh_Create(&field, true);
		ck_assert_int_gt(mesh.raised_cells, 0);
		ck_assert_int_gt(mesh.flipped_cubes, 0);
		for (int halo = 2; halo <= 4; halo++)
			differing[halo - 1] += Field_DifferingBlocks(&field, &mesh, NULL, halo, 600 + (uint64_t)i);
		blocks += 6 * 6 * 6;
		RefMesh_Free(&mesh);
		RefField_Free(&field);
	}
	ck_assert_msg(differing[1] > 0, "a halo of 2 cells passes for enough: this test sees nothing");
	ck_assert_msg(differing[2] == 0 && differing[3] == 0, "%d and %d of %d blocks depend on cells beyond 3 and 4",
	              differing[2], differing[3], blocks);
}
END_TEST

/* ---- made fields ------------------------------------------------------------------------------------------------- */

typedef bool SolidFn(int x, int y, int z);

static bool Checkers3(int x, int y, int z)
{
	return (x + y + z) % 2 == 0;
}
static bool Checkers2(int x, int y, int z)
{
	(void)y;
	return (x + z) % 2 == 0;
}
static bool Walls(int x, int y, int z)
{
	(void)y;
	(void)z;
	return x % 3 == 0;
}
static bool Grate(int x, int y, int z)
{
	return x % 3 == 0 || y % 3 == 0 || z % 3 == 0;
}
static bool EdgeContact(int x, int y, int z)
{
	return (z == 5 && (x == y || x == y + 1)) || (x == 5 && y == z);
}
static bool CornerContact(int x, int y, int z)
{
	return x == y && y == z;
}
static bool Cavities(int x, int y, int z)
{
	return !(x % 4 == 1 && y % 4 == 1 && (z % 4 == 1 || (z % 4 == 2 && x % 8 == 1)));
}
static bool Full(int x, int y, int z)
{
	(void)x;
	(void)y;
	(void)z;
	return true;
}
static bool Empty(int x, int y, int z)
{
	(void)x;
	(void)y;
	(void)z;
	return false;
}

START_TEST(made_fields_are_manifold)
{
	static const struct {
		const char *name;
		SolidFn *solid;
	} made[] = {{"3D checkers", Checkers3},
	            {"2D checkers", Checkers2},
	            {"walls", Walls},
	            {"grate", Grate},
	            {"edge contacts", EdgeContact},
	            {"corner contacts", CornerContact},
	            {"cavities", Cavities},
	            {"full", Full},
	            {"empty", Empty}};
	static const int values[] = {0, 1, 100, 127, 128, 159, 160, 255};
	for (int i = 0; i < COUNT_OF(made); i++)
		for (int k = 0; k < COUNT_OF(values); k++) {
			/* Sizes that are no multiple of a block, so that nothing lines up by chance. */
			RefField field = RefField_Create(11, 12, 13);
			for (int y = 0; y < 12; y++)
				for (int z = 0; z < 13; z++)
					for (int x = 0; x < 11; x++)
						if (made[i].solid(x, y, z))
							RefField_Set(&field, x, y, z, 1, values[k]);
			CheckField(&field, made[i].name, (uint64_t)values[k], NULL);
		}
}
END_TEST

/* Inside bits for the records: those of the twin, from one cell of neighbours beyond them. */
START_TEST(inside_bits)
{
	int wrong = 0, raised = 0;
	for (int i = 0; i < 4; i++) {
		Random random = {700 + (uint64_t)i}, garbage = {750 + (uint64_t)i};
		RefField field = i < 2 ? Field_Noise(20, i ? 0.9 : 0.2, &random) : Field_Adversarial(20, 0.8, 90, &random);
		for (int block = 0; block < 64; block++) {
			int b[3] = {block % 4 - 1, block / 4 % 4 - 1, block / 16 - 1};
			SurfaceField cells;
			uint16_t bits[BLOCK_SIZE + 2][BLOCK_SIZE + 2];
			Block_Gather(&field, b[0], b[1], b[2], 2, &garbage, &cells);
			Surface_InsideBits(&cells, bits);
			for (int y = -1; y <= BLOCK_SIZE; y++)
				for (int z = -1; z <= BLOCK_SIZE; z++) {
					unsigned want = 0;
					for (int x = -1; x <= BLOCK_SIZE; x++) {
						int c[3] = {8 * b[0] + x, 8 * b[1] + y, 8 * b[2] + z};
						int value = RefField_RaisedValue(&field, c[0], c[1], c[2]);
						raised += value != RefField_Value(&field, c[0], c[1], c[2]);
						want |= (value >= 128 ? 1u : 0u) << (x + 1);
					}
					wrong += bits[y + 1][z + 1] != want;
				}
		}
		RefField_Free(&field);
	}
	ck_assert_int_gt(raised, 100);
	ck_assert_int_eq(wrong, 0);
}
END_TEST

/* Two builds of one field are the same in every byte that counts, whatever was in the mesh before. */
START_TEST(build_is_repeatable)
{
	static SurfaceField cells;
	static SurfaceMesh first, second;
	Random random = {800};
	RefField field = Field_Noise(16, 0.6, &random);
	Block_Gather(&field, 0, 0, 0, SURFACE_HALO, &random, &cells);
	memset(&first, 0x00, sizeof first);
	memset(&second, 0xFF, sizeof second);
	Surface_Build(&cells, field.blockiness, &first);
	Surface_Build(&cells, field.blockiness, &second);
	ck_assert_int_gt(first.quad_count, 300);
	ck_assert_int_eq(first.quad_count, second.quad_count);
	ck_assert_int_eq(first.vertex_count, second.vertex_count);
	size_t quads = (size_t)first.quad_count, vertices = (size_t)first.vertex_count;
	ck_assert_mem_eq(first.position, second.position, vertices * sizeof first.position[0]);
	ck_assert_mem_eq(first.loop, second.loop, vertices);
	ck_assert_mem_eq(first.corner, second.corner, quads * sizeof first.corner[0]);
	ck_assert_mem_eq(first.edge, second.edge, quads * sizeof first.edge[0]);
	ck_assert_mem_eq(first.material, second.material, quads);
	ck_assert_mem_eq(first.low_inside, second.low_inside, quads);
	ck_assert_mem_eq(first.word, second.word, sizeof first.word);
	RefField_Free(&field);
}
END_TEST

/* Vertices in order of cube and loop, whole cubes, and no cube that no quad stands on. */
START_TEST(vertices_are_in_order_and_used)
{
	static SurfaceField cells;
	static SurfaceMesh mesh;
	int wrong = 0, stray = 0;
	for (int i = 0; i < 40; i++) {
		Random random = {850 + (uint64_t)i};
		RefField field = i < 20 ? Field_Noise(8, 0.05 * i, &random) : Field_Hills(16, 16, &random);
		Block_Gather(&field, 0, i < 20 ? 0 : 1, 0, SURFACE_HALO, &random, &cells);
		Surface_Build(&cells, field.blockiness, &mesh);
		bool used[16 * 16 * 16] = {false};
		int before = -1;
		for (int q = 0; q < mesh.quad_count; q++)
			for (int k = 0; k < 4; k++) {
				const uint16_t *p = mesh.position[mesh.corner[q][k]];
				used[(p[1] >> 12) << 8 | (p[2] >> 12) << 4 | p[0] >> 12] = true;
			}
		for (int v = 0; v < mesh.vertex_count; v++) {
			const uint16_t *p = mesh.position[v];
			int cube = (p[1] >> 12) << 8 | (p[2] >> 12) << 4 | p[0] >> 12, name = 4 * cube + mesh.loop[v];
			stray += !used[cube];
			wrong += mesh.loop[v] == 0 ? name <= before : name != before + 1;
			before = name;
		}
		RefField_Free(&field);
	}
	ck_assert_int_eq(stray, 0);
	ck_assert_int_eq(wrong, 0);
}
END_TEST

/* The most that a block can hold fits: a checkerboard has every lattice edge crossing. */
START_TEST(fullest_block)
{
	static SurfaceField cells;
	static SurfaceMesh mesh;
	static const uint16_t blockiness[256];
	for (int y = -4; y < 12; y++)
		for (int z = -4; z < 12; z++)
			for (int x = -4; x < 12; x++) {
				bool solid = ((x + y + z) & 1) != 0;
				cells.material[Field_Cell(x, y, z)] = solid;
				cells.value[Field_Cell(x, y, z)] = solid ? 255 : 0;
			}
	Surface_Build(&cells, blockiness, &mesh);
	ck_assert_int_eq(mesh.quad_count, SURFACE_QUAD_LIMIT);
	ck_assert_int_le(mesh.vertex_count, SURFACE_VERTEX_LIMIT);
	ck_assert_int_ge(mesh.vertex_count, SURFACE_VERTEX_LIMIT - 4 * 3 * 9 * 9);
}
END_TEST

/* ---- speed ------------------------------------------------------------------------------------------------------- */

START_TEST(speed)
{
	static SurfaceMesh mesh;
	static uint16_t kinds[SURFACE_QUAD_LIMIT];
	Random random = {900};
	RefField field = Field_Hills(64, 32, &random);
	SurfaceField *cells = malloc(sizeof(SurfaceField) * 8 * 8 * 4);
	ck_assert_ptr_nonnull(cells);
	int blocks = 0, quads = 0, rounds = 4;
	for (int i = 0; i < 8 * 8 * 4; i++) {
		Block_Gather(&field, i % 8, i / 64, i / 8 % 8, FLAG_HALO, &random, &cells[blocks]);
		Surface_Build(&cells[blocks], field.blockiness, &mesh);
		blocks += mesh.quad_count > 0;
	}
	double start = Clock_Seconds(), with_kinds;
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < blocks; i++) {
			Surface_Build(&cells[i], field.blockiness, &mesh);
			quads += mesh.quad_count;
		}
	double built = Clock_Seconds() - start;
	start = Clock_Seconds();
	for (int i = 0; i < blocks; i++) {
		Surface_Build(&cells[i], field.blockiness, &mesh);
		Surface_EdgeKinds(&cells[i], field.blockiness, &mesh, kinds);
	}
	with_kinds = Clock_Seconds() - start;
	printf("surface: %d blocks of hills, %.0f quads each, %.1f us a block; edge kinds %.1f us more\n", blocks,
	       (double)quads / (rounds * blocks), 1e6 * built / (rounds * blocks),
	       1e6 * (with_kinds - built / rounds) / blocks);
	ck_assert_int_gt(quads, 0);
	free(cells);
	RefField_Free(&field);
}
END_TEST

Suite *suite_surface(void)
{
	Suite *suite = suite_create("surface");
	TCase *tables = tcase_create("tables");
	tcase_add_test(tables, loops_of_all_patterns);
	tcase_add_test(tables, flip_faces);
	tcase_add_test(tables, no_pair_of_cubes_is_bad);
	tcase_add_test(tables, crossings_of_all_values);
	suite_add_tcase(suite, tables);
	TCase *fields = tcase_create("fields");
	tcase_set_timeout(fields, 120);
	tcase_add_test(fields, noise_is_manifold);
	tcase_add_test(fields, extreme_noise_is_manifold);
	tcase_add_test(fields, adversarial_noise_is_manifold);
	tcase_add_test(fields, flip_is_needed);
	tcase_add_test(fields, halo_is_needed);
	tcase_add_test(fields, made_fields_are_manifold);
	tcase_add_test(fields, inside_bits);
	tcase_add_test(fields, build_is_repeatable);
	tcase_add_test(fields, vertices_are_in_order_and_used);
	tcase_add_test(fields, fullest_block);
	tcase_add_test(fields, speed);
	suite_add_tcase(suite, fields);
	return suite;
}
