/* The surface where shapes have edges, where they meet and where they are thin: boxes, combinations, seams, plates. See
 * test_surface_accuracy.c. */
#include "surface_measures.h"

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Distances of a point from the planes of the nearest three faces, nearest first; positive inside. */
static void FaceDistances(const Brush *box, const double at[3], double d[3])
{
	double local[3];
	ToLocal(box, at, local);
	for (int i = 0; i < 3; i++)
		d[i] = box->half[i] - fabs(local[i]);
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2 - i; k++)
			if (d[k] > d[k + 1]) {
				double swap = d[k];
				d[k] = d[k + 1];
				d[k + 1] = swap;
			}
}

static double DistanceToSegment(const double p[3], const double a[3], const double b[3])
{
	double ab[3], ap[3];
	for (int i = 0; i < 3; i++) {
		ab[i] = b[i] - a[i];
		ap[i] = p[i] - a[i];
	}
	double t = ClampD(DotOf(ab, ap) / DotOf(ab, ab), 0.0, 1.0);
	for (int i = 0; i < 3; i++)
		ap[i] -= t * ab[i];
	return sqrt(DotOf(ap, ap));
}

/* How far the mesh's edges keep from a point. */
static double GapAt(const RefMesh *mesh, const double at[3])
{
	double gap = 1e9;
	for (int q = 0; q < mesh->quad_count; q++)
		for (int k = 0; k < 5; k++) {
			const int *corner = mesh->quads[q].corner;
			double a[3], b[3];
			VertexAt(mesh, corner[k < 4 ? k : 0], a);
			VertexAt(mesh, corner[k < 4 ? (k + 1) & 3 : 2], b);
			double d = DistanceToSegment(at, a, b);
			gap = d < gap ? d : gap;
		}
	return gap;
}

static void WorldPoint(const Brush *box, const double local[3], double at[3])
{
	for (int i = 0; i < 3; i++) {
		at[i] = box->center[i];
		for (int j = 0; j < 3; j++)
			at[i] += box->rotation[i][j] * local[j];
	}
}

START_TEST(boxes)
{
	Spread faces = {0}, normals = {0}, edges = {0}, corners = {0};
	Random random = {400};
	const int n = 40;
	for (int i = 0; i < 4; i++) {
		double center[3], axis[3];
		for (int k = 0; k < 3; k++)
			center[k] = 0.5 * n + Random_Range(&random, -0.5, 0.5);
		RandomDirection(&random, axis);
		World world;
		World_Make(&world);
		Brush box = MakeBrush(BRUSH_BOX, center, 9.0, 7.0, 6.0);
		TurnTo(&box, axis, &random);
		Fill(&world, &box, EDIT_SET);
		RefMesh mesh = World_Mesh(&world, n);
		for (int v = 0; v < mesh.vertex_count; v++) {
			double at[3], d[3];
			VertexAt(&mesh, v, at);
			FaceDistances(&box, at, d);
			if (d[1] > 2.0)
				Spread_Add(&faces, d[0]);
		}
		for (int q = 0; q < mesh.quad_count; q++)
			for (int half = 0; half < 2; half++) {
				double p[3][3], normal[3], d[3], local[3], least = 180.0;
				bool inner = true;
				TriangleAt(&mesh, q, half, p, normal);
				for (int k = 0; k < 3; k++) {
					FaceDistances(&box, p[k], d);
					inner = inner && d[1] > 2.0;
				}
				for (int j = 0; inner && j < 6; j++) {
					for (int k = 0; k < 3; k++)
						local[k] = (j & 1 ? -1.0 : 1.0) * box.rotation[k][j / 2];
					least = MinD(least, AngleOf(local, normal));
				}
				if (inner)
					Spread_Add(&normals, least);
			}
		for (int k = 0; k < 12; k++) {
			int along = k / 4;
			double local[3], at[3];
			for (int j = 0; j < 3; j++)
				local[j] = box.half[j];
			local[(along + 1) % 3] *= k & 1 ? -1.0 : 1.0;
			local[(along + 2) % 3] *= k & 2 ? -1.0 : 1.0;
			local[along] *= Random_Range(&random, -0.5, 0.5);
			WorldPoint(&box, local, at);
			Spread_Add(&edges, GapAt(&mesh, at));
			if (k < 8) {
				for (int j = 0; j < 3; j++)
					local[j] = k >> j & 1 ? box.half[j] : -box.half[j];
				WorldPoint(&box, local, at);
				Spread_Add(&corners, GapAt(&mesh, at));
			}
		}
		RefMesh_Free(&mesh);
	}
	CheckSpread(&faces, "faces of turned boxes", 0.0015, WRITTEN + STORED);
	CheckSpread(&normals, "normals of turned boxes", 0.15, 0.585);
	/* An edge is rounded, as if by a ball of radius about 1; sharp ones take blockiness. */
	CheckSpread(&edges, "gaps at edges of turned boxes", 0.5, 0.675);
	CheckSpread(&corners, "gaps at corners of turned boxes", 1.0, 1.05);
	ck_assert_msg(fabs(edges.sum / edges.count - 0.44) < 0.06, "gaps at edges: %g", edges.sum / edges.count);
}
END_TEST

/* ---- shapes together --------------------------------------------------------------------------------------------- */

/* Off the nearer of two balls, where the other is not near. */
static double TwoBallsOff(const double p[3], const void *shape)
{
	const BallShape *ball = shape;
	double off[2];
	for (int k = 0; k < 2; k++) {
		double at[3] = {p[0] - ball[k].center[0], p[1] - ball[k].center[1], p[2] - ball[k].center[2]};
		off[k] = sqrt(DotOf(at, at)) - ball[k].r;
	}
	int near = fabs(off[0]) < fabs(off[1]) ? 0 : 1;
	return fabs(off[1 - near]) > 2.5 ? off[near] : (double)NAN;
}

/* Two balls united, or one dug out of the other: off the line where they meet each is as good as alone. */
START_TEST(combinations)
{
	for (int dig = 0; dig < 2; dig++) {
		Spread spread = {0};
		Random random = {500 + (uint64_t)dig};
		const int n = 34;
		for (int i = 0; i < 4; i++) {
			BallShape shape[2];
			World world;
			World_Make(&world);
			for (int k = 0; k < 2; k++) {
				shape[k].r = Random_Range(&random, 6.0, 7.0);
				for (int j = 0; j < 3; j++)
					shape[k].center[j] = 17.0 + Random_Range(&random, -3.0, 3.0) + (j == 0 ? 8 * k - 4 : 0);
				Brush ball = MakeBrush(BRUSH_BALL, shape[k].center, shape[k].r, 0.0, 0.0);
				Fill(&world, &ball, k && dig ? EDIT_REMOVE : EDIT_SET);
			}
			RefMesh mesh = World_Mesh(&world, n);
			RefTopology t = RefMesh_Topology(&mesh);
			ck_assert_int_eq(t.open + t.non_manifold + t.vertices + t.backwards + t.degenerate, 0);
			MeasureSurface(&mesh, TwoBallsOff, shape, &spread);
			RefMesh_Free(&mesh);
		}
		CheckSpread(&spread, dig ? "a ball less a ball" : "two balls", 0.021, 0.065);
	}
}
END_TEST

/* The top of two boxes side by side, y = 9.37, about the plane x = seam where they meet. */
static Spread MeasureSeam(double left_end, double right_begin)
{
	World world;
	World_Make(&world);
	Brush left = MakeBox(-10, -10, -10, left_end, 9.37, 40), right = MakeBox(right_begin, -10, -10, 40, 9.37, 40);
	Fill(&world, &left, EDIT_SET);
	Fill(&world, &right, EDIT_SET);
	const int n = 20;
	RefMesh mesh = World_Mesh(&world, n);
	Spread spread = {0};
	for (int v = 0; v < mesh.vertex_count; v++) {
		double at[3];
		VertexAt(&mesh, v, at);
		if (IsInner(&mesh.vertices[v], n))
			Spread_Add(&spread, at[1] - 9.37);
	}
	RefMesh_Free(&mesh);
	return spread;
}

START_TEST(seams)
{
	Spread grid = {0}, none = {0}, one = {0}, two = {0};
	grid = MeasureSeam(10.0, 10.0);
	CheckSpread(&grid, "fills that meet on a grid plane", WRITTEN, WRITTEN);
	for (int k = 1; k < 16; k += 2) {
		double seam = 10.0 + k / 16.0;
		Spread apart = MeasureSeam(seam, seam), by_one = MeasureSeam(seam, seam - 1.0);
		Spread by_two = MeasureSeam(seam, seam - 2.0);
		Spread_Add(&none, apart.most);
		Spread_Add(&one, by_one.most);
		Spread_Add(&two, by_two.most);
	}
	/* A groove, which the manual says to avoid: by grid planes, or by overlapping. */
	CheckSpread(&none, "fills that meet elsewhere", 0.425, 0.425);
	CheckSpread(&one, "fills that overlap by 1", 0.0365, 0.0365);
	CheckSpread(&two, "fills that overlap by 2", WRITTEN, WRITTEN);
	ck_assert_double_gt(none.most, 0.1);
}
END_TEST

/* ---- plates ------------------------------------------------------------------------------------------------------ */

/* Does the line through a point along n meet any triangle? */
static bool LineMeets(const RefMesh *mesh, const double point[3], const double n[3])
{
	for (int q = 0; q < mesh->quad_count; q++)
		for (int half = 0; half < 2; half++) {
			double p[3][3], normal[3], volume[3];
			TriangleAt(mesh, q, half, p, normal);
			for (int k = 0; k < 3; k++)
				for (int i = 0; i < 3; i++)
					p[k][i] -= point[i];
			for (int k = 0; k < 3; k++) {
				CrossOf(p[k], p[(k + 1) % 3], normal);
				volume[k] = DotOf(normal, n);
			}
			if ((volume[0] >= 0 && volume[1] >= 0 && volume[2] >= 0) ||
			    (volume[0] <= 0 && volume[1] <= 0 && volume[2] <= 0))
				return true;
		}
	return false;
}

/* Turned plates of 1.5 cells let nothing through; thinner ones are widened to that. */
START_TEST(plates)
{
	Random random = {600};
	const int n = 24;
	int lines = 0, through = 0;
	for (int i = 0; i < 12; i++) {
		double center[3], axis[3], thickness = i & 1 ? Random_Range(&random, 0.2, 1.5) : 1.5;
		for (int k = 0; k < 3; k++)
			center[k] = 0.5 * n + Random_Range(&random, -0.5, 0.5);
		RandomDirection(&random, axis);
		World world;
		World_Make(&world);
		Brush plate = MakeBrush(BRUSH_BOX, center, 7.0, 0.5 * thickness, 7.0);
		TurnTo(&plate, axis, &random);
		Fill(&world, &plate, EDIT_SET);
		RefMesh mesh = World_Mesh(&world, n);
		for (int k = 0; k < 40; k++) {
			double local[3] = {Random_Range(&random, -4.0, 4.0), 0.0, 0.0}, point[3];
			local[2] = Random_Range(&random, -4.0, 4.0);
			WorldPoint(&plate, local, point);
			lines++;
			through += !LineMeets(&mesh, point, axis);
		}
		RefMesh_Free(&mesh);
	}
	ck_assert_msg(through == 0, "%d of %d lines pass through plates", through, lines);
}
END_TEST

/* ---- the local-maximum rule and slivers -------------------------------------------------------------------------- */

/* The rule is for what would be invisible. Nothing of full thickness is. */
START_TEST(no_ghosts)
{
	Random random = {700};
	const int n = 18;
	int raised[4] = {0};
	for (int i = 0; i < 10; i++)
		for (int shape = 0; shape < 4; shape++) {
			double center[3], axis[3], r = Random_Range(&random, 1.0, 3.0);
			for (int k = 0; k < 3; k++)
				center[k] = 0.5 * n + Random_Range(&random, -0.5, 0.5);
			RandomDirection(&random, axis);
			World world;
			World_Make(&world);
			Brush brush = shape == 0 ? MakeBrush(BRUSH_BALL, center, r, 0.0, 0.0)
			                         : MakeBrush(BRUSH_BOX, center, r + 0.5, r + 1.0, r + 1.5);
			if (shape == 3)
				brush = MakeBrush(BRUSH_CYLINDER, center, r, r + 1.0, r);
			if (shape > 1)
				TurnTo(&brush, axis, &random);
			Fill(&world, &brush, EDIT_SET);
			RefMesh mesh = World_Mesh(&world, n);
			raised[shape] += mesh.raised_cells;
			RefMesh_Free(&mesh);
		}
	ck_assert_msg(raised[0] + raised[1] + raised[2] + raised[3] == 0,
	              "raised cells: %d in balls, %d in boxes, %d in turned boxes, %d in cylinders", raised[0], raised[1],
	              raised[2], raised[3]);
}
END_TEST

START_TEST(no_slivers)
{
	double least_area = 1.0, least_height = 1.0;
	for (int i = 0; i < 12; i++) {
		Random random = {800 + (uint64_t)i};
		double share = 0.3 + 0.1 * (i % 6);
		RefField field = i & 1 ? Field_Extremes(20, share, &random) : Field_Noise(20, share, &random);
		RefMesh mesh = RefMesh_Create(&field, true);
		for (int q = 0; q < mesh.quad_count; q++)
			for (int half = 0; half < 2; half++) {
				double p[3][3], n[3], longest = 0.0, side[2][3];
				TriangleAt(&mesh, q, half, p, n);
				for (int k = 0; k < 3; k++) {
					double length = 0.0;
					for (int j = 0; j < 3; j++)
						length += (p[k][j] - p[(k + 1) % 3][j]) * (p[k][j] - p[(k + 1) % 3][j]);
					longest = MaxD(longest, sqrt(length));
				}
				for (int k = 0; k < 2; k++)
					for (int j = 0; j < 3; j++)
						side[k][j] = p[k + 1][j] - p[0][j];
				CrossOf(side[0], side[1], n);
				double area = 0.5 * sqrt(DotOf(n, n));
				least_area = MinD(least_area, area);
				least_height = MinD(least_height, 2.0 * area / longest);
			}
		RefMesh_Free(&mesh);
		RefField_Free(&field);
	}
	ck_assert_msg(least_area > 1e-6, "a triangle has an area of %g", least_area);
	ck_assert_msg(least_height > 0.0015, "a triangle has a height of %g", least_height);
}
END_TEST

Suite *suite_surface_sharp(void)
{
	Suite *suite = suite_create("surface_sharp");
	TCase *shapes = tcase_create("shapes");
	tcase_set_timeout(shapes, 120);
	tcase_add_test(shapes, boxes);
	tcase_add_test(shapes, combinations);
	tcase_add_test(shapes, seams);
	tcase_add_test(shapes, plates);
	tcase_add_test(shapes, no_ghosts);
	tcase_add_test(shapes, no_slivers);
	suite_add_tcase(suite, shapes);
	return suite;
}
