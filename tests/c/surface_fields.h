/* What the surface's test suites share: fields to mesh, and the comparison of a block with the twin. */
#ifndef TESTS_SURFACE_FIELDS_H
#define TESTS_SURFACE_FIELDS_H

#include "base/base.h"
#include "surface_reference.h"
#include "terrain/surface_cube_internal.h"

#include <stdio.h>

/* Each cell solid with chance `share`, of a random value, of one of the materials 1..4. */
static inline RefField Field_Noise(int n, double share, Random *random)
{
	RefField field = RefField_Create(n, n, n);
	for (int y = 0; y < n; y++)
		for (int z = 0; z < n; z++)
			for (int x = 0; x < n; x++)
				if (Random_Unit(random) < share) {
					int material = 1 + Random_Below(random, 4);
					RefField_Set(&field, x, y, z, material, Random_Below(random, 256));
				}
	return field;
}

/* Almost everything solid at one value below the surface, a few full cells in it: the local-maximum rule and the flip
 * depend on each other over the longest way that there is. Plain noise hides a halo that is too small. */
static inline RefField Field_Adversarial(int n, double share, int value, Random *random)
{
	RefField field = RefField_Create(n, n, n);
	for (int y = 0; y < n; y++)
		for (int z = 0; z < n; z++)
			for (int x = 0; x < n; x++) {
				double roll = Random_Unit(random);
				if (roll < share + 0.01)
					RefField_Set(&field, x, y, z, 1 + Random_Below(random, 4), roll < share ? value : 255);
			}
	return field;
}

/* Inside cells of 128 or 255, the others air or 127: the longest and shortest ways to the crossing. */
static inline RefField Field_Extremes(int n, double share, Random *random)
{
	RefField field = RefField_Create(n, n, n);
	for (int y = 0; y < n; y++)
		for (int z = 0; z < n; z++)
			for (int x = 0; x < n; x++) {
				bool inside = Random_Unit(random) < share, strong = Random_Below(random, 2) != 0;
				if (inside || strong)
					RefField_Set(&field, x, y, z, 1 + Random_Below(random, 4), inside ? (strong ? 255 : 128) : 127);
			}
	return field;
}

/* Materials 1 smooth, 2 half, 3 exact cubes, 4 a little. */
static inline void Field_MixBlockiness(RefField *field)
{
	field->blockiness[2] = 128;
	field->blockiness[3] = 256;
	field->blockiness[4] = 37;
}

/* Rolling hills: bilinear noise over two grids of random heights, written with the distance rule. */
static inline RefField Field_Hills(int n, int ny, Random *random)
{
	RefField field = RefField_Create(n, ny, n);
	double coarse[20][20], fine[60][60];
	for (int i = 0; i < 20; i++)
		for (int k = 0; k < 20; k++)
			coarse[i][k] = Random_Range(random, 0.25 * ny, 0.75 * ny);
	for (int i = 0; i < 60; i++)
		for (int k = 0; k < 60; k++)
			fine[i][k] = Random_Range(random, -1.0, 1.0);
	for (int z = 0; z < n; z++)
		for (int x = 0; x < n; x++) {
			double u = x / 16.0, w = z / 16.0, s = x / 4.0, t = z / 4.0;
			int i = (int)u % 19, k = (int)w % 19, p = (int)s % 59, q = (int)t % 59;
			u -= (int)u, w -= (int)w, s -= (int)s, t -= (int)t;
			double height = (coarse[i][k] * (1 - u) + coarse[i + 1][k] * u) * (1 - w) +
			                (coarse[i][k + 1] * (1 - u) + coarse[i + 1][k + 1] * u) * w +
			                (fine[p][q] * (1 - s) + fine[p + 1][q] * s) * (1 - t) +
			                (fine[p][q + 1] * (1 - s) + fine[p + 1][q + 1] * s) * t;
			for (int y = 0; y < ny; y++)
				RefField_Write(&field, x, y, z, y < height - 3.0 ? 2 : 1, 0.9 * (height - (y + 0.5)));
		}
	return field;
}

/* The cells round block (bx,by,bz) within `halo`; random garbage beyond. */
static inline void Block_Gather(const RefField *field, int bx, int by, int bz, int halo, Random *garbage,
                                SurfaceField *out)
{
	for (int y = -FLAG_HALO; y < BLOCK_SIZE + FLAG_HALO; y++)
		for (int z = -FLAG_HALO; z < BLOCK_SIZE + FLAG_HALO; z++)
			for (int x = -FLAG_HALO; x < BLOCK_SIZE + FLAG_HALO; x++) {
				bool known = x >= -halo && y >= -halo && z >= -halo && x < BLOCK_SIZE + halo && y < BLOCK_SIZE + halo &&
				             z < BLOCK_SIZE + halo;
				int cx = bx * BLOCK_SIZE + x, cy = by * BLOCK_SIZE + y, cz = bz * BLOCK_SIZE + z;
				int material = known ? RefField_Material(field, cx, cy, cz) : Random_Below(garbage, 5);
				int value = known ? RefField_Value(field, cx, cy, cz) : material ? Random_Below(garbage, 256) : 0;
				out->material[Field_Cell(x, y, z)] = (uint8_t)material;
				out->value[Field_Cell(x, y, z)] = (uint8_t)value;
			}
}

static inline bool SameVertex(const SurfaceMesh *mesh, int vertex, const RefVertex *twin, const int block[3])
{
	for (int i = 0; i < 3; i++) {
		int p = mesh->position[vertex][i];
		if (p - SURFACE_UNIT + block[i] * BLOCK_SIZE * SURFACE_UNIT != twin->at[i])
			return false;
		if ((p >> 12) - 1 + block[i] * BLOCK_SIZE != twin->cube[i])
			return false;
	}
	return mesh->loop[vertex] == twin->loop;
}

/* How many things of a block's mesh are not as in the twin: quads missing or too many, their order, corners, positions,
 * diagonals, materials, sides, words. `kinds` may be NULL. */
static inline int Block_Differences(const RefMesh *twin, const uint16_t *twin_kinds, const int block[3],
                                    const SurfaceMesh *mesh, const uint16_t *kinds)
{
	int differences = 0, n = 0, place = 0;
	uint64_t word[3][BLOCK_SIZE] = {{0}};
	for (int axis = 0; axis < 3; axis++)
		for (int y = 0; y < BLOCK_SIZE; y++)
			for (int z = 0; z < BLOCK_SIZE; z++)
				for (int x = 0; x < BLOCK_SIZE; x++) {
					int q = RefMesh_QuadAt(twin, block[0] * BLOCK_SIZE + x, block[1] * BLOCK_SIZE + y,
					                       block[2] * BLOCK_SIZE + z, axis);
					place++;
					if (q < 0)
						continue;
					word[axis][y] |= (uint64_t)1 << (z * 8 + x);
					if (n >= mesh->quad_count)
						return differences + 1;
					const RefQuad *quad = &twin->quads[q];
					differences += mesh->edge[n] != place - 1;
					differences += mesh->material[n] != quad->material;
					differences += mesh->low_inside[n] != quad->low_inside;
					for (int k = 0; k < 4; k++)
						differences += mesh->corner[n][k] >= mesh->vertex_count ||
						               !SameVertex(mesh, mesh->corner[n][k], &twin->vertices[quad->corner[k]], block);
					differences += kinds && kinds[n] != twin_kinds[q];
					n++;
				}
	differences += n != mesh->quad_count;
	differences += memcmp(word, mesh->word, sizeof word) != 0;
	return differences;
}

/* The same in every byte that means something? */
static inline bool SameMesh(const SurfaceMesh *a, const SurfaceMesh *b)
{
	size_t vertices = (size_t)a->vertex_count, quads = (size_t)a->quad_count;
	return a->vertex_count == b->vertex_count && a->quad_count == b->quad_count &&
	       memcmp(a->position, b->position, vertices * sizeof a->position[0]) == 0 &&
	       memcmp(a->loop, b->loop, vertices) == 0 && memcmp(a->corner, b->corner, quads * sizeof a->corner[0]) == 0 &&
	       memcmp(a->edge, b->edge, quads * sizeof a->edge[0]) == 0 && memcmp(a->material, b->material, quads) == 0 &&
	       memcmp(a->low_inside, b->low_inside, quads) == 0 && memcmp(a->word, b->word, sizeof a->word) == 0;
}

#if SCREE_X86
/* Do both forms make the same of a block? Only where Cpu_Simd() lets the fast one run. */
static inline bool Block_SameInBothForms(const SurfaceField *cells, const uint16_t blockiness[256])
{
	static SurfaceMesh plain, fast;
	memset(&plain, 0x5A, sizeof plain);
	memset(&fast, 0xA5, sizeof fast);
	uint16_t plain_bits[BLOCK_SIZE + 2][BLOCK_SIZE + 2], fast_bits[BLOCK_SIZE + 2][BLOCK_SIZE + 2];
	Surface_Build(cells, blockiness, &plain);
	Surface_BuildFast(cells, blockiness, &fast);
	Surface_InsideBits(cells, plain_bits);
	Surface_InsideBitsFast(cells, fast_bits);
	return SameMesh(&plain, &fast) && memcmp(plain_bits, fast_bits, sizeof plain_bits) == 0;
}

/* The same of edge kinds, whatever the block before left in the scratch. The field must be known within FLAG_HALO. */
static inline bool Block_SameKinds(const SurfaceField *cells, const uint16_t blockiness[256])
{
	static SurfaceMesh mesh;
	static SurfaceEdgeScratch scratch;
	static uint16_t plain[SURFACE_QUAD_LIMIT], fast[SURFACE_QUAD_LIMIT];
	Surface_Build(cells, blockiness, &mesh);
	Surface_EdgeKinds(cells, blockiness, &mesh, plain);
	Surface_EdgeKindsFast(cells, blockiness, &mesh, &scratch, fast);
	return memcmp(plain, fast, (size_t)mesh.quad_count * sizeof plain[0]) == 0;
}
#endif

/* Meshes every block of the field with garbage beyond the halo and compares: how many blocks differ. Edge kinds are
 * compared too when twin_kinds is not NULL. */
static inline int Field_DifferingBlocks(const RefField *field, const RefMesh *twin, const uint16_t *twin_kinds,
                                        int halo, uint64_t seed)
{
	static SurfaceField cells;
	static SurfaceMesh mesh;
	static uint16_t kinds[SURFACE_QUAD_LIMIT];
	Random garbage = {seed};
	int differing = 0;
	for (int by = -1; by * BLOCK_SIZE <= field->ny; by++)
		for (int bz = -1; bz * BLOCK_SIZE <= field->nz; bz++)
			for (int bx = -1; bx * BLOCK_SIZE <= field->nx; bx++) {
				int block[3] = {bx, by, bz};
				Block_Gather(field, bx, by, bz, halo, &garbage, &cells);
				memset(&mesh, 0xA5, sizeof mesh);
				Surface_Build(&cells, field->blockiness, &mesh);
				if (twin_kinds)
					Surface_EdgeKinds(&cells, field->blockiness, &mesh, kinds);
				differing += Block_Differences(twin, twin_kinds, block, &mesh, twin_kinds ? kinds : NULL) != 0;
			}
	return differing;
}

#endif
