/* Which of the planes that a shape has reached are the reason for the contact.
 *
 * Where a shape overlaps a convex piece of the surface, the way out with the least push is the right one (as in the
 * separating axis test), and every other plane of that piece only says the same overlap again, deeper: the side of a
 * step on whose top a box rests, the lower side of a thin plate. Such a plane lies behind the better one wherever the
 * shape touches it. In a hollow each plane's touches lie in front of the other plane, so all of them stay.
 */
#include "collide/triangles_internal.h"

#define SAME_COSINE 0.9945f   /* 6 degrees: planes that will share a manifold do not compete */
#define GENTLE_COSINE 0.82f   /* 35 degrees: nor do those of a gentle bend while the shape is still ahead of contact */
#define AHEAD 0.005f          /* metres: what is nearer than this touches */
#define HALF_COSINE 0.998625f /* of half that: two so near to a third are that near to each other */
#define BEARING_DEPTH 0.01f   /* metres: a face sunk less than this may carry the shape by its area */
#define BEARING_RATIO 4.0f    /* of its area to that of the other */
#define BEARING_AREA 0.1f     /* least area, of the square of the shape's inner radius */
#define OPPOSED_COSINE -0.5f

/* ---- connected pieces -------------------------------------------------------------------------------------------- */

static int Root(Face *faces, int f)
{
	while (faces[f].part != f) {
		faces[f].part = faces[faces[f].part].part;
		f = faces[f].part;
	}
	return f;
}

static void Join(TriangleTest *test)
{
	Face *faces = test->faces;
	for (int f = 0; f < test->face_count; f++)
		for (int i = 0; faces[f].active && i < 3; i++) {
			int g = faces[f].neighbour[i];
			if (g == NO_FACE || !faces[g].active || faces[f].triangle->edge[i] == EDGE_CONCAVE)
				continue;
			int a = Root(faces, f), b = Root(faces, g);
			faces[Int_Max(a, b)].part = Int_Min(a, b);
		}
}

/* ---- one plane against another ----------------------------------------------------------------------------------- */

/* Does all that the shape touches of g lie behind (or on) f's plane? */
static bool IsBehind(const TriangleTest *test, const Candidate *g, const Candidate *f)
{
	float slack = Min(2e-4f, 0.01f * test->size), deepest = FLT_MAX;
	for (int i = 0; i < g->count; i++) {
		float d = Dot(f->normal, g->points[i].ground) - f->offset;
		if (d > slack)
			return false;
		deepest = Min(deepest, d);
	}
	if (deepest < -slack)
		return true;
	/* on the very line where the planes meet: in a hollow the rest of the triangle is in front */
	for (int k = 0; k < 3; k++) {
		if (Dot(f->normal, test->faces[g->face].v[k]) - f->offset > slack)
			return false;
		if (g->other != NO_FACE && Dot(f->normal, test->faces[g->other].v[k]) - f->offset > slack)
			return false;
	}
	return true;
}

/* Contact area on the plane of a face candidate, over all its triangles. */
static float PlaneWeight(const TriangleTest *test, Candidate *const *list, int count, const Candidate *c)
{
	float sum = 0.0f;
	for (int i = 0; i < count; i++)
		if (list[i]->kind == CANDIDATE_FACE && Candidate_SamePlane(test, list[i], c))
			sum += list[i]->weight;
	return sum;
}

/* A shape that rests on a broad face and dips into it a little does not hang on the rim of a hole in it, nor on another
 * pillar's side: what the dip reaches there is a thin strip. It rests on f: sunk by less than `depth`, with its lowest
 * point there. */
static bool Bears(const TriangleTest *test, float f_weight, const Candidate *f, float g_weight)
{
	float depth = Min(BEARING_DEPTH, 0.1f * test->size);
	return f->kind == CANDIDATE_FACE && -f->separation < depth && f->deepest < f->separation + 0.1f * depth &&
	       f_weight > BEARING_RATIO * g_weight && f_weight > BEARING_AREA * test->size * test->size;
}

static bool SamePart(TriangleTest *test, const Candidate *f, const Candidate *g)
{
	return Root(test->faces, f->face) == Root(test->faces, g->face);
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static bool ComesBefore(const TriangleTest *test, const Candidate *a, const Candidate *b)
{
	if (a->separation != b->separation)
		return a->separation > b->separation;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	return test->faces[a->face].triangle->id < test->faces[b->face].triangle->id;
}

/* Merge sort, bottom up: stable. */
static void Sort(const TriangleTest *test, Candidate **list, Candidate **scratch, int count)
{
	for (int width = 1; width < count; width *= 2) {
		for (int lo = 0; lo < count; lo += 2 * width) {
			int mid = Int_Min(lo + width, count), hi = Int_Min(lo + 2 * width, count), a = lo, b = mid;
			for (int k = lo; k < hi; k++)
				scratch[k] = a < mid && (b >= hi || !ComesBefore(test, list[b], list[a])) ? list[a++] : list[b++];
		}
		memcpy(list, scratch, sizeof(*list) * (size_t)count);
	}
}

static bool AllAlike(const TriangleTest *test)
{
	for (const Candidate *c = test->first; c; c = c->next)
		if (!c->dropped && Dot(c->normal, test->first->normal) <= HALF_COSINE)
			return false;
	return true;
}

/* Deep below a triangle that the shape does not touch it came in from another side of the solid, unless it touches
 * others of the same plane. */
static void DropHidden(TriangleTest *test)
{
	for (Candidate *c = test->first; c; c = c->next) {
		bool seen = !c->hidden;
		for (const Candidate *d = test->first; d && !seen; d = d->next)
			seen = d->kind == CANDIDATE_FACE && !d->hidden && Candidate_SamePlane(test, c, d);
		c->dropped = !seen;
	}
}

static void DropUnborne(TriangleTest *test, Candidate **list, const float *weight, int count)
{
	for (int i = 0; i < count; i++)
		for (int j = 0; j < count && !list[i]->dropped; j++)
			if (Dot(list[i]->normal, list[j]->normal) <= GENTLE_COSINE && Bears(test, weight[j], list[j], weight[i]) &&
			    IsBehind(test, list[i], list[j]))
				list[i]->dropped = true;
}

/* Where the shape moves along f over the bend, its points meet g's plane only beyond the bend, where that is in the
 * air. Those that will land have gone down behind f's plane by then. */
static bool Passes(const ShapeMotion *motion, const TouchPoint *p, const Candidate *g, const Candidate *f, float slack)
{
	Vec3 at = MulAdd(p->ground, p->separation, g->normal), way = Add(motion->shift, Cross(motion->turn, at));
	float approach = -Dot(g->normal, way);
	if (approach <= p->separation)
		return false;
	float now = Dot(f->normal, at) - f->offset;
	return now + p->separation / approach * Dot(f->normal, way) >= Min(now, 0.0f) - slack;
}

/* Of what g says across a gentle bend from f, keeps the points that do not touch yet and may land there. */
static void KeepLanding(const TriangleTest *test, Candidate *g, const Candidate *f)
{
	float slack = Min(1e-3f, 0.01f * test->size), ahead = Min(AHEAD, 0.05f * test->size);
	int kept = 0;
	g->deepest = FLT_MAX;
	for (int i = 0; i < g->count; i++) {
		TouchPoint p = g->points[i];
		if (p.separation <= ahead || (test->motion && Passes(test->motion, &p, g, f, slack)))
			continue;
		g->deepest = Min(g->deepest, p.separation);
		g->points[kept++] = p;
	}
	g->count = kept;
}

static void DropExplained(TriangleTest *test, Candidate **list, int count)
{
	for (int i = 0; i < count; i++)
		for (int j = 0; j < i && !list[i]->dropped; j++) {
			const Candidate *f = list[j];
			Candidate *g = list[i];
			float cosine = Dot(f->normal, g->normal);
			if (f->dropped || f->ahead)
				continue;
			if (cosine > SAME_COSINE) {
				/* they will share a manifold, but its direction is the edge's */
				if (f->kind != CANDIDATE_FACE && g->kind == CANDIDATE_FACE && SamePart(test, f, g) &&
				    IsBehind(test, g, f))
					g->follows = true;
				continue;
			}
			bool plate = cosine < OPPOSED_COSINE && f->deepest < 0.0f && g->deepest < 0.0f && IsBehind(test, f, g);
			if ((!plate && !SamePart(test, f, g)) || !IsBehind(test, g, f))
				continue;
			g->ahead = cosine > GENTLE_COSINE;
			if (g->ahead)
				KeepLanding(test, g, f);
			g->dropped = !g->ahead || g->count == 0;
		}
}

bool Candidates_Choose(TriangleTest *test)
{
	int count = test->candidate_count, at = 0;
	if (!test->edge_filter || count == 0)
		return true;
	DropHidden(test);
	if (AllAlike(test))
		return true;
	Candidate **list = Arena_Array(test->arena, Candidate *, count);
	Candidate **scratch = Arena_Array(test->arena, Candidate *, count);
	float *weight = Arena_Array(test->arena, float, count);
	if (!list || !scratch || !weight || !Links_Make(test))
		return false;
	for (Candidate *c = test->first; c; c = c->next)
		if (!c->dropped)
			list[at++] = c;
	count = at;
	Join(test);
	Sort(test, list, scratch, count);
	for (int i = 0; i < count; i++)
		weight[i] = list[i]->kind == CANDIDATE_FACE ? PlaneWeight(test, list, count, list[i]) : 0.0f;
	DropUnborne(test, list, weight, count);
	DropExplained(test, list, count);
	return true;
}
