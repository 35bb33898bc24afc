/* Meshes laid into cells: solids of known volume, against a slow twin that measures every triangle, and against
 * brushes. */
#include "corpus.h"
#include "mesh_store.h"
#include "random_turns.h"
#include "terrain/terrain.h"
#include "voxelise_twin.h"

#include <check.h>
#include <math.h>

/* Turned about some axis, grown and shifted. */
static void Move(Mesh *mesh, Quat turn, double scale, double x, double y, double z)
{
	for (int v = 0; v < Mesh_VertexCount(mesh); v++) {
		double *p = mesh->positions.data + 3 * v, q[3];
		double w[3] = {turn.y * p[2] - turn.z * p[1] + turn.w * p[0], turn.z * p[0] - turn.x * p[2] + turn.w * p[1],
		               turn.x * p[1] - turn.y * p[0] + turn.w * p[2]};
		q[0] = p[0] + 2.0 * (turn.y * w[2] - turn.z * w[1]);
		q[1] = p[1] + 2.0 * (turn.z * w[0] - turn.x * w[2]);
		q[2] = p[2] + 2.0 * (turn.x * w[1] - turn.y * w[0]);
		/* 2 u x (u x p + w p) + p, u the vector part */
		p[0] = scale * q[0] + x, p[1] = scale * q[1] + y, p[2] = scale * q[2] + z;
	}
}

/* Turned anyhow, and shifted to x and y within these. */
static void MoveByChance(Mesh *mesh, Random *random, double x0, double x1, double y0, double y1, double z)
{
	Quat turn = RandomTurn(random);
	double x = Random_Range(random, x0, x1), y = Random_Range(random, y0, y1);
	Move(mesh, turn, 1.0, x, y, z);
}

/* Every cell of the mesh's surroundings against the twin. Cells under 128 may have been dropped as invisible, and cells
 * deep inside may be full where parts overlap. */
static void CompareWithTwin(const Mesh *mesh, MeshRule rule, uint64_t seed)
{
	TwinField field = TwinField_Make(&heap, mesh, rule);
	int inside_cells = 0;
	for (int y = field.lo[1] + 1; y < field.lo[1] + field.size[1] - 1; y++)
		for (int z = field.lo[2] + 1; z < field.lo[2] + field.size[2] - 1; z++)
			for (int x = field.lo[0] + 1; x < field.lo[0] + field.size[0] - 1; x++) {
				int i = TwinField_Index(&field, x, y, z);
				double d = AbsD(field.d[i]) < 1.125 ? TwinField_Bent(&field, i) : field.d[i];
				bool inside = field.inside[i];
				Voxel got = Store_Get(store, (Cell){x, y, z});
				int v = got.material ? got.occupancy : -1;
				int want = (int)(255.0 * ClampD(0.5 + 0.5 * d, 0.0, 1.0) + 0.5);
				inside_cells += inside;
				bool good = Int_Max(v, 0) - want <= 2 && want - Int_Max(v, 0) <= 2;
				good = good || (want < 129 && v < 1) || (inside && want > 126 && v == 255);
				REQUIRE(good, "seed %llu, cell %d %d %d: %d, wanted %d (d %g, bent %g)", (unsigned long long)seed, x, y,
				        z, v, want, field.d[i], d);
			}
	REQUIRE(inside_cells > 50, "seed %llu: hardly anything is inside", (unsigned long long)seed);
	free(field.d);
	free(field.inside);
}

START_TEST(test_twin)
{
	for (uint64_t seed = 1; seed <= 24; seed++) {
		Random random = {seed};
		Mesh mesh = {0};
		int parts = 1 + (int)(seed % 2);
		for (int part = 0; part < parts; part++) {
			Mesh one = {0};
			const double lo[3] = {-3.1, -2.2, -4.0}, hi[3] = {2.7, 4.1, 3.3};
			if ((seed + (uint64_t)part) % 3 == 0)
				Sample_Box(&heap, &one, lo, hi);
			else if ((seed + (uint64_t)part) % 3 == 1)
				Sample_Ball(&heap, &one, 5.3, 5, 7);
			else
				Sample_Torus(&heap, &one, 4.4, 1.9, 7, 5);
			double step = part * Random_Range(&random, 2.0, 5.0);
			MoveByChance(&one, &random, -40, 40, -40, 40, 0.0);
			Move(&one, QuatIdentity(), 1.0, part ? mesh.positions.data[0] - one.positions.data[0] + step : 0.0,
			     part ? mesh.positions.data[1] - one.positions.data[1] : 0.0, 31.0);
			uint32_t base = (uint32_t)Mesh_VertexCount(&mesh);
			for (int v = 0; v < Mesh_VertexCount(&one); v++)
				Sample_Vertex(&heap, &mesh, one.positions.data[3 * v], one.positions.data[3 * v + 1],
				              one.positions.data[3 * v + 2]);
			for (int t = 0; t < one.indices.count; t += 3)
				Sample_Triangle(&heap, &mesh, base + one.indices.data[t], base + one.indices.data[t + 1],
				                base + one.indices.data[t + 2]);
			Mesh_Free(&heap, &one);
		}
		MeshRule rule = seed % 4 < 2 ? MESH_WINDING : seed % 4 == 2 ? MESH_PARITY : MESH_VOTE;
		Fill(&mesh, rule, ROCK, EDIT_SET, NULL);
		CompareWithTwin(&mesh, rule, seed);
		Clear();
		Mesh_Free(&heap, &mesh);
	}
}
END_TEST

/* ---- known solids ------------------------------------------------------------------------------------------------ */

/* The volume within the surface that bodies would meet, and how far its vertices are from the mesh: of those farther
 * than `away` from the mesh's vertices (where edges are rounded). */
static void MeasureSurface(const Mesh *mesh, double away, double *volume, double *farthest)
{
	Terrain *terrain = Terrain_Create(&memory.memory, store, &table, 1.0, NARROWPHASE_KDTREE);
	Error error = {0};
	TerrainMesh surface;
	ck_assert_int_eq(Terrain_Sync(terrain, &error), 0);
	ck_assert_int_eq(Terrain_Mesh(terrain, NULL, &surface, &error), 0);
	*volume = *farthest = 0.0;
	for (int64_t t = 0; t < surface.triangle_count; t++) {
		const double *p[3];
		for (int i = 0; i < 3; i++)
			p[i] = surface.positions + 3 * (size_t)surface.indices[3 * t + i];
		*volume +=
		    (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
		     p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
		    6.0;
	}
	for (int64_t v = 0; v < surface.vertex_count; v += 53) { /* all would take minutes */
		const double *p = surface.positions + 3 * v;
		double best = DBL_MAX, second = DBL_MAX;
		for (int t = 0; t < mesh->indices.count; t += 3) {
			const double *k[3];
			for (int i = 0; i < 3; i++)
				k[i] = mesh->positions.data + 3 * mesh->indices.data[t + i];
			double d = TriangleSq(p, k[0], k[1], k[2]);
			second = MinD(second, d > best ? d : best);
			best = MinD(best, d);
		}
		if (away == 0.0 || sqrt(second) < 1e-9 || sqrt(second) > away)
			*farthest = MaxD(*farthest, sqrt(best));
	}
	TerrainMesh_Free(&memory.memory, &surface);
	Terrain_Destroy(terrain);
}

static void CheckSolid(const Mesh *mesh, const char *what, double away)
{
	MeshSurvey survey;
	Error error;
	double volume, farthest;
	ck_assert_int_eq(Mesh_Survey(&heap, mesh, &survey, &error), 0);
	ck_assert(survey.balanced);
	Fill(mesh, MESH_WINDING, ROCK, EDIT_SET, NULL);
	MeasureSurface(mesh, away, &volume, &farthest);
	ck_assert_msg(AbsD(volume - survey.volume) < 0.01 * survey.volume, "%s: volume %g, wanted %g", what, volume,
	              survey.volume);
	ck_assert_msg(AbsD(Matter() - survey.volume) < 0.01 * survey.volume, "%s: matter %g, wanted %g", what, Matter(),
	              survey.volume);
	ck_assert_msg(farthest < 0.05, "%s: a vertex is %g cells off", what, farthest);
	Clear();
}

START_TEST(test_solids)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		Random random = {seed};
		Mesh mesh = {0};
		Sample_Ball(&heap, &mesh, 16.0, 48, 96);
		MoveByChance(&mesh, &random, -9, 9, -99, 9, 0.3);
		CheckSolid(&mesh, "ball", 0.0);
		Mesh_Free(&heap, &mesh);
		Sample_Torus(&heap, &mesh, 30.0, 9.0, 96, 48);
		MoveByChance(&mesh, &random, -9, 9, -9, 9, 70.1);
		CheckSolid(&mesh, "torus", 0.0);
		Mesh_Free(&heap, &mesh);
		const double lo[3] = {-12.0, -9.0, -15.0}, hi[3] = {12.0, 9.0, 15.0};
		Sample_Box(&heap, &mesh, lo, hi);
		MoveByChance(&mesh, &random, -9, 9, -9, 9, -31.7);
		CheckSolid(&mesh, "box", 2.0);
		Mesh_Free(&heap, &mesh);
	}
}
END_TEST

/* Small round solids keep their volume, and edges of flat ones do not stick out. */
START_TEST(test_curved)
{
	static const struct {
		double radius, most;
	} balls[] = {{3, 0.06}, {4, 0.01}, {6, 0.005}, {10, 0.002}};
	Random random = {7};
	double farthest;
	for (int i = 0; i <= COUNT_OF(balls); i++) {
		bool torus = i == COUNT_OF(balls);
		double most = torus ? 0.03 : balls[i].most, volume;
		Mesh mesh = {0};
		MeshSurvey survey;
		Error error;
		if (torus)
			Sample_Torus(&heap, &mesh, 8, 2.5, 64, 32);
		else
			Sample_Ball(&heap, &mesh, balls[i].radius, 32, 64);
		MoveByChance(&mesh, &random, -9, 9, -9, 9, 0.3);
		ck_assert_int_eq(Mesh_Survey(&heap, &mesh, &survey, &error), 0);
		Fill(&mesh, MESH_WINDING, ROCK, EDIT_SET, NULL);
		MeasureSurface(&mesh, 0.0, &volume, &farthest);
		ck_assert_msg(AbsD(volume - survey.volume) < most * survey.volume, "solid %d: volume %g, wanted %g", i, volume,
		              survey.volume);
		Clear();
		Mesh_Free(&heap, &mesh);
	}
	for (int i = 0; i < 6; i++) {
		Mesh mesh = {0};
		const double lo[3] = {-9.0, -7.0, -6.0}, hi[3] = {9.0, 7.0, 6.0};
		double radians = 0.2 + 0.3 * i, c = cos(radians), s = sin(radians), most = 0.0;
		Sample_Box(&heap, &mesh, lo, hi);
		for (int k = 0; k < mesh.positions.count; k += 3) {
			double *p = mesh.positions.data + k, x = p[0], y = p[1];
			p[0] = c * x - s * y + 0.31;
			p[1] = 0.8 * (s * x + c * y) - 0.6 * p[2] + 0.17;
			p[2] = 0.6 * (s * x + c * y) + 0.8 * p[2] - 0.23;
		}
		Fill(&mesh, MESH_WINDING, ROCK, EDIT_SET, NULL);
		Terrain *terrain = Terrain_Create(&memory.memory, store, &table, 1.0, NARROWPHASE_KDTREE);
		Error error = {0};
		TerrainMesh surface;
		ck_assert_int_eq(Terrain_Sync(terrain, &error), 0);
		ck_assert_int_eq(Terrain_Mesh(terrain, NULL, &surface, &error), 0);
		for (int64_t v = 0; v < surface.vertex_count; v++) {
			const double *p = surface.positions + 3 * v;
			double x = p[0] - 0.31, y = 0.8 * (p[1] - 0.17) + 0.6 * (p[2] + 0.23);
			double z = -0.6 * (p[1] - 0.17) + 0.8 * (p[2] + 0.23);
			double out[3] = {AbsD(c * x + s * y) - 9.0, AbsD(-s * x + c * y) - 7.0, AbsD(z) - 6.0};
			double farther = MaxD(out[0], MaxD(out[1], out[2]));
			double nearer = out[0] + out[1] + out[2] - farther - MinD(out[0], MinD(out[1], out[2]));
			most = MaxD(most, farther);
			ck_assert_msg(nearer > -2.5 || AbsD(farther) < 1.0 / 128, "box %d: a face is %g off", i, farther);
		}
		ck_assert_msg(most < 0.08 && surface.vertex_count > 500, "box %d: sticks out by %g", i, most);
		TerrainMesh_Free(&memory.memory, &surface);
		Terrain_Destroy(terrain);
		Clear();
		Mesh_Free(&heap, &mesh);
	}
}
END_TEST

/* A floor asked for at y = 3.37 is at 3.37; faces on the grid are as a brush leaves them. */
START_TEST(test_boxes)
{
	Mesh mesh = {0};
	const double lo[3] = {-20.0, -3.0, 4.0}, hi[3] = {13.0, 3.37, 40.0};
	Sample_Box(&heap, &mesh, lo, hi);
	Fill(&mesh, MESH_WINDING, ROCK, EDIT_SET, NULL);
	ck_assert_int_eq(Store_Get(store, (Cell){0, 2, 20}).occupancy, 128 + (int)(128 * 0.87));
	ck_assert_int_eq(Store_Get(store, (Cell){0, 3, 20}).occupancy, 127 - (int)(128 * 0.13));
	ck_assert_int_eq(Store_Get(store, (Cell){0, 4, 20}).material, 0);
	ck_assert_int_eq(Store_Get(store, (Cell){-20, 0, 20}).occupancy, 255);
	ck_assert_int_eq(Store_Get(store, (Cell){-21, 0, 20}).material, 0);
	Clear();
	mesh.positions.count = mesh.indices.count = 0;
	const double low[3] = {-20.0, -3.0, 4.0}, high[3] = {13.0, 33.0, 40.0};
	Sample_Box(&heap, &mesh, low, high);
	/* over cells of brick, which are full or nothing, and over soft sand, whose fringes are mended */
	const uint8_t grounds[2] = {(uint8_t)MaterialTable_Find(&table, "brick"),
	                            (uint8_t)MaterialTable_Find(&table, "sand")};
	for (int k = 0; k < 8; k++) {
		EditMode mode = (EditMode)(EDIT_SET + k % 4);
		uint8_t ground = grounds[k / 4];
		Brush ball = {BRUSH_BALL, {10, 5, 20}, {14, 14, 14}, {{0}}, false};
		Brush box = {BRUSH_BOX, {-3.5, 15, 22}, {16.5, 18, 18}, {{0}}, false};
		uint64_t hash[2];
		for (int way = 0; way < 2; way++) {
			Error error;
			MeshFill fill = FillOf(&mesh, MESH_WINDING);
			ck_assert_int_eq(Store_Fill(store, &table, &ball, ground, EDIT_SET, NULL, &error), 0);
			if (way == 0)
				ck_assert_int_eq(Store_Fill(store, &table, &box, ROCK, mode, NULL, &error), 0);
			else
				ck_assert_int_eq(Store_FillMesh(store, &table, &fill, ROCK, mode, NULL, &error), 0);
			hash[way] = HashStore();
			Clear();
		}
		ck_assert_msg(hash[0] == hash[1], "mode %d", mode);
	}
	/* water to the brim, and away again */
	Fill(&mesh, MESH_WINDING, MATERIAL_WATER, EDIT_SET, NULL);
	ck_assert_int_eq(Store_Get(store, (Cell){0, 0, 20}).water, 255);
	ck_assert_int_eq(Store_Get(store, (Cell){0, 33, 20}).water, 0);
	Fill(&mesh, MESH_WINDING, MATERIAL_WATER, EDIT_REMOVE, NULL);
	CellBox bounds;
	ck_assert(!Store_Bounds(store, &bounds));
	Mesh_Free(&heap, &mesh);
}
END_TEST

static double HeightAt(int x, int z)
{
	double height = -1e9;
	for (int y = -9; y < 20; y++) {
		Voxel a = Store_Get(store, (Cell){x, y, z}), b = Store_Get(store, (Cell){x, y + 1, z});
		int in = a.material ? a.occupancy : 0, out = b.material ? b.occupancy : 0;
		if (in < 128 || out >= 128)
			continue;
		ck_assert_msg(height < -1e8, "two surfaces over %d %d", x, z);
		height = y + 0.5 + (in - 127.5) / (in - out);
	}
	return height;
}

/* Slabs of every height over hard ground, and hard slabs over ground of every height, filled and dug, over many chunks:
 * the surface is where the higher (when digging the lower) of the two is. */
START_TEST(test_fringes)
{
	for (int k = 0; k < 48; k++) {
		double top = 1.03 + (k / 2 % 12) / 6.0, plane = k % 2 ? 2.0 : top, other = k % 2 ? top : 2.0;
		bool dig = k >= 24;
		const double lo[3] = {-44.0, dig ? plane : -6.0, -37.0}, hi[3] = {45.0, dig ? 9.0 : plane, 40.0};
		Brush ground = {BRUSH_BOX, {0, 0.5 * (other - 7.0), 0}, {60, 0.5 * (other + 7.0), 60}, {{0}}, false};
		Mesh mesh = {0};
		Error error = {0};
		Tally tally = {0};
		Sample_Box(&heap, &mesh, lo, hi);
		ck_assert_int_eq(Store_Fill(store, &table, &ground, ROCK, EDIT_SET, NULL, &error), 0);
		Fill(&mesh, MESH_WINDING, ROCK, dig ? EDIT_REMOVE : EDIT_SET, &tally);
		double wanted = dig ? MinD(top, 2.0) : MaxD(top, 2.0);
		for (int i = 0; i < 9; i++) {
			double got = HeightAt(-33 + 8 * i, 31 - 7 * i);
			ck_assert_msg(AbsD(got - wanted) < 1.0 / 128, "%d: %g against %g: surface at %g", k, plane, other, got);
		}
		ck_assert_int_eq(dig ? tally.added[ROCK] : tally.removed[ROCK], 0);
		Clear();
		Mesh_Free(&heap, &mesh);
	}
}
END_TEST

/* Blocky materials get whole cells or none, by their centres. */
START_TEST(test_blocky)
{
	Mesh mesh = {0};
	Sample_Ball(&heap, &mesh, 9.0, 12, 20);
	int brick = MaterialTable_Find(&table, "brick");
	Fill(&mesh, MESH_WINDING, brick, EDIT_SET, NULL);
	int count = 0;
	for (int y = -11; y <= 11; y++)
		for (int z = -11; z <= 11; z++)
			for (int x = -11; x <= 11; x++) {
				double p[3] = {x + 0.5, y + 0.5, z + 0.5}, winding;
				double d = TwinDistance(&mesh, p, &winding);
				Voxel v = Store_Get(store, (Cell){x, y, z});
				REQUIRE(d < 1e-3 || (v.material == brick) == (winding > 0.5), "cell %d %d %d", x, y, z);
				REQUIRE(v.material == 0 || v.occupancy == 255, "cell %d %d %d", x, y, z);
				count += v.material == brick;
			}
	ck_assert_int_gt(count, 2700);
	Mesh_Free(&heap, &mesh);
}
END_TEST

/* Turned inside out, turned triangle by triangle, or moved by whole cells: the same. */
START_TEST(test_same)
{
	Mesh mesh = {0};
	Sample_Torus(&heap, &mesh, 11.3, 4.2, 20, 12);
	Move(&mesh, RandomTurn(&(Random){5}), 1.0, 3.3, -8.1, 40.7);
	Fill(&mesh, MESH_WINDING, ROCK, EDIT_SET, NULL);
	uint64_t hash = HashStore();
	double matter = Matter();
	Clear();
	for (int t = 0; t < mesh.indices.count; t += 3) {
		uint32_t swap = mesh.indices.data[t];
		mesh.indices.data[t] = mesh.indices.data[t + 1];
		mesh.indices.data[t + 1] = swap;
	}
	Fill(&mesh, MESH_WINDING, ROCK, EDIT_SET, NULL);
	ck_assert_uint_eq(HashStore(), hash);
	Clear();
	for (int t = 0; t < mesh.indices.count; t += 9) {
		uint32_t swap = mesh.indices.data[t];
		mesh.indices.data[t] = mesh.indices.data[t + 2];
		mesh.indices.data[t + 2] = swap;
	}
	Fill(&mesh, MESH_PARITY, ROCK, EDIT_SET, NULL);
	ck_assert_uint_eq(HashStore(), hash);
	Clear();
	static const double shifts[][3] = {{31, 1, -1}, {-1000, 77, 12345}, {1 << 20, -(1 << 20), 1 << 19}};
	for (int s = 0; s < COUNT_OF(shifts); s++) {
		Mesh moved = {0};
		for (int v = 0; v < Mesh_VertexCount(&mesh); v++)
			Sample_Vertex(&heap, &moved, mesh.positions.data[3 * v] + shifts[s][0],
			              mesh.positions.data[3 * v + 1] + shifts[s][1], mesh.positions.data[3 * v + 2] + shifts[s][2]);
		MeshFill fill = FillOf(&mesh, MESH_PARITY);
		Error error;
		fill.positions = moved.positions.data;
		ck_assert_int_eq(Store_FillMesh(store, &table, &fill, ROCK, EDIT_SET, NULL, &error), 0);
		ck_assert_msg(AbsD(Matter() - matter) < 1e-4 * matter, "shift %d: %.17g, %.17g", s, Matter(), matter);
		Clear();
		Mesh_Free(&heap, &moved);
	}
	Mesh_Free(&heap, &mesh);
}
END_TEST

/* ---- open meshes ------------------------------------------------------------------------------------------------- */

START_TEST(test_open)
{
	Mesh mesh = {0};
	MeshSurvey survey;
	Error error;
	Sample_Ball(&heap, &mesh, 14.0, 16, 24);
	Mesh_Survey(&heap, &mesh, &survey, &error);
	double volume = survey.volume;
	mesh.indices.count -= 3 * 6;                   /* some holes at the last sides */
	mesh.indices.data[90] = mesh.indices.data[91]; /* and one that is degenerate */
	Mesh_Survey(&heap, &mesh, &survey, &error);
	ck_assert(survey.open_edges > 0 && !survey.even && !survey.balanced);
	Fill(&mesh, MESH_VOTE, ROCK, EDIT_SET, NULL);
	ck_assert_msg(AbsD(Matter() - volume) < 0.015 * volume, "matter %g, wanted %g", Matter(), volume);
	Clear();
	/* a shell of the whole */
	Fill(&mesh, MESH_SHELL, ROCK, EDIT_SET, NULL);
	ck_assert_msg(AbsD(Matter() - 3.0 * survey.area) < 0.03 * 3.0 * survey.area, "matter %g, wanted %g", Matter(),
	              3.0 * survey.area);
	ck_assert_int_eq(Store_Get(store, (Cell){0, 0, 0}).material, 0);
	Clear();
	Mesh_Free(&heap, &mesh);
	/* a sheet has no inside, but a thickness */
	for (int i = 0; i < 4; i++)
		Sample_Vertex(&heap, &mesh, i & 1 ? 20.0 : -20.0, i & 1 ? 8.0 : 0.0, i & 2 ? 20.0 : -20.0);
	Sample_Quad(&heap, &mesh, 0, 2, 3, 1);
	Fill(&mesh, MESH_VOTE, ROCK, EDIT_SET, NULL);
	ck_assert_int_eq(Store_SolidCells(store), 0);
	Clear();
	MeshFill fill = FillOf(&mesh, MESH_SHELL);
	fill.thickness = 0.01; /* widened to 1.5 */
	ck_assert_int_eq(Store_FillMesh(store, &table, &fill, ROCK, EDIT_SET, NULL, &error), 0);
	double area = 40.0 * sqrt(40.0 * 40.0 + 8.0 * 8.0);
	/* and a rim of less than a cell all around */
	ck_assert_msg(Matter() > 1.5 * area && Matter() < 1.15 * 1.5 * area, "matter %g, wanted %g", Matter(), 1.5 * area);
	Mesh_Free(&heap, &mesh);
}
END_TEST

/* ---- real meshes ------------------------------------------------------------------------------------------------- */

START_TEST(test_corpus)
{
	static const struct {
		const char *name;
		double scale;
	} files[] = {{"mesh/bunny_902.obj", 50.0},
	             {"mesh/groups.obj", 12.0},
	             {"mesh/catmark_torus_creases0.obj", 30.0},
	             {"mesh/negative_indices.obj", 13.3},
	             {"mesh/stanford-bunny.obj", 500.0}};
	for (int i = 0; i < COUNT_OF(files); i++) {
		CorpusFile file = Corpus_Open(files[i].name);
		char *facts = Corpus_Facts(files[i].name);
		if (!file.data || !facts)
			continue;
		Mesh mesh;
		MeshSurvey survey;
		Error error = {0};
		double want, s = files[i].scale;
		ck_assert_msg(Mesh_ReadObj(&heap, file.data, file.size, &mesh, &error) == 0, "%s", error.text);
		ck_assert_int_eq(Mesh_Survey(&heap, &mesh, &survey, &error), 0);
		ck_assert(Corpus_Number(facts, "signed_volume", &want));
		want *= s * s * s;
		Move(&mesh, QuatIdentity(), s, 0.21, -7.3, 100.4);
		Fill(&mesh, survey.balanced ? MESH_WINDING : MESH_VOTE, ROCK, EDIT_SET, NULL);
		ck_assert_msg(AbsD(Matter() - want) < (survey.balanced ? 0.01 : 0.025) * want, "%s: matter %g, wanted %g",
		              files[i].name, Matter(), want);
		Clear();
		Mesh_Free(&heap, &mesh);
		free(facts);
		Corpus_Close(&file);
	}
}
END_TEST

/* ---- mistakes, limits, memory ------------------------------------------------------------------------------------ */

static void ExpectRefusal(const MeshFill *fill, int material, EditMode mode, ErrorCode code, const char *word)
{
	uint64_t hash = HashStore(), version = Store_Version(store);
	size_t bytes = memory.memory.bytes;
	Error error = {0};
	int got = Store_FillMesh(store, &table, fill, (uint8_t)material, mode, NULL, &error);
	ck_assert_msg(got == (int)code && (int)error.code == got, "%d instead of %d: %s", got, code, error.text);
	ck_assert_msg(strstr(error.text, word) != NULL, "no \"%s\" in \"%s\"", word, error.text);
	ck_assert(HashStore() == hash && Store_Version(store) == version && memory.memory.bytes == bytes);
}

START_TEST(test_refused)
{
	Mesh mesh = {0};
	Sample_Ball(&heap, &mesh, 5.0, 6, 8);
	MeshFill good = FillOf(&mesh, MESH_WINDING), fill = good;
	fill.triangle_count = 0;
	ExpectRefusal(&fill, ROCK, EDIT_SET, ERROR_ARGUMENT, "no triangles");
	ExpectRefusal(&good, 250, EDIT_SET, ERROR_ARGUMENT, "material");
	ExpectRefusal(&good, MATERIAL_AIR, EDIT_PAINT, ERROR_ARGUMENT, "painted");
	fill = good;
	fill.rule = MESH_SHELL;
	fill.thickness = -1.0;
	ExpectRefusal(&fill, ROCK, EDIT_SET, ERROR_ARGUMENT, "thickness");
	fill = good;
	fill.vertex_count = 3;
	ExpectRefusal(&fill, ROCK, EDIT_SET, ERROR_ARGUMENT, "no vertex");
	static const double far[] = {1e300, 2e9, -2e9, (double)NAN};
	for (int i = 0; i < COUNT_OF(far); i++) {
		mesh.positions.data[1] = far[i];
		ExpectRefusal(&good, ROCK, EDIT_SET, ERROR_LIMIT, "on the y axis");
	}
	/* many huge triangles: refused before minutes have passed */
	Mesh sheets = {0};
	for (int i = 0; i < 3; i++)
		Sample_Vertex(&heap, &sheets, i == 1 ? 8000.0 : 0.3, i == 2 ? 90.0 : 0.1, i == 2 ? 8000.0 : 0.2);
	for (int i = 0; i < 5000; i++)
		Sample_Triangle(&heap, &sheets, 0, 1, 2);
	fill = FillOf(&sheets, MESH_SHELL);
	ExpectRefusal(&fill, ROCK, EDIT_SET, ERROR_LIMIT, "too large");
	Mesh_Free(&heap, &sheets);
	mesh.positions.data[1] = 1e6;
	ExpectRefusal(&good, ROCK, EDIT_SET, ERROR_LIMIT, "spans");
	mesh.positions.data[0] = mesh.positions.data[1] = mesh.positions.data[2] = 1e5;
	ExpectRefusal(&good, ROCK, EDIT_SET, ERROR_LIMIT, "chunks");
	Mesh_Free(&heap, &mesh);
}
END_TEST

START_TEST(test_memory)
{
	Mesh mesh = {0};
	Sample_Ball(&heap, &mesh, 7.0, 6, 8);
	for (int rule = MESH_WINDING; rule <= MESH_SHELL; rule++) {
		MeshFill fill = FillOf(&mesh, (MeshRule)rule);
		uint64_t hash = HashStore();
		size_t bytes = memory.memory.bytes;
		bool done = false;
		for (long n = 0; !done; n++) {
			Error error = {0};
			memory.left = n;
			memory.failed = false;
			int code = Store_FillMesh(store, &table, &fill, ROCK, EDIT_SET, NULL, &error);
			done = !memory.failed;
			memory.left = -1;
			ck_assert_int_eq(code, done ? 0 : ERROR_MEMORY);
			if (!done)
				ck_assert(HashStore() == hash && memory.memory.bytes <= bytes + 65536); /* rooms may have grown */
		}
		ck_assert(HashStore() != hash);
		Clear();
	}
	Mesh_Free(&heap, &mesh);
}
END_TEST

Suite *suite_voxelise(void)
{
	Suite *suite = suite_create("voxelise");
	TCase *all = tcase_create("all");
	tcase_add_checked_fixture(all, SetupMeshes, TeardownMeshes);
	tcase_add_test(all, test_twin);
	tcase_add_test(all, test_solids);
	tcase_add_test(all, test_curved);
	tcase_add_test(all, test_boxes);
	tcase_add_test(all, test_fringes);
	tcase_add_test(all, test_blocky);
	tcase_add_test(all, test_same);
	tcase_add_test(all, test_open);
	tcase_add_test(all, test_corpus);
	tcase_add_test(all, test_refused);
	tcase_add_test(all, test_memory);
	suite_add_tcase(suite, all);
	return suite;
}
