/* Casts, overlaps and times of impact against a mesh of triangles: triangle by triangle, near the way. */
#include "collide/collide_internal.h"

#define PIECE_SIZES 4.0f /* a long way is cut into pieces of so many sizes of the shape */
#define PIECE_LIMIT 64
#define ROOM 0.01f /* m */

static Vec3 Middle(const Shape *shape, Xform placement)
{
	return shape->kind == SHAPE_HULL ? XformPoint(placement, shape->hull->center) : placement.p;
}

static bool MiddleIsInside(const Trimesh *mesh, Xform ta, const Shape *b, Xform tb)
{
	Vec3 p = XformInvPoint(ta, Middle(b, tb));
	const double point[3] = {p.x, p.y, p.z};
	return Trimesh_Contains(mesh, point);
}

/* ---- overlap ----------------------------------------------------------------------------------------------------- */

typedef struct Overlap {
	const Shape *b;
	Xform tb;
	bool found;
} Overlap;

static bool MeetOverlap(void *context, const Triangle *triangle)
{
	Overlap *overlap = context;
	overlap->found = Collide_TriangleDistance(triangle, overlap->b, overlap->tb).distance <= 0.0f;
	return !overlap->found;
}

bool Collide_OverlapMesh(const Trimesh *mesh, Xform ta, const Shape *b, Xform tb)
{
	Overlap overlap = {.b = b, .tb = tb};
	Trimesh_Visit(mesh, ta.q, ToD(ta.p), Shape_Bounds(b, tb), MeetOverlap, &overlap);
	return overlap.found || MiddleIsInside(mesh, ta, b, tb);
}

/* ---- cast -------------------------------------------------------------------------------------------------------- */

typedef struct MeshCast {
	const Shape *b;
	Xform tb;
	Vec3 motion;
	float target;
	bool found;
	CastHit best; /* its fraction is of the piece */
} MeshCast;

static bool MeetCast(void *context, const Triangle *triangle)
{
	MeshCast *cast = context;
	CastHit hit;
	/* what overlaps a triangle already is in it or behind it: it is let out */
	if (Collide_CastTriangle(triangle, cast->b, cast->tb, cast->motion, cast->target, &hit) && !hit.inside &&
	    (!cast->found || hit.fraction < cast->best.fraction)) {
		cast->best = hit;
		cast->found = true;
	}
	return true;
}

static int PiecesOf(const Shape *b, Xform tb, Vec3 motion)
{
	Box box = Shape_Bounds(b, tb);
	Vec3 size = Sub(box.hi, box.lo);
	float piece = PIECE_SIZES * Max(size.x, Max(size.y, size.z)) + ROOM, length = Length(motion);
	return length < piece ? 1 : Int_Min((int)Min(length / piece, 1e6f) + 1, PIECE_LIMIT);
}

bool Collide_CastMesh(const Trimesh *mesh, Xform ta, const Shape *b, Xform tb, Vec3 motion, float target, bool inside,
                      CastHit *hit)
{
	*hit = (CastHit){0};
	if (inside && Collide_OverlapMesh(mesh, ta, b, tb)) {
		*hit = (CastHit){.point = Middle(b, tb), .inside = true};
		return true;
	}
	int pieces = PiecesOf(b, tb, motion);
	for (int i = 0; i < pieces; i++) {
		float t0 = (float)i / (float)pieces, share = 1.0f / (float)pieces;
		MeshCast cast = {.b = b, .tb = tb, .motion = Scale(share, motion), .target = target};
		cast.tb.p = MulAdd(tb.p, t0, motion);
		Box start = BoxGrow(Shape_Bounds(b, cast.tb), target + ROOM);
		Box end = {Add(start.lo, cast.motion), Add(start.hi, cast.motion)};
		Trimesh_Visit(mesh, ta.q, ToD(ta.p), BoxUnion(start, end), MeetCast, &cast);
		if (cast.found) {
			*hit = cast.best;
			hit->fraction = t0 + share * cast.best.fraction;
			return true;
		}
	}
	return false;
}

/* ---- time of impact ---------------------------------------------------------------------------------------------- */

typedef struct MeshImpact {
	const Shape *b;
	Xform t0, t1;
	float target;
	bool found;
	float time;
} MeshImpact;

static bool MeetImpact(void *context, const Triangle *triangle)
{
	MeshImpact *impact = context;
	float time;
	if (Collide_TriangleTimeOfImpact(triangle, impact->b, impact->t0, impact->t1, impact->target, &time)) {
		impact->time = impact->found ? Min(impact->time, time) : time;
		impact->found = true;
	}
	return true;
}

bool Collide_MeshTimeOfImpact(const Trimesh *mesh, Xform ta, const Shape *b, Xform t0, Xform t1, float target,
                              float *time)
{
	MeshImpact impact = {.b = b, .t0 = t0, .t1 = t1, .target = target};
	/* whatever it turns through on the way stays within its outer radius */
	float reach = Shape_OuterRadius(b) + target + ROOM;
	Box box = BoxGrow(BoxUnion((Box){t0.p, t0.p}, (Box){t1.p, t1.p}), reach);
	Trimesh_Visit(mesh, ta.q, ToD(ta.p), box, MeetImpact, &impact);
	*time = impact.time;
	return impact.found;
}
