/* Polygons into triangles. Convex ones become a fan from their first corner; others are cut ear by ear (after Meisters,
 * "Polygons have ears", 1975), so that no triangle lies outside of them. */
#include "mesh/mesh_internal.h"

/* Cutting ears takes the square of the number of corners; larger polygons become fans. */
#define EAR_LIMIT 512

typedef struct Flat {
	double x[EAR_LIMIT], y[EAR_LIMIT];
	int16_t next[EAR_LIMIT], before[EAR_LIMIT];
	int count;
} Flat;

/* Twice the area of the triangle, positive when it turns as the polygon does. */
static double Turn(const Flat *flat, int a, int b, int c)
{
	return (flat->x[b] - flat->x[a]) * (flat->y[c] - flat->y[a]) -
	       (flat->y[b] - flat->y[a]) * (flat->x[c] - flat->x[a]);
}

/* Projects along the axis that the polygon's normal (by Newell's method) is nearest to. False without a normal. */
static bool Flat_Make(Flat *flat, const Mesh *mesh, const int64_t *corners, int count)
{
	double n[3] = {0, 0, 0};
	for (int i = 0; i < count; i++) {
		const double *p = mesh->positions.data + 3 * corners[i],
		             *q = mesh->positions.data + 3 * corners[(i + 1) % count];
		const double *o = mesh->positions.data + 3 * corners[0];
		for (int k = 0; k < 3; k++) {
			int u = (k + 1) % 3, v = (k + 2) % 3;
			n[k] += (p[u] - o[u]) * (q[v] - o[v]) - (p[v] - o[v]) * (q[u] - o[u]);
		}
	}
	int k = AbsD(n[0]) > AbsD(n[1]) ? 0 : 1;
	k = AbsD(n[2]) > AbsD(n[k]) ? 2 : k;
	if (n[k] == 0.0)
		return false;
	int u = (k + 1) % 3, v = (k + 2) % 3;
	for (int i = 0; i < count; i++) {
		const double *p = mesh->positions.data + 3 * corners[i], *o = mesh->positions.data + 3 * corners[0];
		flat->x[i] = n[k] > 0.0 ? p[u] - o[u] : p[v] - o[v];
		flat->y[i] = n[k] > 0.0 ? p[v] - o[v] : p[u] - o[u];
		flat->next[i] = (int16_t)((i + 1) % count);
		flat->before[i] = (int16_t)((i + count - 1) % count);
	}
	flat->count = count;
	return true;
}

static bool Flat_IsConvex(const Flat *flat)
{
	for (int i = 0; i < flat->count; i++)
		if (Turn(flat, flat->before[i], i, flat->next[i]) < 0.0)
			return false;
	return true;
}

/* Is the corner an ear: does it turn inwards, and does no other corner that turns outwards lie in its triangle? */
static bool Flat_IsEar(const Flat *flat, int i)
{
	int a = flat->before[i], c = flat->next[i];
	if (Turn(flat, a, i, c) <= 0.0)
		return false;
	for (int k = flat->next[c]; k != a; k = flat->next[k]) {
		bool same = false;
		const int own[3] = {a, i, c};
		for (int j = 0; j < 3; j++)
			same = same || (flat->x[k] == flat->x[own[j]] && flat->y[k] == flat->y[own[j]]);
		if (!same && Turn(flat, a, i, k) >= 0.0 && Turn(flat, i, c, k) >= 0.0 && Turn(flat, c, a, k) >= 0.0)
			return false;
	}
	return true;
}

/* Without an ear, as when the polygon crosses itself, any corner is cut: the number of triangles stays the same. */
static int CutEars(Flat *flat, Mesh *mesh, Memory *memory, const int64_t *corners, Error *error)
{
	int at = 0;
	for (int left = flat->count; left >= 3; left--) {
		int tried = 0;
		while (left > 3 && tried < left && !Flat_IsEar(flat, at)) {
			at = flat->next[at];
			tried++;
		}
		int a = flat->before[at], c = flat->next[at];
		const int64_t triangle[3] = {corners[a], corners[at], corners[c]};
		int code = Mesh_AddTriangle(mesh, memory, triangle, error);
		if (code)
			return code;
		flat->next[a] = (int16_t)c;
		flat->before[c] = (int16_t)a;
		at = c;
	}
	return ERROR_NONE;
}

int Mesh_CutPolygon(Mesh *mesh, Memory *memory, const int64_t *corners, int count, Error *error)
{
	Flat flat;
	if (count > 3 && count <= EAR_LIMIT && Flat_Make(&flat, mesh, corners, count) && !Flat_IsConvex(&flat))
		return CutEars(&flat, mesh, memory, corners, error);
	for (int i = 2; i < count; i++) {
		const int64_t triangle[3] = {corners[0], corners[i - 1], corners[i]};
		int code = Mesh_AddTriangle(mesh, memory, triangle, error);
		if (code)
			return code;
	}
	return ERROR_NONE;
}
