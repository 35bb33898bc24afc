/* What the surface's files share: the loops of the 256 cube patterns, the cells after the local-maximum rule, the
 * vertices of one dual cube, the diagonal of one quad.
 *
 * Corner i of a cube: bit 0 = x, bit 1 = y, bit 2 = z; a pattern has bit i set when that corner's cell is inside. Edge
 * id = 4 * axis + ub + 2 * vb with u = (axis+1)%3, v = (axis+2)%3 and ub, vb the edge's place on u and v; it runs from
 * the corner with axis bit 0 to the one with axis bit 1. Face id = 2 * axis + side.
 */
#ifndef SCREE_TERRAIN_SURFACE_CUBE_INTERNAL_H
#define SCREE_TERRAIN_SURFACE_CUBE_INTERNAL_H

#include "terrain/surface_internal.h"

#define LOOP_NONE 0xFF
#define FACE_NONE 0xFF
#define LOOP_LIMIT 4 /* loops of one cube */

/* ---- tables (surface_tables.c) ---------------------------------------------------------------------------------- */

/* First index: 0 the default pairing on ambiguous faces, 1 with flip_face's pairing turned. */
typedef struct SurfaceTables {
	uint8_t loop_count[2][256];
	uint8_t loop[2][256][12]; /* loop of each crossing edge, numbered by lowest edge id; LOOP_NONE: does not cross */
	uint16_t crossing[256];   /* bit e: edge e crosses */
	uint8_t flip_face[256];   /* the ambiguous face that one loop passes twice, or FACE_NONE */
	uint32_t rule[2][256][LOOP_LIMIT]; /* how each loop's vertex is made: for the fast form, see RULE_COUNT */
} SurfaceTables;

/* A loop in one word: bits 0..11 its edges; from RULE_COUNT their number, 3 bits; from RULE_FAR(axis) how many of them
 * run along another axis and stand on the far side of this one, 3 bits each. The first loop's word has RULE_PLAIN when
 * it is the only one and the pattern has no face to flip. */
#define RULE_COUNT 12
#define RULE_FAR(axis) (15 + 3 * (axis))
#define RULE_PLAIN (1u << 24)

/* Made on first use; the same for ever after. Thread-safe. */
const SurfaceTables *SurfaceTables_Get(void);

/* ---- cells and cubes (surface_build.c) -------------------------------------------------------------------------- */

/* Index of a cell of the block, -4..11 on each axis, in the field; and of its row, where x is the bit x + FLAG_HALO. */
static inline int Field_Row(int y, int z)
{
	return (z + FLAG_HALO) + FIELD_SIZE * (y + FLAG_HALO);
}
static inline int Field_Cell(int x, int y, int z)
{
	return (x + FLAG_HALO) + FIELD_SIZE * Field_Row(y, z);
}

/* The field as the surface sees it: local maxima raised. `value` is the field's own array where nothing was raised. */
typedef struct SurfaceCells {
	const uint8_t *value;
	const uint8_t *material;
	const uint16_t *blockiness;
	const SurfaceTables *tables;
	uint16_t inside[FIELD_SIZE * FIELD_SIZE]; /* by Field_Row */
	uint8_t raised[FIELD_CELLS];
} SurfaceCells;

#define RAISED_VALUE 160 /* a lone cell of this value is a closed cube of side 0.135 */

/* Has the cell no greater neighbour among the 26? Not for cells on the field's rim. */
bool SurfaceField_IsLocalMaximum(const SurfaceField *field, int cell);

/* Applies the rule to cells -reach..7+reach, which looks one cell further; bits beyond them are not final. False when
 * the lattice edges that the block owns have no crossing for certain; the cells are not usable then. */
bool SurfaceCells_Init(SurfaceCells *cells, const SurfaceField *field, const uint16_t blockiness[256], int reach);

static inline bool SurfaceCells_Inside(const SurfaceCells *cells, const int cell[3])
{
	return cells->inside[Field_Row(cell[1], cell[2])] >> (cell[0] + FLAG_HALO) & 1;
}

/* Pattern of the cube between cell centres c and c + 1; + 256 when its face is flipped: first indices of the tables. */
int SurfaceCube_Pattern(const SurfaceCells *cells, int x, int y, int z);

/* Vertices of all loops, in 1/4096 from the centre of cell c. Returns their number. */
int SurfaceCube_Vertices(const SurfaceCells *cells, int x, int y, int z, int pattern, uint16_t q[LOOP_LIMIT][3]);

/* Which diagonal a quad round a lattice edge takes, from its corners in canonical order (counter-clockwise seen from
 * +axis, from the cube (-u,-v) on): 0 for corners 0 and 2, 1 for corners 1 and 3. All blocks agree on it. */
int SurfaceQuad_Diagonal(int axis, const int32_t corner[4][3]);

/* The quad of edge (p, axis) has its corners in the cubes p + QUAD_U[k] u + QUAD_V[k] v, k = 0..3; those see the edge
 * as their edge 4 * axis + QUAD_EDGE[k]. */
static const int8_t QUAD_U[4] = {-1, 0, 0, -1};
static const int8_t QUAD_V[4] = {-1, -1, 0, 0};
static const uint8_t QUAD_EDGE[4] = {3, 2, 0, 1};

#endif
