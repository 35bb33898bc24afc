/* pieces: what comes off the ground. Finds regions of cells that nothing holds any more, takes them out as pieces, and
 * makes of a piece what a body needs: mass from its cells, convex parts from its surface; lays it back into the ground.
 *
 * Owns: nothing but what its callers hold. Uses: terrain (the surface of a piece by itself), shape, voxel, math, base.
 * Called by: dynamics (which keeps the cells of bodies that are pieces), world.
 *
 * What holds together: cells that the surface treats as inside are joined over their faces. Every other solid cell (a
 * fringe: it shifts the surface of its neighbours, but has none) goes with the greatest of its 26 neighbours; of equal
 * ones with the nearer, and of equally near ones with the lower. So what falls is what one sees.
 */
#ifndef SCREE_PIECES_H
#define SCREE_PIECES_H

#include "base/base.h"
#include "math/math.h"
#include "shape/shape.h"
#include "terrain/terrain.h"
#include "voxel/voxel.h"

/* ---- pieces (piece.c) -------------------------------------------------------------------------------------------- */

/* n cells from (x,y,z) on along x, relative to the piece's origin; all of them alike. */
typedef struct PieceRun {
	int32_t x, y, z;
	uint16_t n;
	uint8_t material, occupancy; /* as stored */
} PieceRun;

/* The cells of a piece, each once, in the order of chunks (y, z, x) of the ground that it was, then y, z, x. */
typedef struct Piece {
	Cell origin; /* the lattice point of the ground, near the centre of mass, that its frame stands on */
	CellBox box; /* of its cells, relative to the origin */
	int64_t cells;
	int run_count;
	PieceRun *runs; /* in the same block */
	size_t bytes;
} Piece;

void Piece_Destroy(Memory *memory, Piece *piece); /* NULL does nothing */
/* Adds cells, and matter in 1/256 of a cell, by material. */
void Piece_Count(const Piece *piece, int64_t cells[MATERIAL_LIMIT], int64_t matter[MATERIAL_LIMIT]);
/* Of cells as cubes of density times occupancy: kg, metres from the origin, kg m2 about the centre. Rounded once. */
MassProps Piece_Mass(const Piece *piece, const MaterialTable *materials, double cell_size);
uint8_t Piece_Material(const Piece *piece); /* that it has most of; of several the lowest */
void Piece_Hash(const Piece *piece, Hasher *hasher);
/* To an archive or from it. When reading, *piece is NULL after a fault, else the caller's. */
void Piece_Archive(Archive *archive, Memory *memory, int material_count, Piece **piece);

/* ---- what is loose (loose.c, label.c, cells.c) ------------------------------------------------------------------- */

/* What holds the ground: cells in the boxes, and with `floor` all cells at or below `level`. And so that no piece comes
 * to be where a body cannot, chunks with cells that are more than `reach` from 0 on some axis; 0: none are. */
typedef struct Anchors {
	bool floor;
	int32_t level, reach;
	const CellBox *boxes;
	int count;
} Anchors;

/* The lowest y of any solid cell. False when there is none. */
bool Loose_FindFloor(const Store *store, int32_t *level);
bool Loose_HasCellsTo(const Store *store, int32_t level); /* is there a solid cell at or below it? */

/* The loose pieces, by place (chunks by y, z, x; in a chunk by their first cell y, z, x), and what it takes to remove
 * them from the ground. */
typedef struct LooseSet {
	Memory *memory;
	ARRAY(Piece *) pieces;
	ARRAY(int) box; /* by piece: the last of the boxes that its cells, grown by two, meet; -1: all was looked at */
	struct LooseRun *runs; /* all of their cells in the order of the ground */
	int run_count, run_capacity;
	ARRAY(Cell) chunks;      /* that they are in, sorted */
	int64_t chunks_labelled; /* for tests: what the search cost */
	int64_t nodes_visited;
} LooseSet;

/* Looks at what is in reach of the boxes of changed cells (count < 0: at everything). The set must be zero or freed; it
 * is empty on failure. The search costs by components of chunks, and ends where an anchor is met; it goes towards the
 * nearest first. Materials: their origins are set by mass. */
int Loose_Find(const Store *store, const MaterialTable *materials, Memory *memory, const CellBox *boxes, int count,
               const Anchors *anchors, LooseSet *set, Error *error);
/* Takes the cells of all pieces out of the ground, as one edit. Water stays, as much as there is. */
int Loose_Remove(const LooseSet *set, Store *store, Tally *tally, Error *error);
void LooseSet_Free(LooseSet *set);

/* ---- convex parts (carve.c, skin.c, split.c, merge.c) ------------------------------------------------------------ */

/* How far the surface may lie outside of the parts, and how far parts may stand out of its vertices and of the middles
 * of its faces, cells. (A single cell's own dents are filled, whatever they are.) Where that takes more than
 * CARVE_PARTS parts, vertices may lie CARVE_COARSE deep, and middles of faces CARVE_SLOPE, so that a staircase of cubes
 * is a slope. Of a piece that has more than CARVE_BLOCKS blocks of 8^3 cells with a surface, or too many parts even so,
 * two cells on each axis are taken as one, and twice, and three times, as long as nearly all of it stays: then all of
 * these are distances in such cells. Where there are materials of blockiness this is not done. */
#define CARVE_UNDER 0.1
#define CARVE_OVER 0.25
#define CARVE_PARTS 256
#define CARVE_COARSE 0.75
#define CARVE_SLOPE 0.36
#define CARVE_BLOCKS 64
#define CARVE_SHIFT_LIMIT 3

typedef struct PiecePart {
	Shape shape; /* a hull or a box */
	Vec3 center; /* of a box; hulls stand where their points are. Metres from the piece's origin */
} PiecePart;

typedef struct PieceParts {
	ARRAY(PiecePart) items;
} PieceParts;

typedef struct Carver Carver; /* working space for any number of pieces */

/* tasks: share the work out, and the outcome is the same; NULL: the caller does it all. */
Carver *Carver_Create(Memory *memory, TaskPool *tasks, const uint16_t blockiness[MATERIAL_LIMIT]);
void Carver_Destroy(Carver *carver);
/* Appends the parts of a piece. `simple`: one hull around all of it, whatever hollows it has. On failure (no memory)
 * nothing was appended. Hulls are the caller's, made with `memory`. */
bool Carver_Run(Carver *carver, const Piece *piece, double cell_size, bool simple, Memory *memory, PieceParts *parts);
void PieceParts_Free(PieceParts *parts, Memory *memory); /* hulls, too */

/* ---- back into the ground (lay.c) -------------------------------------------------------------------------------- */

/* Adds the cells of a piece that stands elsewhere now. position: of its origin, in cells. Sampled anew between its
 * cells, but exactly the same bytes after whole cells and quarter turns (to 1e-4); materials of blockiness 1 stay whole
 * cells. What is solid already keeps its material and the greater occupancy. One edit. */
int Piece_Lay(const Piece *piece, Store *store, const MaterialTable *materials, Memory *memory,
              const double position[3], Quat rotation, Tally *tally, Error *error);

#endif
