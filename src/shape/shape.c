/* What is asked of every kind of shape: bounds, radii, support points, containment. */
#include "shape/shape.h"
#include "shape/shape_internal.h"

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
	case SHAPE_KIND_COUNT:
		break;
	}
	SCREE_ASSERT(false);
	return BoxAround(placement.p, V3(0.0f, 0.0f, 0.0f));
}

/* ---- radii ---------------------------------------------------------------------------------------------------- */

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
	case SHAPE_KIND_COUNT:
		break;
	}
	SCREE_ASSERT(false);
	return false;
}
