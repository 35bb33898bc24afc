/* A plain mesher of the whole field at once, written from the recipe's words and sharing no code with src/terrain: the
 * twin that blocks are compared with, and the mesh on which topology is checked.
 *
 * Lengths in 1/4096 cell from the centre of cell (0,0,0). Cells outside the field are air.
 */
#ifndef TESTS_SURFACE_REFERENCE_H
#define TESTS_SURFACE_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Index of cell (x,y,z): x + nx * (z + nz * y). Owned by whoever made it with RefField_Create. */
typedef struct RefField {
	int nx, ny, nz;
	uint8_t *value, *material;
	uint16_t blockiness[256]; /* 0..256 */
} RefField;

typedef struct RefVertex {
	int cube[3]; /* between cell centres cube and cube + 1 */
	int loop;    /* number in the cube */
	int at[3];   /* cube * 4096 + q */
} RefVertex;

typedef struct RefQuad {
	int cell[3], axis;
	int corner[4]; /* counter-clockwise from the air; diagonal from corner 0 to corner 2 */
	bool low_inside;
	uint8_t material;
} RefQuad;

typedef struct RefMesh {
	int vertex_count, quad_count;
	RefVertex *vertices; /* in order of cube y, z, x, then loop */
	RefQuad *quads;      /* in order of axis, y, z, x */
	int *quad_at;        /* see RefMesh_QuadAt */
	int nx, ny, nz;
	int flipped_cubes, raised_cells;
} RefMesh;

RefField RefField_Create(int nx, int ny, int nz); /* all air, blockiness 0 */
void RefField_Free(RefField *field);
int RefField_Value(const RefField *field, int x, int y, int z);
int RefField_Material(const RefField *field, int x, int y, int z);
void RefField_Set(RefField *field, int x, int y, int z, int material, int value);

/* after the local-maximum rule */
int RefField_RaisedValue(const RefField *field, int x, int y, int z);

RefMesh RefMesh_Create(const RefField *field, bool with_flip);
void RefMesh_Free(RefMesh *mesh);
int RefMesh_QuadAt(const RefMesh *mesh, int x, int y, int z, int axis); /* -1: none */

/* The triangle mesh (two a quad) looked at edge by edge and vertex by vertex. */
typedef struct RefTopology {
	int open;          /* directed edges without their reverse */
	int non_manifold;  /* directed edges that more than one triangle has */
	int vertices;      /* whose triangles are not one closed fan */
	int backwards;     /* triangles not facing from the inside cell to the air along their lattice edge */
	int degenerate;    /* triangles of zero area */
	int q_low, q_high; /* range of a vertex in its cube */
	double volume;     /* cells, signed */
	double area;       /* cells squared */
} RefTopology;
RefTopology RefMesh_Topology(const RefMesh *mesh);

/* Edge kinds by looking every directed edge's reverse up among all edges: 10 bits a quad as Surface_EdgeKinds has them.
 * The caller frees. */
uint16_t *RefMesh_EdgeKinds(const RefMesh *mesh);

/* The recipe's writer: stored byte for the distance d in cells, positive inside; 0: air. */
int Ref_WriteDistance(double d);
/* Sets the cell of this material by the writer, or to air. */
void RefField_Write(RefField *field, int x, int y, int z, int material, double d);

#endif
