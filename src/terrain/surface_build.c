/* From cells to quads, plain form: whole numbers only, so every compiler makes the same bits.
 *
 * Inside is v >= 128, the surface lies where the value, interpolated along a lattice edge, is 127.5. A vertex is the
 * mean of its loop's crossings (surface nets, after Gibson 1998), one per loop of its cube; a lattice edge that crosses
 * carries one quad.
 */
#include "terrain/bytes_internal.h"
#include "terrain/surface_cube_internal.h"

#define INSIDE_VALUE 128
#define CUBES (BLOCK_SIZE + 1) /* dual cubes -1..7 a side */
#define ROWS (FIELD_SIZE * FIELD_SIZE)

#define STEP_Z FIELD_SIZE
#define STEP_Y (FIELD_SIZE * FIELD_SIZE)
static const int16_t CORNER_OFFSET[8] = {0,      1,          STEP_Y,          STEP_Y + 1,
                                         STEP_Z, STEP_Z + 1, STEP_Y + STEP_Z, STEP_Y + STEP_Z + 1};

/* ---- bit rows --------------------------------------------------------------------------------------------------- */

#define BYTES_TOP 0x8080808080808080u
#define BYTES_LOW 0x7F7F7F7F7F7F7F7Fu

/* Per row of the field: which cells are inside, which are too great to be raised, which are solid. */
typedef struct FieldRows {
	uint16_t inside[ROWS], strong[ROWS], solid[ROWS];
} FieldRows;

/* One row of 16 cells, eight at a time. */
static void ReadRow(const SurfaceField *field, int row, FieldRows *rows)
{
	unsigned inside = 0, strong = 0, solid = 0;
	for (int half = 0; half < 16; half += 8) {
		uint64_t v = LoadBytes(field->value + FIELD_SIZE * row + half);
		uint64_t m = LoadBytes(field->material + FIELD_SIZE * row + half);
		if (m == 0)
			continue;
		/* Byte by byte, no carry leaves its byte: v >= 160 and m != 0 in the top bits. */
		inside |= TopBits(v) << half;
		strong |= TopBits(v & ((v & BYTES_LOW) + 0x60 * (BYTES_TOP >> 7))) << half;
		solid |= TopBits(m | ((m & BYTES_LOW) + BYTES_LOW)) << half;
	}
	rows->inside[row] = (uint16_t)inside;
	rows->strong[row] = (uint16_t)strong;
	rows->solid[row] = (uint16_t)solid;
}

/* Cells -reach..7+reach on y and z, the others stay 0. */
static void ReadRows(const SurfaceField *field, int reach, FieldRows *rows)
{
	memset(rows, 0, sizeof *rows);
	for (int y = -reach; y < BLOCK_SIZE + reach; y++)
		for (int z = -reach; z < BLOCK_SIZE + reach; z++)
			ReadRow(field, Field_Row(y, z), rows);
}

/* Grows the bits to their 26 neighbours. Cells at the rim of what was read come out wrong and are not looked at. */
static void Dilate(const uint16_t *rows, uint16_t *grown)
{
	uint16_t x[ROWS], xz[ROWS] = {0};
	for (int r = 0; r < ROWS; r++)
		x[r] = (uint16_t)(rows[r] | rows[r] << 1 | rows[r] >> 1);
	for (int r = 1; r < ROWS - 1; r++)
		xz[r] = x[r - 1] | x[r] | x[r + 1];
	memcpy(grown, xz, sizeof xz);
	for (int r = FIELD_SIZE; r < ROWS - FIELD_SIZE; r++)
		grown[r] = xz[r - FIELD_SIZE] | xz[r] | xz[r + FIELD_SIZE];
}

/* ---- the local-maximum rule ------------------------------------------------------------------------------------- */

bool SurfaceField_IsLocalMaximum(const SurfaceField *field, int cell)
{
	const uint8_t *value = field->value;
	int own = value[cell];
	for (int y = -1; y <= 1; y++)
		for (int z = -1; z <= 1; z++) {
			const uint8_t *row = value + cell + STEP_Y * y + STEP_Z * z;
			if (row[-1] > own || row[0] > own || row[1] > own)
				return false;
		}
	return true;
}

/* Solid cells below RAISED_VALUE that have no greater neighbour, among cells -reach..7+reach: so that nothing solid is
 * ever without a surface. False when there are none. */
static bool FindLocalMaxima(const SurfaceField *field, const FieldRows *rows, int reach, uint16_t *maxima)
{
	uint16_t near_inside[ROWS], near_strong[ROWS];
	Dilate(rows->inside, near_inside);
	Dilate(rows->strong, near_strong);
	unsigned columns = ((1u << (BLOCK_SIZE + 2 * reach)) - 1) << (FLAG_HALO - reach);
	bool any = false;
	for (int y = -reach; y < BLOCK_SIZE + reach; y++)
		for (int z = -reach; z < BLOCK_SIZE + reach; z++) {
			int r = Field_Row(y, z);
			/* Beside an inside cell nothing below is a maximum, beside a strong cell nothing weaker is. */
			unsigned candidates = rows->solid[r] & columns & ~near_strong[r] & (rows->inside[r] | ~near_inside[r]);
			unsigned found = 0;
			for (; candidates; candidates &= candidates - 1) {
				int x = __builtin_ctz(candidates);
				if (SurfaceField_IsLocalMaximum(field, FIELD_SIZE * r + x))
					found |= 1u << x;
			}
			maxima[r] = (uint16_t)found;
			any |= found != 0;
		}
	return any;
}

/* Inside bits after the rule, for the cells in reach; the raised cells' values in the copy `raised` when not NULL. True
 * when any was raised. */
static bool ApplyLocalMaxima(const SurfaceField *field, const FieldRows *rows, int reach, uint16_t *inside,
                             uint8_t *raised)
{
	uint16_t maxima[ROWS] = {0};
	memcpy(inside, rows->inside, sizeof rows->inside);
	if (!FindLocalMaxima(field, rows, reach, maxima))
		return false;
	if (raised)
		memcpy(raised, field->value, FIELD_CELLS);
	for (int r = 0; r < ROWS; r++) {
		inside[r] |= maxima[r];
		for (unsigned m = raised ? maxima[r] : 0; m; m &= m - 1)
			raised[FIELD_SIZE * r + __builtin_ctz(m)] = RAISED_VALUE;
	}
	return true;
}

/* Do cells 0..8 hold neither solid nor anything but inside? Raising changes neither answer. */
static bool HasNoCrossing(const FieldRows *rows)
{
	unsigned columns = ((1u << CUBES) - 1) << FLAG_HALO;
	unsigned any_solid = 0, all_inside = columns;
	for (int y = 0; y <= BLOCK_SIZE; y++)
		for (int z = 0; z <= BLOCK_SIZE; z++) {
			any_solid |= rows->solid[Field_Row(y, z)];
			all_inside &= rows->inside[Field_Row(y, z)];
		}
	return (any_solid & columns) == 0 || all_inside == columns;
}

bool SurfaceCells_Init(SurfaceCells *cells, const SurfaceField *field, const uint16_t blockiness[256], int reach)
{
	FieldRows rows;
	ReadRows(field, reach + 1, &rows);
	if (HasNoCrossing(&rows))
		return false;
	cells->value = ApplyLocalMaxima(field, &rows, reach, cells->inside, cells->raised) ? cells->raised : field->value;
	cells->material = field->material;
	cells->blockiness = blockiness;
	cells->tables = SurfaceTables_Get();
	return true;
}

void Surface_InsideBits(const SurfaceField *field, uint16_t out[BLOCK_SIZE + 2][BLOCK_SIZE + 2])
{
	FieldRows rows;
	uint16_t inside[ROWS];
	ReadRows(field, 2, &rows);
	ApplyLocalMaxima(field, &rows, 1, inside, NULL);
	for (int y = -1; y <= BLOCK_SIZE; y++)
		for (int z = -1; z <= BLOCK_SIZE; z++)
			out[y + 1][z + 1] = inside[Field_Row(y, z)] >> (FLAG_HALO - 1) & ((1u << (BLOCK_SIZE + 2)) - 1);
}

/* ---- cubes ------------------------------------------------------------------------------------------------------ */

static int CubeMask(const SurfaceCells *cells, int x, int y, int z)
{
	const uint16_t *row = cells->inside + Field_Row(y, z);
	int shift = x + FLAG_HALO;
	return (row[0] >> shift & 3) | (row[FIELD_SIZE] >> shift & 3) << 2 | (row[1] >> shift & 3) << 4 |
	       (row[FIELD_SIZE + 1] >> shift & 3) << 6;
}

/* Both cubes at an ambiguous face come to the same answer, and a cube has one such face at most: nothing cascades. */
int SurfaceCube_Pattern(const SurfaceCells *cells, int x, int y, int z)
{
	int mask = CubeMask(cells, x, y, z);
	int face = cells->tables->flip_face[mask];
	if (face == FACE_NONE)
		return mask;
	int c[3] = {x, y, z};
	c[face >> 1] += face & 1 ? 1 : -1;
	int neighbour = CubeMask(cells, c[0], c[1], c[2]);
	return cells->tables->flip_face[neighbour] == (face ^ 1) ? mask + 256 : mask;
}

/* Where the value passes 127.5 between two cells' centres, from the lower cell in 1/4096: in [16, 4080]. Rounded to
 * nearest; there are no ties, so it does not matter from which end the distance is taken. */
static uint32_t Crossing(int low, int high)
{
	return (uint32_t)((SURFACE_UNIT * (2 * low - 255) + (low - high)) / (2 * (low - high)));
}

/* 2^18 / n for a loop of n edges: multiplying by it rounds S / n to nearest for every sum that n crossings can have. */
static const uint32_t RECIPROCAL[8] = {0, 0, 0, 87381, 65536, 52429, 43691, 37449};

/* The strongest blockiness of the cube's inside cells, 0..256. */
static int CubeBlockiness(const SurfaceCells *cells, int first, int mask)
{
	int blockiness = 0;
	for (; mask; mask &= mask - 1)
		blockiness = Int_Max(blockiness,
		                     cells->blockiness[cells->material[first + CORNER_OFFSET[__builtin_ctz((unsigned)mask)]]]);
	return blockiness;
}

/* Sums of x, y, z and the number of crossings in the 16-bit lanes of one word: seven crossings of 4096 at most. */
#define LANE(i) (16 * (i))
#define LANE_COUNT 3

/* Per edge: its ends, its axis' lane, and what it adds besides its crossing: 4096 on the axes where it stands on the
 * far side, and one to the count. */
typedef struct CubeEdge {
	uint8_t low, high, lane;
	uint64_t base;
} CubeEdge;

#define EDGE(axis, low)                                                                                                \
	{                                                                                                                  \
		low, (low) | 1 << (axis), LANE(axis),                                                                          \
		    (uint64_t)1 << LANE(LANE_COUNT) | (uint64_t)((low)&1) << (LANE(0) + 12) |                                  \
		        (uint64_t)((low) >> 1 & 1) << (LANE(1) + 12) | (uint64_t)((low) >> 2 & 1) << (LANE(2) + 12)            \
	}
static const CubeEdge CUBE_EDGE[12] = {
    EDGE(0, 0), EDGE(0, 2), EDGE(0, 4), EDGE(0, 6), EDGE(1, 0), EDGE(1, 4),
    EDGE(1, 1), EDGE(1, 5), EDGE(2, 0), EDGE(2, 1), EDGE(2, 2), EDGE(2, 3),
};

int SurfaceCube_Vertices(const SurfaceCells *cells, int x, int y, int z, int pattern, uint16_t q[LOOP_LIMIT][3])
{
	int first = Field_Cell(x, y, z), mask = pattern & 255;
	const uint8_t *loop = cells->tables->loop[pattern >> 8][mask], *value = cells->value + first;
	int loops = cells->tables->loop_count[pattern >> 8][mask];
	uint64_t sum[LOOP_LIMIT] = {0};
	for (unsigned edges = cells->tables->crossing[mask]; edges; edges &= edges - 1) {
		int e = __builtin_ctz(edges);
		const CubeEdge *edge = &CUBE_EDGE[e];
		uint64_t at = Crossing(value[CORNER_OFFSET[edge->low]], value[CORNER_OFFSET[edge->high]]);
		sum[loop[e]] += edge->base + (at << edge->lane);
	}
	int blockiness = CubeBlockiness(cells, first, mask);
	for (int l = 0; l < loops; l++) {
		uint32_t reciprocal = RECIPROCAL[sum[l] >> LANE(LANE_COUNT)];
		for (int i = 0; i < 3; i++) {
			int mean = (int)(((uint32_t)(sum[l] >> LANE(i) & 0xFFFF) * reciprocal + (1u << 17)) >> 18);
			q[l][i] = (uint16_t)(mean + (((SURFACE_UNIT / 2 - mean) * blockiness + 128) >> 8));
		}
	}
	return loops;
}

/* ---- quads ------------------------------------------------------------------------------------------------------ */

/* Is the triangle's normal on the lattice edge's side? Corners counter-clockwise seen from +axis, so its part along the
 * axis must be positive. */
static bool FacesAlong(int axis, const int32_t *a, const int32_t *b, const int32_t *c)
{
	int u = (axis + 1) % 3, v = (axis + 2) % 3;
	return (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]) > 0;
}

static int32_t DistanceSquared(const int32_t *a, const int32_t *b)
{
	int32_t x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
	return x * x + y * y + z * z;
}

/* The shorter diagonal, but none that turns a triangle backwards: one of the two is always good. */
int SurfaceQuad_Diagonal(int axis, const int32_t corner[4][3])
{
	int d = DistanceSquared(corner[1], corner[3]) < DistanceSquared(corner[0], corner[2]);
	const int32_t *a = corner[d], *b = corner[d + 1], *c = corner[d + 2], *e = corner[(d + 3) & 3];
	return FacesAlong(axis, a, b, c) && FacesAlong(axis, a, c, e) ? d : 1 - d;
}

/* One u64 of a slice's cells 0..7, bit z * 8 + x, from rows shifted by `shift` cells. */
static uint64_t PackSlice(const SurfaceCells *cells, int y, int z, int shift)
{
	uint64_t word = 0;
	for (int i = 0; i < BLOCK_SIZE; i++)
		word |= (uint64_t)(cells->inside[Field_Row(y, z + i)] >> (FLAG_HALO + shift) & 0xFF) << (BLOCK_SIZE * i);
	return word;
}

/* Lattice edges that cross, and whether any does. */
static bool FindCrossings(const SurfaceCells *cells, uint64_t word[3][BLOCK_SIZE], uint64_t inside[BLOCK_SIZE])
{
	uint64_t above = PackSlice(cells, 0, 0, 0), any = 0;
	for (int y = 0; y < BLOCK_SIZE; y++) {
		uint64_t here = above;
		above = PackSlice(cells, y + 1, 0, 0);
		word[0][y] = here ^ PackSlice(cells, y, 0, 1);
		word[1][y] = here ^ above;
		word[2][y] = here ^ PackSlice(cells, y, 1, 0);
		inside[y] = here;
		any |= word[0][y] | word[1][y] | word[2][y];
	}
	return any != 0;
}

/* Cubes that some quad of the block stands on: bit x + 1 of used[y + 1][z + 1], cubes -1..7. */
static void MarkCubes(const uint64_t word[3][BLOCK_SIZE], uint16_t used[CUBES][CUBES])
{
	memset(used, 0, sizeof(uint16_t) * CUBES * CUBES);
	for (int y = 0; y < BLOCK_SIZE; y++)
		for (int z = 0; z < BLOCK_SIZE; z++) {
			unsigned along_x = (word[0][y] >> 8 * z & 0xFF) << 1;
			unsigned along_y = word[1][y] >> 8 * z & 0xFF, along_z = word[2][y] >> 8 * z & 0xFF;
			along_y |= along_y << 1;
			along_z |= along_z << 1;
			used[y][z] |= (uint16_t)along_x;
			used[y][z + 1] |= (uint16_t)(along_x | along_z);
			used[y + 1][z] |= (uint16_t)(along_x | along_y);
			used[y + 1][z + 1] |= (uint16_t)(along_x | along_y | along_z);
		}
}

/* Per used cube: its pattern and its first vertex. Index (x+1) + 9 * ((z+1) + 9 * (y+1)). */
typedef struct CubeVertices {
	uint16_t pattern[CUBES * CUBES * CUBES];
	uint16_t first[CUBES * CUBES * CUBES];
} CubeVertices;

static int CubeIndex(int x, int y, int z)
{
	return (x + 1) + CUBES * ((z + 1) + CUBES * (y + 1));
}

static void PlaceVertices(const SurfaceCells *cells, int x, int y, int z, CubeVertices *cubes, SurfaceMesh *mesh)
{
	uint16_t q[LOOP_LIMIT][3];
	int pattern = SurfaceCube_Pattern(cells, x, y, z);
	int loops = SurfaceCube_Vertices(cells, x, y, z, pattern, q);
	cubes->pattern[CubeIndex(x, y, z)] = (uint16_t)pattern;
	cubes->first[CubeIndex(x, y, z)] = (uint16_t)mesh->vertex_count;
	for (int l = 0; l < loops; l++) {
		uint16_t *position = mesh->position[mesh->vertex_count];
		position[0] = (uint16_t)((x + 1) << 12 | q[l][0]);
		position[1] = (uint16_t)((y + 1) << 12 | q[l][1]);
		position[2] = (uint16_t)((z + 1) << 12 | q[l][2]);
		mesh->loop[mesh->vertex_count++] = (uint8_t)l;
	}
}

static void BuildVertices(const SurfaceCells *cells, CubeVertices *cubes, SurfaceMesh *mesh)
{
	uint16_t used[CUBES][CUBES];
	MarkCubes(mesh->word, used);
	for (int y = -1; y < BLOCK_SIZE; y++)
		for (int z = -1; z < BLOCK_SIZE; z++)
			for (unsigned bits = used[y + 1][z + 1]; bits; bits &= bits - 1)
				PlaceVertices(cells, __builtin_ctz(bits) - 1, y, z, cubes, mesh);
}

/* Corners in winding order, turned so that the diagonal is 0-2: from canonical corner d on, backwards when p is air. */
static void AddQuad(const SurfaceCells *cells, const CubeVertices *cubes, int axis, const int cell[3], bool low_inside,
                    SurfaceMesh *mesh)
{
	static const int16_t step[3] = {1, CUBES * CUBES, CUBES};
	int u = step[(axis + 1) % 3], v = step[(axis + 2) % 3], own = CubeIndex(cell[0], cell[1], cell[2]);
	uint16_t vertex[4];
	int32_t corner[4][3];
	for (int k = 0; k < 4; k++) {
		int cube = own + QUAD_U[k] * u + QUAD_V[k] * v, pattern = cubes->pattern[cube];
		vertex[k] = cubes->first[cube] + cells->tables->loop[pattern >> 8][pattern & 255][4 * axis + QUAD_EDGE[k]];
		for (int i = 0; i < 3; i++)
			corner[k][i] = mesh->position[vertex[k]][i];
	}
	int d = SurfaceQuad_Diagonal(axis, corner), turn = low_inside ? 1 : 3, n = mesh->quad_count++;
	for (int k = 0; k < 4; k++)
		mesh->corner[n][k] = vertex[(d + turn * k) & 3];
	int inside[3] = {cell[0], cell[1], cell[2]};
	inside[axis] += low_inside ? 0 : 1;
	mesh->edge[n] = (uint16_t)(axis << 9 | cell[1] << 6 | cell[2] << 3 | cell[0]);
	mesh->material[n] = cells->material[Field_Cell(inside[0], inside[1], inside[2])];
	mesh->low_inside[n] = low_inside;
}

void Surface_Build(const SurfaceField *field, const uint16_t blockiness[256], SurfaceMesh *mesh)
{
	SurfaceCells cells;
	CubeVertices cubes;
	uint64_t inside[BLOCK_SIZE];
	mesh->vertex_count = mesh->quad_count = 0;
	memset(mesh->word, 0, sizeof mesh->word);
	if (!SurfaceCells_Init(&cells, field, blockiness, SURFACE_HALO - 1) || !FindCrossings(&cells, mesh->word, inside))
		return;
	BuildVertices(&cells, &cubes, mesh);
	for (int axis = 0; axis < 3; axis++)
		for (int y = 0; y < BLOCK_SIZE; y++)
			for (uint64_t bits = mesh->word[axis][y]; bits; bits &= bits - 1) {
				int bit = __builtin_ctzll(bits), cell[3] = {bit & 7, y, bit >> 3};
				AddQuad(&cells, &cubes, axis, cell, inside[y] >> bit & 1, mesh);
			}
}
