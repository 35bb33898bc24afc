/* Which triangles of a mesh meet at an edge, and how: level, a ridge or a valley. And whether the mesh is closed. */
#include "shape/trimesh_internal.h"

#define FLAT_COSINE 0.99619469809175 /* of 5 degrees, as on terrain */
#define SAME_PLACE 1e-4              /* an angle this near to none is that of two sheets back to back */

/* ---- angles ------------------------------------------------------------------------------------------------------ */

/* Grows with the angle from the direction (1, 0) to (x, y): 0 to 4 for a whole turn. */
static double PseudoAngle(double x, double y)
{
	double r = x / (AbsD(x) + AbsD(y));
	return y >= 0.0 ? 1.0 - r : 3.0 + r;
}

double Trimesh_OutsideAngle(Vec3D along, Vec3D n, Vec3D m)
{
	Vec3D own = CrossD(n, along), other = CrossD(along, m); /* from the edge into the triangles */
	double x = DotD(other, own), y = DotD(other, n) * LengthD(along);
	double angle = AbsD(x) + AbsD(y) > 0.0 ? PseudoAngle(x, y) : 2.0;
	return angle < SAME_PLACE ? 4.0 : angle;
}

EdgeKind Trimesh_EdgeKind(Vec3D along, Vec3D n, Vec3D m)
{
	if (DotD(n, m) > FLAT_COSINE)
		return EDGE_FLAT;
	return Trimesh_OutsideAngle(along, n, m) > 2.0 ? EDGE_CONVEX : EDGE_CONCAVE;
}

/* ---- grouping ---------------------------------------------------------------------------------------------------- */

/* A side of a triangle, filed under its lower point. */
typedef struct Side {
	uint32_t higher, corner; /* corner 3 t + i: the side that starts there */
} Side;

static bool SideBefore(Side a, Side b)
{
	return a.higher != b.higher ? a.higher < b.higher : a.corner < b.corner;
}

/* Shell's sort with Ciura's gaps, carried on by the usual factor: most lists are short. */
static void SortSides(Side *sides, int count)
{
	static const int gaps[] = {3301713, 1467428, 652190, 289862, 128827, 57256, 25447, 11310, 5026, 2234,
	                           993,     441,     301,    132,    57,     23,    10,    4,     1};
	for (int g = 0; g < COUNT_OF(gaps); g++)
		for (int i = gaps[g]; i < count; i++) {
			Side side = sides[i];
			int j = i;
			for (; j >= gaps[g] && SideBefore(side, sides[j - gaps[g]]); j -= gaps[g])
				sides[j] = sides[j - gaps[g]];
			sides[j] = side;
		}
}

typedef struct EdgeFinder {
	TrimeshDraft *draft;
	int side_count;
	uint32_t *first; /* per point, and one more: its sides */
	Side *sides;
} EdgeFinder;

static uint32_t CornerPoint(const TrimeshDraft *draft, uint32_t corner)
{
	return draft->corners.data[corner];
}

static uint32_t NextCorner(uint32_t corner)
{
	return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static uint32_t LowerPoint(const TrimeshDraft *draft, uint32_t corner)
{
	uint32_t a = CornerPoint(draft, corner), b = CornerPoint(draft, NextCorner(corner));
	return a < b ? a : b;
}

static void FileSides(EdgeFinder *f)
{
	const TrimeshDraft *draft = f->draft;
	uint32_t points = (uint32_t)draft->points.count, corners = (uint32_t)f->side_count;
	memset(f->first, 0, ((size_t)points + 1) * sizeof *f->first);
	for (uint32_t c = 0; c < corners; c++)
		f->first[LowerPoint(draft, c) + 1]++;
	for (uint32_t p = 0; p < points; p++)
		f->first[p + 1] += f->first[p];
	for (uint32_t c = 0; c < corners; c++) {
		uint32_t a = CornerPoint(draft, c), b = CornerPoint(draft, NextCorner(c)), low = a < b ? a : b;
		f->sides[f->first[low]++] = (Side){a < b ? b : a, c};
	}
	for (uint32_t p = points; p > 0; p--)
		f->first[p] = f->first[p - 1];
	f->first[0] = 0;
	for (uint32_t p = 0; p < points; p++)
		SortSides(f->sides + f->first[p], (int)(f->first[p + 1] - f->first[p]));
}

/* ---- one edge ---------------------------------------------------------------------------------------------------- */

static void TrianglePoints(const TrimeshDraft *draft, uint32_t triangle, Vec3 v[3])
{
	for (uint32_t i = 0; i < 3; i++)
		v[i] = draft->points.data[draft->corners.data[3 * triangle + i]];
}

static bool NormalOf(const TrimeshDraft *draft, uint32_t corner, Vec3D *normal)
{
	Vec3 v[3];
	if (draft->flags.data[corner / 3] & TRIMESH_THIN)
		return false;
	TrianglePoints(draft, corner / 3, v);
	return Trimesh_Normal(v[0], v[1], v[2], normal);
}

/* The side's kind by the triangle that comes first round the outside; of those that run the other way. */
static EdgeKind KindOf(const EdgeFinder *f, const Side *group, int count, uint32_t corner, bool *open)
{
	const TrimeshDraft *draft = f->draft;
	uint32_t from = CornerPoint(draft, corner), to = CornerPoint(draft, NextCorner(corner));
	Vec3D n, m, along = SubD(ToD(draft->points.data[to]), ToD(draft->points.data[from]));
	double least = 5.0;
	EdgeKind kind = EDGE_CONVEX;
	*open = true;
	if (!NormalOf(draft, corner, &n))
		return kind;
	for (int i = 0; i < count; i++) {
		if (CornerPoint(draft, group[i].corner) != to || !NormalOf(draft, group[i].corner, &m))
			continue;
		double angle = Trimesh_OutsideAngle(along, n, m);
		if (angle < least) {
			least = angle;
			kind = Trimesh_EdgeKind(along, n, m);
			if (angle >= 4.0)
				kind = EDGE_CONVEX;
		}
		*open = false;
	}
	return kind;
}

#define CROWD 64 /* triangles at one edge, beyond which each is only held against the first so many */

static void FindKinds(EdgeFinder *f, const Side *group, int count)
{
	TrimeshDraft *draft = f->draft;
	int balance = 0, looked = Int_Min(count, CROWD);
	for (int i = 0; i < count; i++) {
		uint32_t corner = group[i].corner;
		bool open;
		EdgeKind kind = KindOf(f, group, looked, corner, &open);
		/* an open edge shows by a kind of its own until seams have been looked for */
		draft->flags.data[corner / 3] |= (uint8_t)((open ? TRIMESH_OPEN : kind) << 2 * (corner % 3));
		balance += CornerPoint(draft, corner) < group[i].higher ? 1 : -1;
		draft->open_edges += open && !(draft->flags.data[corner / 3] & TRIMESH_THIN);
	}
	draft->closed = draft->closed && balance == 0;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void AddVolume(TrimeshDraft *draft)
{
	double six = 0.0;
	for (int t = 0; t < draft->flags.count; t++) {
		Vec3 v[3];
		TrianglePoints(draft, (uint32_t)t, v);
		six += DotD(ToD(v[0]), CrossD(ToD(v[1]), ToD(v[2])));
	}
	draft->volume = six / 6.0;
}

/* Slivers have said what they know of who is closed to whom. */
static void DropSlivers(TrimeshDraft *draft)
{
	int kept = 0;
	for (int t = 0; t < draft->flags.count; t++) {
		Vec3 v[3];
		Vec3D normal;
		TrianglePoints(draft, (uint32_t)t, v);
		if (!Trimesh_Normal(v[0], v[1], v[2], &normal)) {
			draft->dropped++;
			continue;
		}
		memmove(draft->corners.data + 3 * kept, draft->corners.data + 3 * t, 3 * sizeof(uint32_t));
		draft->flags.data[kept++] = draft->flags.data[t];
	}
	draft->flags.count = kept;
	draft->corners.count = 3 * kept;
}

int Trimesh_FindEdges(TrimeshDraft *draft, Error *error)
{
	EdgeFinder f = {.draft = draft, .side_count = draft->corners.count};
	size_t firsts = ((size_t)draft->points.count + 1) * sizeof *f.first;
	size_t sides = (size_t)f.side_count * sizeof *f.sides;
	f.first = Memory_Alloc(draft->memory, firsts);
	f.sides = Memory_Alloc(draft->memory, sides);
	bool ok = f.first && f.sides;
	if (ok) {
		FileSides(&f);
		draft->closed = true;
		for (uint32_t p = 0; p < (uint32_t)draft->points.count; p++)
			for (uint32_t i = f.first[p], end; i < f.first[p + 1]; i = end) {
				for (end = i + 1; end < f.first[p + 1] && f.sides[end].higher == f.sides[i].higher;)
					end++;
				FindKinds(&f, f.sides + i, (int)(end - i));
			}
		AddVolume(draft);
		DropSlivers(draft);
	}
	Memory_Free(draft->memory, f.first, firsts);
	Memory_Free(draft->memory, f.sides, sides);
	if (!ok)
		return Error_OutOfMemory(error);
	if (draft->flags.count == 0)
		return Error_Set(error, ERROR_ARGUMENT, "none of the %lld triangles has an area", (long long)draft->dropped);
	return ERROR_NONE;
}
