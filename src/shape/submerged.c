/* The part of a shape under a plane, for buoyancy.
 *
 * A polyhedron is cut face by face: with the apex of all tetrahedra on the plane, the cut itself has no volume. A shape
 * that is round about its axis is sliced across it: of each disc the plane cuts off a segment, whose area and moment
 * are known; slices are summed by Gauss's rule between the places where the plane enters and leaves the discs. All in
 * double, in the shape's frame.
 */
#include "shape/shape.h"
#include "shape/shape_internal.h"

typedef struct Plane {
	Vec3D n;
	double d; /* under it: dot(n, p) <= d */
} Plane;

/* Volume, and volume times centre. */
typedef struct Part {
	double volume;
	Vec3D first;
} Part;

/* ---- balls ---------------------------------------------------------------------------------------------------- */

static Part BallUnder(double r, Plane plane)
{
	double h = ClampD(plane.d + r, 0.0, 2.0 * r); /* height of the cap */
	double volume = PI * h * h * (r - h / 3.0);
	double rest = 2.0 * r - h; /* moment of a cap about the centre: pi/4 (h (2r - h))^2, towards the cap */
	return (Part){volume, ScaleD(-0.25 * PI * h * h * rest * rest, plane.n)};
}

/* ---- polyhedra ------------------------------------------------------------------------------------------------ */

static void AddTetrahedra(Part *part, Vec3D apex, const Vec3D *corners, int count)
{
	for (int i = 2; i < count; i++) {
		Vec3D a = SubD(corners[0], apex), b = SubD(corners[i - 1], apex), c = SubD(corners[i], apex);
		double volume = DotD(a, CrossD(b, c)) / 6.0;
		part->volume += volume;
		part->first = MulAddD(part->first, 0.25 * volume, AddD(a, AddD(b, c)));
	}
}

/* One face, counter-clockwise from outside, cut by the plane. */
static void AddFace(Part *part, Vec3D apex, Plane plane, const Vec3D *corners, int count)
{
	Vec3D kept[2 * HULL_VERTEX_LIMIT];
	int kept_count = 0;
	for (int i = 0; i < count; i++) {
		Vec3D a = corners[i], b = corners[i + 1 < count ? i + 1 : 0];
		double da = DotD(plane.n, a) - plane.d, db = DotD(plane.n, b) - plane.d;
		if (da <= 0.0)
			kept[kept_count++] = a;
		if ((da <= 0.0) != (db <= 0.0))
			kept[kept_count++] = MulAddD(a, da / (da - db), SubD(b, a));
	}
	AddTetrahedra(part, apex, kept, kept_count);
}

static Part BoxUnder(Vec3D h, Vec3D apex, Plane plane)
{
	static const uint8_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
	                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
	Part part = {0};
	for (int f = 0; f < 6; f++) {
		Vec3D corners[4];
		for (int i = 0; i < 4; i++) {
			int bits = faces[f][i];
			corners[i] = (Vec3D){bits & 1 ? h.x : -h.x, bits & 2 ? h.y : -h.y, bits & 4 ? h.z : -h.z};
		}
		AddFace(&part, apex, plane, corners, 4);
	}
	return part;
}

static Part HullUnder(const Hull *hull, Vec3D apex, Plane plane)
{
	Part part = {0};
	for (int f = 0; f < hull->face_count; f++) {
		Vec3D corners[HULL_VERTEX_LIMIT];
		int first = hull->face_first[f], count = hull->face_first[f + 1] - first;
		for (int i = 0; i < count; i++)
			corners[i] = ToD(hull->vertices[hull->face_index[first + i]]);
		AddFace(&part, apex, plane, corners, count);
	}
	return part;
}

/* ---- round about Y -------------------------------------------------------------------------------------------- */

/* Squared radius a + b y + c y y for y from lo to hi. */
typedef struct Profile {
	double lo, hi, a, b, c;
} Profile;

/* The disc at height y: its area under the plane, and the moment of that along the plane's slope. */
static void SliceUnder(double square, double edge, double across, double *area, double *moment)
{
	double r = sqrt(MaxD(square, 0.0));
	*area = *moment = 0.0;
	if (edge >= across * r) {
		*area = PI * r * r;
	} else if (edge > -across * r) {
		double d = edge / across, half = sqrt(MaxD(r * r - d * d, 0.0));
		*area = r * r * (0.5 * PI + Trig_Asin(ClampD(d / r, -1.0, 1.0))) + d * half;
		*moment = -2.0 / 3.0 * half * half * half;
	}
}

/* Gauss-Legendre, 10 places. y goes as 3 t^2 - 2 t^3 from lo to hi, which takes the corner out of the square roots with
 * which slices begin and end. */
static void AddSlices(Part *part, const Profile *p, double lo, double hi, Plane plane, double across)
{
	static const double place[5] = {0.14887433898163122, 0.43339539412924719, 0.67940956829902441, 0.86506336668898451,
	                                0.97390652851717172};
	static const double weight[5] = {0.29552422471475287, 0.26926671930999636, 0.21908636251598204, 0.14945134915058059,
	                                 0.06667134430868814};
	double moment_sum = 0.0;
	for (int i = 0; i < 10; i++) {
		double t = 0.5 + (i & 1 ? 0.5 : -0.5) * place[i / 2];
		double y = lo + (hi - lo) * t * t * (3.0 - 2.0 * t), w = 0.5 * weight[i / 2] * (hi - lo) * 6.0 * t * (1.0 - t);
		double area, moment;
		SliceUnder(p->a + y * (p->b + y * p->c), plane.d - plane.n.y * y, across, &area, &moment);
		part->volume += w * area;
		part->first.y += w * area * y;
		moment_sum += w * moment;
	}
	if (across > 0.0) {
		part->first.x += moment_sum * plane.n.x / across;
		part->first.z += moment_sum * plane.n.z / across;
	}
}

/* The plane enters and leaves discs where (d - n.y y)^2 = across^2 (a + b y + c y y). */
static void AddProfile(Part *part, const Profile *p, Plane plane)
{
	double across = sqrt(plane.n.x * plane.n.x + plane.n.z * plane.n.z), k = across * across;
	double a = plane.n.y * plane.n.y - k * p->c, b = -plane.d * plane.n.y - 0.5 * k * p->b;
	double c = plane.d * plane.d - k * p->a, root = b * b - a * c;
	double cuts[4] = {p->lo, p->lo, p->hi, p->hi};
	if (root >= 0.0) {
		double q = b > 0.0 ? -b - sqrt(root) : -b + sqrt(root);
		double first = a != 0.0 ? q / a : p->lo, second = q != 0.0 ? c / q : p->lo;
		cuts[1] = ClampD(MinD(first, second), p->lo, p->hi);
		cuts[2] = ClampD(MaxD(first, second), p->lo, p->hi);
	}
	for (int i = 0; i < 3; i++)
		if (cuts[i + 1] > cuts[i])
			AddSlices(part, p, cuts[i], cuts[i + 1], plane, across);
}

static Part RoundUnder(const Shape *shape, Plane plane)
{
	double r = (double)shape->radius, h = (double)shape->half_length;
	Part part = {0};
	if (shape->kind == SHAPE_CONE) {
		double k = 0.5 * r / h; /* radius k (h - y) */
		AddProfile(&part, &(Profile){-h, h, k * k * h * h, -2.0 * k * k * h, k * k}, plane);
		return part;
	}
	AddProfile(&part, &(Profile){-h, h, r * r, 0.0, 0.0}, plane);
	if (shape->kind == SHAPE_CAPSULE) {
		AddProfile(&part, &(Profile){-h - r, -h, r * r - h * h, -2.0 * h, -1.0}, plane);
		AddProfile(&part, &(Profile){h, h + r, r * r - h * h, 2.0 * h, -1.0}, plane);
	}
	return part;
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

void Shape_Submerged(const Shape *shape, Xform placement, Vec3 normal, float offset, float *volume, Vec3 *center)
{
	MassProps whole = Shape_Mass(shape, 1.0f);
	Vec3 down = InvRotate(placement.q, Neg(normal));
	Plane plane = {ScaleD(-1.0, ToD(down)), (double)offset - DotD(ToD(normal), ToD(placement.p))};
	double lowest = DotD(plane.n, ToD(Shape_Support(shape, down))) - plane.d;
	double highest = DotD(plane.n, ToD(Shape_Support(shape, Neg(down)))) - plane.d;
	*volume = highest <= 0.0 ? whole.mass : 0.0f;
	*center = XformPoint(placement, whole.center);
	if (highest <= 0.0 || lowest >= 0.0)
		return;
	Part part;
	Vec3D apex = {0.0, 0.0, 0.0};
	if (shape->kind == SHAPE_BALL) {
		part = BallUnder((double)shape->radius, plane);
	} else if (shape->kind == SHAPE_BOX || shape->kind == SHAPE_HULL) {
		Vec3D middle = ToD(whole.center);
		apex = MulAddD(middle, (plane.d - DotD(plane.n, middle)) / DotD(plane.n, plane.n), plane.n);
		part = shape->kind == SHAPE_BOX ? BoxUnder(ToD(shape->half), apex, plane) : HullUnder(shape->hull, apex, plane);
	} else {
		part = RoundUnder(shape, plane);
	}
	if (!(part.volume > 0.0))
		return;
	*volume = (float)MinD(part.volume, (double)whole.mass);
	*center = XformPoint(placement, ToF(AddD(apex, ScaleD(1.0 / part.volume, part.first))));
}
