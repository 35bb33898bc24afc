/* Every reader of foreign files. The first byte says which; the rest is the file. */
#include "fuzz.h"

#include "mesh/mesh.h"
#include "shape/shape.h"
#include "voxel/voxel.h"

#define CEILING ((size_t)256 << 20)

static void CheckHeights(Memory *memory, HeightImage *image, int code)
{
	if (code == ERROR_NONE) {
		int64_t voids = 0, count = (int64_t)image->width * image->depth;
		REQUIRE(image->width > 0 && image->depth > 0);
		for (int64_t i = 0; i < count; i++) {
			double sample = image->samples[i];
			voids += !IsFinite(sample);
			REQUIRE(!IsFinite(sample) || (sample >= image->min && sample <= image->max));
		}
		REQUIRE(voids == image->voids);
	}
	HeightImage_Free(memory, image);
}

static void CheckMesh(Memory *memory, Mesh *mesh, int code)
{
	if (code == ERROR_NONE) {
		uint32_t vertices = (uint32_t)Mesh_VertexCount(mesh);
		for (int i = 0; i < mesh->indices.count; i++) {
			REQUIRE(mesh->indices.data[i] < vertices);
			for (int k = 0; k < 3; k++)
				REQUIRE(IsFinite(mesh->positions.data[3 * mesh->indices.data[i] + (uint32_t)k]));
		}
		MeshSurvey survey;
		Error error;
		Mesh_Survey(memory, mesh, &survey, &error);
	}
	Mesh_Free(memory, mesh);
}

static int CompareCells(VoxCell a, VoxCell b)
{
	if (a.z != b.z)
		return a.z < b.z ? -1 : 1;
	if (a.y != b.y)
		return a.y < b.y ? -1 : 1;
	return a.x < b.x ? -1 : a.x > b.x;
}

static void CheckVox(Memory *memory, VoxModel *model, int code)
{
	if (code == ERROR_NONE) {
		for (int64_t i = 0; i < model->count; i++) {
			REQUIRE(model->cells[i].color != 0);
			REQUIRE(i == 0 || CompareCells(model->cells[i - 1], model->cells[i]) < 0);
		}
	}
	VoxModel_Free(memory, model);
}

static void CheckBlocks(Memory *memory, BlockModel *model, int code)
{
	if (code == ERROR_NONE) {
		int64_t count = (int64_t)model->nx * model->ny * model->nz, named = 0, skipped = 0;
		for (int64_t i = 0; i < count; i++) {
			skipped += model->cells[i] == BLOCK_NONE;
			REQUIRE(model->cells[i] == BLOCK_NONE || model->cells[i] < model->names.count);
		}
		for (int i = 0; i < model->names.count; i++) {
			named += model->names.data[i].count;
			REQUIRE(memchr(model->names.data[i].text, 0, BLOCK_NAME_SIZE) != NULL);
			REQUIRE(Block_Eighths(model->names.data[i].text) <= 8);
		}
		REQUIRE(named == count && skipped == model->skipped);
	}
	BlockModel_Free(memory, model);
}

static void ReadAs(int kind, Memory *memory, const uint8_t *data, size_t size)
{
	static int (*const meshes[])(Memory *, const void *, size_t, Mesh *, Error *) = {Mesh_ReadObj, Mesh_ReadStl,
	                                                                                 Mesh_ReadPly};
	Error error = {0};
	HeightImage image;
	VoxModel vox;
	BlockModel blocks;
	Mesh mesh = {0};
	switch (kind) {
	case 0:
		CheckHeights(memory, &image, HeightImage_ReadPng(memory, data, size, &image, &error));
		break;
	case 1:
		CheckHeights(memory, &image, HeightImage_ReadHgt(memory, data, size, &image, &error));
		break;
	case 2:
		CheckHeights(memory, &image, HeightImage_ReadRaw16(memory, data, size, size % 2, true, &image, &error));
		break;
	case 3:
		CheckVox(memory, &vox, VoxModel_Read(memory, data, size, size % 2, &vox, &error));
		break;
	case 4:
		CheckBlocks(memory, &blocks, BlockModel_ReadSchem(memory, data, size, &blocks, &error));
		break;
	case 5:
		CheckBlocks(memory, &blocks, BlockModel_ReadMts(memory, data, size, &blocks, &error));
		break;
	case 6:
	case 7:
	case 8:
		CheckMesh(memory, &mesh, meshes[kind - 6](memory, data, size, &mesh, &error));
		break;
	default:
		CheckMesh(memory, &mesh, Mesh_ReadGltf(memory, data, size, NULL, &mesh, &error));
	}
}

void FuzzOne(const uint8_t *data, size_t size)
{
	if (size == 0)
		return;
	FuzzMemory ceiling = {.left = CEILING};
	Memory memory;
	Memory_Init(&memory, FuzzMemory_Resize, &ceiling);
	ReadAs(data[0] % 10, &memory, data + 1, size - 1);
	REQUIRE(memory.bytes == 0 && ceiling.left == CEILING);
}
