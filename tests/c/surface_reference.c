#include "surface_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *Allocate(size_t count, size_t size)
{
	void *block = calloc(count > 0 ? count : 1, size);
	if (!block) {
		fprintf(stderr, "surface_reference: out of memory\n");
		abort();
	}
	return block;
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

RefField RefField_Create(int nx, int ny, int nz)
{
	RefField field = {.nx = nx, .ny = ny, .nz = nz};
	field.value = Allocate((size_t)nx * ny * nz, 1);
	field.material = Allocate((size_t)nx * ny * nz, 1);
	return field;
}

void RefField_Free(RefField *field)
{
	free(field->value);
	free(field->material);
	field->value = field->material = NULL;
}

static bool Has(const RefField *field, int x, int y, int z)
{
	return x >= 0 && y >= 0 && z >= 0 && x < field->nx && y < field->ny && z < field->nz;
}

static size_t IndexOf(const RefField *field, int x, int y, int z)
{
	return (size_t)x + (size_t)field->nx * ((size_t)z + (size_t)field->nz * (size_t)y);
}

int RefField_Value(const RefField *field, int x, int y, int z)
{
	return Has(field, x, y, z) ? field->value[IndexOf(field, x, y, z)] : 0;
}

int RefField_Material(const RefField *field, int x, int y, int z)
{
	return Has(field, x, y, z) ? field->material[IndexOf(field, x, y, z)] : 0;
}

void RefField_Set(RefField *field, int x, int y, int z, int material, int value)
{
	field->material[IndexOf(field, x, y, z)] = (uint8_t)material;
	field->value[IndexOf(field, x, y, z)] = (uint8_t)value;
}

/* floor for |v| < 2^31 */
static int Floor(double v)
{
	int i = (int)v;
	return i > v ? i - 1 : i;
}

int Ref_WriteDistance(double d)
{
	if (d >= 0.0)
		return 128 + (d >= 1.0 ? 127 : Floor(128.0 * d));
	return 127 - (d <= -1.0 ? 127 : Floor(-128.0 * d));
}

void RefField_Write(RefField *field, int x, int y, int z, int material, double d)
{
	int v = Ref_WriteDistance(d);
	RefField_Set(field, x, y, z, v > 0 ? material : 0, v);
}

int RefField_RaisedValue(const RefField *field, int x, int y, int z)
{
	int v = RefField_Value(field, x, y, z);
	if (RefField_Material(field, x, y, z) == 0 || v >= 160)
		return v;
	for (int dy = -1; dy <= 1; dy++)
		for (int dz = -1; dz <= 1; dz++)
			for (int dx = -1; dx <= 1; dx++)
				if (RefField_Value(field, x + dx, y + dy, z + dz) > v)
					return v;
	return 160;
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

/* The crossing edges of one cube in loops. Edges are named as in the recipe: 4 * axis + ub + 2 * vb. */
typedef struct CubeLoops {
	int loop[12]; /* -1: does not cross */
	int count;
	int flip_face; /* 2 * axis + side, or -1 */
} CubeLoops;

static int CornerAt(int axis, int along, int u, int v)
{
	return along << axis | u << (axis + 1) % 3 | v << (axis + 2) % 3;
}

static int EdgeBetween(int corner_a, int corner_b)
{
	int axis = (corner_a ^ corner_b) == 1 ? 0 : (corner_a ^ corner_b) == 2 ? 1 : 2;
	return 4 * axis + (corner_a >> (axis + 1) % 3 & 1) + 2 * (corner_a >> (axis + 2) % 3 & 1);
}

static int Root(const int *parent, int e)
{
	while (parent[e] != e)
		e = parent[e];
	return e;
}

/* Joins what the six faces link, by sets. inverted_face: that face cuts off its outside corners. */
static CubeLoops FindLoops(int mask, int inverted_face)
{
	CubeLoops result = {.count = 0, .flip_face = -1};
	int parent[12];
	bool crosses[12] = {false};
	for (int e = 0; e < 12; e++)
		parent[e] = e;
	for (int a = 0; a < 8; a++)
		for (int axis = 0; axis < 3; axis++)
			if ((mask >> a & 1) != (mask >> (a ^ 1 << axis) & 1))
				crosses[EdgeBetween(a, a ^ 1 << axis)] = true;
	bool ambiguous[6] = {false};
	int face_edge[6][4];
	for (int face = 0; face < 6; face++) {
		int axis = face / 2, side = face % 2;
		int c[4] = {CornerAt(axis, side, 0, 0), CornerAt(axis, side, 1, 0), CornerAt(axis, side, 1, 1),
		            CornerAt(axis, side, 0, 1)};
		int found[4], n = 0;
		for (int k = 0; k < 4; k++) {
			face_edge[face][k] = EdgeBetween(c[k], c[(k + 1) % 4]);
			if (crosses[face_edge[face][k]])
				found[n++] = face_edge[face][k];
		}
		ambiguous[face] = n == 4;
		if (n == 2)
			parent[Root(parent, found[0])] = Root(parent, found[1]);
		for (int k = 0; k < 4 && n == 4; k++)
			if ((mask >> c[k] & 1) != (face == inverted_face))
				parent[Root(parent, face_edge[face][(k + 3) % 4])] = Root(parent, face_edge[face][k]);
	}
	for (int e = 0; e < 12; e++) {
		result.loop[e] = -1;
		if (!crosses[e])
			continue;
		for (int f = 0; f < e && result.loop[e] < 0; f++)
			if (crosses[f] && Root(parent, f) == Root(parent, e))
				result.loop[e] = result.loop[f];
		if (result.loop[e] < 0)
			result.loop[e] = result.count++;
	}
	for (int face = 0; face < 6; face++)
		if (ambiguous[face] && result.loop[face_edge[face][0]] == result.loop[face_edge[face][2]] &&
		    result.loop[face_edge[face][0]] == result.loop[face_edge[face][1]])
			result.flip_face = face;
	return result;
}

/* ---- the mesher -------------------------------------------------------------------------------------------------- */

/* Cubes and cells from -2 to n + 1, so that neighbours need no care. */
typedef struct Builder {
	const RefField *field;
	RefMesh *mesh;
	int sx, sy, sz;
	uint8_t *raised;  /* per padded cell: value after the local-maximum rule */
	CubeLoops *loops; /* per padded cube */
	int *first;       /* per padded cube: its first vertex */
	CubeLoops of_mask[256];
} Builder;

static size_t Padded(const Builder *b, int x, int y, int z)
{
	return (size_t)(x + 2) + (size_t)b->sx * ((size_t)(z + 2) + (size_t)b->sz * (size_t)(y + 2));
}

static bool InPadding(const Builder *b, int x, int y, int z)
{
	return x >= -2 && y >= -2 && z >= -2 && x < b->sx - 2 && y < b->sy - 2 && z < b->sz - 2;
}

static int RaisedAt(const Builder *b, int x, int y, int z)
{
	return InPadding(b, x, y, z) ? b->raised[Padded(b, x, y, z)] : 0;
}

static int MaskAt(const Builder *b, int x, int y, int z)
{
	int mask = 0;
	for (int i = 0; i < 8; i++)
		if (RaisedAt(b, x + (i & 1), y + (i >> 1 & 1), z + (i >> 2 & 1)) >= 128)
			mask |= 1 << i;
	return mask;
}

static CubeLoops LoopsAt(const Builder *b, int x, int y, int z, bool with_flip)
{
	int mask = MaskAt(b, x, y, z), face = b->of_mask[mask].flip_face;
	if (!with_flip || face < 0)
		return b->of_mask[mask];
	int n[3] = {x, y, z};
	n[face / 2] += face % 2 ? 1 : -1;
	if (b->of_mask[MaskAt(b, n[0], n[1], n[2])].flip_face != (face ^ 1))
		return b->of_mask[mask];
	b->mesh->flipped_cubes++;
	return FindLoops(mask, face);
}

/* numerator / denominator to the nearest whole number, halves up; both positive */
static int Nearest(long long numerator, long long denominator)
{
	return (int)((2 * numerator + denominator) / (2 * denominator));
}

static void AddVertices(Builder *b, int x, int y, int z)
{
	const CubeLoops *loops = &b->loops[Padded(b, x, y, z)];
	RefMesh *mesh = b->mesh;
	int blockiness = 0;
	for (int i = 0; i < 8; i++) {
		int cx = x + (i & 1), cy = y + (i >> 1 & 1), cz = z + (i >> 2 & 1);
		int own = b->field->blockiness[RefField_Material(b->field, cx, cy, cz)];
		if (RaisedAt(b, cx, cy, cz) >= 128 && own > blockiness)
			blockiness = own;
	}
	b->first[Padded(b, x, y, z)] = mesh->vertex_count;
	for (int loop = 0; loop < loops->count; loop++) {
		long long sum[3] = {0, 0, 0};
		int n = 0;
		for (int axis = 0; axis < 3; axis++)
			for (int side = 0; side < 4; side++) {
				if (loops->loop[4 * axis + side] != loop)
					continue;
				int lo = CornerAt(axis, 0, side & 1, side >> 1), hi = CornerAt(axis, 1, side & 1, side >> 1);
				int a = RaisedAt(b, x + (lo & 1), y + (lo >> 1 & 1), z + (lo >> 2));
				int c = RaisedAt(b, x + (hi & 1), y + (hi >> 1 & 1), z + (hi >> 2));
				/* from the inside cell's centre, where a straight line from one value to the other meets 127.5 */
				int from_inside =
				    a > c ? Nearest(4096LL * (2 * a - 255), 2 * (a - c)) : Nearest(4096LL * (2 * c - 255), 2 * (c - a));
				sum[axis] += a > c ? from_inside : 4096 - from_inside;
				sum[(axis + 1) % 3] += 4096 * (side & 1);
				sum[(axis + 2) % 3] += 4096 * (side >> 1);
				n++;
			}
		RefVertex *vertex = &mesh->vertices[mesh->vertex_count++];
		*vertex = (RefVertex){.cube = {x, y, z}, .loop = loop};
		for (int i = 0; i < 3; i++) {
			int mean = Nearest(sum[i], n);
			vertex->at[i] = 4096 * vertex->cube[i] + mean + Floor(((2048 - mean) * blockiness + 128) / 256.0);
		}
	}
}

/* Normal of a triangle of the mesh, twice its area long, in 1/4096 squared. */
static void NormalOf(const RefMesh *mesh, const int triangle[3], long long normal[3])
{
	const int *a = mesh->vertices[triangle[0]].at, *b = mesh->vertices[triangle[1]].at;
	const int *c = mesh->vertices[triangle[2]].at;
	for (int i = 0; i < 3; i++) {
		int j = (i + 1) % 3, k = (i + 2) % 3;
		normal[i] = (long long)(b[j] - a[j]) * (c[k] - a[k]) - (long long)(b[k] - a[k]) * (c[j] - a[j]);
	}
}

static void TriangleOf(const RefQuad *quad, int which, int triangle[3])
{
	triangle[0] = quad->corner[0];
	triangle[1] = quad->corner[1 + which];
	triangle[2] = quad->corner[2 + which];
}

/* Do both triangles face from the inside cell to the air? */
static bool FacesOut(const RefMesh *mesh, const RefQuad *quad)
{
	for (int which = 0; which < 2; which++) {
		int triangle[3];
		long long normal[3];
		TriangleOf(quad, which, triangle);
		NormalOf(mesh, triangle, normal);
		if ((quad->low_inside ? normal[quad->axis] : -normal[quad->axis]) <= 0)
			return false;
	}
	return true;
}

static long long LengthSquared(const RefMesh *mesh, int a, int b)
{
	long long sum = 0;
	for (int i = 0; i < 3; i++) {
		long long d = mesh->vertices[a].at[i] - mesh->vertices[b].at[i];
		sum += d * d;
	}
	return sum;
}

static void Turn(RefQuad *quad)
{
	int first = quad->corner[0];
	memmove(quad->corner, quad->corner + 1, 3 * sizeof(int));
	quad->corner[3] = first;
}

static void AddQuad(Builder *b, int x, int y, int z, int axis)
{
	RefMesh *mesh = b->mesh;
	int p[3] = {x, y, z}, q[3] = {x, y, z}, u = (axis + 1) % 3, v = (axis + 2) % 3;
	q[axis]++;
	bool inside = RaisedAt(b, p[0], p[1], p[2]) >= 128;
	if (inside == (RaisedAt(b, q[0], q[1], q[2]) >= 128))
		return;
	static const int du[4] = {-1, 0, 0, -1}, dv[4] = {-1, -1, 0, 0};
	int around[4];
	for (int k = 0; k < 4; k++) {
		int c[3] = {x, y, z};
		c[u] += du[k];
		c[v] += dv[k];
		/* The edge lies on the cube's far side in u where the cube lies on the near side of the edge. */
		int edge = 4 * axis - du[k] - 2 * dv[k];
		size_t cube = Padded(b, c[0], c[1], c[2]);
		around[k] = b->first[cube] + b->loops[cube].loop[edge];
	}
	const int *in = inside ? p : q;
	RefQuad quad = {.cell = {x, y, z}, .axis = axis, .low_inside = inside};
	quad.material = (uint8_t)RefField_Material(b->field, in[0], in[1], in[2]);
	for (int k = 0; k < 4; k++)
		quad.corner[k] = around[inside ? k : (4 - k) % 4];
	/* Corner 0 is in the cube (-u,-v), where the canonical diagonal starts: a tie leaves it. */
	if (LengthSquared(mesh, around[1], around[3]) < LengthSquared(mesh, around[0], around[2]))
		Turn(&quad);
	if (!FacesOut(mesh, &quad))
		Turn(&quad);
	/* Which end of the diagonal comes first is the blocks' convention: the cube with the lower v. */
	if (quad.corner[0] != around[0] && quad.corner[0] != around[1]) {
		Turn(&quad);
		Turn(&quad);
	}
	mesh->quad_at[3 * Padded(b, x, y, z) + axis] = mesh->quad_count;
	mesh->quads[mesh->quad_count++] = quad;
}

static void RaiseCells(Builder *b)
{
	for (int y = -2; y < b->sy - 2; y++)
		for (int z = -2; z < b->sz - 2; z++)
			for (int x = -2; x < b->sx - 2; x++) {
				int v = RefField_RaisedValue(b->field, x, y, z);
				b->raised[Padded(b, x, y, z)] = (uint8_t)v;
				b->mesh->raised_cells += v != RefField_Value(b->field, x, y, z);
			}
}

RefMesh RefMesh_Create(const RefField *field, bool with_flip)
{
	RefMesh mesh = {.nx = field->nx, .ny = field->ny, .nz = field->nz};
	Builder b = {.field = field, .mesh = &mesh, .sx = field->nx + 4, .sy = field->ny + 4, .sz = field->nz + 4};
	size_t padded = (size_t)b.sx * b.sy * b.sz;
	b.raised = Allocate(padded, 1);
	b.loops = Allocate(padded, sizeof *b.loops);
	b.first = Allocate(padded, sizeof *b.first);
	for (int mask = 0; mask < 256; mask++)
		b.of_mask[mask] = FindLoops(mask, -1);
	RaiseCells(&b);
	size_t vertices = 0;
	for (int y = -2; y < b.sy - 2; y++)
		for (int z = -2; z < b.sz - 2; z++)
			for (int x = -2; x < b.sx - 2; x++) {
				b.loops[Padded(&b, x, y, z)] = LoopsAt(&b, x, y, z, with_flip);
				vertices += (size_t)b.loops[Padded(&b, x, y, z)].count;
			}
	mesh.vertices = Allocate(vertices, sizeof *mesh.vertices);
	for (int y = -2; y < b.sy - 2; y++)
		for (int z = -2; z < b.sz - 2; z++)
			for (int x = -2; x < b.sx - 2; x++)
				AddVertices(&b, x, y, z);
	mesh.quad_at = Allocate(3 * padded, sizeof *mesh.quad_at);
	memset(mesh.quad_at, 0xFF, 3 * padded * sizeof *mesh.quad_at);
	mesh.quads = Allocate(3 * padded, sizeof *mesh.quads);
	for (int axis = 0; axis < 3; axis++)
		for (int y = -1; y < field->ny; y++)
			for (int z = -1; z < field->nz; z++)
				for (int x = -1; x < field->nx; x++)
					AddQuad(&b, x, y, z, axis);
	free(b.raised);
	free(b.loops);
	free(b.first);
	return mesh;
}

void RefMesh_Free(RefMesh *mesh)
{
	free(mesh->vertices);
	free(mesh->quads);
	free(mesh->quad_at);
	mesh->vertices = NULL;
	mesh->quads = NULL;
	mesh->quad_at = NULL;
}

int RefMesh_QuadAt(const RefMesh *mesh, int x, int y, int z, int axis)
{
	if (x < -1 || y < -1 || z < -1 || x >= mesh->nx || y >= mesh->ny || z >= mesh->nz)
		return -1;
	size_t at = (size_t)(x + 2) + (size_t)(mesh->nx + 4) * ((size_t)(z + 2) + (size_t)(mesh->nz + 4) * (size_t)(y + 2));
	return mesh->quad_at[3 * at + axis];
}

/* ---- topology ---------------------------------------------------------------------------------------------------- */

/* All directed edges of the triangles, sorted into lists by where they start. An edge a -> b of triangle (a, b, c). */
typedef struct DirectedEdge {
	int to, far, quad, which;
} DirectedEdge;

typedef struct EdgeLists {
	int *begin; /* vertex_count + 1 */
	DirectedEdge *edges;
} EdgeLists;

static EdgeLists ListEdges(const RefMesh *mesh)
{
	EdgeLists lists;
	lists.begin = Allocate((size_t)mesh->vertex_count + 2, sizeof *lists.begin);
	lists.edges = Allocate(6 * (size_t)mesh->quad_count, sizeof *lists.edges);
	for (int pass = 0; pass < 2; pass++) {
		for (int quad = 0; quad < mesh->quad_count; quad++)
			for (int which = 0; which < 2; which++) {
				int t[3];
				TriangleOf(&mesh->quads[quad], which, t);
				for (int k = 0; k < 3; k++) {
					if (pass == 0)
						lists.begin[t[k] + 2]++;
					else
						lists.edges[lists.begin[t[k] + 1]++] =
						    (DirectedEdge){t[(k + 1) % 3], t[(k + 2) % 3], quad, which};
				}
			}
		for (int i = 2; pass == 0 && i <= mesh->vertex_count + 1; i++)
			lists.begin[i] += lists.begin[i - 1];
	}
	return lists;
}

static void EdgeLists_Free(EdgeLists *lists)
{
	free(lists->begin);
	free(lists->edges);
}

static int CountEdges(const EdgeLists *lists, int from, int to, const DirectedEdge **found)
{
	int count = 0;
	for (int i = lists->begin[from]; i < lists->begin[from + 1]; i++)
		if (lists->edges[i].to == to) {
			count++;
			*found = &lists->edges[i];
		}
	return count;
}

/* One turn round the vertex from its first edge: does it pass all of them? */
static bool IsClosedFan(const EdgeLists *lists, int vertex)
{
	int begin = lists->begin[vertex], count = lists->begin[vertex + 1] - begin;
	if (count == 0)
		return true;
	const DirectedEdge *edge = &lists->edges[begin];
	int start = edge->to, passed = 0;
	do {
		int next = edge->far;
		passed++;
		if (CountEdges(lists, vertex, next, &edge) != 1 || passed > count)
			return false;
	} while (edge->to != start);
	return passed == count;
}

RefTopology RefMesh_Topology(const RefMesh *mesh)
{
	RefTopology result = {.q_low = 4096, .q_high = 0};
	EdgeLists lists = ListEdges(mesh);
	for (int a = 0; a < mesh->vertex_count; a++) {
		const DirectedEdge *unused;
		for (int i = lists.begin[a]; i < lists.begin[a + 1]; i++) {
			result.non_manifold += CountEdges(&lists, a, lists.edges[i].to, &unused) != 1;
			result.open += CountEdges(&lists, lists.edges[i].to, a, &unused) == 0;
		}
		result.vertices += !IsClosedFan(&lists, a);
		for (int i = 0; i < 3; i++) {
			int q = mesh->vertices[a].at[i] - 4096 * mesh->vertices[a].cube[i];
			result.q_low = q < result.q_low ? q : result.q_low;
			result.q_high = q > result.q_high ? q : result.q_high;
		}
	}
	for (int quad = 0; quad < mesh->quad_count; quad++)
		for (int which = 0; which < 2; which++) {
			const RefQuad *own = &mesh->quads[quad];
			int t[3];
			long long n[3];
			TriangleOf(own, which, t);
			NormalOf(mesh, t, n);
			result.backwards += (own->low_inside ? n[own->axis] : -n[own->axis]) <= 0;
			result.degenerate += n[0] == 0 && n[1] == 0 && n[2] == 0;
			const double unit = 1.0 / 4096.0;
			const int *at = mesh->vertices[t[0]].at;
			double nx = (double)n[0] * unit * unit, ny = (double)n[1] * unit * unit, nz = (double)n[2] * unit * unit;
			result.area += 0.5 * sqrt(nx * nx + ny * ny + nz * nz);
			result.volume += (nx * at[0] + ny * at[1] + nz * at[2]) * unit / 6.0;
		}
	EdgeLists_Free(&lists);
	return result;
}

/* ---- edge kinds -------------------------------------------------------------------------------------------------- */

/* 0 flat, 1 convex, 2 concave, for the edge of one quad's triangle that starts at `from`. */
static unsigned KindOfEdge(const RefMesh *mesh, const EdgeLists *lists, int quad, int which, int from)
{
	int own[3], other[3];
	TriangleOf(&mesh->quads[quad], which, own);
	int k = own[0] == from ? 0 : own[1] == from ? 1 : 2, to = own[(k + 1) % 3];
	const DirectedEdge *reverse = NULL;
	if (CountEdges(lists, to, from, &reverse) != 1) {
		fprintf(stderr, "surface_reference: edge kinds of a mesh that is not closed\n");
		abort();
	}
	TriangleOf(&mesh->quads[reverse->quad], reverse->which, other);
	long long n[3], m[3], dot = 0, above = 0, nn = 0, mm = 0;
	NormalOf(mesh, own, n);
	NormalOf(mesh, other, m);
	for (int i = 0; i < 3; i++) {
		dot += n[i] * m[i];
		nn += n[i] * n[i];
		mm += m[i] * m[i];
		above += n[i] * (mesh->vertices[reverse->far].at[i] - mesh->vertices[from].at[i]);
	}
	const long double cosine_squared = 0.992403876506104L; /* of 5 degrees */
	if (dot > 0 && (long double)dot * dot > cosine_squared * nn * mm)
		return 0;
	return above > 0 ? 2 : 1;
}

uint16_t *RefMesh_EdgeKinds(const RefMesh *mesh)
{
	uint16_t *kinds = Allocate((size_t)mesh->quad_count, sizeof *kinds);
	EdgeLists lists = ListEdges(mesh);
	for (int quad = 0; quad < mesh->quad_count; quad++) {
		const int *corner = mesh->quads[quad].corner;
		unsigned bits = KindOfEdge(mesh, &lists, quad, 1, corner[0]) << 8;
		for (int k = 0; k < 4; k++)
			bits |= KindOfEdge(mesh, &lists, quad, k >= 2, corner[k]) << 2 * k;
		kinds[quad] = (uint16_t)bits;
	}
	EdgeLists_Free(&lists);
	return kinds;
}
