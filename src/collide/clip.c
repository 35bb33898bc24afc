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
void Clip_ByPlane(const ClipPolygon *from, ClipPolygon *to, Vec3 normal, float offset, int plane)
{
	to->count = 0;
	if (from->count == 0)
		return;
	uint16_t label = (uint16_t)(CLIP_CUT + plane);
	const ClipCorner *a = &from->corners[from->count - 1];
	float da = Dot(normal, a->p) - offset;
	for (int i = 0; i < from->count && to->count + 2 <= CLIP_LIMIT; i++) {
		const ClipCorner *b = &from->corners[i];
		float db = Dot(normal, b->p) - offset;
		if ((da <= 0.0f) != (db <= 0.0f)) {
			Vec3 p = Lerp(a->p, b->p, da / (da - db));
			/* leaving: the cut is the next side; entering: it was the one before */
			to->corners[to->count++] = da <= 0.0f ? (ClipCorner){p, a->after, label} : (ClipCorner){p, label, a->after};
		}
		if (db <= 0.0f)
			to->corners[to->count++] = *b;
		a = b;
		da = db;
	}
}

/* ---- choosing points --------------------------------------------------------------------------------------------- */

#define NEAR 0.005f         /* metres: points this near to the deepest bear load with it */
#define DEEPEST_TIE 0.0002f /* metres: points this near to the deepest are as deep, so that noise does not choose */

static void Swap(ManifoldPoint *points, int i, int j)
{
	ManifoldPoint p = points[i];
	points[i] = points[j];
	points[j] = p;
}

static int Deepest(const ManifoldPoint *points, int count, Vec3 across)
{
	float least = FLT_MAX;
	for (int i = 0; i < count; i++)
		least = Min(least, points[i].separation);
	int best = -1;
	float farthest = 0.0f;
	for (int i = 0; i < count; i++) {
		if (points[i].separation > least + DEEPEST_TIE)
			continue;
		float d = Dot(across, points[i].point);
		if (best < 0 || d > farthest) {
			farthest = d;
			best = i;
		}
	}
	return best;
}

static int Farthest(const ManifoldPoint *points, int count, Vec3 from)
{
	int best = -1;
	float most = 1e-12f;
	for (int i = 1; i < count; i++) {
		float d = LengthSq(Sub(points[i].point, from));
		if (d > most) {
			most = d;
			best = i;
		}
	}
	return best;
}

static int FarthestPoint(const ManifoldPoint *points, int count, Vec3 normal)
{
	(void)normal;
	return Farthest(points, count, points[0].point);
}

/* Twice the area on the left of a -> b seen against the normal; negative on the right. */
static float SideOf(Vec3 a, Vec3 b, Vec3 p, Vec3 normal)
{
	return Dot(Cross(Sub(b, a), Sub(p, a)), normal);
}

static int LargestTriangle(const ManifoldPoint *points, int count, Vec3 normal)
{
	int best = -1;
	float most = 1e-6f * LengthSq(Sub(points[1].point, points[0].point));
	for (int i = 2; i < count; i++) {
		float area = Abs(SideOf(points[0].point, points[1].point, points[i].point, normal));
		if (area > most) {
			most = area;
			best = i;
		}
	}
	return best;
}

/* The point that adds most to the triangle of the first three. */
static int LargestQuad(const ManifoldPoint *points, int count, Vec3 normal)
{
	Vec3 a = points[0].point, b = points[1].point, c = points[2].point;
	float whole = SideOf(a, b, c, normal), sign = whole < 0.0f ? -1.0f : 1.0f;
	int best = -1;
	float most = 1e-4f * Abs(whole);
	for (int i = 3; i < count; i++) {
		Vec3 p = points[i].point;
		float out = -sign * SideOf(a, b, p, normal);
		out = Max(out, -sign * SideOf(b, c, p, normal));
		out = Max(out, -sign * SideOf(c, a, p, normal));
		if (out > most) {
			most = out;
			best = i;
		}
	}
	return best;
}

/* Separation at the end of the motion, if that is less than now. */
static float Ahead(const ManifoldPoint *p, Vec3 normal, const ShapeMotion *motion)
{
	if (!motion)
		return p->separation;
	float approach = Dot(normal, Add(motion->shift, Cross(motion->turn, p->point)));
	return p->separation + Min(approach, 0.0f);
}

/* Brings the points that bear load, or are about to, to the front: they are within NEAR of the deepest. Returns how
 * many. */
static int NearFirst(ManifoldPoint *points, int count, Vec3 normal, const ShapeMotion *motion)
{
	float deepest = FLT_MAX;
	for (int i = 0; i < count; i++)
		deepest = Min(deepest, Ahead(&points[i], normal, motion));
	int near = 0;
	for (int i = 0; i < count; i++)
		if (Ahead(&points[i], normal, motion) <= deepest + NEAR)
			Swap(points, near++, i);
	return near;
}

/* What touches is never given up for what merely spans more: a body would fall on the side it was standing on. */
int Clip_Reduce(ManifoldPoint *points, int count, Vec3 normal, const ShapeMotion *motion)
{
	int (*const widest[])(const ManifoldPoint *, int, Vec3) = {NULL, FarthestPoint, LargestTriangle, LargestQuad};
	if (count <= MANIFOLD_POINTS)
		return count;
	int kept = NearFirst(points, count, normal, motion);
	if (kept >= MANIFOLD_POINTS) {
		count = kept;
		Swap(points, 0, Deepest(points, count, Perpendicular(normal)));
		kept = 1;
	}
	for (; kept < MANIFOLD_POINTS; kept++) {
		int best = widest[kept](points, count, normal);
		if (best < kept)
			break;
		Swap(points, kept, best);
	}
	return kept;
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
		Clip_ByPlane(polygon, cut, outward, Dot(outward, a), i);
		ClipPolygon *swap = polygon;
		polygon = cut;
		cut = swap;
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
