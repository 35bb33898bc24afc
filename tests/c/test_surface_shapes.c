/* What the surface promises about shapes: exact planes and floors, round shapes, exact cubes, nothing invisible. */
#include "require.h"
#include "surface_fields.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

/* The twin's mesh, after a check that every block makes the same. */
static RefMesh MeshOf(const RefField *field, const char *name, uint64_t seed)
{
	RefMesh mesh = RefMesh_Create(field, true);
	int differing = Field_DifferingBlocks(field, &mesh, NULL, SURFACE_HALO, seed);
	ck_assert_msg(differing == 0, "%s, seed %llu: %d blocks are not as in the twin", name, (unsigned long long)seed,
	              differing);
	return mesh;
}

/* In cells from the field's corner. */
static void VertexAt(const RefMesh *mesh, int vertex, double at[3])
{
	for (int i = 0; i < 3; i++)
		at[i] = mesh->vertices[vertex].at[i] / 4096.0 + 0.5;
}

/* Away from the field's sides, where a shape is cut off. */
static bool IsInner(const RefVertex *vertex, const RefField *field)
{
	const int n[3] = {field->nx, field->ny, field->nz};
	for (int i = 0; i < 3; i++)
		if (vertex->cube[i] < 3 || vertex->cube[i] > n[i] - 5)
			return false;
	return true;
}

static void RandomDirection(Random *random, double n[3])
{
	double length;
	do {
		for (int k = 0; k < 3; k++)
			n[k] = Random_Range(random, -1.0, 1.0);
		length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
	} while (length > 1.0 || length < 0.01);
	for (int k = 0; k < 3; k++)
		n[k] /= sqrt(length);
}

/* ---- planes ------------------------------------------------------------------------------------------------------ */

START_TEST(writer)
{
	ck_assert_int_eq(Ref_WriteDistance(0.0), 128);
	ck_assert_int_eq(Ref_WriteDistance(1.0), 255);
	ck_assert_int_eq(Ref_WriteDistance(1e300), 255);
	ck_assert_int_eq(Ref_WriteDistance(-1.0), 0);
	ck_assert_int_eq(Ref_WriteDistance(-1e300), 0);
	ck_assert_int_eq(Ref_WriteDistance(-1e-9), 127);
	for (int k = 1; k < 300; k++) {
		/* half a step off the rounding points: v and its complement are exact opposites */
		double d = (k - 0.5) / 128.0;
		ck_assert_int_eq(Ref_WriteDistance(d) + Ref_WriteDistance(-d), 255);
	}
}
END_TEST

START_TEST(floors_are_flat)
{
	for (int k = 0; k < 64; k++) {
		double height = 5.0 + k / 64.0;
		RefField field = RefField_Create(12, 12, 12);
		for (int y = 0; y < 12; y++)
			for (int z = 0; z < 12; z++)
				for (int x = 0; x < 12; x++)
					RefField_Write(&field, x, y, z, 1, height - (y + 0.5));
		RefMesh mesh = MeshOf(&field, "floor", (uint64_t)k);
		int level = 0, inner = 0;
		for (int i = 0; i < mesh.vertex_count; i++) {
			double at[3];
			if (!IsInner(&mesh.vertices[i], &field))
				continue;
			VertexAt(&mesh, i, at);
			REQUIRE(fabs(at[1] - height) <= 1.0 / 256.0, "floor at %g is at %g", height, at[1]);
			REQUIRE((mesh.vertices[i].at[0] & 4095) == 2048 && (mesh.vertices[i].at[2] & 4095) == 2048,
			        "floor at %g: a vertex is not in the middle of its cube", height);
			REQUIRE(inner == 0 || mesh.vertices[i].at[1] == level, "floor at %g is not level", height);
			level = mesh.vertices[i].at[1];
			inner++;
		}
		ck_assert_int_ge(inner, 25);
		RefMesh_Free(&mesh);
		RefField_Free(&field);
	}
}
END_TEST

START_TEST(planes_are_exact)
{
	Random random = {100};
	double worst = 0.0, sum = 0.0, worst_sine = 0.0;
	int count = 0;
	for (int i = 0; i < 60; i++) {
		double n[3], offset = Random_Range(&random, -1.0, 1.0);
		RandomDirection(&random, n);
		RefField field = RefField_Create(18, 18, 18);
		for (int y = 0; y < 18; y++)
			for (int z = 0; z < 18; z++)
				for (int x = 0; x < 18; x++)
					RefField_Write(&field, x, y, z, 1, offset - (x - 8.5) * n[0] - (y - 8.5) * n[1] - (z - 8.5) * n[2]);
		RefMesh mesh = MeshOf(&field, "plane", (uint64_t)i);
		int before = count;
		for (int k = 0; k < mesh.vertex_count; k++) {
			double at[3];
			if (!IsInner(&mesh.vertices[k], &field))
				continue;
			VertexAt(&mesh, k, at);
			double off = (at[0] - 9.0) * n[0] + (at[1] - 9.0) * n[1] + (at[2] - 9.0) * n[2] - offset;
			worst = fabs(off) > worst ? fabs(off) : worst;
			sum += off * off;
			count++;
		}
		ck_assert_int_gt(count, before + 50);
		for (int k = 0; k < mesh.quad_count; k++)
			for (int which = 0; which < 2; which++) {
				const int *c = mesh.quads[k].corner;
				double a[3], b[3], p[3], q[3];
				if (!IsInner(&mesh.vertices[c[0]], &field))
					continue;
				VertexAt(&mesh, c[0], a);
				VertexAt(&mesh, c[1 + which], p);
				VertexAt(&mesh, c[2 + which], q);
				for (int j = 0; j < 3; j++) {
					b[j] = q[j] - a[j];
					a[j] = p[j] - a[j];
				}
				double m[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
				double length = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
				double s[3] = {m[1] * n[2] - m[2] * n[1], m[2] * n[0] - m[0] * n[2], m[0] * n[1] - m[1] * n[0]};
				double sine = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) / length;
				REQUIRE(m[0] * n[0] + m[1] * n[1] + m[2] * n[2] > 0.0, "plane %d: a triangle faces backwards", i);
				worst_sine = sine > worst_sine ? sine : worst_sine;
			}
		RefMesh_Free(&mesh);
		RefField_Free(&field);
	}
	/* 1/256 of a cell, and half a degree between triangle and plane */
	ck_assert_msg(worst <= 1.0 / 256.0, "a vertex is %g cells off its plane", worst);
	ck_assert_msg(sqrt(sum / count) < 0.002, "vertices are %g cells off their planes (rms)", sqrt(sum / count));
	ck_assert_msg(worst_sine < 0.0087, "a triangle is %g degrees off its plane", asin(worst_sine) * 57.29578);
}
END_TEST

/* ---- balls ------------------------------------------------------------------------------------------------------- */

/* Balls are written with radius r + 1/(3r), which makes up for the mean of crossings lying inside a curve. */
static void CheckBalls(double r, bool hole, double want_rms, double want_max, double want_volume)
{
	int n = 2 * (int)r + 10;
	double sum = 0.0, worst = 0.0, volume = 0.0, written = r + 1.0 / (3.0 * r);
	int count = 0, placements = r > 10.0 ? 2 : 5;
	Random random = {200 + (uint64_t)r};
	for (int i = 0; i < placements; i++) {
		RefField field = RefField_Create(n, n, n);
		double center[3];
		for (int k = 0; k < 3; k++)
			center[k] = 0.5 * n + Random_Range(&random, -0.5, 0.5);
		for (int y = 0; y < n; y++)
			for (int z = 0; z < n; z++)
				for (int x = 0; x < n; x++) {
					double dx = x + 0.5 - center[0], dy = y + 0.5 - center[1], dz = z + 0.5 - center[2];
					double d = written - sqrt(dx * dx + dy * dy + dz * dz);
					RefField_Write(&field, x, y, z, 1, hole ? -d : d);
				}
		RefMesh mesh = MeshOf(&field, "ball", (uint64_t)i);
		for (int k = 0; k < mesh.vertex_count; k++) {
			double at[3];
			VertexAt(&mesh, k, at);
			double dx = at[0] - center[0], dy = at[1] - center[1], dz = at[2] - center[2];
			double off = sqrt(dx * dx + dy * dy + dz * dz) - r;
			if (hole && off > 1.5)
				continue; /* the field's own sides */
			sum += off * off;
			worst = fabs(off) > worst ? fabs(off) : worst;
			count++;
		}
		volume += RefMesh_Topology(&mesh).volume / placements;
		RefMesh_Free(&mesh);
		RefField_Free(&field);
	}
	double rms = sqrt(sum / count), ball = 4.0 / 3.0 * PI * r * r * r;
	ck_assert_msg(rms < 1.25 * want_rms, "ball of radius %g: %g cells rms", r, rms);
	ck_assert_msg(worst < 1.25 * want_max, "ball of radius %g: %g cells off at most", r, worst);
	ck_assert_msg(hole || fabs(volume / ball - 1.0) < want_volume, "ball of radius %g: volume %g instead of %g", r,
	              volume, ball);
}

START_TEST(balls_are_round)
{
	for (int hole = 0; hole < 2; hole++) {
		CheckBalls(2.0, hole, 0.065, 0.17, 0.02);
		CheckBalls(4.0, hole, 0.031, 0.086, 0.008);
		CheckBalls(8.0, hole, 0.015, 0.045, 0.0025);
	}
	CheckBalls(16.0, false, 0.0076, 0.024, 0.0008);
}
END_TEST

/* ---- nothing is invisible ---------------------------------------------------------------------------------------- */

/* A lone cell is a closed cube about its centre, of a side that grows with v, or exactly the cell when blocky. */
START_TEST(single_cells)
{
	double before = 0.0;
	for (int v = 0; v < 256; v++)
		for (int blocky = 0; blocky < 2; blocky++) {
			RefField field = RefField_Create(3, 3, 3);
			field.blockiness[1] = blocky ? 256 : 0;
			RefField_Set(&field, 1, 1, 1, 1, v);
			RefMesh mesh = MeshOf(&field, "single cell", (uint64_t)v);
			RefTopology t = RefMesh_Topology(&mesh);
			ck_assert_int_eq(mesh.quad_count, 6);
			ck_assert_int_eq(mesh.vertex_count, 8);
			ck_assert_int_eq(t.open + t.non_manifold + t.vertices + t.backwards, 0);
			int half = abs(mesh.vertices[0].at[0] - 4096);
			for (int k = 0; k < 8; k++)
				for (int i = 0; i < 3; i++)
					REQUIRE(abs(mesh.vertices[k].at[i] - 4096) == half, "a cell of %d is no cube", v);
			double side = half / 2048.0;
			if (blocky) {
				ck_assert_int_eq(half, 2048);
				ck_assert(t.volume == 1.0);
			} else if (v <= 160) {
				ck_assert_double_eq_tol(side, 0.135, 0.002);
			} else {
				ck_assert_double_ge(side, before);
			}
			if (v == 255 && !blocky)
				ck_assert_double_eq_tol(side, 1.0 / 3.0, 0.002);
			before = blocky ? before : side;
			RefMesh_Free(&mesh);
			RefField_Free(&field);
		}
}
END_TEST

static int Root(int *parent, int i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

/* Joins solid cells that touch by a face, an edge or a corner. -1: air. Caller frees. */
static int *Groups(const RefField *field)
{
	int n = field->nx * field->ny * field->nz;
	int *parent = malloc(sizeof(int) * (size_t)n);
	ck_assert_ptr_nonnull(parent);
	for (int i = 0; i < n; i++)
		parent[i] = i;
	for (int y = 0; y < field->ny; y++)
		for (int z = 0; z < field->nz; z++)
			for (int x = 0; x < field->nx; x++)
				for (int k = 0; k < 27; k++) {
					int dx = x + k % 3 - 1, dy = y + k / 3 % 3 - 1, dz = z + k / 9 - 1;
					if (RefField_Material(field, x, y, z) && RefField_Material(field, dx, dy, dz))
						parent[Root(parent, x + field->nx * (z + field->nz * y))] =
						    Root(parent, dx + field->nx * (dz + field->nz * dy));
				}
	for (int i = 0; i < n; i++)
		parent[i] = Root(parent, i);
	for (int i = 0; i < n; i++)
		if (field->material[i] == 0)
			parent[i] = -1;
	return parent;
}

START_TEST(every_group_has_a_surface)
{
	int groups = 0, invisible = 0;
	for (int i = 0; i < 12; i++) {
		Random random = {300 + (uint64_t)i};
		RefField field = RefField_Create(20, 20, 20);
		double share = 0.01 + 0.01 * i;
		for (int c = 0; c < 20 * 20 * 20; c++)
			if (Random_Unit(&random) < share) {
				field.material[c] = 1;
				/* whole ranges, weak ones, or few different ones, so that equal neighbours are common */
				field.value[c] = (uint8_t)(i % 3 == 0   ? Random_Below(&random, 256)
				                           : i % 3 == 1 ? Random_Below(&random, 128)
				                                        : 40 * Random_Below(&random, 4));
			}
		RefMesh mesh = MeshOf(&field, "groups", 300 + (uint64_t)i);
		int *group = Groups(&field);
		bool seen[20 * 20 * 20] = {false};
		for (int q = 0; q < mesh.quad_count; q++) {
			int c[3] = {mesh.quads[q].cell[0], mesh.quads[q].cell[1], mesh.quads[q].cell[2]};
			c[mesh.quads[q].axis] += mesh.quads[q].low_inside ? 0 : 1;
			int g = group[c[0] + 20 * (c[2] + 20 * c[1])];
			REQUIRE(g >= 0, "seed %d: a quad belongs to air", 300 + i);
			seen[g] = true;
		}
		for (int c = 0; c < 20 * 20 * 20; c++)
			if (group[c] == c) {
				groups++;
				invisible += !seen[c];
			}
		free(group);
		RefMesh_Free(&mesh);
		RefField_Free(&field);
	}
	ck_assert_int_gt(groups, 1000);
	ck_assert_int_eq(invisible, 0);
}
END_TEST

/* The rule leaves full-thickness shapes alone: no bumps on planes, boxes and balls. */
START_TEST(no_ghosts)
{
	Random random = {400};
	int raised = 0;
	for (int i = 0; i < 12; i++) {
		double n[3], center[3], r = Random_Range(&random, 1.5, 5.0);
		RandomDirection(&random, n);
		for (int k = 0; k < 3; k++)
			center[k] = 10.0 + Random_Range(&random, -1.0, 1.0);
		RefField field[3];
		for (int k = 0; k < 3; k++)
			field[k] = RefField_Create(20, 20, 20);
		for (int y = 0; y < 20; y++)
			for (int z = 0; z < 20; z++)
				for (int x = 0; x < 20; x++) {
					double d[3] = {x + 0.5 - center[0], y + 0.5 - center[1], z + 0.5 - center[2]};
					double box = r;
					for (int k = 0; k < 3; k++)
						box = box < r + 0.3 * k - fabs(d[k]) ? box : r + 0.3 * k - fabs(d[k]);
					RefField_Write(&field[0], x, y, z, 1, -(d[0] * n[0] + d[1] * n[1] + d[2] * n[2]));
					RefField_Write(&field[1], x, y, z, 1, r - sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
					RefField_Write(&field[2], x, y, z, 1, box);
				}
		for (int k = 0; k < 3; k++) {
			RefMesh mesh = RefMesh_Create(&field[k], true);
			/* The plane's ends on the field's sides are not of full thickness. */
			if (k > 0)
				raised += mesh.raised_cells;
			for (int y = 2; k == 0 && y < 18; y++)
				for (int z = 2; z < 18; z++)
					for (int x = 2; x < 18; x++)
						raised += RefField_RaisedValue(&field[k], x, y, z) != RefField_Value(&field[k], x, y, z);
			RefMesh_Free(&mesh);
			RefField_Free(&field[k]);
		}
	}
	ck_assert_int_eq(raised, 0);
}
END_TEST

/* ---- exact cubes ------------------------------------------------------------------------------------------------- */

/* Is the quad exactly the common face of its two cells? */
static bool IsUnitFace(const RefMesh *mesh, const RefQuad *quad)
{
	static const int round_u[4] = {-1, 1, 1, -1}, round_v[4] = {-1, -1, 1, 1};
	int u = (quad->axis + 1) % 3, v = (quad->axis + 2) % 3, found = 0;
	for (int k = 0; k < 4; k++) {
		const int *at = mesh->vertices[quad->corner[k]].at;
		if (at[quad->axis] != 4096 * quad->cell[quad->axis] + 2048)
			return false;
		for (int i = 0; i < 4; i++)
			if (at[u] == 4096 * quad->cell[u] + 2048 * round_u[i] && at[v] == 4096 * quad->cell[v] + 2048 * round_v[i])
				found |= 1 << i;
	}
	return found == 15;
}

START_TEST(cubes_are_exact)
{
	for (int i = 0; i < 5; i++) {
		Random random = {500 + (uint64_t)i};
		RefField field = RefField_Create(17, 17, 17);
		field.blockiness[1] = 256;
		int cells = 0, faces = 0;
		for (int c = 0; c < 17 * 17 * 17; c++)
			if (Random_Unit(&random) < 0.1 + 0.2 * i) {
				field.material[c] = 1;
				field.value[c] = 255;
				cells++;
			}
		for (int y = 0; y < 17; y++)
			for (int z = 0; z < 17; z++)
				for (int x = 0; x < 17; x++)
					if (RefField_Material(&field, x, y, z))
						faces += (RefField_Material(&field, x - 1, y, z) == 0) +
						         (RefField_Material(&field, x + 1, y, z) == 0) +
						         (RefField_Material(&field, x, y - 1, z) == 0) +
						         (RefField_Material(&field, x, y + 1, z) == 0) +
						         (RefField_Material(&field, x, y, z - 1) == 0) +
						         (RefField_Material(&field, x, y, z + 1) == 0);
		RefMesh mesh = MeshOf(&field, "cubes", 500 + (uint64_t)i);
		RefTopology t = RefMesh_Topology(&mesh);
		int inexact = 0;
		for (int q = 0; q < mesh.quad_count; q++)
			inexact += !IsUnitFace(&mesh, &mesh.quads[q]);
		ck_assert_int_eq(inexact, 0);
		ck_assert_int_eq(mesh.quad_count, faces);
		ck_assert_double_eq_tol(t.area, faces, 1e-6);
		ck_assert_double_eq_tol(t.volume, cells, 1e-6);
		ck_assert_int_eq(t.open + t.non_manifold + t.vertices + t.backwards + t.degenerate, 0);
		RefMesh_Free(&mesh);
		RefField_Free(&field);
	}
}
END_TEST

/* Beside any other material too. */
START_TEST(cubes_in_mixed_noise_are_exact)
{
	int blocky = 0, inexact = 0;
	for (int i = 0; i < 4; i++) {
		Random random = {600 + (uint64_t)i};
		RefField field = Field_Noise(18, 0.2 + 0.2 * i, &random);
		Field_MixBlockiness(&field);
		RefMesh mesh = MeshOf(&field, "mixed noise", 600 + (uint64_t)i);
		for (int q = 0; q < mesh.quad_count; q++)
			if (mesh.quads[q].material == 3) {
				blocky++;
				inexact += !IsUnitFace(&mesh, &mesh.quads[q]);
			}
		RefMesh_Free(&mesh);
		RefField_Free(&field);
	}
	ck_assert_int_gt(blocky, 2000);
	ck_assert_int_eq(inexact, 0);
}
END_TEST

Suite *suite_surface_shapes(void)
{
	Suite *suite = suite_create("surface_shapes");
	TCase *shapes = tcase_create("shapes");
	tcase_set_timeout(shapes, 120);
	tcase_add_test(shapes, writer);
	tcase_add_test(shapes, floors_are_flat);
	tcase_add_test(shapes, planes_are_exact);
	tcase_add_test(shapes, balls_are_round);
	tcase_add_test(shapes, single_cells);
	tcase_add_test(shapes, every_group_has_a_surface);
	tcase_add_test(shapes, no_ghosts);
	tcase_add_test(shapes, cubes_are_exact);
	tcase_add_test(shapes, cubes_in_mixed_noise_are_exact);
	suite_add_tcase(suite, shapes);
	return suite;
}
