/* What is asked of every kind of shape: bounds, radii, support points, containment. */
#include "shape/shape.h"
#include "shape/shape_internal.h"
#include "shape/trimesh_internal.h"

static float FloatStep(float value, bool up)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	if (value == 0.0f)
		bits = up ? 1u : 0x80000001u;
	else
		bits += (value > 0.0f) == up ? 1u : UINT32_MAX;
	memcpy(&value, &bits, sizeof(bits));
	return value;
}

float RoundUp(double value)
{
	float f = (float)value;
	return (double)f < value ? FloatStep(f, true) : f;
}

float RoundDown(double value)
{
	float f = (float)value;
	return (double)f > value ? FloatStep(f, false) : f;
}

/* ---- bounds --------------------------------------------------------------------------------------------------- */

static Box BoxAround(Vec3 center, Vec3 half)
{
	return (Box){Sub(center, half), Add(center, half)};
}

static Box HullBounds(const Hull *hull, Xform placement)
{
	Mat3 m = QuatToMat(placement.q);
	Box box = BoxEmpty();
	for (int i = 0; i < hull->vertex_count; i++)
		box = BoxAddPoint(box, MatMulV(m, hull->vertices[i]));
	return (Box){Add(box.lo, placement.p), Add(box.hi, placement.p)};
}

/* Half extents of a disc at right angles to the unit axis. */
static Vec3 DiscHalf(float radius, Vec3 axis)
{
	return V3(radius * Sqrt(Max(0.0f, 1.0f - axis.x * axis.x)), radius * Sqrt(Max(0.0f, 1.0f - axis.y * axis.y)),
	          radius * Sqrt(Max(0.0f, 1.0f - axis.z * axis.z)));
}

static Box ConeBounds(const Shape *shape, Xform placement, Vec3 axis)
{
	Vec3 up = Scale(shape->half_length, axis);
	return BoxAddPoint(BoxAround(Sub(placement.p, up), DiscHalf(shape->radius, axis)), Add(placement.p, up));
}

Box Shape_Bounds(const Shape *shape, Xform placement)
{
	float r = shape->radius;
	switch (shape->kind) {
	case SHAPE_BALL:
		return BoxAround(placement.p, V3(r, r, r));
	case SHAPE_CAPSULE: {
		Vec3 axis = AbsV(Rotate(placement.q, V3(0.0f, shape->half_length, 0.0f)));
		return BoxAround(placement.p, Add(axis, V3(r, r, r)));
	}
	case SHAPE_BOX:
		return BoxAround(placement.p, MatMulV(MatAbs(QuatToMat(placement.q)), shape->half));
	case SHAPE_HULL:
		return HullBounds(shape->hull, placement);
	case SHAPE_CYLINDER: {
		Vec3 axis = Rotate(placement.q, V3(0.0f, 1.0f, 0.0f));
		return BoxAround(placement.p, MulAdd(DiscHalf(r, axis), shape->half_length, AbsV(axis)));
	}
	case SHAPE_CONE:
		return ConeBounds(shape, placement, Rotate(placement.q, V3(0.0f, 1.0f, 0.0f)));
	case SHAPE_MESH:
		return Trimesh_Bounds(shape->mesh, placement);
	case SHAPE_KIND_COUNT:
		break;
	}
	SCREE_ASSERT(false);
	return BoxAround(placement.p, V3(0.0f, 0.0f, 0.0f));
}

/* ---- radii ---------------------------------------------------------------------------------------------------- */

/* Of the largest ball in a cone; it touches the base. */
static double ConeInnerRadius(const Shape *shape)
{
	double r = (double)shape->radius, l = 2.0 * (double)shape->half_length;
	return r * l / (r + sqrt(r * r + l * l));
}

Vec3 Shape_Middle(const Shape *shape)
{
	if (shape->kind == SHAPE_HULL)
		return shape->hull->center;
	if (shape->kind == SHAPE_CONE)
		return V3(0.0f, (float)(ConeInnerRadius(shape) - (double)shape->half_length), 0.0f);
	return V3(0.0f, 0.0f, 0.0f);
}

float Shape_InnerRadius(const Shape *shape)
{
	switch (shape->kind) {
	case SHAPE_BALL:
	case SHAPE_CAPSULE:
		return shape->radius;
	case SHAPE_BOX:
		return Min(shape->half.x, Min(shape->half.y, shape->half.z));
	case SHAPE_HULL:
		return shape->hull->inner_radius;
	case SHAPE_CYLINDER:
		return Min(shape->radius, shape->half_length);
	case SHAPE_CONE:
		return RoundDown(0.999999 * ConeInnerRadius(shape)); /* of the ball about the rounded middle */
	case SHAPE_MESH:
		return FLT_MAX; /* does not move */
	case SHAPE_KIND_COUNT:
		break;
	}
	SCREE_ASSERT(false);
	return 0.0f;
}

float Shape_OuterRadius(const Shape *shape)
{
	switch (shape->kind) {
	case SHAPE_BALL:
		return shape->radius;
	case SHAPE_CAPSULE:
		return RoundUp((double)shape->half_length + (double)shape->radius);
	case SHAPE_BOX:
		return RoundUp(LengthD(ToD(shape->half)));
	case SHAPE_HULL:
		return shape->hull->outer_radius;
	case SHAPE_CYLINDER:
	case SHAPE_CONE: {
		double r = (double)shape->radius, h = (double)shape->half_length;
		return RoundUp(sqrt(r * r + h * h));
	}
	case SHAPE_MESH:
		return Trimesh_OuterRadius(shape->mesh);
	case SHAPE_KIND_COUNT:
		break;
	}
	SCREE_ASSERT(false);
	return 0.0f;
}

/* ---- support points ------------------------------------------------------------------------------------------- */

/* The same direction at a length whose square a float holds. No direction becomes up. */
static Vec3 TameDirection(Vec3 d)
{
	float m = Max(Abs(d.x), Max(Abs(d.y), Abs(d.z)));
	if (m > 1e-9f && m < 1e9f)
		return d;
	if (!(m > 0.0f))
		return V3(0.0f, 1.0f, 0.0f);
	if (m < FLT_MIN) /* too small to divide by with any precision */
		return V3(d.x * 0x1p100f, d.y * 0x1p100f, d.z * 0x1p100f);
	return V3(d.x / m, d.y / m, d.z / m);
}

static Vec3 HullSupport(const Hull *hull, Vec3 direction)
{
	int best = 0;
	float reach = Dot(direction, hull->vertices[0]);
	for (int i = 1; i < hull->vertex_count; i++) {
		float d = Dot(direction, hull->vertices[i]);
		if (d > reach) {
			reach = d;
			best = i;
		}
	}
	return hull->vertices[best];
}

/* The farthest point of a ring about Y. Along the axis all are as far: a fixed one. */
static Vec3 RingSupport(float radius, float y, Vec3 d)
{
	float across = Sqrt(d.x * d.x + d.z * d.z);
	if (!(across > 0.0f))
		return V3(radius, y, 0.0f);
	return V3(radius * (d.x / across), y, radius * (d.z / across));
}

static Vec3 ConeSupport(const Shape *shape, Vec3 d)
{
	Vec3 rim = RingSupport(shape->radius, -shape->half_length, d), tip = V3(0.0f, shape->half_length, 0.0f);
	return Dot(d, tip) >= Dot(d, rim) ? tip : rim;
}

Vec3 Shape_Support(const Shape *shape, Vec3 direction)
{
	Vec3 d = TameDirection(direction), h = shape->half;
	switch (shape->kind) {
	case SHAPE_BALL:
		return Scale(shape->radius, Normalize(d));
	case SHAPE_CAPSULE: {
		float end = d.y >= 0.0f ? shape->half_length : -shape->half_length;
		return Add(V3(0.0f, end, 0.0f), Scale(shape->radius, Normalize(d)));
	}
	case SHAPE_BOX:
		return V3(d.x >= 0.0f ? h.x : -h.x, d.y >= 0.0f ? h.y : -h.y, d.z >= 0.0f ? h.z : -h.z);
	case SHAPE_HULL:
		return HullSupport(shape->hull, d);
	case SHAPE_CYLINDER:
		return RingSupport(shape->radius, d.y >= 0.0f ? shape->half_length : -shape->half_length, d);
	case SHAPE_CONE:
		return ConeSupport(shape, d);
	case SHAPE_MESH:
	case SHAPE_KIND_COUNT:
		break;
	}
	SCREE_ASSERT(false);
	return V3(0.0f, 0.0f, 0.0f);
}

/* ---- containment ---------------------------------------------------------------------------------------------- */

bool Shape_ContainsPoint(const Shape *shape, Vec3 point)
{
	Vec3D p = ToD(point);
	double r = (double)shape->radius, end = (double)shape->half_length;
	switch (shape->kind) {
	case SHAPE_BALL:
		return DotD(p, p) <= r * r;
	case SHAPE_CAPSULE:
		p.y -= ClampD(p.y, -end, end);
		return DotD(p, p) <= r * r;
	case SHAPE_BOX:
		return Abs(point.x) <= shape->half.x && Abs(point.y) <= shape->half.y && Abs(point.z) <= shape->half.z;
	case SHAPE_HULL:
		for (int f = 0; f < shape->hull->face_count; f++)
			if (!(Hull_PlaneDistance(shape->hull, f, p) <= 0.0))
				return false;
		return true;
	case SHAPE_CYLINDER:
		return AbsD(p.y) <= end && p.x * p.x + p.z * p.z <= r * r;
	case SHAPE_CONE: {
		double here = r * (end - p.y) / (2.0 * end);
		return AbsD(p.y) <= end && p.x * p.x + p.z * p.z <= here * here;
	}
	case SHAPE_MESH: {
		const double at[3] = {p.x, p.y, p.z};
		return Trimesh_Contains(shape->mesh, at);
	}
	case SHAPE_KIND_COUNT:
		break;
	}
	SCREE_ASSERT(false);
	return false;
}
