/* The surface of cells that are in no store: pieces of ground by themselves. */
#include "terrain/surface_internal.h"
#include "terrain/terrain.h"

struct TerrainPatch {
	Memory *memory;
	bool simd;
	uint16_t blockiness[MATERIAL_LIMIT];
	SurfaceField field;
	SurfaceMesh mesh;
	uint16_t inside[BLOCK_SIZE + 2][BLOCK_SIZE + 2];
};

_Static_assert(PATCH_SIZE == FIELD_SIZE && PATCH_HALO == FLAG_HALO, "a patch is a field of the surface");

TerrainPatch *TerrainPatch_Create(Memory *memory, const uint16_t blockiness[MATERIAL_LIMIT])
{
	TerrainPatch *patch = Memory_AllocZero(memory, sizeof(*patch));
	if (!patch)
		return NULL;
	patch->memory = memory;
	patch->simd = Cpu_Simd();
	memcpy(patch->blockiness, blockiness, sizeof(patch->blockiness));
	return patch;
}

void TerrainPatch_Destroy(TerrainPatch *patch)
{
	if (patch)
		Memory_Free(patch->memory, patch, sizeof(*patch));
}

void TerrainPatch_Cells(TerrainPatch *patch, uint8_t **value, uint8_t **material)
{
	*value = patch->field.value;
	*material = patch->field.material;
}

int TerrainPatch_Build(TerrainPatch *patch)
{
	Surface_Mesh(patch->simd, &patch->field, patch->blockiness, &patch->mesh);
	Surface_Inside(patch->simd, &patch->field, patch->inside);
	return patch->mesh.quad_count;
}

uint16_t TerrainPatch_Inside(const TerrainPatch *patch, int y, int z)
{
	return patch->inside[y + 1][z + 1];
}

PatchQuad TerrainPatch_Quad(const TerrainPatch *patch, int i)
{
	const SurfaceMesh *mesh = &patch->mesh;
	int edge = mesh->edge[i], axis = edge / (BLOCK_SIZE * BLOCK_SIZE * BLOCK_SIZE);
	int32_t at[3] = {edge % BLOCK_SIZE, edge / (BLOCK_SIZE * BLOCK_SIZE) % BLOCK_SIZE, edge / BLOCK_SIZE % BLOCK_SIZE};
	PatchQuad quad = {.inside = {at[0], at[1], at[2]}};
	at[axis]++;
	quad.air = (Cell){at[0], at[1], at[2]};
	if (!mesh->low_inside[i]) {
		quad.air = quad.inside;
		quad.inside = (Cell){at[0], at[1], at[2]};
	}
	for (int k = 0; k < 4; k++) {
		const uint16_t *p = mesh->position[mesh->corner[i][k]];
		const int half = SURFACE_UNIT / 2;
		quad.corner[k] = (Cell){p[0] - half, p[1] - half, p[2] - half};
	}
	return quad;
}
