/* The surface of one block of cells: closed, manifold, exact on planes. Recipe and proofs: a dual method with one
 * vertex per loop of crossing edges (after Gibson's surface nets 1998, and dual marching cubes' loops, Nielson 2004),
 * made manifold by the face flip.
 *
 * A block is BLOCK_SIZE^3 cells and owns the lattice edges from each of its cells p to p + axis. Its mesh depends on
 * the cells within SURFACE_HALO, its edge kinds on those within FLAG_HALO.
 */
#ifndef SCREE_TERRAIN_SURFACE_INTERNAL_H
#define SCREE_TERRAIN_SURFACE_INTERNAL_H

#include "base/base.h"
#include "math/math.h"

#define BLOCK_SIZE 8
#define BLOCK_BITS 3
#define SURFACE_HALO 3
#define FLAG_HALO 4
#define FIELD_SIZE (BLOCK_SIZE + 2 * FLAG_HALO) /* 16 cells a side */
#define FIELD_CELLS (FIELD_SIZE * FIELD_SIZE * FIELD_SIZE)
#define SURFACE_UNIT 4096 /* positions per cell */
#define SURFACE_QUAD_LIMIT (3 * BLOCK_SIZE * BLOCK_SIZE * BLOCK_SIZE)
#define SURFACE_VERTEX_LIMIT (9 * 9 * 9 * 4)
#define SURFACE_QUAD_SPARE 8 /* the fast form reads whole vectors of quads */

/* The cells round a block, gathered dense: cells -4..11 of the block on each axis, index
 * (x+4) + FIELD_SIZE * ((z+4) + FIELD_SIZE * (y+4)). value is the occupancy byte (air 0). */
typedef struct SurfaceField {
	uint8_t value[FIELD_CELLS];
	uint8_t material[FIELD_CELLS];
} SurfaceField;

/* A block's quads. Stored position of a vertex: (cube + 1) << 12 | q, cube -1..7 the dual cube it lies in (between cell
 * centres cube and cube + 1), q in [5, 4091]; in cells from the block's corner: (p - 2048) / 4096.
 * Vertices stand in the order y, z, x of their cube, then loop: all loops of each cube that a quad has a corner in.
 * Quads stand in the order axis, y, z, x of their lattice edge. Corners are counter-clockwise seen from the air, turned
 * so that the stored diagonal is always corner 0 to corner 2: triangles (0,1,2) and (0,2,3). Corner 0 is the diagonal's
 * end with the lower cube on axis (axis+2)%3. */
typedef struct SurfaceMesh {
	int vertex_count, quad_count;
	uint16_t position[SURFACE_VERTEX_LIMIT][3];
	uint16_t corner[SURFACE_QUAD_LIMIT + SURFACE_QUAD_SPARE][4];
	uint16_t edge[SURFACE_QUAD_LIMIT];    /* lattice edge: axis * 512 + y * 64 + z * 8 + x of the cell p that owns it */
	uint8_t material[SURFACE_QUAD_LIMIT]; /* of the inside cell */
	uint8_t low_inside[SURFACE_QUAD_LIMIT + SURFACE_QUAD_SPARE]; /* 1: p is the inside cell; 0: p + axis is */
	uint8_t
	    loop[SURFACE_VERTEX_LIMIT]; /* number of the vertex's loop within its cube: with the cube it names the vertex */
	uint64_t word[3][BLOCK_SIZE];   /* [axis][y], bit z*8+x: the edge from that cell has a quad */
} SurfaceMesh;

/* Plain form, the reference. blockiness: 0..256 a material. Deterministic integers throughout. */
void Surface_Build(const SurfaceField *field, const uint16_t blockiness[256], SurfaceMesh *mesh);

/* Fast form: the same to the bit. Only where Cpu_Simd() says that it may run. */
#if SCREE_X86
void Surface_BuildFast(const SurfaceField *field, const uint16_t blockiness[256], SurfaceMesh *mesh);
#endif

/* The form that suits; simd: what Cpu_Simd() said. */
static inline void Surface_Mesh(bool simd, const SurfaceField *field, const uint16_t blockiness[256], SurfaceMesh *mesh)
{
#if SCREE_X86
	if (simd) {
		Surface_BuildFast(field, blockiness, mesh);
		return;
	}
#endif
	(void)simd;
	Surface_Build(field, blockiness, mesh);
}

/* Edge kinds of a block's quads: 2 bits each (EdgeKind), bits 2k..2k+1 for the edge of corner k to corner k+1, k =
 * 0..3, bits 8..9 for the diagonal. Looks one ring of quads beyond the block; agrees across blocks. */
void Surface_EdgeKinds(const SurfaceField *field, const uint16_t blockiness[256], const SurfaceMesh *mesh,
                       uint16_t *kinds);

/* Dual cubes -2..8 a side: those that the ring's quads stand on. */
#define SURFACE_RING_CUBES (BLOCK_SIZE + 3)
/* Ring quads along one axis, owned by cells -1..8 but not by the block. */
#define SURFACE_RING_LIMIT 488
/* From cell -1 to cell 8 on all axes, as places in the field. */
#define SURFACE_OWNER_SPAN (9 * (FIELD_SIZE * FIELD_SIZE + FIELD_SIZE + 1) + 1)
#define SURFACE_EDGE_QUADS (1 + SURFACE_QUAD_LIMIT + 3 * SURFACE_RING_LIMIT + SURFACE_QUAD_SPARE)
#define SURFACE_RING_VERTICES (SURFACE_RING_CUBES * SURFACE_RING_CUBES * SURFACE_RING_CUBES * 4 + SURFACE_QUAD_SPARE)
#define SURFACE_MESH_CUBES (9 * 9 * 9)
/* Mesh edges on cube faces of one orientation, two on some; and a vector to spare. */
#define SURFACE_PAIR_LIMIT (2 * SURFACE_MESH_CUBES + SURFACE_QUAD_SPARE)

/* Working space of the fast form of edge kinds; nothing in it needs to be set. By quad: none, the mesh's, then those of
 * the ring along each axis. */
typedef struct SurfaceEdgeScratch {
#if SCREE_X86
	/* the place of a lattice edge's quad, by axis and cell; 0: none; whole rows are cleared */
	uint16_t number[3 * SURFACE_OWNER_SPAN + FIELD_SIZE];
	uint16_t cell[SURFACE_EDGE_QUADS];      /* owner of the quad's lattice edge, index in the field */
	uint16_t corner[SURFACE_EDGE_QUADS][4]; /* stored order; of `at` */
	uint8_t low_inside[SURFACE_EDGE_QUADS];
	uint16_t place[SURFACE_EDGE_QUADS]; /* the quad, and in the two highest bits how its order is turned */
	uint16_t kinds[SURFACE_EDGE_QUADS];
	float normal[2 * SURFACE_EDGE_QUADS][4]; /* of both triangles, of length 1; the last number 0 */
	/* by the axis that mesh edges run along: the quads on both sides, and in the two highest bits as which of their
	 * edges */
	uint16_t pair[3][SURFACE_PAIR_LIMIT][2];
	int pair_count[3];
	uint64_t at[SURFACE_VERTEX_LIMIT + SURFACE_RING_VERTICES]; /* the mesh's vertices, then the ring's */
	uint16_t vertex_cell[SURFACE_VERTEX_LIMIT];                /* of the mesh's vertices' cubes, index in the field */
	uint16_t mesh_cube[SURFACE_MESH_CUBES + 1];                /* those cubes, each once */
	uint16_t mesh_pattern[SURFACE_MESH_CUBES + 1];
	uint32_t rule[SURFACE_RING_VERTICES];
	uint16_t cube[SURFACE_RING_VERTICES];
	uint8_t loop[SURFACE_RING_VERTICES];
#else
	char unused;
#endif
} SurfaceEdgeScratch;

#if SCREE_X86
void Surface_EdgeKindsFast(const SurfaceField *field, const uint16_t blockiness[256], const SurfaceMesh *mesh,
                           SurfaceEdgeScratch *scratch, uint16_t *kinds);
#endif

/* The form that suits, as Surface_Mesh. */
static inline void Surface_Kinds(bool simd, const SurfaceField *field, const uint16_t blockiness[256],
                                 const SurfaceMesh *mesh, SurfaceEdgeScratch *scratch, uint16_t *kinds)
{
#if SCREE_X86
	if (simd) {
		Surface_EdgeKindsFast(field, blockiness, mesh, scratch, kinds);
		return;
	}
#endif
	(void)simd;
	(void)scratch;
	Surface_EdgeKinds(field, blockiness, mesh, kinds);
}

/* Inside bits after the local-maximum rule, for records: cell (x,y,z), each -1..8, is bit x + 1 of out[y + 1][z + 1].
 * Looks at cells -2..9. */
void Surface_InsideBits(const SurfaceField *field, uint16_t out[BLOCK_SIZE + 2][BLOCK_SIZE + 2]);
#if SCREE_X86
void Surface_InsideBitsFast(const SurfaceField *field, uint16_t out[BLOCK_SIZE + 2][BLOCK_SIZE + 2]);
#endif

/* The form that suits, as Surface_Mesh. */
static inline void Surface_Inside(bool simd, const SurfaceField *field, uint16_t out[BLOCK_SIZE + 2][BLOCK_SIZE + 2])
{
#if SCREE_X86
	if (simd) {
		Surface_InsideBitsFast(field, out);
		return;
	}
#endif
	(void)simd;
	Surface_InsideBits(field, out);
}

#endif
