/* Distances of shapes: GJK on the cores, radii taken off at the end. */
#include "collide/collide_internal.h"

/* In double, so that an exactly level triangle has exactly the axis. */
bool Triangle_Normal(const Vec3 v[3], Vec3 *normal)
{
	Vec3D u = SubD(ToD(v[1]), ToD(v[0])), w = SubD(ToD(v[2]), ToD(v[0])), x = SubD(ToD(v[2]), ToD(v[1]));
	Vec3D n = CrossD(u, w);
	double longest = MaxD(DotD(u, u), MaxD(DotD(w, w), DotD(x, x))), length = LengthD(n);
	if (!(length > SLIVER * longest) || !IsFinite(length))
		return false;
	*normal = ToF(ScaleD(1.0 / length, n));
	return true;
}

float Triangle_Height(const Triangle *triangle, Vec3 normal, const Shape *shape, Xform placement)
{
	Vec3 center = placement.p, middle = Shape_Middle(shape);
	if (LengthSq(middle) > 0.0f)
		center = XformPoint(placement, middle);
	return Dot(normal, Sub(center, triangle->v[0]));
}

static Separation Separate(const Core *a, const Frame *frame_a, const Core *b, const Frame *frame_b)
{
	Frame relative = Frame_Relative(frame_a, frame_b);
	GjkResult g;
	Gjk_Distance(a, b, &relative, &g);
	Vec3D pa = MulAddD(g.point_a, a->radius, g.normal), pb = MulAddD(g.point_b, -b->radius, g.normal);
	double distance = g.distance - a->radius - b->radius;
	Separation s = {0};
	if (distance > 0.0) {
		s.distance = (float)distance;
		s.normal = ToF(Frame_Turn(frame_a, g.normal));
	} else {
		/* a point that lies in both: the middle of what they share of the line through the nearest core points */
		double lo = MaxD(-a->radius, g.distance - b->radius), hi = MinD(a->radius, g.distance + b->radius);
		pa = pb = MulAddD(g.point_a, 0.5 * (lo + hi), g.normal);
	}
	s.point_a = ToF(Frame_Point(frame_a, pa));
	s.point_b = ToF(Frame_Point(frame_a, pb));
	return s;
}

Separation Collide_Distance(const Shape *a, Xform ta, const Shape *b, Xform tb)
{
	Core core_a, core_b;
	Core_OfShape(&core_a, a);
	Core_OfShape(&core_b, b);
	Frame frame_a = Frame_Of(ta), frame_b = Frame_Of(tb);
	return Separate(&core_a, &frame_a, &core_b, &frame_b);
}

Separation Collide_TriangleDistance(const Triangle *triangle, const Shape *shape, Xform placement)
{
	Core core_a, core_b;
	Core_OfTriangle(&core_a, triangle);
	Core_OfShape(&core_b, shape);
	Frame frame_a = Frame_Of(XformIdentity()), frame_b = Frame_Of(placement);
	return Separate(&core_a, &frame_a, &core_b, &frame_b);
}

bool Collide_Overlap(const Shape *a, Xform ta, const Shape *b, Xform tb)
{
	if (a->kind == SHAPE_MESH)
		return Collide_OverlapMesh(a->mesh, ta, b, tb);
	Core core_a, core_b;
	Core_OfShape(&core_a, a);
	Core_OfShape(&core_b, b);
	Frame frame_a = Frame_Of(ta), frame_b = Frame_Of(tb);
	Frame relative = Frame_Relative(&frame_a, &frame_b);
	GjkResult g;
	Gjk_Distance(&core_a, &core_b, &relative, &g);
	return g.distance - core_a.radius - core_b.radius <= 0.0;
}
