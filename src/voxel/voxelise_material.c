/* Which triangle of a mesh is nearest to a cell's centre, and so what the cell is made of.
 *
 * Triangles stand in a tree of boxes over their order along a Morton curve (Morton, A computer oriented geodetic data
 * base, 1966). Cubes of cells are asked as a whole: where all triangles that can be nearest to any of their cells are
 * of one material, that is theirs; else their eight parts are asked, down to single cells. Of triangles at one distance
 * the first counts, so nothing depends on the order in which they are looked at. */
#include "voxel/voxelise_internal.h"

#define LEAF_TRIANGLES 8
#define STACK_SIZE 96 /* the tree is balanced: 25 levels, of each one node waits */
#define MORTON_BITS 13
#define INDEX_BITS 25
#define TRIANGLE_LIMIT ((int64_t)1 << INDEX_BITS)
/* Boxes are floats that count from the mesh's corner, up to MESH_SPAN: they are grown by more than the rounding. */
#define BOX_SLACK (1.0f / 32.0f)
#define HALF_DIAGONAL 0.86602540378443865 /* of a cell */

struct MaterialNode {
	float lo[3], hi[3];
	int32_t first;    /* of a leaf: its first place in `order`; else its second child. The first one follows it */
	uint8_t count;    /* of a leaf: triangles; 0: it has children */
	bool mixed;       /* its triangles are of several materials */
	uint8_t material; /* if not */
};

/* ---- building ---------------------------------------------------------------------------------------------------- */

static uint32_t TriangleAt(const MaterialTree *tree, int64_t place)
{
	return (uint32_t)(tree->order[place] & (((uint64_t)1 << INDEX_BITS) - 1));
}

/* Every bit followed by two that are 0. */
static uint64_t Spread(uint64_t bits)
{
	uint64_t out = 0;
	for (int i = 0; i < MORTON_BITS; i++)
		out |= (bits >> i & 1) << 3 * i;
	return out;
}

/* The middle's place on the curve, then the triangle's number, so that no two keys are equal. */
static uint64_t TriangleKey(const MaterialTree *tree, double scale, uint32_t index)
{
	uint64_t key = 0;
	for (int i = 0; i < 3; i++) {
		double sum = 0.0;
		for (int k = 0; k < 3; k++)
			sum += tree->fill->positions[3 * (size_t)tree->fill->indices[3 * (size_t)index + (size_t)k] + (size_t)i];
		double at = (sum / 3.0 - tree->from[i]) * scale;
		int place = at > 0.0 ? (int)MinD(at, (1 << MORTON_BITS) - 1.0) : 0;
		key |= Spread((uint64_t)place) << i;
	}
	return key << INDEX_BITS | index;
}

static int Tree_Sort(MaterialTree *tree, const double hi[3], Memory *memory, Error *error)
{
	size_t bytes = (size_t)tree->count * sizeof *tree->order;
	uint64_t *keys = Memory_Alloc(memory, bytes), *other = Memory_Alloc(memory, bytes);
	if (!keys || !other) {
		Memory_Free(memory, keys, bytes);
		Memory_Free(memory, other, bytes);
		return Error_OutOfMemory(error);
	}
	double span = 1.0;
	for (int i = 0; i < 3; i++)
		span = MaxD(span, hi[i] - tree->from[i]);
	for (int64_t t = 0; t < tree->count; t++)
		keys[t] = TriangleKey(tree, (1 << MORTON_BITS) / span, (uint32_t)t);
	tree->order = Keys_Sort(keys, other, tree->count);
	Memory_Free(memory, tree->order == keys ? other : keys, bytes);
	return ERROR_NONE;
}

static void Node_Enclose(const MaterialTree *tree, struct MaterialNode *node, int64_t first, int64_t count)
{
	const MeshFill *fill = tree->fill;
	double lo[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, hi[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
	node->material = fill->materials[TriangleAt(tree, first)];
	node->mixed = false;
	for (int64_t place = first; place < first + count; place++) {
		uint32_t t = TriangleAt(tree, place);
		node->mixed = node->mixed || fill->materials[t] != node->material;
		for (int k = 0; k < 3; k++) {
			const double *p = fill->positions + 3 * (size_t)fill->indices[3 * (size_t)t + (size_t)k];
			for (int i = 0; i < 3; i++) {
				lo[i] = MinD(lo[i], p[i]);
				hi[i] = MaxD(hi[i], p[i]);
			}
		}
	}
	for (int i = 0; i < 3; i++) {
		node->lo[i] = (float)(lo[i] - tree->from[i]) - BOX_SLACK;
		node->hi[i] = (float)(hi[i] - tree->from[i]) + BOX_SLACK;
	}
}

typedef struct BuildJob {
	int64_t first, count;
	int32_t parent; /* whose second child it is, or -1 */
} BuildJob;

static void Tree_Build(MaterialTree *tree)
{
	BuildJob stack[STACK_SIZE];
	int depth = 0;
	int32_t made = 0;
	stack[depth++] = (BuildJob){0, tree->count, -1};
	while (depth > 0) {
		BuildJob job = stack[--depth];
		struct MaterialNode *node = &tree->node[made];
		if (job.parent >= 0)
			tree->node[job.parent].first = made;
		Node_Enclose(tree, node, job.first, job.count);
		node->first = (int32_t)job.first;
		node->count = (uint8_t)(job.count <= LEAF_TRIANGLES ? job.count : 0);
		if (node->count == 0) {
			int64_t half = job.count / 2;
			stack[depth++] = (BuildJob){job.first + half, job.count - half, made};
			stack[depth++] = (BuildJob){job.first, half, -1};
		}
		made++;
	}
}

/* A leaf that was halved off has four triangles at least. */
static size_t Tree_NodeBytes(int64_t triangles)
{
	return (size_t)(triangles / 2 + 1) * sizeof(struct MaterialNode);
}

int MaterialTree_Make(MaterialTree *tree, Memory *memory, const MeshFill *fill, const double lo[3], const double hi[3],
                      Error *error)
{
	*tree = (MaterialTree){.fill = fill, .count = fill->triangle_count};
	if (fill->triangle_count > TRIANGLE_LIMIT)
		return Error_Set(error, ERROR_LIMIT, "%lld triangles; those of several materials may be %lld",
		                 (long long)fill->triangle_count, (long long)TRIANGLE_LIMIT);
	memcpy(tree->from, lo, sizeof tree->from);
	tree->node = Memory_Alloc(memory, Tree_NodeBytes(tree->count));
	if (!tree->node)
		return Error_OutOfMemory(error);
	int code = Tree_Sort(tree, hi, memory, error);
	if (!code)
		Tree_Build(tree);
	return code;
}

void MaterialTree_Free(MaterialTree *tree, Memory *memory)
{
	if (tree->node)
		Memory_Free(memory, tree->node, Tree_NodeBytes(tree->count));
	if (tree->order)
		Memory_Free(memory, tree->order, (size_t)tree->count * sizeof *tree->order);
	*tree = (MaterialTree){0};
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* A point, also counted from the mesh's corner. */
typedef struct AskedPoint {
	double at[3], local[3];
} AskedPoint;

/* Squared, from the point to the node's box: no more than to any of its triangles. */
static double Node_Distance(const struct MaterialNode *node, const AskedPoint *p)
{
	double sum = 0.0;
	for (int i = 0; i < 3; i++) {
		double d = MaxD((double)node->lo[i] - p->local[i], p->local[i] - (double)node->hi[i]);
		sum += d > 0.0 ? d * d : 0.0;
	}
	return sum;
}

typedef struct NearestTriangle {
	double squared;
	uint32_t index;
} NearestTriangle;

/* guess: any triangle; a near one saves time. */
static NearestTriangle Tree_Nearest(const MaterialTree *tree, const AskedPoint *p, uint32_t guess)
{
	NearestTriangle best = {Triangle_Distance(tree->fill, guess, p->at), guess};
	int32_t stack[STACK_SIZE], depth = 0;
	stack[depth++] = 0;
	while (depth > 0) {
		int32_t i = stack[--depth];
		const struct MaterialNode *node = &tree->node[i];
		if (Node_Distance(node, p) > best.squared)
			continue;
		for (int k = 0; k < node->count; k++) {
			uint32_t t = TriangleAt(tree, node->first + k);
			double d = Triangle_Distance(tree->fill, t, p->at);
			if (d < best.squared || (d == best.squared && t < best.index))
				best = (NearestTriangle){d, t};
		}
		if (node->count > 0)
			continue;
		bool swap = Node_Distance(&tree->node[i + 1], p) > Node_Distance(&tree->node[node->first], p);
		stack[depth++] = swap ? i + 1 : node->first;
		stack[depth++] = swap ? node->first : i + 1;
	}
	return best;
}

/* Are all triangles within `reach` of the material? */
static bool Tree_IsOf(const MaterialTree *tree, const AskedPoint *p, double reach, uint8_t material)
{
	int32_t stack[STACK_SIZE], depth = 0;
	stack[depth++] = 0;
	while (depth > 0) {
		int32_t i = stack[--depth];
		const struct MaterialNode *node = &tree->node[i];
		if ((!node->mixed && node->material == material) || Node_Distance(node, p) > reach * reach)
			continue;
		for (int k = 0; k < node->count; k++) {
			uint32_t t = TriangleAt(tree, node->first + k);
			if (tree->fill->materials[t] != material && Triangle_Distance(tree->fill, t, p->at) <= reach * reach)
				return false;
		}
		if (node->count == 0) {
			stack[depth++] = node->first;
			stack[depth++] = i + 1;
		}
	}
	return true;
}

/* A cube of a chunk's cells. */
typedef struct CellCube {
	int x, y, z, side;
} CellCube;

static bool Cube_IsEmpty(CellCube cube, const uint8_t *bytes)
{
	for (int y = cube.y; y < cube.y + cube.side; y++)
		for (int z = cube.z; z < cube.z + cube.side; z++) {
			const uint8_t *row = bytes + cube.x + CHUNK_SIZE * (z + CHUNK_SIZE * y);
			for (int x = 0; x < cube.side; x++)
				if (row[x])
					return false;
		}
	return true;
}

static void Cube_Set(CellCube cube, uint8_t material, uint8_t *materials)
{
	for (int y = cube.y; y < cube.y + cube.side; y++)
		for (int z = cube.z; z < cube.z + cube.side; z++)
			memset(materials + cube.x + CHUNK_SIZE * (z + CHUNK_SIZE * y), material, (size_t)cube.side);
}

typedef struct CubeAsker {
	const MaterialTree *tree;
	Cell corner; /* of the chunk */
	const uint8_t *bytes;
	uint8_t *materials;
	uint32_t guess;
} CubeAsker;

/* Calls itself for halves of 32 cells, five deep. */
static void Ask_Cube(CubeAsker *asker, CellCube cube)
{
	const MaterialTree *tree = asker->tree;
	AskedPoint p;
	if (Cube_IsEmpty(cube, asker->bytes))
		return;
	const double first[3] = {(double)asker->corner.x + cube.x, (double)asker->corner.y + cube.y,
	                         (double)asker->corner.z + cube.z};
	for (int i = 0; i < 3; i++) {
		p.at[i] = first[i] + 0.5 * cube.side;
		p.local[i] = p.at[i] - tree->from[i];
	}
	NearestTriangle nearest = Tree_Nearest(tree, &p, asker->guess);
	uint8_t material = tree->fill->materials[nearest.index];
	asker->guess = nearest.index;
	/* Any cell's centre is nearer to that triangle than this, and any triangle nearer to it is that near to p. */
	double to_cell = HALF_DIAGONAL * (cube.side - 1), reach = sqrt(nearest.squared) + 2.0 * to_cell;
	if (cube.side == 1 || Tree_IsOf(tree, &p, reach * (1.0 + 1e-9) + 1e-9, material)) {
		Cube_Set(cube, material, asker->materials);
		return;
	}
	int half = cube.side / 2;
	for (int k = 0; k < 8; k++)
		Ask_Cube(asker,
		         (CellCube){cube.x + (k & 1) * half, cube.y + (k >> 2) * half, cube.z + (k >> 1 & 1) * half, half});
}

void MaterialTree_Chunk(const MaterialTree *tree, Cell corner, const uint8_t *bytes, uint8_t *materials)
{
	CubeAsker asker = {tree, corner, bytes, materials, TriangleAt(tree, 0)};
	memset(materials, tree->fill->materials[0], CHUNK_SIZE * CHUNK_SIZE * CHUNK_SIZE);
	Ask_Cube(&asker, (CellCube){0, 0, 0, CHUNK_SIZE});
}
