/* A block's quads and the tree over them, packed into one allocation; its triangles for the narrowphase. */
#include "terrain/terrain_internal.h"

#define U8_VERTICES 256 /* up to here a corner is one byte */

/* ---- names --------------------------------------------------------------------------------------------------- */

/* The quad of edge (p, axis) has its corners in the four cubes p - {0,1} u - {0,1} v, u and v the axes after `axis`:
 * counter-clockwise seen from +axis, which is their order when p is inside, (-u,-v), (0,-v), (0,0), (-u,0). */
QuadName Quad_Name(const QuadCorners corners)
{
	QuadName name = {{0, 0, 0}, 0, false};
	int first[3], second[3];
	for (int a = 0; a < 3; a++) {
		int opposite = corners[2][a] >> 12;
		first[a] = corners[0][a] >> 12;
		second[a] = corners[1][a] >> 12;
		name.p[a] = (int8_t)(Int_Max(first[a], opposite) - 1);
		if (first[a] == opposite)
			name.axis = (int8_t)a;
	}
	int u = (name.axis + 1) % 3, v = (name.axis + 2) % 3;
	bool high_u = first[u] - 1 == name.p[u], high_v = first[v] - 1 == name.p[v];
	name.low_inside = (first[u] != second[u]) == (high_u == high_v);
	return name;
}

static Cell EdgeCell(Cell block, QuadName name)
{
	return (Cell){block.x * BLOCK_SIZE + name.p[0], block.y * BLOCK_SIZE + name.p[1], block.z * BLOCK_SIZE + name.p[2]};
}

Cell Quad_Cell(Cell block, QuadName name)
{
	Cell cell = EdgeCell(block, name);
	int high = name.low_inside ? 0 : 1;
	cell.x += name.axis == 0 ? high : 0;
	cell.y += name.axis == 1 ? high : 0;
	cell.z += name.axis == 2 ? high : 0;
	return cell;
}

/* Finalizer of splitmix64 over the edge's global name. */
static uint32_t TriangleId(Cell block, QuadName name, int half)
{
	Cell p = EdgeCell(block, name);
	uint64_t h = (uint64_t)(uint32_t)p.x * 0x9E3779B97F4A7C15u;
	h = (h ^ (uint32_t)p.y) * 0xBF58476D1CE4E5B9u;
	h = (h ^ h >> 29 ^ (uint32_t)p.z) * 0x94D049BB133111EBu;
	h = (h ^ h >> 32 ^ (uint32_t)(name.axis * 2 + half)) * 0xD6E8FEB86659FD93u;
	return (uint32_t)(h >> 32);
}

/* ---- making -------------------------------------------------------------------------------------------------- */

static KdQuadBox BoxOfQuad(const SurfaceMesh *mesh, int quad)
{
	KdQuadBox box = {{UINT16_MAX, UINT16_MAX, UINT16_MAX}, {0, 0, 0}};
	for (int i = 0; i < 4; i++) {
		const uint16_t *p = mesh->position[mesh->corner[quad][i]];
		for (int a = 0; a < 3; a++) {
			box.lo[a] = (uint16_t)Int_Min(box.lo[a], p[a]);
			box.hi[a] = (uint16_t)Int_Max(box.hi[a], p[a]);
		}
	}
	return box;
}

static KdQuadBox UnionOf(const KdQuadBox *boxes, int count)
{
	KdQuadBox all = boxes[0];
	for (int i = 1; i < count; i++)
		for (int a = 0; a < 3; a++) {
			all.lo[a] = (uint16_t)Int_Min(all.lo[a], boxes[i].lo[a]);
			all.hi[a] = (uint16_t)Int_Max(all.hi[a], boxes[i].hi[a]);
		}
	return all;
}

static void PackQuads(const SurfaceMesh *mesh, const uint16_t *order, bool wide, uint8_t *corners, uint8_t *materials)
{
	for (int i = 0; i < mesh->quad_count; i++) {
		const uint16_t *corner = mesh->corner[order[i]];
		if (wide)
			memcpy(corners + 8 * i, corner, 8);
		else
			for (int k = 0; k < 4; k++)
				corners[4 * i + k] = (uint8_t)corner[k];
		materials[i] = mesh->material[order[i]];
	}
}

void Collider_Mesh(const Terrain *terrain, Cell block, ColliderScratch *scratch)
{
	Terrain_GatherField(terrain, block, &scratch->field);
	Surface_Mesh(terrain->simd, &scratch->field, terrain->blockiness, &scratch->mesh);
}

Collider *Collider_Make(const Terrain *terrain, ColliderScratch *scratch)
{
	const SurfaceMesh *mesh = &scratch->mesh;
	SCREE_ASSERT(mesh->quad_count > 0);
	for (int i = 0; i < mesh->quad_count; i++)
		scratch->boxes[i] = BoxOfQuad(mesh, i);
	int nodes = KdTree_Build(scratch->boxes, mesh->quad_count, scratch->nodes, scratch->order);
	Collider head = {.vertex_count = (uint16_t)mesh->vertex_count,
	                 .quad_count = (uint16_t)mesh->quad_count,
	                 .node_count = (uint16_t)nodes,
	                 .wide = mesh->vertex_count > U8_VERTICES,
	                 .bounds = UnionOf(scratch->boxes, mesh->quad_count)};
	size_t positions = (size_t)mesh->vertex_count * sizeof mesh->position[0];
	size_t bytes =
	    sizeof head + positions + (size_t)nodes * sizeof(KdNode) + (size_t)mesh->quad_count * (head.wide ? 9 : 5);
	head.bytes = (uint32_t)bytes;
	Collider *collider = Memory_Alloc(terrain->memory, bytes);
	if (!collider)
		return NULL;
	*collider = head;
	memcpy((uint16_t *)Collider_Positions(collider), mesh->position, positions);
	memcpy((KdNode *)Collider_Nodes(collider), scratch->nodes, (size_t)nodes * sizeof(KdNode));
	PackQuads(mesh, scratch->order, head.wide, (uint8_t *)Collider_Corners(collider),
	          (uint8_t *)Collider_Materials(collider));
	return collider;
}

/* The mesher has the same quads in its own order; lattice edges match them with ours. */
uint16_t *Collider_MakeKinds(const Terrain *terrain, const Collider *collider, ColliderScratch *scratch)
{
	const SurfaceMesh *mesh = &scratch->mesh;
	Surface_Kinds(terrain->simd, &scratch->field, terrain->blockiness, mesh, &scratch->edges, scratch->kinds);
	SCREE_ASSERT(mesh->quad_count == collider->quad_count);
	uint16_t *kinds = Memory_Alloc(terrain->memory, Collider_KindsBytes(collider));
	if (!kinds)
		return NULL;
	for (int i = 0; i < mesh->quad_count; i++)
		scratch->place[mesh->edge[i]] = (uint16_t)i;
	for (int i = 0; i < collider->quad_count; i++) {
		QuadCorners corners;
		Collider_Quad(collider, i, corners);
		QuadName name = Quad_Name(corners);
		kinds[i] = scratch->kinds[scratch->place[name.axis * 512 + name.p[1] * 64 + name.p[2] * 8 + name.p[0]]];
	}
	return kinds;
}

/* ---- triangles ----------------------------------------------------------------------------------------------- */

/* A box in the positions of a block: those p with lo <= p <= hi lie in it. */
typedef struct UnitBox {
	int lo[3], hi[3];
} UnitBox;

static bool UnitBox_From(const Terrain *terrain, Cell block, WorldBox box, UnitBox *units)
{
	const double lo[3] = {box.lo.x, box.lo.y, box.lo.z}, hi[3] = {box.hi.x, box.hi.y, box.hi.z};
	const int32_t at[3] = {block.x, block.y, block.z};
	for (int a = 0; a < 3; a++) {
		double zero = (double)at[a] * BLOCK_SIZE - 0.5; /* cells, where p is 0 */
		double from = (lo[a] * terrain->cells_per_metre - zero) * SURFACE_UNIT;
		double to = (hi[a] * terrain->cells_per_metre - zero) * SURFACE_UNIT;
		if (!(from <= to) || to < 0.0 || from > UINT16_MAX)
			return false;
		units->lo[a] = from <= 0.0 ? 0 : CeilToInt(from);
		units->hi[a] = to >= UINT16_MAX ? UINT16_MAX : FloorToInt(to);
	}
	return true;
}

static bool TriangleMeets(const uint16_t *a, const uint16_t *b, const uint16_t *c, const UnitBox *box)
{
	for (int i = 0; i < 3; i++)
		if (Int_Min(a[i], Int_Min(b[i], c[i])) > box->hi[i] || Int_Max(a[i], Int_Max(b[i], c[i])) < box->lo[i])
			return false;
	return true;
}

/* Metres relative to the origin. A shared vertex has the same global coordinate in all blocks, exact in double before
 * the one multiplication, so it gets the same bits. */
typedef struct VertexFrame {
	double zero[3], scale, origin[3];
} VertexFrame;

static Vec3 PlaceVertex(const VertexFrame *frame, const uint16_t p[3])
{
	return V3((float)((frame->zero[0] + p[0]) * frame->scale - frame->origin[0]),
	          (float)((frame->zero[1] + p[1]) * frame->scale - frame->origin[1]),
	          (float)((frame->zero[2] + p[2]) * frame->scale - frame->origin[2]));
}

/* Half 0 is corners 0 1 2, half 1 corners 0 2 3. Without kinds every edge counts as convex, so that nothing is lost. */
static void SetTriangle(Triangle *out, const VertexFrame *frame, const QuadCorners corners, int half, unsigned kinds)
{
	int b = 1 + half, c = 2 + half;
	out->v[0] = PlaceVertex(frame, corners[0]);
	out->v[1] = PlaceVertex(frame, corners[b]);
	out->v[2] = PlaceVertex(frame, corners[c]);
	unsigned diagonal = kinds >> 8 & 3;
	out->edge[0] = (uint8_t)(half ? diagonal : kinds & 3);
	out->edge[1] = (uint8_t)(kinds >> 2 * b & 3);
	out->edge[2] = (uint8_t)(half ? kinds >> 6 & 3 : diagonal);
}

#define ALL_CONVEX (EDGE_CONVEX * 0x155u) /* in five fields of two bits */

bool Collider_Triangles(const Terrain *terrain, Cell block, const Collider *collider, const uint16_t *kinds,
                        WorldBox box, Pos origin, Memory *memory, TriangleList *out)
{
	UnitBox units;
	if (!UnitBox_From(terrain, block, box, &units))
		return true;
	KdQuadBox asked;
	for (int a = 0; a < 3; a++) {
		asked.lo[a] = (uint16_t)units.lo[a];
		asked.hi[a] = (uint16_t)units.hi[a];
		if (units.lo[a] > collider->bounds.hi[a] || units.hi[a] < collider->bounds.lo[a])
			return true;
	}
	uint16_t found[KD_QUAD_LIMIT];
	int count = KdTree_Query(Collider_Nodes(collider), collider->node_count, collider->quad_count, asked, found);
	const double unit = 1.0 / SURFACE_UNIT, corner = (double)BLOCK_SIZE * SURFACE_UNIT, half_cell = 0.5 * SURFACE_UNIT;
	VertexFrame frame = {{block.x * corner - half_cell, block.y * corner - half_cell, block.z * corner - half_cell},
	                     terrain->cell_size * unit,
	                     {origin.x, origin.y, origin.z}};
	for (int i = 0; i < count; i++) {
		QuadCorners q;
		Collider_Quad(collider, found[i], q);
		bool meets[2] = {TriangleMeets(q[0], q[1], q[2], &units), TriangleMeets(q[0], q[2], q[3], &units)};
		if (!meets[0] && !meets[1])
			continue;
		QuadName name = Quad_Name(q);
		if (!Array_Reserve(memory, out->items, out->items.count + 2))
			return false;
		for (int half = 0; half < 2; half++) {
			if (!meets[half])
				continue;
			Triangle *triangle = &out->items.data[out->items.count++];
			memset(triangle, 0, sizeof *triangle);
			SetTriangle(triangle, &frame, q, half, kinds ? kinds[found[i]] : ALL_CONVEX);
			triangle->id = TriangleId(block, name, half);
			triangle->material = Collider_Materials(collider)[found[i]];
			triangle->cell = Quad_Cell(block, name);
		}
	}
	return true;
}
