/* Separating axes of two polyhedra: the face normals of both and the cross products of their edges, of which only those
 * pairs count that make a face of the Minkowski difference (Gauss map test, after Gregorius, "The separating axis test
 * between convex polyhedra", GDC 2013). */
#include "collide/collide_internal.h"
#include "collide/four_internal.h"

#define PARALLEL_SINE 0.001f /* edges within 0.06 degrees give no axis of their own */

/* ---- any two polyhedra ------------------------------------------------------------------------------------------- */

#define FACE_ROOM 256 /* HULL_FACE_LIMIT in fours */

/* The face of a that is farthest from b. `nearest`, of FACE_ROOM: of each face, the vertex of b that is nearest to it.
 */
static float BestFace(const Poly *a, const Poly *b, int32_t *nearest, int *face)
{
	float best = -FLT_MAX;
	for (int f = 0; f < a->face_count; f += 4) {
		FourVec normals = FourVec_Take(a->normals, f, a->face_count);
		Four least = FourVec_Dot(normals, b->vertices[0]);
		FourBits at = {0, 0, 0, 0};
		for (int i = 1; i < b->vertex_count; i++) {
			Four along = FourVec_Dot(normals, b->vertices[i]);
			FourBits less = along < least;
			at = (less & (FourBits){i, i, i, i}) | (~less & at);
			least = Four_Min(along, least);
		}
		memcpy(&nearest[f], &at, sizeof at);
		for (int k = 0; k < 4 && f + k < a->face_count; k++) {
			float s = least[k] - a->offsets[f + k];
			if (s > best) {
				best = s;
				*face = f + k;
			}
		}
	}
	return best;
}

static Box BoundsOf(const Poly *poly)
{
	Box box = BoxEmpty();
	for (int i = 0; i < poly->vertex_count; i++)
		box = BoxAddPoint(box, poly->vertices[i]);
	return box;
}

/* Can a plane at right angles to n, somewhere on the arc between the normals of an edge's faces, part the two by
 * `least`? Every vertex of the other bounds that from above, by what is linear along the arc but for the length of the
 * vector: those two that are nearest to the faces do it well enough. `least`: at the ends, and where the two bounds
 * cross. */
static bool ArcParts(const Poly *poly, const HullEdge *edge, const int32_t *nearest, const Poly *other, float least)
{
	int i = nearest[edge->left], k = nearest[edge->right];
	Vec3 left = poly->normals[edge->left], right = poly->normals[edge->right], from = poly->vertices[edge->a];
	Vec3 to_i = Sub(other->vertices[i], from), to_k = Sub(other->vertices[k], from);
	float s = Dot(left, to_i), t = Dot(right, to_k), most = Max(s, t);
	if (i != k) {
		float p = Dot(left, to_k) - s, q = Dot(right, to_i) - t;
		if (p > 0.0f && q > 0.0f)
			most = Max(most, (q * s + p * t + p * q) / (p + q));
	}
	return most >= least || (most > 0.0f && 2.0f * most * most >= least * least * (1.0f + Dot(left, right)));
}

/* Edges that can touch the other polyhedron: two edges that meet at depth or distance s are no farther apart than
 * that. Both polyhedra hold a ball about their centres, so planes at right angles to n that part them by s part the
 * centres by s and both radii: `way` (to the other's centre) goes at least `least` along n, which lies on the arc
 * between the normals of the edge. On an arc that bends by an angle t, no vector goes farther along a way than the
 * farther of its ends, divided by cos(t/2), unless that is backwards. */
static int NearEdges(const Poly *poly, const int32_t *nearest, const Poly *other, Box around, Vec3 way, float bar,
                     uint16_t *list)
{
	float along[HULL_FACE_LIMIT], radii = poly->thickness + other->thickness;
	float hair = 1e-4f * (radii + Abs(bar)), least = bar + radii - hair; /* for rounding */
	int count = 0;
	for (int f = 0; f < poly->face_count; f++)
		along[f] = Dot(poly->normals[f], way);
	for (int e = 0; e < poly->edge_count; e++) {
		const HullEdge *edge = &poly->edges[e];
		float most = Max(along[edge->left], along[edge->right]);
		if (most < least &&
		    (most <= 0.0f ||
		     2.0f * most * most < least * least * (1.0f + Dot(poly->normals[edge->left], poly->normals[edge->right]))))
			continue;
		Vec3 a = poly->vertices[poly->edges[e].a], b = poly->vertices[poly->edges[e].b];
		if (ArcParts(poly, edge, nearest, other, bar - hair) && BoxOverlap((Box){MinV(a, b), MaxV(a, b)}, around))
			list[count++] = (uint16_t)e;
	}
	return count;
}

/* Edges of one polyhedron, four by four: vectors, and the normals on both sides. */
typedef struct EdgeFours {
	int count;
	const uint16_t *list;
	FourVec along[(3 * HULL_VERTEX_LIMIT + 3) / 4], left[(3 * HULL_VERTEX_LIMIT + 3) / 4],
	    right[(3 * HULL_VERTEX_LIMIT + 3) / 4], from[(3 * HULL_VERTEX_LIMIT + 3) / 4]; /* from: the first ends */
} EdgeFours;

static void GatherFours(const Poly *poly, const uint16_t *list, int count, EdgeFours *fours)
{
	fours->count = count;
	fours->list = list;
	for (int i = 0; i < count; i += 4) {
		FourVec *along = &fours->along[i / 4], *left = &fours->left[i / 4], *right = &fours->right[i / 4];
		FourVec *from = &fours->from[i / 4];
		for (int k = 0; k < 4; k++) {
			int e = list[Int_Min(i + k, count - 1)];
			Vec3 v = Poly_EdgeVector(poly, e);
			Vec3 l = poly->normals[poly->edges[e].left], r = poly->normals[poly->edges[e].right];
			along->x[k] = v.x, along->y[k] = v.y, along->z[k] = v.z;
			left->x[k] = l.x, left->y[k] = l.y, left->z[k] = l.z;
			right->x[k] = r.x, right->y[k] = r.y, right->z[k] = r.z;
			Vec3 p = poly->vertices[poly->edges[e].a];
			from->x[k] = p.x, from->y[k] = p.y, from->z[k] = p.z;
		}
	}
}

/* The same edge of A against four of B. */
typedef struct EdgeTest {
	Vec3 along, left, right, from;
	float length_square;
} EdgeTest;

/* Where the arc between an edge's normals passes the plane at right angles to the other edge (to whose vector they have
 * the products p and q): a vector that way, not unit. */
static inline FourVec ArcAcross(FourVec a, FourVec b, Four p, Four q)
{
	Four s = Four_Abs(q), t = Four_Abs(p);
	return (FourVec){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}
/* Of pairs whose arcs cross: the axis, out of A and into B, and the separation along it. Returns which pairs have one:
 * not those that are parallel, nor those that it would part backwards. */
static inline FourBits AxesOf(const EdgeTest *t, const EdgeFours *fours, int i, const Four dots[4], FourVec *axis,
                              Four *separation)
{
	FourVec u = FourVec_Of(t->along), v = fours->along[i];
	FourVec out_a = ArcAcross(FourVec_Of(t->left), FourVec_Of(t->right), dots[0], dots[1]);
	FourVec out_b = ArcAcross(fours->left[i], fours->right[i], dots[2], dots[3]);
	FourVec n = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
	Four square = FourVec_DotBoth(n, n), zero = Four_Of(0.0f);
	Four least = Four_Of(PARALLEL_SINE * PARALLEL_SINE * t->length_square) * FourVec_DotBoth(v, v);
	FourBits along = FourVec_DotBoth(n, out_a) > zero, back = FourVec_DotBoth(n, out_b) > zero;
	Four scale = Four_Pick(along, Four_Of(1.0f), Four_Of(-1.0f)) / Four_Sqrt(square);
	n = (FourVec){scale * n.x, scale * n.y, scale * n.z};
	FourVec from = fours->from[i];
	FourVec gap = {from.x - Four_Of(t->from.x), from.y - Four_Of(t->from.y), from.z - Four_Of(t->from.z)};
	*axis = n;
	*separation = FourVec_DotBoth(n, gap);
	return (square > least) & (along ^ back);
}

/* All pairs of which both arcs pass: one edge of A against four of B at a time. */
static void TryEdges(const Poly *a, int ea, const EdgeFours *fours, float *bar, Axis *axis)
{
	const HullEdge *edge = &a->edges[ea];
	EdgeTest t = {.along = Poly_EdgeVector(a, ea),
	              .left = a->normals[edge->left],
	              .right = a->normals[edge->right],
	              .from = a->vertices[edge->a]};
	t.length_square = LengthSq(t.along);
	for (int i = 0; i < fours->count; i += 4) {
		const FourVec *v = &fours->along[i / 4];
		Four dots[4] = {FourVec_Dot(*v, t.left), FourVec_Dot(*v, t.right), FourVec_Dot(fours->left[i / 4], t.along),
		                FourVec_Dot(fours->right[i / 4], t.along)};
		FourBits passes = (dots[0] * dots[1] < Four_Of(0.0f)) & (dots[2] * dots[3] < Four_Of(0.0f));
		if (FourBits_Mask(passes) == 0)
			continue;
		FourVec n;
		Four s;
		passes &= AxesOf(&t, fours, i / 4, dots, &n, &s);
		for (int k = 0; k < 4 && i + k < fours->count; k++)
			if (passes[k] && s[k] > *bar) {
				*bar = s[k];
				*axis = (Axis){AXIS_EDGES, ea, fours->list[i + k], s[k], V3(n.x[k], n.y[k], n.z[k])};
			}
	}
}

static const Box everywhere = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};

bool Poly_FindAxis(const Poly *a, const Poly *b, float margin, bool near, Axis *axis)
{
	float preference = Preference(Min(a->thickness, b->thickness));
	int fa = 0, fb = 0;
	int32_t nearest_a[FACE_ROOM], nearest_b[FACE_ROOM];
	float sa = BestFace(a, b, nearest_a, &fa);
	axis->separation = sa;
	if (sa > margin)
		return false;
	float sb = BestFace(b, a, nearest_b, &fb);
	axis->separation = sb;
	if (sb > margin)
		return false;
	*axis = (Axis){AXIS_FACE_A, fa, -1, sa, a->normals[fa]};
	if (sb > sa + preference)
		*axis = (Axis){AXIS_FACE_B, -1, fb, sb, Neg(b->normals[fb])};
	uint16_t near_a[3 * HULL_VERTEX_LIMIT], near_b[3 * HULL_VERTEX_LIMIT];
	float reach = Max(Abs(axis->separation), margin) + preference;
	float bar = axis->separation + preference;
	Vec3 way = Sub(b->center, a->center);
	Box around_a = near ? BoxGrow(BoundsOf(b), reach) : everywhere,
	    around_b = near ? BoxGrow(BoundsOf(a), reach) : everywhere;
	int count_a = NearEdges(a, nearest_a, b, around_a, way, bar, near_a);
	if (count_a == 0)
		return axis->separation <= margin;
	int count_b = NearEdges(b, nearest_b, a, around_b, Neg(way), bar, near_b);
	if (count_b == 0)
		return axis->separation <= margin;
	EdgeFours fours;
	GatherFours(b, near_b, count_b, &fours);
	for (int i = 0; i < count_a; i++)
		TryEdges(a, near_a[i], &fours, &bar, axis);
	return axis->separation <= margin;
}

/* ---- two boxes --------------------------------------------------------------------------------------------------- */

static const int NEXT[3] = {1, 2, 0}, OTHER[3] = {2, 0, 1};

/* The edge along axis k of a box that lies farthest along n (components in the box's axes). */
static int BoxEdgeToward(int k, const float n[3])
{
	/* the two other axes in rising order, as the edges are numbered */
	int i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
	return 4 * k + (n[i] > 0.0f ? 1 : 0) + (n[j] > 0.0f ? 2 : 0);
}

typedef struct BoxPair {
	float a[3], b[3];           /* half extents */
	float r[3][3], abs_r[3][3]; /* r[i][j] = dot(axis i of A, axis j of B) */
	float t[3];                 /* B's centre in A's axes */
} BoxPair;

static void TryBoxEdges(const BoxPair *p, int i, int j, Mat3 turn, float margin, float *bar, Axis *axis)
{
	/* axis i of A cross axis j of B, in A's axes */
	int i1 = NEXT[i], i2 = OTHER[i], j1 = NEXT[j], j2 = OTHER[j];
	float square = p->r[i1][j] * p->r[i1][j] + p->r[i2][j] * p->r[i2][j];
	if (square <= PARALLEL_SINE * PARALLEL_SINE)
		return;
	float reach = p->a[i1] * p->abs_r[i2][j] + p->a[i2] * p->abs_r[i1][j] + p->b[j1] * p->abs_r[i][j2] +
	              p->b[j2] * p->abs_r[i][j1];
	float along = p->t[i2] * p->r[i1][j] - p->t[i1] * p->r[i2][j];
	float inverse = 1.0f / Sqrt(square);
	float s = (Abs(along) - reach) * inverse;
	if (s <= *bar)
		return;
	*bar = s;
	float sign = along >= 0.0f ? inverse : -inverse;
	float n[3];
	n[i] = 0.0f;
	n[i1] = -sign * p->r[i2][j];
	n[i2] = sign * p->r[i1][j];
	axis->kind = AXIS_EDGES;
	axis->separation = s;
	axis->normal = V3(n[0], n[1], n[2]);
	if (s > margin)
		return;
	Vec3 in_b = MatTMulV(turn, Neg(axis->normal));
	axis->a = BoxEdgeToward(i, n);
	axis->b = BoxEdgeToward(j, (float[]){in_b.x, in_b.y, in_b.z});
}

bool Box_FindAxis(Vec3 half_a, Vec3 half_b, Mat3 turn, Vec3 shift, float preference, float margin, Axis *axis)
{
	BoxPair p = {.a = {half_a.x, half_a.y, half_a.z}, .b = {half_b.x, half_b.y, half_b.z}};
	Vec3 columns[3] = {turn.cx, turn.cy, turn.cz};
	for (int j = 0; j < 3; j++)
		for (int i = 0; i < 3; i++) {
			p.r[i][j] = Component(columns[j], i);
			p.abs_r[i][j] = Abs(p.r[i][j]);
		}
	for (int i = 0; i < 3; i++)
		p.t[i] = Component(shift, i);
	for (int i = 0; i < 3; i++) {
		float reach = p.a[i] + p.b[0] * p.abs_r[i][0] + p.b[1] * p.abs_r[i][1] + p.b[2] * p.abs_r[i][2];
		float s = Abs(p.t[i]) - reach;
		if (s > margin) {
			axis->separation = s;
			return false;
		}
		if (i == 0 || s > axis->separation) {
			float sign = p.t[i] >= 0.0f ? 1.0f : -1.0f;
			Vec3 n = i == 0 ? V3(sign, 0, 0) : i == 1 ? V3(0, sign, 0) : V3(0, 0, sign);
			*axis = (Axis){AXIS_FACE_A, 2 * i + (sign > 0.0f), -1, s, n};
		}
	}
	float bar = axis->separation + preference;
	for (int j = 0; j < 3; j++) {
		float along = Dot(columns[j], shift);
		float s = Abs(along) - p.b[j] - p.a[0] * p.abs_r[0][j] - p.a[1] * p.abs_r[1][j] - p.a[2] * p.abs_r[2][j];
		if (s > margin) {
			axis->separation = s;
			return false;
		}
		if (s > bar) {
			bar = s;
			/* the face of B that looks back at A */
			float sign = along >= 0.0f ? 1.0f : -1.0f;
			*axis = (Axis){AXIS_FACE_B, -1, 2 * j + (sign < 0.0f), s, Scale(sign, columns[j])};
		}
	}
	bar = axis->separation + preference;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			TryBoxEdges(&p, i, j, turn, margin, &bar, axis);
	return axis->separation <= margin;
}
