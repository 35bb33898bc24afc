/* Nearest points of two segments, and a segment's separating axes against a polyhedron. */
#include "collide/collide_internal.h"

double Segment_Closest(Vec3D p0, Vec3D p1, Vec3D q0, Vec3D q1, double *s, double *t)
{
	Vec3D d = SubD(p1, p0), e = SubD(q1, q0), r = SubD(p0, q0);
	double a = DotD(d, d), c = DotD(e, e), f = DotD(e, r);
	double u = 0.0, v = 0.0;
	if (a <= 0.0 && c > 0.0) {
		v = ClampD(f / c, 0.0, 1.0);
	} else if (a > 0.0 && c <= 0.0) {
		u = ClampD(-DotD(d, r) / a, 0.0, 1.0);
	} else if (a > 0.0) {
		double b = DotD(d, e), g = DotD(d, r), det = a * c - b * b;
		/* parallel: any place of the first; the clamps below find the partner */
		u = det > 1e-14 * a * c ? ClampD((b * f - g * c) / det, 0.0, 1.0) : 0.0;
		v = (b * u + f) / c;
		if (v < 0.0) {
			v = 0.0;
			u = ClampD(-g / a, 0.0, 1.0);
		} else if (v > 1.0) {
			v = 1.0;
			u = ClampD((b - g) / a, 0.0, 1.0);
		}
	}
	*s = u;
	*t = v;
	Vec3D gap = SubD(MulAddD(p0, u, d), MulAddD(q0, v, e));
	return DotD(gap, gap);
}

static void TryFaces(const Poly *poly, Vec3 p0, Vec3 p1, Axis *axis)
{
	for (int f = 0; f < poly->face_count; f++) {
		float s = Min(Dot(poly->normals[f], p0), Dot(poly->normals[f], p1)) - poly->offsets[f];
		if (f == 0 || s > axis->separation)
			*axis = (Axis){AXIS_FACE_A, f, -1, s, poly->normals[f]};
	}
}

/* An edge makes a face of the Minkowski sum with the segment where the arc between its faces' normals crosses the
 * segment's great circle. */
static void TryEdges(const Poly *poly, Vec3 p0, Vec3 d, float preference, Axis *axis)
{
	float bar = axis->separation + preference, length = Length(d);
	for (int e = 0; e < poly->edge_count; e++) {
		const HullEdge *edge = &poly->edges[e];
		Vec3 left = poly->normals[edge->left], right = poly->normals[edge->right];
		float p = Dot(left, d), q = Dot(right, d);
		if (p * q >= 0.0f)
			continue;
		Vec3 along = Poly_EdgeVector(poly, e), n = Cross(along, d);
		float size = Length(n);
		if (size <= 1e-3f * length * Length(along))
			continue;
		bool outward = Dot(n, Add(Scale(Abs(q), left), Scale(Abs(p), right))) > 0.0f;
		n = Scale((outward ? 1.0f : -1.0f) / size, n);
		float s = Dot(n, Sub(p0, poly->vertices[edge->a]));
		if (s > bar) {
			bar = s;
			*axis = (Axis){AXIS_EDGES, e, -1, s, n};
		}
	}
}

void Segment_FindAxis(const Poly *poly, Vec3 p0, Vec3 p1, Axis *axis)
{
	TryFaces(poly, p0, p1, axis);
	TryEdges(poly, p0, Sub(p1, p0), Preference(poly->thickness), axis);
}
