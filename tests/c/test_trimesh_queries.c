/* Boxes, rays and points asked of meshes of triangles, against brute force. */
#include "trimesh_samples.h"

Suite *suite_trimesh_queries(void);

static Mesh Debris(int count, uint64_t seed)
{
	Mesh mesh = {0};
	Random r = {seed};
	for (int i = 0; i < count; i++) {
		double c[3], size = Random_Below(&r, 20) == 0 ? 30.0 : 2.0;
		for (int a = 0; a < 3; a++)
			c[a] = Random_Range(&r, -50, 50);
		for (int k = 0; k < 3; k++) {
			double p[3];
			for (int a = 0; a < 3; a++)
				p[a] = c[a] + Random_Range(&r, -size, size);
			Sample_Vertex(&memory, &mesh, p[0], p[1], p[2]);
		}
		Sample_Triangle(&memory, &mesh, 3 * (uint32_t)i, 3 * (uint32_t)i + 1, 3 * (uint32_t)i + 2);
	}
	return mesh;
}

static Mesh SampleOf(int k)
{
	Mesh mesh = {0};
	if (k == 0)
		return Hills(60, 11);
	if (k == 1)
		return Debris(4000, 12);
	if (k == 2)
		Sample_Torus(&memory, &mesh, 20.0, 7.0, 80, 50);
	else
		Sample_Ball(&memory, &mesh, 30.0, 40, 60);
	return mesh;
}

static bool CountOne(void *context, const Triangle *triangle)
{
	(void)triangle;
	++*(int *)context;
	return true;
}

static double At(const Mesh *mesh, int corner, int axis)
{
	return mesh->positions.data[3 * mesh->indices.data[corner] + (uint32_t)axis];
}

/* Which triangles of the input have a box that meets [lo, hi], give or take `slack`. */
static int BruteBox(const Mesh *mesh, const double lo[3], const double hi[3], double slack)
{
	int count = 0;
	for (int t = 0; t < Mesh_TriangleCount(mesh); t++) {
		bool meets = true;
		for (int a = 0; a < 3; a++) {
			double p = At(mesh, 3 * t, a), q = At(mesh, 3 * t + 1, a), s = At(mesh, 3 * t + 2, a);
			meets = meets && fmin(p, fmin(q, s)) <= hi[a] + slack && fmax(p, fmax(q, s)) >= lo[a] - slack;
		}
		count += meets;
	}
	return count;
}

START_TEST(test_boxes)
{
	Mesh sample = SampleOf(_i);
	Trimesh *mesh = Make(&sample);
	Random r = {77};
	for (int i = 0; i < 300; i++) {
		double lo[3], hi[3], size = i % 3 == 0 ? 30.0 : 3.0;
		for (int a = 0; a < 3; a++) {
			double c = Random_Range(&r, -60, 60);
			lo[a] = c - Random_Range(&r, 0, size);
			hi[a] = c + Random_Range(&r, 0, size);
		}
		Box box = {{(float)lo[0], (float)lo[1], (float)lo[2]}, {(float)hi[0], (float)hi[1], (float)hi[2]}};
		int found = 0;
		Trimesh_Visit(mesh, QuatIdentity(), (Vec3D){0, 0, 0}, box, CountOne, &found);
		int least = BruteBox(&sample, lo, hi, -1e-4), most = BruteBox(&sample, lo, hi, 1e-4);
		REQUIRE(found >= least && found <= most, "mesh %d, box %d: %d found, %d to %d", _i, i, found, least, most);
	}
	Trimesh_Release(&memory, mesh);
	Mesh_Free(&memory, &sample);
}
END_TEST

/* Placed far away: the same bits for shared corners, right to float rounding near the asker's origin. */
START_TEST(test_placed)
{
	Mesh sample = Hills(30, 5);
	Trimesh *mesh = Make(&sample);
	Random r = {9};
	for (int i = 0; i < 50; i++) {
		float x = (float)Random_Range(&r, -1, 1), y = (float)Random_Range(&r, -1, 1);
		Vec3 axis = Normalize(V3(x, y, 0.3f));
		double angle = Random_Range(&r, -3, 3);
		Quat q = Quat_FromAxisAngle(axis, angle);
		int corner = Random_Below(&r, sample.indices.count);
		Vec3D v = {At(&sample, corner, 0), At(&sample, corner, 1), At(&sample, corner, 2)};
		/* Rodrigues */
		Vec3D k = ToD(axis), turned = AddD(AddD(ScaleD(cos(angle), v), ScaleD(sin(angle), CrossD(k, v))),
		                                   ScaleD(DotD(k, v) * (1 - cos(angle)), k));
		Pose pose = {{1e7 + 0.25, -3e6, 2e7}, q};
		Pos point = {pose.p.x + turned.x, pose.p.y + turned.y, pose.p.z + turned.z};
		Pos origin = {floor(point.x * 8) / 8, floor(point.y * 8) / 8, floor(point.z * 8) / 8};
		WorldBox box = {{point.x - 0.5, point.y - 0.5, point.z - 0.5}, {point.x + 0.5, point.y + 0.5, point.z + 0.5}};
		TriangleList list = {0};
		ck_assert(Trimesh_Gather(mesh, pose, origin, box, &memory, &list));
		float nearest = FLT_MAX;
		Vec3 wanted = PosSub(point, origin);
		int corners = 0, odd = 0;
		for (int t = 0; t < list.items.count; t++)
			for (int c = 0; c < 3; c++) {
				Vec3 p = list.items.data[t].v[c];
				nearest = Min(nearest, Length(Sub(p, wanted)));
				bool equal = false, near = false;
				for (int s = 0; s < list.items.count; s++)
					for (int e = 0; e < 3 && s != t; e++) {
						Vec3 o = list.items.data[s].v[e];
						equal = equal || (o.x == p.x && o.y == p.y && o.z == p.z);
						near = near || Length(Sub(o, p)) < 1e-3f;
					}
				corners += near;
				odd += near && !equal;
			}
		REQUIRE(nearest < 3e-5f, "placement %d: nearest corner %g m off", i, (double)nearest);
		REQUIRE(corners > 0 && odd == 0, "placement %d: %d of %d shared corners differ", i, odd, corners);
		Array_Free(&memory, list.items);
	}
	Trimesh_Release(&memory, mesh);
	Mesh_Free(&memory, &sample);
}
END_TEST

typedef struct BruteHit {
	double t;
	int count;  /* of front faces met */
	bool close; /* some edge was passed so narrowly that the answer may differ */
} BruteHit;

/* Plane, then the sides by areas: another way than the one that is tested. */
static BruteHit BruteRay(const Mesh *mesh, const double o[3], const double d[3])
{
	BruteHit hit = {2.0, 0, false};
	for (int i = 0; i < Mesh_TriangleCount(mesh); i++) {
		Vec3D v[3], from = {o[0], o[1], o[2]}, way = {d[0], d[1], d[2]};
		for (int k = 0; k < 3; k++)
			v[k] = (Vec3D){At(mesh, 3 * i + k, 0), At(mesh, 3 * i + k, 1), At(mesh, 3 * i + k, 2)};
		Vec3D n = CrossD(SubD(v[1], v[0]), SubD(v[2], v[0]));
		double along = DotD(n, way);
		if (along >= 0.0)
			continue;
		double t = DotD(n, SubD(v[0], from)) / along;
		Vec3D p = MulAddD(from, t, way);
		double least = 1e300;
		for (int k = 0; k < 3; k++) {
			Vec3D e = SubD(v[(k + 1) % 3], v[k]);
			least = fmin(least, DotD(CrossD(e, SubD(p, v[k])), n) / (LengthD(n) * LengthD(e)));
		}
		double slack = 1e-4 * LengthD(n) * LengthD(way) / -along;
		bool inside = least > 0.0 && t >= 0.0 && t <= 1.0;
		hit.close = hit.close || (fabs(least) < slack && t > -0.01 && t < 1.01) ||
		            (least > -slack && (fabs(t) * LengthD(way) < slack || fabs(t - 1) * LengthD(way) < slack));
		hit.count += inside;
		if (inside)
			hit.t = fmin(hit.t, t);
	}
	return hit;
}

START_TEST(test_rays)
{
	Mesh sample = SampleOf(_i);
	Trimesh *mesh = Make(&sample);
	Random r = {50 + (uint64_t)_i};
	int hits = 0, skipped = 0;
	TrimeshHitList list = {0};
	for (int i = 0; i < 800; i++) {
		double o[3], d[3], length = i % 4 == 0 ? 1e4 : Random_Range(&r, 0.1, 120);
		for (int a = 0; a < 3; a++) {
			o[a] = Random_Range(&r, -60, 60);
			d[a] = i % 7 == 0 && a != i % 3 ? 0.0 : length * Random_Range(&r, -1, 1);
			if (i % 4 == 0)
				o[a] -= 0.4 * d[a];
		}
		BruteHit brute = BruteRay(&sample, o, d);
		TrimeshHit hit;
		bool met = Trimesh_Raycast(mesh, o, d, &hit);
		list.items.count = 0;
		ck_assert(Trimesh_RaycastAll(mesh, o, d, &memory, &list));
		if (brute.close) {
			skipped++;
			continue;
		}
		hits += met;
		REQUIRE(met == (brute.count > 0), "mesh %d ray %d: %d, brute force %d", _i, i, met, brute.count);
		REQUIRE(list.items.count == brute.count, "mesh %d ray %d: %d in all, brute force %d", _i, i, list.items.count,
		        brute.count);
		double reach = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
		if (met)
			REQUIRE(fabs(hit.fraction - brute.t) * reach < 1e-3, "mesh %d ray %d: at %g m, brute force %g", _i, i,
			        hit.fraction * reach, brute.t * reach);
	}
	REQUIRE(hits > 40 && skipped < 100, "%d hits, %d skipped", hits, skipped);
	Array_Free(&memory, list.items);
	Trimesh_Release(&memory, mesh);
	Mesh_Free(&memory, &sample);
}
END_TEST

/* Rays from outside at corners and edges of a closed mesh all meet it. */
START_TEST(test_no_leaks)
{
	Mesh sample = SampleOf(_i);
	Trimesh *mesh = Make(&sample);
	Random r = {4};
	Shape shape = {.kind = SHAPE_MESH, .mesh = mesh};
	for (int i = 0; i < 15000; i++) {
		int t = Random_Below(&r, Mesh_TriangleCount(&sample)), k = Random_Below(&r, 3);
		double share = i % 3 == 0 ? 0.0 : Random_Unit(&r), o[3], d[3], away = 0.0;
		for (int a = 0; a < 3; a++) {
			double p = At(&sample, 3 * t + k, a), q = At(&sample, 3 * t + (k + 1) % 3, a);
			double target = (double)(float)p + share * ((double)(float)q - (double)(float)p);
			o[a] = i % 5 == 0 && a != k ? target : Random_Range(&r, -100, 100);
			d[a] = 2.0 * (target - o[a]);
			away += o[a] * o[a];
		}
		if (Trimesh_Contains(mesh, o) || away < 60 * 60)
			continue;
		/* twice as far as the target, which lies within: what came in must go out, so it met a front */
		ShapeHit hit;
		double end[3] = {o[0] + d[0] * 0.5, o[1] + d[1] * 0.5, o[2] + d[2] * 0.5};
		bool met = Shape_Ray(&shape, o, d, &hit);
		double in[3];
		for (int a = 0; a < 3; a++)
			in[a] = end[a] + 1e-3 * d[a] / 200.0;
		REQUIRE(met || !Trimesh_Contains(mesh, in), "mesh %d ray %d slips in", _i, i);
		if (met)
			REQUIRE(hit.fraction >= 0 && hit.fraction <= 1 &&
			            (double)hit.normal.x * d[0] + (double)hit.normal.y * d[1] + (double)hit.normal.z * d[2] <= 1e-6,
			        "mesh %d ray %d: fraction %g", _i, i, hit.fraction);
	}
	Trimesh_Release(&memory, mesh);
	Mesh_Free(&memory, &sample);
}
END_TEST

START_TEST(test_contains)
{
	Mesh box = {0};
	Sample_Box(&memory, &box, LOW, HIGH);
	Trimesh *mesh = Make(&box);
	Shape shape = {.kind = SHAPE_MESH, .mesh = mesh}, same = {.kind = SHAPE_BOX, .half = V3(1, 2, 3)};
	Random r = {8};
	for (int i = 0; i < 20000; i++) {
		/* on planes of faces and diagonals too */
		double o[3], d[3];
		for (int a = 0; a < 3; a++) {
			o[a] = Random_Below(&r, 3) ? Random_Range(&r, -4, 4) : 0.5 * (Random_Below(&r, 17) - 8);
			d[a] = Random_Below(&r, 3) ? Random_Range(&r, -9, 9) : 0.0;
		}
		bool inside = fabs(o[0]) < 1 && fabs(o[1]) < 2 && fabs(o[2]) < 3;
		REQUIRE(Trimesh_Contains(mesh, o) == inside, "point %d: %g %g %g", i, o[0], o[1], o[2]);
		ShapeHit a, b;
		bool met = Shape_Ray(&shape, o, d, &a), wanted = Shape_Ray(&same, o, d, &b);
		bool graze = fabs(fabs(o[0]) - 1) < 1e-9 || fabs(fabs(o[1]) - 2) < 1e-9 || fabs(fabs(o[2]) - 3) < 1e-9;
		if (graze)
			continue;
		REQUIRE(met == wanted && (!met || (a.inside == b.inside && fabs(a.fraction - b.fraction) < 1e-9)),
		        "ray %d: %d at %g, the box says %d at %g", i, met, a.fraction, wanted, b.fraction);
	}
	Trimesh_Release(&memory, mesh);
	Mesh_Free(&memory, &box);
}
END_TEST

/* A start on a face: going in is a hit at 0, going out a miss; along, either, but no harm. */
START_TEST(test_start_on_face)
{
	Mesh box = {0};
	Sample_Box(&memory, &box, LOW, HIGH);
	Trimesh *mesh = Make(&box);
	Shape shape = {.kind = SHAPE_MESH, .mesh = mesh};
	double top[3] = {0.3, 2, 0.4}, down[3] = {0, -10, 0}, up[3] = {0.1, 1, 0}, none[3] = {0, 0, 0};
	ShapeHit hit;
	ck_assert(Shape_Ray(&shape, top, down, &hit) && hit.fraction == 0.0 && hit.normal.y == 1.0f && !hit.inside);
	ck_assert(!Shape_Ray(&shape, top, up, &hit));
	ck_assert(!Shape_Ray(&shape, top, none, &hit));
	double bad[3] = {NAN, 0, 0}, endless[3] = {0, -INFINITY, 0};
	ck_assert(!Shape_Ray(&shape, bad, down, &hit) && !Shape_Ray(&shape, top, endless, &hit));
	Trimesh_Release(&memory, mesh);
	Mesh_Free(&memory, &box);
}
END_TEST

Suite *suite_trimesh_queries(void)
{
	Suite *suite = suite_create("trimesh_queries");
	TCase *tcase = tcase_create("trimesh_queries");
	tcase_add_checked_fixture(tcase, SetUp, TearDown);
	tcase_add_loop_test(tcase, test_boxes, 0, 4);
	tcase_add_test(tcase, test_placed);
	tcase_add_loop_test(tcase, test_rays, 0, 4);
	tcase_add_loop_test(tcase, test_no_leaks, 2, 4);
	tcase_add_test(tcase, test_contains);
	tcase_add_test(tcase, test_start_on_face);
	suite_add_tcase(suite, tcase);
	return suite;
}
