/* Clipping polygons, and choosing the few contact points that say most. */
#include "collide/collide_internal.h"

/* ---- polygons ---------------------------------------------------------------------------------------------------- */

void Clip_Face(ClipPolygon *polygon, const Poly *poly, int face)
{
	int count = Poly_CornerCount(poly, face);
	for (int i = 0; i < count; i++)
		polygon->corners[i] = (ClipCorner){poly->vertices[Poly_Corner(poly, face, i)],
		                                   (uint16_t)(i > 0 ? i - 1 : count - 1), (uint16_t)i};
	polygon->count = count;
}

/* Sutherland and Hodgman. A corner keeps its two sides, so that what it is can be told after any number of cuts. */
void Clip_ByPlane(ClipPolygon **polygon, ClipPolygon **spare, Vec3 normal, float offset, int plane)
{
	const ClipPolygon *from = *polygon;
	ClipPolygon *to = *spare;
	float d[CLIP_LIMIT];
	int inside = 0, count = from->count;
	for (int i = 0; i < count; i++) {
		d[i] = Dot(normal, from->corners[i].p) - offset;
		inside += d[i] <= 0.0f;
	}
	if (inside == count)
		return;
	*polygon = to;
	*spare = (ClipPolygon *)from;
	to->count = 0;
	if (inside == 0)
		return;
	uint16_t label = (uint16_t)(CLIP_CUT + plane);
	for (int i = 0, last = count - 1; i < count && to->count + 2 <= CLIP_LIMIT; last = i++) {
		const ClipCorner *a = &from->corners[last], *b = &from->corners[i];
		if ((d[last] <= 0.0f) != (d[i] <= 0.0f)) {
			Vec3 p = Lerp(a->p, b->p, d[last] / (d[last] - d[i]));
			/* leaving: the cut is the next side; entering: it was the one before */
			to->corners[to->count++] =
			    d[last] <= 0.0f ? (ClipCorner){p, a->after, label} : (ClipCorner){p, label, a->after};
		}
		if (d[i] <= 0.0f)
			to->corners[to->count++] = *b;
	}
}

/* ---- choosing points --------------------------------------------------------------------------------------------- */

#define NEAR 0.002f         /* metres: points this near to the deepest bear load with it, */
#define NEAR_SPREAD 0.2f    /* where they are this share of the whole contact's width away from each other */
#define DEEPEST_TIE 0.0002f /* metres: points this near to the deepest are as deep, so that noise does not choose */

static void Swap(ManifoldPoint *points, int i, int j)
{
	ManifoldPoint p = points[i];
	points[i] = points[j];
	points[j] = p;
}

/* Separation at the end of the motion, if that is less than now. */
static float Ahead(const ManifoldPoint *p, Vec3 normal, const ShapeMotion *motion)
{
	if (!motion)
		return p->separation;
	float approach = Dot(normal, Add(motion->shift, Cross(motion->turn, p->point)));
	return p->separation + Min(approach, 0.0f);
}

/* Brings the points that bear load, or are about to, to the front: they are within NEAR of the deepest, which is the
 * first (of several as deep, the one farthest in a fixed direction). Returns how many. */
static int NearFirst(ManifoldPoint *points, int count, Vec3 normal, const ShapeMotion *motion)
{
	Vec3 across = Perpendicular(normal);
	float deepest = FLT_MAX;
	for (int i = 0; i < count; i++)
		deepest = Min(deepest, Ahead(&points[i], normal, motion));
	int near = 0, first = -1;
	for (int i = 0; i < count; i++) {
		float s = Ahead(&points[i], normal, motion);
		if (s > deepest + NEAR)
			continue;
		Swap(points, near, i);
		if (s <= deepest + DEEPEST_TIE &&
		    (first < 0 || Dot(across, points[near].point) > Dot(across, points[first].point)))
			first = near;
		near++;
	}
	Swap(points, 0, first);
	return near;
}

/* The next three functions choose among points[1..], [2..], [3..] what makes the most of the ones before; -1 when that
 * is not more than `least`. */
static int Farthest(const ManifoldPoint *points, int count, float least)
{
	int best = -1;
	for (int i = 1; i < count; i++) {
		float d = LengthSq(Sub(points[i].point, points[0].point));
		if (d > least) {
			least = d;
			best = i;
		}
	}
	return best;
}

/* Twice the area on the left of a -> b seen against the normal; negative on the right. */
static float SideOf(Vec3 a, Vec3 b, Vec3 p, Vec3 normal)
{
	return Dot(Cross(Sub(b, a), Sub(p, a)), normal);
}

static int LargestTriangle(const ManifoldPoint *points, int count, Vec3 normal, float least)
{
	int best = -1;
	for (int i = 2; i < count; i++) {
		float area = Abs(SideOf(points[0].point, points[1].point, points[i].point, normal));
		if (area > least) {
			least = area;
			best = i;
		}
	}
	return best;
}

static int LargestQuad(const ManifoldPoint *points, int count, Vec3 normal, float least)
{
	Vec3 a = points[0].point, b = points[1].point, c = points[2].point;
	float sign = SideOf(a, b, c, normal) < 0.0f ? -1.0f : 1.0f;
	int best = -1;
	for (int i = 3; i < count; i++) {
		Vec3 p = points[i].point;
		float out = -sign * SideOf(a, b, p, normal);
		out = Max(out, -sign * SideOf(b, c, p, normal));
		out = Max(out, -sign * SideOf(c, a, p, normal));
		if (out > least) {
			least = out;
			best = i;
		}
	}
	return best;
}

/* Adds to the `kept` chosen points what spans most, as long as each adds more than its share of `width`. */
static int ChooseWidest(ManifoldPoint *points, int kept, int count, Vec3 normal, float width, float share)
{
	for (; kept < MANIFOLD_POINTS; kept++) {
		Vec3 base = Sub(points[kept > 1 ? 1 : 0].point, points[0].point);
		float least = share * width * (kept == 1 ? share * width : Length(base));
		int best = kept == 1   ? Farthest(points, count, least)
		           : kept == 2 ? LargestTriangle(points, count, normal, least)
		                       : LargestQuad(points, count, normal, least);
		if (best < kept)
			break;
		Swap(points, kept, best);
	}
	return kept;
}

/* Area of the quadrilateral of four points in any order: half the product of its diagonals, which of the three pairings
 * are those that make the most. */
static float QuadArea(const ManifoldPoint *p, int a, int b, int c, int d, Vec3 normal)
{
	Vec3 ab = Sub(p[b].point, p[a].point), ac = Sub(p[c].point, p[a].point), ad = Sub(p[d].point, p[a].point);
	Vec3 cd = Sub(p[d].point, p[c].point), bd = Sub(p[d].point, p[b].point), bc = Sub(p[c].point, p[b].point);
	float first = Abs(Dot(Cross(ab, cd), normal)), second = Abs(Dot(Cross(ac, bd), normal));
	return 0.5f * Max(Max(first, second), Abs(Dot(Cross(ad, bc), normal)));
}

#define GAIN 1.001f

/* Exchanges chosen points for others of the first `count` while the four span more by it. The deepest is given up only
 * for one as deep. */
static void Exchange(ManifoldPoint *points, int count, Vec3 normal)
{
	float area = QuadArea(points, 0, 1, 2, 3, normal);
	bool gained = true;
	for (int round = 0; round < MANIFOLD_POINTS && gained; round++) {
		gained = false;
		for (int k = 0; k < MANIFOLD_POINTS; k++) {
			for (int i = MANIFOLD_POINTS; i < count; i++) {
				if (k == 0 && points[i].separation > points[0].separation + DEEPEST_TIE)
					continue;
				Swap(points, k, i);
				float other = QuadArea(points, 0, 1, 2, 3, normal);
				if (other > GAIN * area) {
					area = other;
					gained = true;
				} else {
					Swap(points, k, i);
				}
			}
		}
	}
}

/* What touches is not given up for what merely spans more: a body would fall on the side it was standing on. But
 * touches side by side are one: a body would fall on the other side. */
int Clip_Reduce(ManifoldPoint *points, int count, Vec3 normal, const ShapeMotion *motion)
{
	if (count <= MANIFOLD_POINTS)
		return count;
	int near = NearFirst(points, count, normal, motion);
	int far = Farthest(points, count, 0.0f);
	float width = far > 0 ? Length(Sub(points[far].point, points[0].point)) : 0.0f;
	int kept = ChooseWidest(points, 1, near, normal, width, NEAR_SPREAD);
	int all = ChooseWidest(points, kept, count, normal, width, 1e-3f);
	if (all == MANIFOLD_POINTS && (kept == MANIFOLD_POINTS || near == count))
		Exchange(points, near, normal);
	return all;
}

/* ---- face against face ------------------------------------------------------------------------------------------- */

/* The two sides of the corner (each below 512), the reference face (below 256), the flip. */
static uint32_t CornerId(const ClipCorner *corner, int face, bool flip)
{
	return (uint32_t)corner->before | (uint32_t)corner->after << 10 | (uint32_t)face << 20 | (uint32_t)flip << 30;
}

int Clip_Manifold(const Poly *reference, int face, const Poly *other, float margin, bool flip,
                  ManifoldPoint points[MANIFOLD_POINTS])
{
	Vec3 n = reference->normals[face];
	float offset = reference->offsets[face];
	ClipPolygon polygons[2], *polygon = &polygons[0], *cut = &polygons[1];
	Clip_Face(polygon, other, Poly_IncidentFace(other, Neg(n)));
	int sides = Poly_CornerCount(reference, face);
	for (int i = 0; i < sides; i++) {
		Vec3 a = reference->vertices[Poly_Corner(reference, face, i)];
		Vec3 b = reference->vertices[Poly_Corner(reference, face, i + 1 < sides ? i + 1 : 0)];
		Vec3 outward = Cross(Sub(b, a), n);
		Clip_ByPlane(&polygon, &cut, outward, Dot(outward, a), i);
	}
	ManifoldPoint all[CLIP_LIMIT];
	int count = 0;
	for (int i = 0; i < polygon->count; i++) {
		const ClipCorner *corner = &polygon->corners[i];
		float s = Dot(n, corner->p) - offset;
		if (s <= margin)
			all[count++] = (ManifoldPoint){MulSub(corner->p, 0.5f * s, n), s, CornerId(corner, face, flip)};
	}
	count = Clip_Reduce(all, count, n, NULL);
	memcpy(points, all, sizeof(ManifoldPoint) * (size_t)count);
	return count;
}
