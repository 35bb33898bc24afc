/* Which triangles meet at an edge or a corner, found through the equal bits of shared vertices; and what that says
 * about the directions in which the edge or corner can be touched. */
#include "collide/four_internal.h"
#include "collide/triangles_internal.h"

#define SLACK 1e-3f /* radians by which a direction may lie outside of the cone of normals */
#define THIN 3.0f   /* heights of a triangle */

/* ---- linking ----------------------------------------------------------------------------------------------------- */

static uint32_t VertexHash(Vec3 v)
{
	float parts[3] = {v.x + 0.0f, v.y + 0.0f, v.z + 0.0f}; /* -0 and 0 are one */
	uint32_t bits[3];
	memcpy(bits, parts, sizeof(bits));
	return Touch_Id(bits[0], bits[1], bits[2]);
}

static bool SameVertex(Vec3 a, Vec3 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

static Vec3 CornerOf(const TriangleTest *test, int corner)
{
	return test->faces[corner / 3].v[corner % 3];
}

/* The vertices of many triangles, by a hash of their places. */
static bool HashVertices(TriangleTest *test, int corners)
{
	int capacity = 16;
	while (capacity < 2 * corners)
		capacity *= 2;
	int *slots = Arena_Array(test->arena, int, capacity);
	if (!slots)
		return false;
	for (int i = 0; i < capacity; i++)
		slots[i] = -1;
	for (int c = 0; c < corners; c++) {
		Vec3 v = CornerOf(test, c);
		int at = (int)(VertexHash(v) & (uint32_t)(capacity - 1));
		while (slots[at] >= 0 && !SameVertex(CornerOf(test, test->vertex_first[slots[at]]), v))
			at = (at + 1) & (capacity - 1);
		if (slots[at] < 0) {
			slots[at] = test->vertex_count++;
			test->vertex_first[slots[at]] = c;
		}
		test->corner_vertex[c] = slots[at];
	}
	return true;
}

#define FEW_VERTICES 64

/* Of a few: by looking at four at a time. */
static void CompareVertices(TriangleTest *test, int corners)
{
	Four x[FEW_VERTICES / 4], y[FEW_VERTICES / 4], z[FEW_VERTICES / 4]; /* lanes not yet used repeat the first */
	int count = 0;
	for (int f = 0; 3 * f < corners; f++)
		for (int i = 0; i < 3; i++) {
			Vec3 v = test->faces[f].v[i];
			int found = -1;
			for (int k = 0; 4 * k < count && found < 0; k++) {
				FourBits same = (x[k] == Four_Of(v.x)) & (y[k] == Four_Of(v.y)) & (z[k] == Four_Of(v.z));
				unsigned mask = FourBits_Mask(same);
				if (mask)
					found = 4 * k + __builtin_ctz(mask);
			}
			if (found < 0) {
				found = count++;
				test->vertex_first[found] = 3 * f + i;
				int k = found / 4;
				if (found % 4 == 0) {
					x[k] = Four_Of(v.x), y[k] = Four_Of(v.y), z[k] = Four_Of(v.z);
				} else {
					x[k][found % 4] = v.x, y[k][found % 4] = v.y, z[k][found % 4] = v.z;
				}
			}
			test->corner_vertex[3 * f + i] = found;
		}
	test->vertex_count = count;
}

/* Gives equal corners one number, in the order of the first ones, and strings them together, lowest face first. */
static bool NumberVertices(TriangleTest *test)
{
	int corners = 3 * test->face_count;
	int *room = Arena_Array(test->arena, int, 4 * corners), *last = room;
	if (!room)
		return false;
	test->vertex_first = room + corners;
	test->corner_next = room + 2 * corners;
	test->corner_vertex = room + 3 * corners;
	if (corners <= FEW_VERTICES)
		CompareVertices(test, corners);
	else if (!HashVertices(test, corners))
		return false;
	for (int c = 0; c < corners; c++) {
		int v = test->corner_vertex[c];
		test->corner_next[c] = -1;
		if (test->vertex_first[v] != c)
			test->corner_next[last[v]] = c;
		last[v] = c;
	}
	return true;
}

/* The triangle that has the edge the other way round. */
static int Across(const TriangleTest *test, int face, int edge)
{
	const int *vertex = test->faces[face].vertex;
	int a = vertex[edge], b = vertex[edge == 2 ? 0 : edge + 1];
	for (int c = test->vertex_first[a]; c >= 0; c = test->corner_next[c]) {
		int other = c / 3, before = c == 3 * other ? c + 2 : c - 1;
		if (test->corner_vertex[before] == b && other != face)
			return other;
	}
	return NO_FACE;
}

#define NO_EDGE 255

/* The same for all edges of a few triangles: a table says which is the first that goes from one vertex to another. */
static void JoinFew(TriangleTest *test)
{
	uint8_t first[FEW_VERTICES * FEW_VERTICES];
	int count = test->vertex_count;
	memset(first, NO_EDGE, (size_t)(count * count));
	for (int f = test->face_count - 1; f >= 0; f--) {
		const int *v = test->faces[f].vertex;
		first[v[0] * count + v[1]] = first[v[1] * count + v[2]] = first[v[2] * count + v[0]] = (uint8_t)f;
	}
	for (int f = 0; f < test->face_count; f++) {
		Face *face = &test->faces[f];
		for (int i = 0; i < 3; i++) {
			uint8_t other = first[face->vertex[i == 2 ? 0 : i + 1] * count + face->vertex[i]];
			face->neighbour[i] = other == NO_EDGE ? NO_FACE : other == f ? Across(test, f, i) : other;
		}
	}
}

bool Links_Make(TriangleTest *test)
{
	if (test->linked)
		return true;
	if (!NumberVertices(test)) {
		test->failed = true;
		return false;
	}
	for (int f = 0; f < test->face_count; f++)
		memcpy(test->faces[f].vertex, &test->corner_vertex[3 * f], sizeof test->faces[f].vertex);
	if (3 * test->face_count <= FEW_VERTICES)
		JoinFew(test);
	for (int f = 0; f < test->face_count && 3 * test->face_count > FEW_VERTICES; f++)
		for (int i = 0; i < 3; i++)
			test->faces[f].neighbour[i] = Across(test, f, i);
	test->linked = true;
	return true;
}

/* ---- cones of normals -------------------------------------------------------------------------------------------- */

static bool Below(Vec3 direction, Vec3 from, Vec3 to)
{
	Vec3 d = Sub(to, from);
	float height = Dot(direction, d);
	return height <= 0.0f || height * height <= SLACK * SLACK * LengthSq(d);
}

/* The corner of `other` that is not on the edge. */
static Vec3 FarCorner(const Face *face, int edge, const Face *other)
{
	for (int k = 0; k < 3; k++)
		if (other->vertex[k] != face->vertex[edge] && other->vertex[k] != face->vertex[(edge + 1) % 3])
			return other->v[k];
	return face->v[edge];
}

/* The same for a triangle's far corner over one of its edges. In a thin triangle that is a way off along the edge,
 * which says little of how the triangle tilts about it: no more than a few heights of it count. */
static bool BelowEdge(Vec3 direction, const Face *f, int edge, Vec3 far)
{
	Vec3 from = f->v[edge], d = Sub(far, from), along = Normalize(Sub(f->v[(edge + 1) % 3], from));
	float height = Dot(direction, d), wide = THIN * THIN * LengthSq(MulSub(d, Dot(d, along), along));
	return height <= 0.0f || height * height <= SLACK * SLACK * Min(LengthSq(d), wide);
}

bool Links_EdgeSupports(const TriangleTest *test, int face, int edge, Vec3 direction)
{
	const Face *f = &test->faces[face];
	if (!BelowEdge(direction, f, edge, f->v[(edge + 2) % 3]))
		return false;
	if (!test->edge_filter || f->neighbour[edge] == NO_FACE)
		return Dot(direction, f->normal) >= 0.0f;
	const Face *other = &test->faces[f->neighbour[edge]];
	Vec3 far = FarCorner(f, edge, other);
	if (!BelowEdge(direction, f, edge, far))
		return false;
	/* a valley is supported from below only: there both faces look away */
	return Dot(direction, f->normal) > 0.0f || Dot(direction, other->normal) > 0.0f;
}

bool Links_CornerSupports(const TriangleTest *test, int face, int corner, Vec3 direction)
{
	const Face *f = &test->faces[face];
	Vec3 v = f->v[corner];
	if (!test->edge_filter)
		return Below(direction, v, f->v[(corner + 1) % 3]) && Below(direction, v, f->v[(corner + 2) % 3]) &&
		       Dot(direction, f->normal) >= 0.0f;
	bool outside = false;
	for (int c = test->vertex_first[f->vertex[corner]]; c >= 0; c = test->corner_next[c]) {
		const Face *g = &test->faces[c / 3];
		if (!Below(direction, v, g->v[(c + 1) % 3]) || !Below(direction, v, g->v[(c + 2) % 3]))
			return false;
		outside = outside || Dot(direction, g->normal) > 0.0f;
	}
	return outside;
}

bool Links_CornerIsConvex(const TriangleTest *test, int face, int corner)
{
	if (!test->edge_filter)
		return true;
	for (int c = test->vertex_first[test->faces[face].vertex[corner]]; c >= 0; c = test->corner_next[c]) {
		const uint8_t *kinds = test->faces[c / 3].triangle->edge;
		if (kinds[c % 3] == EDGE_CONVEX || kinds[(c + 2) % 3] == EDGE_CONVEX)
			return true;
	}
	return false;
}

/* ---- visiting ---------------------------------------------------------------------------------------------------- */

/* Of the two triangles at an edge, the one that asks. */
static bool OwnsEdge(const TriangleTest *test, int face, int edge)
{
	if (!test->edge_filter)
		return true;
	int other = test->faces[face].neighbour[edge];
	return other == NO_FACE || !test->faces[other].active || face < other;
}

static bool OwnsCorner(const TriangleTest *test, int face, int corner)
{
	if (!test->edge_filter)
		return true;
	for (int c = test->vertex_first[test->faces[face].vertex[corner]]; c >= 0; c = test->corner_next[c])
		if (test->faces[c / 3].active)
			return c / 3 == face;
	return false;
}

unsigned Triangles_NearBox(const TriangleTest *test, const Face *face, unsigned asked)
{
	(void)asked;
	unsigned near = 0;
	for (int i = 0; i < 3; i++) {
		Vec3 a = face->v[i], b = face->v[i == 2 ? 0 : i + 1];
		Box edge = {MinV(a, b), MaxV(a, b)}, corner = {a, a};
		near |= (unsigned)BoxOverlap(edge, test->bounds) << i | (unsigned)BoxOverlap(corner, test->bounds) << (3 + i);
	}
	return near;
}

/* By the kinds of a triangle's own edges. A corner may be convex by another triangle's edge, so all of them count. */
static unsigned ConvexOf(const TriangleTest *test, const Face *face)
{
	const uint8_t *kinds = face->triangle->edge;
	if (!test->edge_filter)
		return 63;
	return 56u | (unsigned)(kinds[0] == EDGE_CONVEX) | (unsigned)(kinds[1] == EDGE_CONVEX) << 1 |
	       (unsigned)(kinds[2] == EDGE_CONVEX) << 2;
}

/* Neighbours are linked only if something is near: mostly a shape lies on the inside of triangles. */
void Triangles_MeetBorders(TriangleTest *test, NearFn *near, BorderFn *meet_edge, BorderFn *meet_corner)
{
	unsigned convex = 0, any = 0;
	for (int f = 0; f < test->face_count; f++)
		convex |= test->faces[f].active ? ConvexOf(test, &test->faces[f]) & 7 : 0;
	for (int f = 0; convex && f < test->face_count; f++) {
		Face *face = &test->faces[f];
		unsigned asked = ConvexOf(test, face);
		face->wanted = face->active ? (uint8_t)(near(test, face, asked) & asked) : 0;
		any |= face->wanted;
	}
	if (!any || !Links_Make(test))
		return;
	for (int f = 0; f < test->face_count && !test->failed; f++)
		for (int i = 0; test->faces[f].wanted >> i && i < 3; i++) {
			if ((test->faces[f].wanted >> i & 1) && OwnsEdge(test, f, i))
				meet_edge(test, f, i);
			if ((test->faces[f].wanted >> i & 8) && OwnsCorner(test, f, i) && Links_CornerIsConvex(test, f, i))
				meet_corner(test, f, i);
		}
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

uint32_t Links_EdgeId(const TriangleTest *test, int face, int edge)
{
	uint32_t a = test->faces[face].triangle->id;
	int other = test->edge_filter ? test->faces[face].neighbour[edge] : NO_FACE;
	if (other == NO_FACE)
		return Touch_Id(101, a, (uint32_t)edge);
	uint32_t b = test->faces[other].triangle->id;
	return a < b ? Touch_Id(102, a, b) : Touch_Id(102, b, a);
}

uint32_t Links_CornerId(const TriangleTest *test, int face, int corner)
{
	uint32_t least = test->faces[face].triangle->id, at = (uint32_t)corner;
	if (!test->edge_filter)
		return Touch_Id(103, least, at);
	for (int c = test->vertex_first[test->faces[face].vertex[corner]]; c >= 0; c = test->corner_next[c])
		if (test->faces[c / 3].triangle->id < least) {
			least = test->faces[c / 3].triangle->id;
			at = (uint32_t)(c % 3);
		}
	return Touch_Id(103, least, at);
}

/* ---- edge or face ------------------------------------------------------------------------------------------------ */

/* A face that the shape is not over needs no preference: there is nothing to take instead. */
static float LeastOver(const TriangleTest *test, const Face *face, float preference)
{
	return face->active ? face->lowest + (face->touched ? preference : -5e-3f * test->size) : -FLT_MAX;
}

float Links_EdgeLeast(const TriangleTest *test, int face, int edge, float preference)
{
	const Face *f = &test->faces[face];
	int other = test->edge_filter ? f->neighbour[edge] : NO_FACE;
	float least = LeastOver(test, f, preference);
	return other == NO_FACE ? least : Max(least, LeastOver(test, &test->faces[other], preference));
}

bool Links_EdgeWins(const TriangleTest *test, int face, int edge, float separation, float preference)
{
	return separation > Links_EdgeLeast(test, face, edge, preference);
}

bool Links_CornerWins(const TriangleTest *test, int face, int corner, float separation, float preference)
{
	if (!test->edge_filter)
		return separation > LeastOver(test, &test->faces[face], preference);
	for (int c = test->vertex_first[test->faces[face].vertex[corner]]; c >= 0; c = test->corner_next[c])
		if (!(separation > LeastOver(test, &test->faces[c / 3], preference)))
			return false;
	return true;
}
