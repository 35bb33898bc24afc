/* The whole surface as one indexed mesh, for export and drawing.
 *
 * A vertex is named by its dual cube and its loop there, whatever block it was made for: so blocks join without a word
 * on positions, and what only touches stays apart. Two passes over the blocks: the first counts, so that the mesh is
 * one block of memory of the right size and nothing is held twice.
 */
#include "terrain/surface_cube_internal.h"
#include "terrain/terrain_internal.h"

#define NO_VERTEX UINT32_MAX

/* The vertices of a cube that more than one block can have, by loop. */
typedef struct SharedCube {
	uint32_t vertex[LOOP_LIMIT];
} SharedCube;

typedef struct MeshBuilder {
	const Terrain *terrain;
	Memory *memory;
	const CellBox *box; /* NULL: everything */
	CoordMap shared_at; /* cube -> index */
	ARRAY(SharedCube) shared;
	int64_t vertices, triangles; /* so far in this pass */
	TerrainMesh *mesh;           /* NULL: counting */
	Cell block;                  /* the one at hand, and its surface: */
	SurfaceField field;
	SurfaceMesh surface;
	uint32_t vertex[SURFACE_VERTEX_LIMIT]; /* of the mesh, for each of the surface; NO_VERTEX: not met yet */
} MeshBuilder;

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

static int64_t PositionUnits(int32_t block, uint16_t position)
{
	return (int64_t)block * BLOCK_SIZE * SURFACE_UNIT + position - SURFACE_UNIT / 2;
}

static int NewVertex(MeshBuilder *builder, int local, uint32_t *vertex, Error *error)
{
	if (builder->vertices >= NO_VERTEX)
		return Error_Set(error, ERROR_LIMIT, "the surface has more than %u vertices", NO_VERTEX);
	*vertex = (uint32_t)builder->vertices++;
	if (!builder->mesh)
		return ERROR_NONE;
	const uint16_t *position = builder->surface.position[local];
	const int32_t block[3] = {builder->block.x, builder->block.y, builder->block.z};
	double *at = builder->mesh->positions + 3 * (size_t)*vertex;
	for (int i = 0; i < 3; i++)
		at[i] = (double)PositionUnits(block[i], position[i]) * (1.0 / SURFACE_UNIT) * builder->terrain->cell_size;
	return ERROR_NONE;
}

/* Cubes -1 and 7 of a block belong to the next block too. */
static bool IsShared(const uint16_t position[3])
{
	for (int i = 0; i < 3; i++)
		if (position[i] >> 12 == 0 || position[i] >> 12 == BLOCK_SIZE)
			return true;
	return false;
}

/* The place where the vertex of a shared cube is kept; NULL: out of memory. Valid until the next call. */
static uint32_t *SharedVertex(MeshBuilder *builder, int local)
{
	const uint16_t *position = builder->surface.position[local];
	int32_t x = builder->block.x * BLOCK_SIZE + (position[0] >> 12) - 1;
	int32_t y = builder->block.y * BLOCK_SIZE + (position[1] >> 12) - 1;
	int32_t z = builder->block.z * BLOCK_SIZE + (position[2] >> 12) - 1;
	int index = CoordMap_Find(&builder->shared_at, x, y, z);
	if (index < 0) {
		index = builder->shared.count;
		SharedCube none = {{NO_VERTEX, NO_VERTEX, NO_VERTEX, NO_VERTEX}};
		if (!Array_Reserve(builder->memory, builder->shared, index + 1) ||
		    !CoordMap_Put(&builder->shared_at, builder->memory, x, y, z, index))
			return NULL;
		builder->shared.data[builder->shared.count++] = none;
	}
	return &builder->shared.data[index].vertex[builder->surface.loop[local]];
}

/* The mesh's vertex for one of the block's, numbered when a quad first asks for it. */
static int FindVertex(MeshBuilder *builder, int local, uint32_t *vertex, Error *error)
{
	uint32_t *own = &builder->vertex[local];
	if (*own == NO_VERTEX) {
		uint32_t *kept = own;
		if (IsShared(builder->surface.position[local]))
			kept = SharedVertex(builder, local);
		if (!kept)
			return Error_OutOfMemory(error);
		int code = *kept == NO_VERTEX ? NewVertex(builder, local, kept, error) : ERROR_NONE;
		if (code)
			return code;
		*own = *kept;
	}
	*vertex = *own;
	return ERROR_NONE;
}

/* ---- triangles --------------------------------------------------------------------------------------------------- */

/* Adds the triangle's normal, as long as twice its area in 1/4096 cell, to its corners: whole numbers, so the sum does
 * not depend on the order. */
static void AddNormal(MeshBuilder *builder, const uint16_t *const position[3], const uint32_t vertex[3])
{
	int64_t a[3], b[3];
	for (int i = 0; i < 3; i++) {
		a[i] = position[1][i] - position[0][i];
		b[i] = position[2][i] - position[0][i];
	}
	int64_t n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 3; i++)
			builder->mesh->normals[3 * (size_t)vertex[k] + i] += (double)n[i];
}

static void AddTriangle(MeshBuilder *builder, int quad, int which, const uint32_t corner[4])
{
	const uint16_t *local = builder->surface.corner[quad];
	const int k[3] = {0, 1 + which, 2 + which};
	const uint16_t *position[3];
	uint32_t vertex[3];
	for (int i = 0; i < 3; i++) {
		position[i] = builder->surface.position[local[k[i]]];
		vertex[i] = corner[k[i]];
	}
	size_t triangle = (size_t)builder->triangles;
	memcpy(builder->mesh->indices + 3 * triangle, vertex, sizeof vertex);
	builder->mesh->materials[triangle] = builder->surface.material[quad];
	AddNormal(builder, position, vertex);
}

static bool BoxOwns(const MeshBuilder *builder, int edge)
{
	const CellBox *box = builder->box;
	if (!box)
		return true;
	int32_t x = builder->block.x * BLOCK_SIZE + (edge & 7), y = builder->block.y * BLOCK_SIZE + (edge >> 6 & 7);
	int32_t z = builder->block.z * BLOCK_SIZE + (edge >> 3 & 7);
	return x >= box->lo.x && x <= box->hi.x && y >= box->lo.y && y <= box->hi.y && z >= box->lo.z && z <= box->hi.z;
}

static int AddQuad(MeshBuilder *builder, int quad, Error *error)
{
	uint32_t corner[4];
	for (int k = 0; k < 4; k++) {
		int code = FindVertex(builder, builder->surface.corner[quad][k], &corner[k], error);
		if (code)
			return code;
	}
	for (int which = 0; which < 2; which++) {
		if (builder->mesh)
			AddTriangle(builder, quad, which, corner);
		builder->triangles++;
	}
	return ERROR_NONE;
}

static int AddBlock(MeshBuilder *builder, Cell block, Error *error)
{
	builder->block = block;
	Terrain_GatherField(builder->terrain, block, &builder->field);
	Surface_Mesh(builder->terrain->simd, &builder->field, builder->terrain->blockiness, &builder->surface);
	for (int i = 0; i < builder->surface.vertex_count; i++)
		builder->vertex[i] = NO_VERTEX;
	for (int quad = 0; quad < builder->surface.quad_count; quad++) {
		int code = BoxOwns(builder, builder->surface.edge[quad]) ? AddQuad(builder, quad, error) : ERROR_NONE;
		if (code)
			return code;
	}
	return ERROR_NONE;
}

/* ---- the mesh ---------------------------------------------------------------------------------------------------- */

static int AddBlocks(MeshBuilder *builder, const CellList *blocks, Progress *progress, Error *error)
{
	double done = builder->mesh ? 0.5 : 0.0;
	builder->vertices = builder->triangles = 0;
	for (int i = 0; i < builder->shared.count; i++)
		memset(&builder->shared.data[i], 0xFF, sizeof(SharedCube)); /* NO_VERTEX */
	for (int i = 0; i < blocks->items.count; i++) {
		int code = AddBlock(builder, blocks->items.data[i], error);
		if (code)
			return code;
		Progress_Update(progress, done + 0.5 * (i + 1) / blocks->items.count);
	}
	return ERROR_NONE;
}

/* One block for all four arrays, widest members first. */
static int Allocate(MeshBuilder *builder, TerrainMesh *mesh, Error *error)
{
	uint64_t vectors = 3 * sizeof(double) * (uint64_t)builder->vertices;
	uint64_t indices = 3 * sizeof(uint32_t) * (uint64_t)builder->triangles;
	uint64_t bytes = 2 * vectors + indices + (uint64_t)builder->triangles;
	if (bytes == 0)
		return ERROR_NONE;
	if (bytes > SIZE_MAX)
		return Error_OutOfMemory(error);
	char *block = Memory_AllocZero(builder->memory, (size_t)bytes);
	if (!block)
		return Error_OutOfMemory(error);
	mesh->block = block;
	mesh->bytes = (size_t)bytes;
	mesh->vertex_count = builder->vertices;
	mesh->triangle_count = builder->triangles;
	mesh->positions = (double *)block;
	mesh->normals = (double *)(block + vectors);
	mesh->indices = (uint32_t *)(block + 2 * vectors);
	mesh->materials = (uint8_t *)(block + 2 * vectors + indices);
	return ERROR_NONE;
}

/* Sums to unit length. Up for a vertex whose triangles cancel each other, so that every normal is one. */
static void FinishNormals(TerrainMesh *mesh)
{
	for (int64_t i = 0; i < mesh->vertex_count; i++) {
		double *n = mesh->normals + 3 * i;
		double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
		if (length > 0.0) {
			for (int k = 0; k < 3; k++)
				n[k] /= length;
		} else {
			n[1] = 1.0;
		}
	}
}

static int BuildMesh(MeshBuilder *builder, const CellList *blocks, TerrainMesh *mesh, Error *error)
{
	Progress progress;
	Progress_Begin(&progress, "meshing terrain");
	int code = AddBlocks(builder, blocks, &progress, error);
	if (!code)
		code = Allocate(builder, mesh, error);
	if (!code && mesh->block) {
		builder->mesh = mesh;
		code = AddBlocks(builder, blocks, &progress, error);
		SCREE_ASSERT(code || (builder->vertices == mesh->vertex_count && builder->triangles == mesh->triangle_count));
	}
	if (code)
		TerrainMesh_Free(builder->memory, mesh);
	else
		FinishNormals(mesh);
	Progress_End(&progress);
	return code;
}

int Terrain_Mesh(Terrain *terrain, const CellBox *box, TerrainMesh *mesh, Error *error)
{
	*mesh = (TerrainMesh){0};
	if (box && (box->lo.x > box->hi.x || box->lo.y > box->hi.y || box->lo.z > box->hi.z))
		return Error_Set(error, ERROR_ARGUMENT, "box: corner (%d, %d, %d) is above corner (%d, %d, %d)", box->lo.x,
		                 box->lo.y, box->lo.z, box->hi.x, box->hi.y, box->hi.z);
	Memory *memory = terrain->memory;
	CellList blocks = {0};
	int code = ERROR_MEMORY;
	MeshBuilder *builder = Memory_AllocZero(memory, sizeof *builder);
	if (builder && Terrain_SurfaceBlocks(terrain, box, memory, &blocks)) {
		builder->terrain = terrain;
		builder->memory = memory;
		builder->box = box;
		code = BuildMesh(builder, &blocks, mesh, error);
		CoordMap_Free(&builder->shared_at, memory);
		Array_Free(memory, builder->shared);
	} else {
		Error_OutOfMemory(error);
	}
	Memory_Free(memory, builder, sizeof *builder);
	Array_Free(memory, blocks.items);
	return code;
}

void TerrainMesh_Free(Memory *memory, TerrainMesh *mesh)
{
	Memory_Free(memory, mesh->block, mesh->bytes);
	*mesh = (TerrainMesh){0};
}
