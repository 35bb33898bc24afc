/* Shapes moved along a line: conservative advancement on the distance of their cores.
 *
 * The distance of convex shapes is a convex function of a straight motion, and its slope is the motion along the
 * normal: so each advance is a Newton step on a convex function, which never passes the root and closes in fast.
 */
#include "collide/collide_internal.h"

#define CAST_ITERATIONS 64
#define CAST_TOLERANCE 1e-6 /* metres short of the target */

typedef struct Cast {
	Core a, b;
	Frame frame_a, start; /* of A; of B in it */
	Vec3D motion;         /* in A's frame */
	double target;
} Cast;

typedef enum CastResult { CAST_MISS, CAST_HIT, CAST_INSIDE } CastResult;

static void Cast_Place(Cast *cast, Xform ta, Xform tb, Vec3 motion, float target)
{
	Frame frame_b = Frame_Of(tb);
	cast->frame_a = Frame_Of(ta);
	cast->start = Frame_Relative(&cast->frame_a, &frame_b);
	cast->motion = Frame_InvTurn(&cast->frame_a, ToD(motion));
	cast->target = (double)target;
}

static void WriteHit(const Cast *cast, const GjkResult *g, double t, CastHit *hit)
{
	hit->fraction = RoundDown(t);
	hit->point = ToF(Frame_Point(&cast->frame_a, MulAddD(g->point_a, cast->a.radius, g->normal)));
	hit->normal = ToF(Frame_Turn(&cast->frame_a, g->normal));
}

static CastResult Cast_Run(const Cast *cast, CastHit *hit)
{
	*hit = (CastHit){0};
	double t = 0.0, radius = cast->a.radius + cast->b.radius;
	GjkResult last = {0};
	for (int i = 0;; i++) {
		Frame now = cast->start;
		now.p = MulAddD(now.p, t, cast->motion);
		GjkResult g;
		Gjk_Distance(&cast->a, &cast->b, &now, &g);
		if (i == 0 && g.distance <= radius) {
			WriteHit(cast, &g, 0.0, hit);
			hit->inside = true;
			return CAST_INSIDE;
		}
		if (g.distance <= 0.0) { /* touching to the last bit: the direction is that of the step before */
			WriteHit(cast, &last, t, hit);
			return CAST_HIT;
		}
		double approach = -DotD(cast->motion, g.normal), gap = g.bound - radius - cast->target;
		if (!(approach > 0.0))
			return CAST_MISS;
		/* out of iterations only in a graze: to stop short is the safe side */
		if (gap <= CAST_TOLERANCE || i == CAST_ITERATIONS) {
			WriteHit(cast, &g, t, hit);
			return CAST_HIT;
		}
		/* not quite there, so that there is a gap left to take the normal from */
		t += (gap - 0.5 * CAST_TOLERANCE) / approach;
		if (t > 1.0)
			return CAST_MISS;
		last = g;
	}
}

bool Collide_Cast(const Shape *a, Xform ta, const Shape *b, Xform tb, Vec3 motion, float target, CastHit *hit)
{
	if (a->kind == SHAPE_MESH)
		return Collide_CastMesh(a->mesh, ta, b, tb, motion, target, true, hit);
	Cast cast;
	Core_OfShape(&cast.a, a);
	Core_OfShape(&cast.b, b);
	Cast_Place(&cast, ta, tb, motion, target);
	CastResult result = Cast_Run(&cast, hit);
	if (result == CAST_INSIDE) {
		Manifold m;
		Collide_Shapes(a, ta, b, tb, 0.01f, &m);
		hit->normal = m.normal;
	}
	return result != CAST_MISS;
}

bool Collide_CastTriangle(const Triangle *a, const Shape *b, Xform tb, Vec3 motion, float target, CastHit *hit)
{
	*hit = (CastHit){0};
	Vec3 normal;
	if (!Triangle_Normal(a->v, &normal) || !(Dot(motion, normal) < 0.0f))
		return false;
	if (Triangle_Height(a, normal, b, tb) < 0.0f)
		return false;
	Cast cast;
	Core_OfTriangle(&cast.a, a);
	Core_OfShape(&cast.b, b);
	Cast_Place(&cast, XformIdentity(), tb, motion, target);
	CastResult result = Cast_Run(&cast, hit);
	if (result == CAST_INSIDE)
		hit->normal = normal;
	/* met from behind, at a border: the triangle on the other side is the one to be hit */
	return result != CAST_MISS && Dot(hit->normal, normal) > -1e-3f;
}
