/* Boxes and hulls as placed polyhedra. */
#include "collide/collide_internal.h"
#include "collide/four_internal.h"

/* ---- the topology of a box --------------------------------------------------------------------------------------- */

static const uint16_t BOX_FACE_FIRST[7] = {0, 4, 8, 12, 16, 20, 24};
static const uint8_t BOX_FACE_INDEX[24] = {
    0, 4, 6, 2, /* -x */
    1, 3, 7, 5, /* +x */
    0, 1, 5, 4, /* -y */
    2, 6, 7, 3, /* +y */
    0, 2, 3, 1, /* -z */
    4, 5, 7, 6, /* +z */
};
static const HullEdge BOX_EDGES[12] = {
    {0, 1, 2, 4}, {2, 3, 4, 3}, {4, 5, 5, 2}, {6, 7, 3, 5}, /* along x */
    {0, 2, 4, 0}, {1, 3, 1, 4}, {4, 6, 0, 5}, {5, 7, 5, 1}, /* along y */
    {0, 4, 0, 2}, {1, 5, 2, 1}, {2, 6, 3, 0}, {3, 7, 1, 3}, /* along z */
};

static void PlaceBox(Poly *poly, PolyStore *store, Vec3 half, Mat3 m, Vec3 p)
{
	Vec3 x = Scale(half.x, m.cx), y = Scale(half.y, m.cy), z = Scale(half.z, m.cz);
	Vec3 sides[4] = {Neg(Add(y, z)), Sub(y, z), Sub(z, y), Add(y, z)};
	for (int i = 0; i < 4; i++) {
		store->vertices[2 * i] = Add(p, Sub(sides[i], x));
		store->vertices[2 * i + 1] = Add(p, Add(sides[i], x));
	}
	Vec3 axes[3] = {m.cx, m.cy, m.cz};
	for (int k = 0; k < 3; k++) {
		float h = Component(half, k), at = Dot(axes[k], p);
		store->normals[2 * k] = Neg(axes[k]);
		store->normals[2 * k + 1] = axes[k];
		store->offsets[2 * k] = h - at;
		store->offsets[2 * k + 1] = h + at;
	}
	*poly = (Poly){.vertex_count = 8,
	               .face_count = 6,
	               .edge_count = 12,
	               .vertices = store->vertices,
	               .normals = store->normals,
	               .offsets = store->offsets,
	               .face_first = BOX_FACE_FIRST,
	               .face_index = BOX_FACE_INDEX,
	               .edges = BOX_EDGES,
	               .center = p,
	               .thickness = Min(half.x, Min(half.y, half.z))};
}

/* ---- placing ----------------------------------------------------------------------------------------------------- */

static void ShowHull(Poly *poly, const Hull *hull)
{
	*poly = (Poly){.vertex_count = hull->vertex_count,
	               .face_count = hull->face_count,
	               .edge_count = hull->edge_count,
	               .vertices = hull->vertices,
	               .normals = hull->normals,
	               .offsets = hull->offsets,
	               .face_first = hull->face_first,
	               .face_index = hull->face_index,
	               .edges = hull->edges,
	               .center = hull->center,
	               .thickness = hull->inner_radius};
}

static void TurnAll(Vec3 *to, const Vec3 *from, int count, Mat3 m)
{
	int i = 0;
	for (; i + 4 <= count; i += 4)
		FourVec_Store(FourVec_Turn(m, FourVec_Load(from + i)), to + i);
	for (; i < count; i++)
		to[i] = MatMulV(m, from[i]);
}

void Poly_Place(Poly *poly, PolyStore *store, const Shape *shape, Xform placement)
{
	Mat3 m = QuatToMat(placement.q);
	if (shape->kind == SHAPE_BOX) {
		PlaceBox(poly, store, shape->half, m, placement.p);
		return;
	}
	const Hull *hull = shape->hull;
	ShowHull(poly, hull);
	TurnAll(store->vertices, hull->vertices, hull->vertex_count, m);
	TurnAll(store->normals, hull->normals, hull->face_count, m);
	for (int i = 0; i < hull->vertex_count; i++)
		store->vertices[i] = Add(store->vertices[i], placement.p);
	for (int i = 0; i < hull->face_count; i++)
		store->offsets[i] = hull->offsets[i] + Dot(store->normals[i], placement.p);
	poly->vertices = store->vertices;
	poly->normals = store->normals;
	poly->offsets = store->offsets;
	poly->center = Add(MatMulV(m, hull->center), placement.p);
}

void Poly_OfShape(Poly *poly, PolyStore *store, const Shape *shape)
{
	if (shape->kind == SHAPE_BOX)
		PlaceBox(poly, store, shape->half, MatDiag(1.0f, 1.0f, 1.0f), V3(0.0f, 0.0f, 0.0f));
	else
		ShowHull(poly, shape->hull);
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

int Poly_FaceToward(const Poly *poly, Vec3 direction)
{
	int best = 0;
	float most = Dot(poly->normals[0], direction);
	for (int f = 1; f < poly->face_count; f++) {
		float d = Dot(poly->normals[f], direction);
		if (d > most) {
			most = d;
			best = f;
		}
	}
	return best;
}

float Poly_Support(const Poly *poly, Vec3 direction, int *vertex)
{
	int best = 0;
	float most = Dot(poly->vertices[0], direction);
	for (int i = 1; i < poly->vertex_count; i++) {
		float d = Dot(poly->vertices[i], direction);
		if (d > most) {
			most = d;
			best = i;
		}
	}
	*vertex = best;
	return most;
}

int Poly_IncidentFace(const Poly *poly, Vec3 direction)
{
	if (poly->edges == BOX_EDGES)
		return Poly_FaceToward(poly, direction);
	int vertex, best = -1;
	float most = -FLT_MAX;
	Poly_Support(poly, direction, &vertex);
	for (int e = 0; e < poly->edge_count; e++) {
		const HullEdge *edge = &poly->edges[e];
		if (edge->a != vertex && edge->b != vertex)
			continue;
		int faces[2] = {edge->left, edge->right};
		for (int k = 0; k < 2; k++) {
			float d = Dot(poly->normals[faces[k]], direction);
			if (d > most || (d == most && faces[k] < best)) {
				most = d;
				best = faces[k];
			}
		}
	}
	return best;
}

bool Poly_ClipToFace(const Poly *poly, int face, Vec3 p0, Vec3 p1, float *t0, float *t1)
{
	int count = Poly_CornerCount(poly, face);
	Vec3 n = poly->normals[face];
	float lo = 0.0f, hi = 1.0f;
	for (int i = 0; i < count; i++) {
		Vec3 a = poly->vertices[Poly_Corner(poly, face, i)];
		Vec3 b = poly->vertices[Poly_Corner(poly, face, i + 1 < count ? i + 1 : 0)];
		Vec3 outward = Cross(Sub(b, a), n);
		float d0 = Dot(outward, Sub(p0, a)), d1 = Dot(outward, Sub(p1, a));
		if (d0 > 0.0f && d1 > 0.0f)
			return false;
		if (d0 > 0.0f)
			lo = Max(lo, d0 / (d0 - d1));
		else if (d1 > 0.0f)
			hi = Min(hi, d0 / (d0 - d1));
	}
	*t0 = lo;
	*t1 = hi;
	return lo <= hi;
}

bool Poly_OverFace(const Poly *poly, int face, Vec3 p)
{
	float t0, t1;
	return Poly_ClipToFace(poly, face, p, p, &t0, &t1);
}
