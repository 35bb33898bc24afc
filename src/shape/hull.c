/* Hulls as one block: assembling from vertices and faces, boxes and wedges, checking. */
#include "shape/shape.h"
#include "shape/shape_internal.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- parts ---------------------------------------------------------------------------------------------------- */

bool HullSides_Fill(HullSides *sides, const HullFaces *faces, int vertex_count)
{
	memset(sides->face, HULL_NO_FACE, sizeof(sides->face));
	for (int f = 0; f < faces->face_count; f++) {
		int first = faces->first[f], count = faces->first[f + 1] - first;
		for (int i = 0; i < count; i++) {
			int a = faces->index[first + i], b = faces->index[first + (i + 1) % count];
			if (a == b || a >= vertex_count || b >= vertex_count || sides->face[a][b] != HULL_NO_FACE)
				return false;
			sides->face[a][b] = (uint8_t)f;
		}
	}
	for (int f = 0; f < faces->face_count; f++) {
		const uint8_t *corner = faces->index + faces->first[f];
		int count = faces->first[f + 1] - faces->first[f];
		for (int i = 0, last = count - 1; i < count; last = i++)
			if (sides->face[corner[i]][corner[last]] == HULL_NO_FACE)
				return false;
	}
	return true;
}

Vec3D Polygon_Normal(const Vec3D *points, const uint8_t *corners, int count)
{
	Vec3D origin = points[corners[0]], n = {0.0, 0.0, 0.0}, last = n;
	for (int i = 1; i < count; i++) {
		Vec3D p = SubD(points[corners[i]], origin);
		n = AddD(n, CrossD(last, p));
		last = p;
	}
	return n;
}

/* Does p lie over the triangle, seen along n? */
static bool OverTriangle(Vec3D p, Vec3D n, Vec3D a, Vec3D b, Vec3D c)
{
	return DotD(CrossD(n, SubD(b, a)), SubD(p, a)) >= 0.0 && DotD(CrossD(n, SubD(c, b)), SubD(p, b)) >= 0.0 &&
	       DotD(CrossD(n, SubD(a, c)), SubD(p, c)) >= 0.0;
}

double Polygon_Distance(const Vec3D *points, const uint8_t *corners, int count, Vec3D n, Vec3D p, double d)
{
	double least = DBL_MAX;
	for (int i = 0; i < count; i++) {
		Vec3D a = points[corners[i]], b = points[corners[(i + 1) % count]];
		if (i > 0 && i + 1 < count && OverTriangle(p, n, points[corners[0]], a, b))
			return AbsD(d);
		least = MinD(least, SegmentDistance(p, a, b));
	}
	return least;
}

/* ---- assembling ----------------------------------------------------------------------------------------------- */

static size_t Align16(size_t size)
{
	return (size + 15u) & ~(size_t)15u;
}

/* Lays out the block; arrays of the hull are const for everyone else, so the writable pointers are handed back. */
typedef struct HullParts {
	Vec3 *vertices, *normals;
	float *offsets;
	uint16_t *face_first;
	uint8_t *face_index;
	HullEdge *edges;
} HullParts;

static Hull *AllocHull(Memory *memory, int vertices, int faces, int corners, HullParts *parts)
{
	size_t at[6], size = Align16(sizeof(Hull));
	const size_t sizes[6] = {sizeof(Vec3) * (size_t)vertices,
	                         sizeof(Vec3) * (size_t)faces,
	                         sizeof(float) * (size_t)faces,
	                         sizeof(uint16_t) * ((size_t)faces + 1u),
	                         (size_t)corners,
	                         sizeof(HullEdge) * ((size_t)corners / 2u)};
	for (int i = 0; i < 6; i++) {
		at[i] = size;
		size += Align16(sizes[i]);
	}
	unsigned char *block = Memory_AllocZero(memory, size);
	if (!block)
		return NULL;
	*parts = (HullParts){(void *)(block + at[0]), (void *)(block + at[1]), (void *)(block + at[2]),
	                     (void *)(block + at[3]), block + at[4],           (void *)(block + at[5])};
	Hull *hull = (void *)block;
	hull->vertex_count = vertices;
	hull->face_count = faces;
	hull->index_count = corners;
	hull->edge_count = corners / 2;
	hull->vertices = parts->vertices;
	hull->normals = parts->normals;
	hull->offsets = parts->offsets;
	hull->face_first = parts->face_first;
	hull->face_index = parts->face_index;
	hull->edges = parts->edges;
	hull->bytes = size;
	return hull;
}

static void FillBounds(Hull *hull)
{
	double farthest = 0.0;
	hull->bounds = BoxEmpty();
	for (int i = 0; i < hull->vertex_count; i++) {
		hull->bounds = BoxAddPoint(hull->bounds, hull->vertices[i]);
		farthest = MaxD(farthest, LengthD(ToD(hull->vertices[i])));
	}
	hull->outer_radius = RoundUp(farthest);
}

void Lanes_Load(PointLanes *lanes, const Vec3D *points, int count)
{
	for (int i = 0; i < (count + LANES - 1) / LANES * LANES; i++) {
		Vec3D p = points[Int_Min(i, count - 1)];
		lanes->x[i] = p.x;
		lanes->y[i] = p.y;
		lanes->z[i] = p.z;
	}
}

/* The plane's offset, without slack. The sign of a zero is that of the last vertex. */
static double OffsetOf(const PointLanes *lanes, bool simd, const Vec3D *points, int count, Vec3D n)
{
	double offset = simd ? Lanes_SupportFast(lanes, count, n) : Lanes_SupportPlain(lanes, count, n);
	if (offset != 0.0)
		return offset;
	offset = -DBL_MAX;
	for (int i = 0; i < count; i++)
		offset = MaxD(offset, DotD(n, points[i]));
	return offset;
}

/* Planes touch the hull from outside: no vertex lies beyond one, whatever rounding did to the normal. */
static void FillPlanes(Hull *hull, bool simd, const HullParts *parts)
{
	Vec3D points[HULL_VERTEX_LIMIT];
	PointLanes lanes;
	for (int i = 0; i < hull->vertex_count; i++)
		points[i] = ToD(hull->vertices[i]);
	Lanes_Load(&lanes, points, hull->vertex_count);
	for (int f = 0; f < hull->face_count; f++) {
		int first = hull->face_first[f];
		Vec3D n = Polygon_Normal(points, hull->face_index + first, hull->face_first[f + 1] - first);
		parts->normals[f] = ToF(ScaleD(1.0 / LengthD(n), n));
		parts->offsets[f] = RoundUp(OffsetOf(&lanes, simd, points, hull->vertex_count, ToD(hull->normals[f])));
	}
}

/* In the order of a, then b. */
static void FillEdges(const HullSides *sides, int vertex_count, HullEdge *edges)
{
	int count = 0;
	for (int a = 0; a < vertex_count; a++)
		for (int first = (a + 1) & -8; first < vertex_count; first += 8) {
			uint64_t eight;
			memcpy(&eight, sides->face[a] + first, sizeof(eight));
			if (eight == ~0ull) /* HULL_NO_FACE, which most are */
				continue;
			for (int b = Int_Max(first, a + 1); b < Int_Min(first + 8, vertex_count); b++)
				if (sides->face[a][b] != HULL_NO_FACE)
					edges[count++] = (HullEdge){(uint8_t)a, (uint8_t)b, sides->face[a][b], sides->face[b][a]};
		}
}

Hull *Hull_Assemble(Memory *memory, bool simd, const Vec3 *vertices, int vertex_count, const HullFaces *faces,
                    Error *error)
{
	HullSides sides;
	HullParts parts;
	int corners = faces->first[faces->face_count];
	if (!HullSides_Fill(&sides, faces, vertex_count)) {
		Error_Set(error, ERROR_ARGUMENT, "hull: its faces do not close");
		return NULL;
	}
	Hull *hull = AllocHull(memory, vertex_count, faces->face_count, corners, &parts);
	if (!hull) {
		Error_OutOfMemory(error);
		return NULL;
	}
	memcpy(parts.vertices, vertices, sizeof(Vec3) * (size_t)vertex_count);
	memcpy(parts.face_first, faces->first, sizeof(uint16_t) * ((size_t)faces->face_count + 1u));
	memcpy(parts.face_index, faces->index, (size_t)corners);
	FillEdges(&sides, vertex_count, parts.edges);
	FillBounds(hull);
	FillPlanes(hull, simd, &parts);
	Hull_ComputeMass(hull);
	double inner = DBL_MAX;
	for (int f = 0; f < hull->face_count; f++)
		inner = MinD(inner, -Hull_PlaneDistance(hull, f, ToD(hull->center)));
	hull->inner_radius = RoundDown(MaxD(inner, 0.0));
	return hull;
}

void Hull_Destroy(Memory *memory, Hull *hull)
{
	if (hull)
		Memory_Free(memory, hull, hull->bytes);
}

/* ---- boxes and wedges ----------------------------------------------------------------------------------------- */

/* Corner i of a box: bit 0 +x, bit 1 +y, bit 2 +z. */
Hull *Hull_CreateBox(Memory *memory, Vec3 half)
{
	static const HullFaces faces = {
	    .face_count = 6, .first = {0, 4, 8, 12, 16, 20, 24}, .index = {0, 1, 5, 4, /* -y */
	                                                                   0, 2, 3, 1, /* -z */
	                                                                   0, 4, 6, 2, /* -x */
	                                                                   1, 3, 7, 5, /* +x */
	                                                                   2, 6, 7, 3, /* +y */
	                                                                   4, 5, 7, 6 /* +z */}};
	Vec3 v[8];
	for (int i = 0; i < 8; i++)
		v[i] = V3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
	return Hull_Assemble(memory, false, v, 8, &faces, NULL);
}

Hull *Hull_CreateWedge(Memory *memory, Vec3 half)
{
	static const HullFaces faces = {.face_count = 5,
	                                .first = {0, 4, 8, 11, 14, 18},
	                                .index = {0, 1, 3, 2, /* bottom */
	                                          0, 4, 5, 1, /* slope */
	                                          0, 2, 4,    /* -x */
	                                          1, 5, 3,    /* +x */
	                                          2, 3, 5, 4 /* back */}};
	Vec3 v[6];
	for (int i = 0; i < 6; i++)
		v[i] = V3(i & 1 ? half.x : -half.x, i < 4 ? -half.y : half.y, i < 2 ? -half.z : half.z);
	return Hull_Assemble(memory, false, v, 6, &faces, NULL);
}

/* ---- checking ------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static bool Say(char *why, size_t why_size, const char *format, ...)
{
	if (why && why_size > 0) {
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(why, why_size, format, arguments);
		va_end(arguments);
	}
	return false;
}

static double HullExtent(const Hull *hull)
{
	Vec3 size = Sub(hull->bounds.hi, hull->bounds.lo);
	return (double)Max(size.x, Max(size.y, size.z));
}

/* Counts, closed surface, edge table. */
static bool ValidTopology(const Hull *hull, char *why, size_t why_size)
{
	int v = hull->vertex_count, e = hull->edge_count, f = hull->face_count;
	if (v < 4 || v > HULL_VERTEX_LIMIT || f < 4 || f > HULL_FACE_LIMIT || hull->index_count > HULL_INDEX_LIMIT)
		return Say(why, why_size, "%d vertices, %d faces, %d corners", v, f, hull->index_count);
	if (v - e + f != 2 || hull->index_count != 2 * e || hull->face_first[f] != hull->index_count)
		return Say(why, why_size, "Euler: %d - %d + %d, %d corners", v, e, f, hull->index_count);
	HullFaces faces = {.face_count = f};
	memcpy(faces.first, hull->face_first, sizeof(uint16_t) * ((size_t)f + 1u));
	memcpy(faces.index, hull->face_index, (size_t)hull->index_count);
	for (int i = 0; i < f; i++)
		if (faces.first[i + 1] < faces.first[i] + 3)
			return Say(why, why_size, "face %d has under three corners", i);
	HullSides sides;
	if (!HullSides_Fill(&sides, &faces, v))
		return Say(why, why_size, "faces do not close");
	for (int i = 0; i < e; i++) {
		HullEdge edge = hull->edges[i];
		if (edge.a >= edge.b || edge.b >= v || edge.left >= f || edge.right >= f ||
		    sides.face[edge.a][edge.b] != edge.left || sides.face[edge.b][edge.a] != edge.right)
			return Say(why, why_size, "edge %d: %d-%d, faces %d and %d", i, edge.a, edge.b, edge.left, edge.right);
		if (i > 0 && hull->edges[i - 1].a * 256 + hull->edges[i - 1].b >= edge.a * 256 + edge.b)
			return Say(why, why_size, "edge %d out of order", i);
	}
	return true;
}

/* One face: unit normal, nothing beyond its plane, corners on it and counter-clockwise on a convex outline. */
static bool ValidFace(const Hull *hull, int f, double slack, char *why, size_t why_size)
{
	Vec3D n = ToD(hull->normals[f]);
	if (!(AbsD(LengthD(n) - 1.0) < 1e-5))
		return Say(why, why_size, "face %d: normal of length %g", f, LengthD(n));
	for (int i = 0; i < hull->vertex_count; i++) {
		double d = Hull_PlaneDistance(hull, f, ToD(hull->vertices[i]));
		if (!(d <= 0.01 * slack))
			return Say(why, why_size, "vertex %d is %g m beyond face %d", i, d, f);
	}
	const uint8_t *corner = hull->face_index + hull->face_first[f];
	int count = hull->face_first[f + 1] - hull->face_first[f];
	for (int i = 0; i < count; i++) {
		Vec3D a = ToD(hull->vertices[corner[i]]), b = ToD(hull->vertices[corner[(i + 1) % count]]);
		Vec3D inward = CrossD(n, SubD(b, a));
		double length = LengthD(inward);
		for (int k = 0; k < count; k++) {
			double d = DotD(inward, SubD(ToD(hull->vertices[corner[k]]), a));
			if (!(length > 0.0 && d >= -slack * length))
				return Say(why, why_size, "corner %d of face %d is %g m outside its edge %d", k, f, -d / length, i);
		}
		double d = Hull_PlaneDistance(hull, f, a);
		if (!(d >= -slack))
			return Say(why, why_size, "corner %d of face %d is %g m beneath it", i, f, -d);
	}
	return true;
}

bool Hull_Validate(const Hull *hull, char *why, size_t why_size)
{
	if (!ValidTopology(hull, why, why_size))
		return false;
	/* Faces may be bent by the tolerance of merging and, far from the frame's origin, by rounding. */
	double slack = 1e-4 * HullExtent(hull) + 2e-6 * (double)hull->outer_radius;
	for (int f = 0; f < hull->face_count; f++) {
		if (!ValidFace(hull, f, slack, why, why_size))
			return false;
		double depth = -Hull_PlaneDistance(hull, f, ToD(hull->center));
		if (!(depth >= (double)hull->inner_radius))
			return Say(why, why_size, "center %g m under face %d, inner radius %g", depth, f, hull->inner_radius);
	}
	for (int i = 0; i < hull->vertex_count; i++)
		if (!(LengthD(ToD(hull->vertices[i])) <= (double)hull->outer_radius))
			return Say(why, why_size, "vertex %d outside the outer radius %g", i, hull->outer_radius);
	if (!(hull->volume > 0.0f) || !(hull->inertia.cx.x > 0.0f))
		return Say(why, why_size, "volume %g", hull->volume);
	return true;
}
