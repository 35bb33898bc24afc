/* The least push that parts two overlapping cores: the point of the boundary of their Minkowski difference that is
 * nearest to the origin, by the expanding polytope (van den Bergen, "Proximity queries and penetration depth
 * computation on 3D game objects", GDC 2001).
 *
 * Heights of faces may be negative while the polytope does not hold the origin yet; the lowest face still is the one to
 * expand. Of all directions looked along, that with the least reach is the answer: it parts the cores by its own
 * support points, whatever rounding did to the polytope.
 */
#include "collide/collide_internal.h"

#define EPA_POINTS 120
#define EPA_FACES (2 * EPA_POINTS)
#define EPA_TOLERANCE 1e-12 /* of the size */

typedef struct EpaFace {
	Vec3D normal; /* unit, outward */
	double height;
	int v[3];
} EpaFace;

typedef struct Epa {
	const Core *a, *b;
	const Frame *b_in_a;
	Vec3D points[EPA_POINTS]; /* b - a */
	Vec3D of_a[EPA_POINTS];   /* a */
	int point_count;
	EpaFace faces[EPA_FACES];
	int face_count;
	double best; /* least reach so far, */
	Vec3D out;   /* along this */
} Epa;

/* Of the difference, farthest along the unit vector d. */
static Vec3D Look(Epa *epa, Vec3D d, Vec3D *of_a)
{
	int index;
	Vec3D a = Core_Support(epa->a, ScaleD(-1.0, d), &index);
	Vec3D b = Core_Support(epa->b, Frame_InvTurn(epa->b_in_a, d), &index);
	Vec3D w = SubD(Frame_Point(epa->b_in_a, b), a);
	double reach = DotD(d, w);
	*of_a = a;
	if (reach < epa->best) {
		epa->best = reach;
		epa->out = d;
	}
	return w;
}

static void AddFace(Epa *epa, int i, int j, int k)
{
	Vec3D a = epa->points[i];
	Vec3D n = CrossD(SubD(epa->points[j], a), SubD(epa->points[k], a));
	double length = LengthD(n);
	EpaFace *face = &epa->faces[epa->face_count++];
	*face = (EpaFace){{0.0, 0.0, 0.0}, DBL_MAX, {i, j, k}}; /* without area: never looked along */
	if (length > 1e-300) {
		face->normal = ScaleD(1.0 / length, n);
		face->height = DotD(face->normal, a);
	}
}

/* Point i: the farther of the support points both ways along d, from the plane through point 0. */
static void LookBothWays(Epa *epa, int i, Vec3D d)
{
	Vec3D p = epa->points[0], a, b, w = Look(epa, d, &a), x = Look(epa, ScaleD(-1.0, d), &b);
	bool first = AbsD(DotD(d, SubD(w, p))) >= AbsD(DotD(d, SubD(x, p)));
	epa->points[i] = first ? w : x;
	epa->of_a[i] = first ? a : b;
}

static Vec3D UnitD(Vec3D v)
{
	double length = LengthD(v);
	return length > 0.0 ? ScaleD(1.0 / length, v) : (Vec3D){0.0, 1.0, 0.0};
}

static Vec3D AcrossOf(Vec3D d)
{
	Vec3D e = AbsD(d.x) <= AbsD(d.y) && AbsD(d.x) <= AbsD(d.z) ? (Vec3D){1.0, 0.0, 0.0}
	          : AbsD(d.y) <= AbsD(d.z)                         ? (Vec3D){0.0, 1.0, 0.0}
	                                                           : (Vec3D){0.0, 0.0, 1.0};
	return UnitD(CrossD(d, e));
}

/* A tetrahedron of support points. */
static void Begin(Epa *epa)
{
	Vec3D *p = epa->points;
	Vec3D d = DotD(epa->b_in_a->p, epa->b_in_a->p) > 0.0 ? UnitD(epa->b_in_a->p) : (Vec3D){1.0, 0.0, 0.0};
	p[0] = Look(epa, d, &epa->of_a[0]);
	p[1] = Look(epa, ScaleD(-1.0, d), &epa->of_a[1]);
	LookBothWays(epa, 2, AcrossOf(UnitD(SubD(p[1], p[0]))));
	LookBothWays(epa, 3, UnitD(CrossD(SubD(p[1], p[0]), SubD(p[2], p[0]))));
	epa->point_count = 4;
	bool turned = DotD(CrossD(SubD(p[1], p[0]), SubD(p[2], p[0])), SubD(p[3], p[0])) > 0.0;
	int i = turned ? 2 : 1, j = turned ? 1 : 2;
	AddFace(epa, 0, i, j);
	AddFace(epa, 0, 3, i);
	AddFace(epa, 0, j, 3);
	AddFace(epa, i, 3, j);
}

static int LowestFace(const Epa *epa)
{
	int best = -1;
	double least = DBL_MAX;
	for (int f = 0; f < epa->face_count; f++)
		if (epa->faces[f].height < least) {
			least = epa->faces[f].height;
			best = f;
		}
	return best;
}

/* Replaces the faces that see the new point by a fan around it. False when there is no room, or none sees it. */
static bool Expand(Epa *epa, Vec3D w, Vec3D of_a, double slack)
{
	int edges[3 * EPA_FACES][2], edge_count = 0, kept = 0, point = epa->point_count;
	if (point == EPA_POINTS)
		return false;
	int seen = 0;
	for (int f = 0; f < epa->face_count; f++) {
		EpaFace face = epa->faces[f];
		if (face.height == DBL_MAX || DotD(face.normal, w) <= face.height + slack) {
			epa->faces[kept++] = face;
			continue;
		}
		seen++;
		for (int i = 0; i < 3; i++) {
			int a = face.v[i], b = face.v[(i + 1) % 3], e = 0;
			while (e < edge_count && !(edges[e][0] == b && edges[e][1] == a))
				e++;
			if (e < edge_count) { /* inner edge: both its faces go */
				edge_count--;
				edges[e][0] = edges[edge_count][0];
				edges[e][1] = edges[edge_count][1];
			} else {
				edges[edge_count][0] = a;
				edges[edge_count++][1] = b;
			}
		}
	}
	epa->face_count = kept;
	if (seen == 0 || kept + edge_count > EPA_FACES)
		return false;
	epa->of_a[point] = of_a;
	epa->points[epa->point_count++] = w;
	for (int e = 0; e < edge_count; e++)
		AddFace(epa, edges[e][0], edges[e][1], point);
	return true;
}

/* Weights of the corners of a face at the point o of its plane: how far inside it is, the least of them. */
static double Weigh(const Epa *epa, const EpaFace *face, Vec3D o, double weight[3])
{
	Vec3D n = face->normal, p[3];
	for (int i = 0; i < 3; i++)
		p[i] = SubD(epa->points[face->v[i]], o);
	double sum = 0.0;
	for (int i = 0; i < 3; i++)
		sum += weight[i] = DotD(n, CrossD(p[(i + 1) % 3], p[(i + 2) % 3]));
	if (!(sum > 0.0))
		return -DBL_MAX;
	for (int i = 0; i < 3; i++)
		weight[i] /= sum;
	return MinD(weight[0], MinD(weight[1], weight[2]));
}

/* Of A, at the point of the boundary that is nearest to the origin. About it several faces may lie in one plane, all
 * but for rounding: it is in one of them. */
static Vec3D PointOfA(const Epa *epa, double size)
{
	Vec3D o = ScaleD(epa->best, epa->out), p = {0.0, 0.0, 0.0};
	double most = -DBL_MAX, weight[3], best[3] = {1.0, 0.0, 0.0};
	int at = 0;
	for (int f = 0; f < epa->face_count; f++) {
		const EpaFace *face = &epa->faces[f];
		if (face->height > epa->best + 1e-6 * size || DotD(face->normal, epa->out) < 0.999)
			continue;
		double inside = Weigh(epa, face, o, weight);
		if (inside > most) {
			most = inside;
			at = f;
			memcpy(best, weight, sizeof(best));
		}
	}
	double sum = 0.0;
	for (int i = 0; i < 3; i++) {
		double w = MaxD(best[i], 0.0);
		p = MulAddD(p, w, epa->of_a[epa->faces[at].v[i]]);
		sum += w;
	}
	return ScaleD(1.0 / sum, p);
}

double Epa_Depth(const Core *a, const Core *b, const Frame *b_in_a, Vec3D *normal, Vec3D *point_a)
{
	Epa epa; /* not cleared: 20 KB */
	epa.a = a, epa.b = b, epa.b_in_a = b_in_a;
	epa.point_count = epa.face_count = 0;
	epa.best = DBL_MAX;
	Begin(&epa);
	double size = LengthD(SubD(epa.points[1], epa.points[0])) + LengthD(SubD(epa.points[3], epa.points[0]));
	for (;;) {
		int f = LowestFace(&epa);
		if (f < 0)
			break;
		EpaFace face = epa.faces[f];
		Vec3D of_a, w = Look(&epa, face.normal, &of_a);
		if (epa.best - face.height <= EPA_TOLERANCE * size)
			break;
		if (DotD(face.normal, w) - face.height <= 0.1 * EPA_TOLERANCE * size || !Expand(&epa, w, of_a, 1e-14 * size))
			break;
	}
	*normal = ScaleD(-1.0, epa.out);
	*point_a = PointOfA(&epa, size);
	return epa.best;
}
