/* The first step to a mesh: floats about one origin, corners that are one, triangles that have an area. */
#include "shape/trimesh_internal.h"

#define WELD_SHARE 1e-6  /* of the largest coordinate: some eight roundings of a float */
#define SLIVER 1e-6      /* height over longest side, below which a triangle is a line */
#define THIN_WELDS 2.0f  /* a triangle this many tolerances high has no trustworthy normal */
#define GRID_WELDS 32.0f /* side of a cell of the grid in which equal corners are looked for */

bool Trimesh_Normal(Vec3 a, Vec3 b, Vec3 c, Vec3D *normal)
{
	Vec3D u = SubD(ToD(b), ToD(a)), w = SubD(ToD(c), ToD(a)), x = SubD(ToD(c), ToD(b));
	Vec3D n = CrossD(u, w);
	double longest = MaxD(DotD(u, u), MaxD(DotD(w, w), DotD(x, x))), length = LengthD(n);
	if (!(length > SLIVER * longest))
		return false;
	*normal = ScaleD(1.0 / length, n);
	return true;
}

/* ---- origin ------------------------------------------------------------------------------------------------------ */

/* Files keep their numbers to the bit where the mesh lies about the shape's own origin; else it gets an origin nearby,
 * a whole number so that short fractions stay exact. */
static double OriginOf(double lo, double hi)
{
	double middle = 0.5 * (lo + hi);
	return AbsD(middle) <= 4.0 * (hi - lo) ? 0.0 : (double)FloorToInt(middle);
}

static int FindOrigin(TrimeshDraft *draft, const double *positions, const uint32_t *indices, int triangle_count,
                      Error *error)
{
	double lo[3] = {1e300, 1e300, 1e300}, hi[3] = {-1e300, -1e300, -1e300}, largest = 0.0;
	for (size_t i = 0; i < 3 * (size_t)triangle_count; i++)
		for (int a = 0; a < 3; a++) {
			double v = positions[3 * (size_t)indices[i] + (size_t)a];
			if (!(AbsD(v) <= TRIMESH_REACH))
				return Error_Set(error, ERROR_LIMIT, "vertex %u is at %g, more than %g m from the part's origin",
				                 indices[i] + 1, v, TRIMESH_REACH);
			lo[a] = MinD(lo[a], v);
			hi[a] = MaxD(hi[a], v);
		}
	double origin[3];
	for (int a = 0; a < 3; a++) {
		origin[a] = OriginOf(lo[a], hi[a]);
		largest = MaxD(largest, MaxD(AbsD(lo[a] - origin[a]), AbsD(hi[a] - origin[a])));
	}
	draft->origin = (Pos){origin[0], origin[1], origin[2]};
	draft->tolerance = (float)(WELD_SHARE * largest);
	return ERROR_NONE;
}

/* ---- welding ----------------------------------------------------------------------------------------------------- */

#define NO_POINT UINT32_MAX

/* Points by the cells of a grid. A new point looks into the cells that its tolerance reaches. */
typedef struct Welder {
	TrimeshDraft *draft;
	CoordMap heads;      /* cell -> last point in it */
	ARRAY(int32_t) next; /* per point: the one before it in its cell, or -1 */
	double per_metre;
} Welder;

static bool Near(Vec3 a, Vec3 b, float tolerance)
{
	return Abs(a.x - b.x) <= tolerance && Abs(a.y - b.y) <= tolerance && Abs(a.z - b.z) <= tolerance;
}

/* The oldest point within tolerance, or an equal one. */
static uint32_t FindNear(const Welder *w, Vec3 v, const int32_t lo[3], const int32_t hi[3])
{
	uint32_t best = NO_POINT;
	const Vec3 *points = w->draft->points.data;
	for (int32_t z = lo[2]; z <= hi[2]; z++)
		for (int32_t y = lo[1]; y <= hi[1]; y++)
			for (int32_t x = lo[0]; x <= hi[0]; x++)
				for (int i = CoordMap_Find(&w->heads, x, y, z); i >= 0; i = w->next.data[i]) {
					if (points[i].x == v.x && points[i].y == v.y && points[i].z == v.z)
						return (uint32_t)i;
					if ((uint32_t)i < best && Near(points[i], v, w->draft->tolerance))
						best = (uint32_t)i;
				}
	return best;
}

static bool AddPoint(Welder *w, Vec3 v, uint32_t *point)
{
	const double at[3] = {v.x, v.y, v.z};
	int32_t lo[3], hi[3], own[3];
	double reach = (double)w->draft->tolerance;
	for (int a = 0; a < 3; a++) {
		lo[a] = FloorToInt((at[a] - reach) * w->per_metre);
		hi[a] = FloorToInt((at[a] + reach) * w->per_metre);
		own[a] = FloorToInt(at[a] * w->per_metre);
	}
	*point = FindNear(w, v, lo, hi);
	if (*point != NO_POINT)
		return true;
	Memory *memory = w->draft->memory;
	int index = w->draft->points.count, before = CoordMap_Find(&w->heads, own[0], own[1], own[2]);
	if (!Array_Push(memory, w->draft->points, v) || !Array_Push(memory, w->next, before) ||
	    !CoordMap_Put(&w->heads, memory, own[0], own[1], own[2], index))
		return false;
	*point = (uint32_t)index;
	return true;
}

static bool WeldAll(Welder *w, const double *positions, const uint32_t *indices, int triangle_count, uint32_t *points)
{
	Pos origin = w->draft->origin;
	for (size_t i = 0; i < 3 * (size_t)triangle_count; i++) {
		if (points[indices[i]] != NO_POINT)
			continue;
		const double *p = positions + 3 * (size_t)indices[i];
		/* adding 0 makes a zero of -0 */
		Vec3 v = V3((float)(p[0] - origin.x) + 0.0f, (float)(p[1] - origin.y) + 0.0f, (float)(p[2] - origin.z) + 0.0f);
		if (!AddPoint(w, v, &points[indices[i]]))
			return false;
	}
	return true;
}

/* ---- triangles --------------------------------------------------------------------------------------------------- */

static bool IsThin(Vec3 a, Vec3 b, Vec3 c, float tolerance)
{
	Vec3D u = SubD(ToD(b), ToD(a)), w = SubD(ToD(c), ToD(a)), x = SubD(ToD(c), ToD(b));
	double longest = MaxD(DotD(u, u), MaxD(DotD(w, w), DotD(x, x)));
	return LengthD(CrossD(u, w)) < (double)(THIN_WELDS * tolerance) * sqrt(longest);
}

static bool KeepTriangles(TrimeshDraft *draft, const uint32_t *indices, int triangle_count, const uint32_t *points)
{
	for (int t = 0; t < triangle_count; t++) {
		uint32_t p[3];
		for (int i = 0; i < 3; i++)
			p[i] = points[indices[3 * (size_t)t + (size_t)i]];
		if (p[0] == p[1] || p[1] == p[2] || p[2] == p[0]) {
			draft->dropped++;
			continue;
		}
		const Vec3 *v = draft->points.data;
		uint8_t flags = IsThin(v[p[0]], v[p[1]], v[p[2]], draft->tolerance) ? TRIMESH_THIN : 0;
		int count = draft->corners.count;
		memcpy(draft->corners.data + count, p, sizeof p);
		draft->corners.count = count + 3;
		draft->flags.data[draft->flags.count++] = flags;
	}
	return draft->flags.count > 0;
}

int Trimesh_Weld(TrimeshDraft *draft, const double *positions, const uint32_t *indices, int triangle_count,
                 Error *error)
{
	int code = FindOrigin(draft, positions, indices, triangle_count, error);
	if (code != ERROR_NONE)
		return code;
	uint32_t last = 0;
	for (size_t i = 0; i < 3 * (size_t)triangle_count; i++)
		last = indices[i] > last ? indices[i] : last;
	size_t bytes = ((size_t)last + 1) * sizeof(uint32_t);
	uint32_t *points = Memory_Alloc(draft->memory, bytes);
	Welder w = {.draft = draft, .per_metre = 1.0 / (double)(GRID_WELDS * Max(draft->tolerance, 1e-12f))};
	bool ok = points && Array_Reserve(draft->memory, draft->corners, 3 * triangle_count) &&
	          Array_Reserve(draft->memory, draft->flags, triangle_count);
	if (ok) {
		memset(points, 0xFF, bytes);
		ok = WeldAll(&w, positions, indices, triangle_count, points);
	}
	if (ok && !KeepTriangles(draft, indices, triangle_count, points))
		code = Error_Set(error, ERROR_ARGUMENT, "none of the %d triangles has an area", triangle_count);
	CoordMap_Free(&w.heads, draft->memory);
	Array_Free(draft->memory, w.next);
	Memory_Free(draft->memory, points, bytes);
	return ok ? code : Error_OutOfMemory(error);
}

void TrimeshDraft_Free(TrimeshDraft *draft)
{
	Array_Free(draft->memory, draft->points);
	Array_Free(draft->memory, draft->corners);
	Array_Free(draft->memory, draft->flags);
}
