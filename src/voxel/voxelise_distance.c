/* How far the centres of cells are from the triangles of a mesh, for the cells in a band around it. */
#include "voxel/voxelise_internal.h"

/* ---- triangles -------------------------------------------------------------------------------------------------- */

typedef struct V3d {
	double x, y, z;
} V3d;

static V3d Sub3(V3d a, V3d b)
{
	return (V3d){a.x - b.x, a.y - b.y, a.z - b.z};
}
static double Dot3(V3d a, V3d b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}
static V3d Cross3(V3d a, V3d b)
{
	return (V3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

typedef struct NearTriangle {
	V3d a, b, c;
	V3d ab, ac;
	V3d n; /* unit; zero for a triangle without area */
	double lo[3], hi[3];
} NearTriangle;

static void NearTriangle_Make(NearTriangle *t, const MeshFill *fill, uint32_t index)
{
	const double *p[3];
	for (int k = 0; k < 3; k++)
		p[k] = fill->positions + 3 * (size_t)fill->indices[3 * (size_t)index + (size_t)k];
	t->a = (V3d){p[0][0], p[0][1], p[0][2]};
	t->b = (V3d){p[1][0], p[1][1], p[1][2]};
	t->c = (V3d){p[2][0], p[2][1], p[2][2]};
	t->ab = Sub3(t->b, t->a);
	t->ac = Sub3(t->c, t->a);
	V3d n = Cross3(t->ab, t->ac);
	double length = sqrt(Dot3(n, n));
	t->n = length > 1e-12 ? (V3d){n.x / length, n.y / length, n.z / length} : (V3d){0, 0, 0};
	for (int i = 0; i < 3; i++) {
		t->lo[i] = MinD(p[0][i], MinD(p[1][i], p[2][i]));
		t->hi[i] = MaxD(p[0][i], MaxD(p[1][i], p[2][i]));
	}
}

static double SegmentDistance(V3d p, V3d a, V3d ab)
{
	V3d ap = Sub3(p, a);
	double length = Dot3(ab, ab), t = length > 0.0 ? ClampD(Dot3(ap, ab) / length, 0.0, 1.0) : 0.0;
	V3d d = {ap.x - t * ab.x, ap.y - t * ab.y, ap.z - t * ab.z};
	return Dot3(d, d);
}

/* Squared distance from p: to the plane where p lies over the triangle, else to the nearest of its edges. Over it: the
 * three triangles that p makes with the edges turn as the whole does. */
static double TriangleDistance(const NearTriangle *t, V3d p)
{
	V3d ap = Sub3(p, t->a), bp = Sub3(p, t->b), cp = Sub3(p, t->c), bc = Sub3(t->c, t->b), ca = Sub3(t->a, t->c);
	bool over =
	    Dot3(Cross3(t->ab, ap), t->n) > 0.0 && Dot3(Cross3(bc, bp), t->n) > 0.0 && Dot3(Cross3(ca, cp), t->n) > 0.0;
	if (over) {
		double d = Dot3(ap, t->n);
		return d * d;
	}
	double d = MinD(SegmentDistance(p, t->a, t->ab), SegmentDistance(p, t->b, bc));
	return MinD(d, SegmentDistance(p, t->c, ca));
}

double Triangle_Distance(const MeshFill *fill, uint32_t index, const double p[3])
{
	NearTriangle t;
	NearTriangle_Make(&t, fill, index);
	return TriangleDistance(&t, (V3d){p[0], p[1], p[2]});
}

/* ---- which triangles where --------------------------------------------------------------------------------------- */

static int32_t ChunkOf(double v)
{
	return FloorToInt(v / CHUNK_SIZE);
}

/* May the triangle come within `band` of a cell's centre in the chunk? */
static bool MayReach(const NearTriangle *t, Cell chunk, double band)
{
	const double half = 0.5 * CHUNK_SIZE;
	V3d middle = {chunk.x * (double)CHUNK_SIZE + half, chunk.y * (double)CHUNK_SIZE + half,
	              chunk.z * (double)CHUNK_SIZE + half};
	double reach = half * (AbsD(t->n.x) + AbsD(t->n.y) + AbsD(t->n.z)) + band;
	return AbsD(Dot3(Sub3(middle, t->a), t->n)) <= reach;
}

typedef struct NearFinder {
	ChunkTriangles *near;
	const MeshFill *fill;
	double band;
	int64_t looked; /* chunks */
	double rows;    /* of cells that will be measured */
	bool counting;
} NearFinder;

/* Cells of a chunk, along one axis, that lo..hi grown by the band covers. */
static double Overlap(double lo, double hi, double band, int32_t chunk)
{
	double first = chunk * (double)CHUNK_SIZE;
	return MaxD(0.0, MinD(hi + band, first + CHUNK_SIZE) - MaxD(lo - band, first));
}

/* Counts, or enters, one triangle in each chunk that it may reach. False: too many. */
static bool NearFinder_Triangle(NearFinder *finder, uint32_t index)
{
	ChunkTriangles *near = finder->near;
	NearTriangle t;
	int32_t lo[3], hi[3];
	NearTriangle_Make(&t, finder->fill, index);
	const int32_t first[3] = {near->lo.x, near->lo.y, near->lo.z};
	for (int i = 0; i < 3; i++) {
		lo[i] = Int_Max(ChunkOf(t.lo[i] - finder->band), first[i]);
		hi[i] = Int_Min(ChunkOf(t.hi[i] + finder->band), first[i] + near->size[i] - 1);
	}
	for (int32_t y = lo[1]; y <= hi[1]; y++)
		for (int32_t z = lo[2]; z <= hi[2]; z++)
			for (int32_t x = lo[0]; x <= hi[0]; x++) {
				Cell chunk = {x, y, z};
				if (!MayReach(&t, chunk, finder->band))
					continue;
				int64_t *start = &near->start[ChunkTriangles_Index(near, chunk)];
				if (finder->counting)
					start[1]++;
				else
					near->triangles[(*start)++] = index;
				near->count++;
				finder->rows += Overlap(t.lo[1], t.hi[1], finder->band, y) * Overlap(t.lo[2], t.hi[2], finder->band, z);
			}
	finder->looked += (int64_t)(hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1) * (hi[2] - lo[2] + 1);
	return near->count <= NEAR_LIMIT && finder->looked <= 16 * NEAR_LIMIT && finder->rows <= ROW_LIMIT;
}

static bool NearFinder_Run(NearFinder *finder, bool counting)
{
	finder->counting = counting;
	finder->looked = finder->near->count = 0;
	finder->rows = 0.0;
	for (int64_t t = 0; t < finder->fill->triangle_count; t++)
		if (!NearFinder_Triangle(finder, (uint32_t)t))
			return false;
	return true;
}

int ChunkTriangles_Find(ChunkTriangles *near, Memory *memory, const MeshFill *fill, CellBox box, double band,
                        Error *error)
{
	*near = (ChunkTriangles){.lo = {ChunkOf(box.lo.x), ChunkOf(box.lo.y), ChunkOf(box.lo.z)}};
	near->size[0] = ChunkOf(box.hi.x) - near->lo.x + 1;
	near->size[1] = ChunkOf(box.hi.y) - near->lo.y + 1;
	near->size[2] = ChunkOf(box.hi.z) - near->lo.z + 1;
	near->chunks = (int64_t)near->size[0] * near->size[1] * near->size[2];
	size_t room = (size_t)(near->chunks + 1) * sizeof *near->start;
	NearFinder finder = {near, fill, band, 0, 0.0, true};
	near->start = Memory_AllocZero(memory, room);
	if (!near->start)
		return Error_OutOfMemory(error);
	if (!NearFinder_Run(&finder, true))
		return Error_Set(error, ERROR_LIMIT, "the mesh is too large for its number of triangles: use a smaller scale");
	for (int64_t i = 0; i < near->chunks; i++)
		near->start[i + 1] += near->start[i];
	near->triangles = Memory_Alloc(memory, (size_t)near->count * sizeof *near->triangles);
	if (!near->triangles && near->count > 0) {
		near->count = 0;
		return Error_OutOfMemory(error);
	}
	NearFinder_Run(&finder, false);
	/* Entering moved each start to its end, which is the next one's start. */
	memmove(near->start + 1, near->start, room - sizeof *near->start);
	near->start[0] = 0;
	return ERROR_NONE;
}

void ChunkTriangles_Free(ChunkTriangles *near, Memory *memory)
{
	if (near->triangles)
		Memory_Free(memory, near->triangles, (size_t)near->count * sizeof *near->triangles);
	Memory_Free(memory, near->start, (size_t)(near->chunks + 1) * sizeof *near->start);
	*near = (ChunkTriangles){0};
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

/* Of the cells x0..x1 of a row, those whose centres are within `band` of the triangle's plane. */
static void ClipToPlane(const NearTriangle *t, double y, double z, double band, int32_t *x0, int32_t *x1)
{
	double rest = (y - t->a.y) * t->n.y + (z - t->a.z) * t->n.z, slope = AbsD(t->n.x);
	if (slope < 1e-6) {
		if (AbsD(rest) > band + 1.0) /* the row may still tilt towards it, by less than a cell */
			*x1 = *x0 - 1;
		return;
	}
	double middle = t->a.x - rest / t->n.x - 0.5, half = band / slope + 0.01;
	/* compared as doubles: far ends may not fit a whole number */
	if (middle - half > *x0)
		*x0 = middle - half < *x1 + 1.0 ? CeilToInt(middle - half) : *x1 + 1;
	if (middle + half < *x1)
		*x1 = middle + half > *x0 - 1.0 ? FloorToInt(middle + half) : *x0 - 1;
}

/* first: of the block's cells. */
static void Distance_Triangle(const NearTriangle *t, Cell first, double band, double *squared)
{
	const int32_t from[3] = {first.x, first.y, first.z};
	int32_t lo[3], hi[3];
	for (int i = 0; i < 3; i++) {
		lo[i] = Int_Max(from[i], CeilToInt(t->lo[i] - band - 0.5));
		hi[i] = Int_Min(from[i] + SIGN_SIZE - 1, FloorToInt(t->hi[i] + band - 0.5));
	}
	for (int32_t y = lo[1]; y <= hi[1]; y++)
		for (int32_t z = lo[2]; z <= hi[2]; z++) {
			int32_t x0 = lo[0], x1 = hi[0];
			ClipToPlane(t, y + 0.5, z + 0.5, band, &x0, &x1);
			double *row = squared + SIGN_SIZE * (z - from[2] + SIGN_SIZE * (y - from[1]));
			for (int32_t x = x0; x <= x1; x++) {
				double d = TriangleDistance(t, (V3d){x + 0.5, y + 0.5, z + 0.5});
				row[x - from[0]] = MinD(row[x - from[0]], d);
			}
		}
}

void Distance_Chunk(const ChunkTriangles *near, const MeshFill *fill, Cell chunk, double band, const uint8_t *passed,
                    double *squared)
{
	int64_t index = ChunkTriangles_Index(near, chunk);
	Cell first = {chunk.x * CHUNK_SIZE - 1, chunk.y * CHUNK_SIZE - 1, chunk.z * CHUNK_SIZE - 1};
	for (int i = 0; i < SIGN_SIZE * SIGN_SIZE * SIGN_SIZE; i++)
		squared[i] = DBL_MAX;
	for (int64_t i = near->start[index]; i < near->start[index + 1]; i++) {
		NearTriangle t;
		if (passed && passed[near->triangles[i]])
			continue;
		NearTriangle_Make(&t, fill, near->triangles[i]);
		Distance_Triangle(&t, first, band, squared);
	}
}
