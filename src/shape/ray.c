/* Rays against shapes, in double. A long ray is first cut to the neighbourhood of the shape, so that a start 100 km
 * away costs no precision. Solids are open sets here: a start on the surface is outside, so leaving it is a miss and
 * entering it is a hit at 0. */
#include "shape/shape.h"
#include "shape/shape_internal.h"
#include "shape/trimesh_internal.h"

/* o + s u, s in [0, end]. The largest component of u is 1, so nothing overflows or vanishes. */
typedef struct Ray {
	Vec3D o, u;
	double end;
} Ray;

/* ---- inside or not -------------------------------------------------------------------------------------------- */

static bool StrictlyInside(const Shape *shape, Vec3D p)
{
	double r = (double)shape->radius, end = (double)shape->half_length;
	Vec3D h = ToD(shape->half);
	switch (shape->kind) {
	case SHAPE_BALL:
		return DotD(p, p) < r * r;
	case SHAPE_CAPSULE:
		p.y -= ClampD(p.y, -end, end);
		return DotD(p, p) < r * r;
	case SHAPE_BOX:
		return AbsD(p.x) < h.x && AbsD(p.y) < h.y && AbsD(p.z) < h.z;
	case SHAPE_HULL:
		for (int f = 0; f < shape->hull->face_count; f++)
			if (!(Hull_PlaneDistance(shape->hull, f, p) < 0.0))
				return false;
		return true;
	case SHAPE_CYLINDER:
		return AbsD(p.y) < end && p.x * p.x + p.z * p.z < r * r;
	case SHAPE_CONE: {
		double here = r * (end - p.y) / (2.0 * end);
		return AbsD(p.y) < end && p.x * p.x + p.z * p.z < here * here;
	}
	case SHAPE_MESH:
	case SHAPE_KIND_COUNT:
		break;
	}
	SCREE_ASSERT(false);
	return false;
}

/* ---- one function a kind: start outside, *s and *n at the first point ------------------------------------------- */

static bool BallRay(const Ray *ray, Vec3D center, double r, double *s, Vec3D *n)
{
	Vec3D o = SubD(ray->o, center);
	double a = DotD(ray->u, ray->u);
	double nearest = -DotD(o, ray->u) / a;
	Vec3D p = MulAddD(o, nearest, ray->u);
	double c = r * r - DotD(p, p);
	if (!(nearest >= 0.0) || !(c >= 0.0))
		return false;
	double back = sqrt(c / a);
	*s = MaxD(nearest - back, 0.0);
	*n = ScaleD(1.0 / r, MulAddD(p, -back, ray->u));
	return *s <= ray->end;
}

/* Narrows [*s0, *s1] to lo <= o + s u <= hi. False when nothing is left, or when the line runs in one of the planes. */
static bool ClipSlab(double o, double u, double lo, double hi, double *s0, double *s1)
{
	if (u == 0.0)
		return o > lo && o < hi;
	double a = (lo - o) / u, b = (hi - o) / u;
	*s0 = MaxD(*s0, MinD(a, b));
	*s1 = MinD(*s1, MaxD(a, b));
	return *s0 <= *s1;
}

/* The round side of a capsule or cylinder, between its end planes. */
static bool TubeRay(const Ray *ray, double r, double h, double *s, Vec3D *n)
{
	double s0 = 0.0, s1 = ray->end;
	if (!ClipSlab(ray->o.y, ray->u.y, -h, h, &s0, &s1))
		return false;
	double ux = ray->u.x, uz = ray->u.z;
	double qx = ray->o.x + s0 * ux, qz = ray->o.z + s0 * uz;
	double a = ux * ux + uz * uz, b = qx * ux + qz * uz, c = qx * qx + qz * qz - r * r;
	double w = qx * uz - qz * ux;
	double root = a * r * r - w * w; /* b b - a c, without its cancellation */
	if (!(b < 0.0 && c >= 0.0 && root >= 0.0))
		return false;
	double k = c / (sqrt(root) - b); /* no division by a: rays along the axis are no special case */
	if (!(k <= s1 - s0))
		return false;
	*s = s0 + k;
	*n = (Vec3D){(qx + k * ux) / r, 0.0, (qz + k * uz) / r};
	return true;
}

static bool CapsuleRay(const Ray *ray, double r, double h, double *s, Vec3D *n)
{
	if (TubeRay(ray, r, h, s, n))
		return true;
	double s2;
	Vec3D n2;
	bool hit = BallRay(ray, (Vec3D){0.0, h, 0.0}, r, s, n);
	if (BallRay(ray, (Vec3D){0.0, -h, 0.0}, r, &s2, &n2) && (!hit || s2 < *s)) {
		*s = s2;
		*n = n2;
		hit = true;
	}
	return hit;
}

/* The flat end that a ray along u would come in by: the disc at height y. */
static bool DiscRay(const Ray *ray, double r, double y, double *s, Vec3D *n)
{
	double enter = (y - ray->o.y) / ray->u.y;
	double x = ray->o.x + enter * ray->u.x, z = ray->o.z + enter * ray->u.z;
	if (!(enter >= 0.0 && enter <= ray->end && x * x + z * z <= r * r))
		return false;
	*s = enter;
	*n = (Vec3D){0.0, ray->u.y > 0.0 ? -1.0 : 1.0, 0.0};
	return true;
}

static bool CylinderRay(const Ray *ray, double r, double h, double *s, Vec3D *n)
{
	if (ray->u.y != 0.0 && DiscRay(ray, r, ray->u.y > 0.0 ? -h : h, s, n))
		return true;
	return TubeRay(ray, r, h, s, n);
}

/* The side is x x + z z = k k (h - y)(h - y), and inside of it the left is less. Between the planes through base and
 * tip only one of the two cones of that equation is there. */
static bool ConeRay(const Ray *ray, double r, double h, double *s, Vec3D *n)
{
	double s0 = 0.0, s1 = ray->end, k = 0.5 * r / h;
	if (ray->u.y > 0.0 && DiscRay(ray, r, -h, s, n))
		return true;
	if (!ClipSlab(ray->o.y, ray->u.y, -h, h, &s0, &s1))
		return false;
	Vec3D u = ray->u, p = MulAddD(ray->o, s0, u);
	double down = h - p.y;
	double a = u.x * u.x + u.z * u.z - k * k * u.y * u.y, b = p.x * u.x + p.z * u.z + k * k * down * u.y;
	double c = p.x * p.x + p.z * p.z - k * k * down * down, root = b * b - a * c;
	if (!(root >= 0.0) || (b >= 0.0 && a >= 0.0) || c < 0.0)
		return false;
	/* nothing to divide by: in by the very tip */
	double t = c > 0.0 || b < 0.0 ? c / (sqrt(root) - b) : 0.0;
	if (!(t <= s1 - s0))
		return false;
	p = MulAddD(p, t, u);
	double across = sqrt(p.x * p.x + p.z * p.z), scale = 1.0 / sqrt(1.0 + k * k);
	*s = s0 + t;
	*n = across > 0.0 ? (Vec3D){scale * p.x / across, scale * k, scale * p.z / across} : (Vec3D){0.0, 1.0, 0.0};
	return true;
}

static bool BoxRay(const Ray *ray, Vec3D h, double *s, Vec3D *n)
{
	const double o[3] = {ray->o.x, ray->o.y, ray->o.z}, u[3] = {ray->u.x, ray->u.y, ray->u.z};
	const double half[3] = {h.x, h.y, h.z};
	double enter = -DBL_MAX, leave = ray->end;
	int axis = -1;
	for (int i = 0; i < 3; i++) {
		double before = enter;
		if (!ClipSlab(o[i], u[i], -half[i], half[i], &enter, &leave))
			return false;
		if (enter > before)
			axis = i;
	}
	if (axis < 0 || enter < 0.0)
		return false;
	double sign = u[axis] > 0.0 ? -1.0 : 1.0;
	*s = enter;
	*n = (Vec3D){axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0};
	return true;
}

/* Where the ray meets the plane through a face's corners, which is exact where the stored float plane is rounded. */
static double RefineHullHit(const Hull *hull, int face, const Ray *ray, double s)
{
	const uint8_t *corner = hull->face_index + hull->face_first[face];
	int count = hull->face_first[face + 1] - hull->face_first[face];
	Vec3D origin = ToD(hull->vertices[corner[0]]);
	Vec3D n = {0.0, 0.0, 0.0}, sum = {0.0, 0.0, 0.0}, last = sum;
	for (int i = 1; i < count; i++) {
		Vec3D p = SubD(ToD(hull->vertices[corner[i]]), origin);
		n = AddD(n, CrossD(last, p));
		sum = AddD(sum, p);
		last = p;
	}
	double toward = DotD(n, ray->u);
	Vec3D middle = MulAddD(origin, 1.0 / count, sum);
	double refined = DotD(n, SubD(middle, ray->o)) / toward;
	/* A ray almost in the plane gains nothing. */
	bool sane = toward < 0.0 && AbsD(refined - s) <= 1e-3 * (double)hull->inner_radius;
	return sane ? ClampD(refined, 0.0, ray->end) : s;
}

/* Clipping by all planes (Cyrus and Beck 1978). */
static bool HullRay(const Ray *ray, const Hull *hull, double *s, Vec3D *n)
{
	double enter = -DBL_MAX, leave = ray->end;
	int face = -1;
	for (int f = 0; f < hull->face_count; f++) {
		double outside = Hull_PlaneDistance(hull, f, ray->o);
		double speed = DotD(ToD(hull->normals[f]), ray->u);
		if (speed == 0.0) {
			if (outside >= 0.0)
				return false;
			continue;
		}
		double at = -outside / speed;
		if (speed > 0.0) {
			leave = MinD(leave, at);
		} else if (at > enter) {
			enter = at;
			face = f;
		}
		if (enter > leave)
			return false;
	}
	if (face < 0 || enter < 0.0)
		return false;
	*s = RefineHullHit(hull, face, ray, enter);
	*n = ToD(hull->normals[face]);
	return true;
}

/* ---- all kinds ------------------------------------------------------------------------------------------------ */

static void BoundingBall(const Shape *shape, Vec3D *center, double *radius)
{
	*center = (Vec3D){0.0, 0.0, 0.0};
	if (shape->kind != SHAPE_HULL) {
		*radius = (double)Shape_OuterRadius(shape);
		return;
	}
	Vec3D lo = ToD(shape->hull->bounds.lo), hi = ToD(shape->hull->bounds.hi);
	*center = ScaleD(0.5, AddD(lo, hi));
	*radius = 0.5 * LengthD(SubD(hi, lo));
}

/* Moves the start forward to the bounding ball. *skipped: by how much of s. False when the ray misses the ball. */
static bool ApproachShape(Ray *ray, const Shape *shape, double *skipped)
{
	Vec3D center;
	double radius;
	BoundingBall(shape, &center, &radius);
	Vec3D o = SubD(ray->o, center);
	double far = MaxD(AbsD(o.x), MaxD(AbsD(o.y), AbsD(o.z)));
	radius = radius * (1.0 + 1e-6) + far * 1e-14; /* what the closest point may be off by */
	double a = DotD(ray->u, ray->u);
	double nearest = -DotD(o, ray->u) / a;
	Vec3D p = MulAddD(o, nearest, ray->u);
	double c = radius * radius - DotD(p, p);
	if (!(c >= 0.0))
		return false;
	double back = sqrt(c / a);
	if (nearest - back > ray->end || nearest + back < 0.0)
		return false;
	*skipped = MaxD(nearest - back, 0.0);
	ray->o = MulAddD(ray->o, *skipped, ray->u);
	ray->end -= *skipped;
	return true;
}

static bool RayOfKind(const Shape *shape, const Ray *ray, double *s, Vec3D *n)
{
	switch (shape->kind) {
	case SHAPE_BALL:
		return BallRay(ray, (Vec3D){0.0, 0.0, 0.0}, (double)shape->radius, s, n);
	case SHAPE_CAPSULE:
		return CapsuleRay(ray, (double)shape->radius, (double)shape->half_length, s, n);
	case SHAPE_BOX:
		return BoxRay(ray, ToD(shape->half), s, n);
	case SHAPE_HULL:
		return HullRay(ray, shape->hull, s, n);
	case SHAPE_CYLINDER:
		return CylinderRay(ray, (double)shape->radius, (double)shape->half_length, s, n);
	case SHAPE_CONE:
		return ConeRay(ray, (double)shape->radius, (double)shape->half_length, s, n);
	case SHAPE_MESH:
	case SHAPE_KIND_COUNT:
		break;
	}
	SCREE_ASSERT(false);
	return false;
}

bool Shape_Ray(const Shape *shape, const double origin[3], const double delta[3], ShapeHit *hit)
{
	memset(hit, 0, sizeof(*hit));
	if (shape->kind == SHAPE_MESH)
		return Trimesh_RayHit(shape->mesh, origin, delta, hit);
	for (int i = 0; i < 3; i++)
		if (!IsFinite(origin[i]) || !IsFinite(delta[i]))
			return false;
	Ray ray = {.o = {origin[0], origin[1], origin[2]}};
	if (StrictlyInside(shape, ray.o)) {
		hit->inside = true;
		return true;
	}
	double length = MaxD(AbsD(delta[0]), MaxD(AbsD(delta[1]), AbsD(delta[2])));
	if (length == 0.0)
		return false;
	ray.u = (Vec3D){delta[0] / length, delta[1] / length, delta[2] / length};
	ray.end = length;
	double skipped, s;
	Vec3D n;
	if (!ApproachShape(&ray, shape, &skipped) || !RayOfKind(shape, &ray, &s, &n))
		return false;
	Vec3 normal = ToF(n);
	if (DotD(ToD(normal), ray.u) > 0.0)
		return false; /* grazes: rounding has turned the normal away */
	hit->fraction = ClampD((skipped + s) / length, 0.0, 1.0);
	hit->normal = normal;
	return true;
}
