/* What rays and points share: a ray in the units of the surface, walks over grids of cubes, and the test against a
 * collider's triangles.
 *
 * Lengths are units of 1/4096 cell in G space (cells - 0.5), from the corner of cube 0 of the frame, the block where
 * the ray starts: a shift of everything by whole blocks changes no bit. s measures along the ray so that its longest
 * axis moves one unit a unit of s.
 */
#ifndef SCREE_TERRAIN_CAST_INTERNAL_H
#define SCREE_TERRAIN_CAST_INTERNAL_H

#include "terrain/terrain_internal.h"

#define FLAT_INVERSE 1e300
#define FLAT_DIRECTION 1e-18 /* of the longest component: moves less than 1e-5 units across the largest world */
#define BLOCK_UNITS (BLOCK_SIZE * SURFACE_UNIT)
/* Walks may leave out or add what the ray touches by less than this: no quad comes nearer than 5 units to a cube that
 * does not list it. */
#define WALK_SLACK 4.0
/* Beyond this many cells from the origin of the world there is nothing. */
#define FAR_CELLS (CELL_LIMIT + (1 << 20))

/* A point as a block and units from the corner of its cube 0, 0..32768. */
typedef struct GridPoint {
	Cell block;
	double at[3];
} GridPoint;

/* False: beyond FAR_CELLS, or not a number. */
bool GridPoint_From(const Terrain *terrain, Pos point, GridPoint *out);
/* The cell that holds it, counted from the block's corner, 0..8: its centre is cell * 4096 units. */
static inline int GridPoint_Cell(const GridPoint *point, int axis)
{
	return Int_Clamp(FloorToInt(point->at[axis] * (1.0 / SURFACE_UNIT) + 0.5), 0, BLOCK_SIZE);
}
static inline int GridPoint_Cube(const GridPoint *point, int axis)
{
	return Int_Clamp(FloorToInt(point->at[axis] * (1.0 / SURFACE_UNIT)), 0, BLOCK_SIZE - 1);
}

/* ---- rays (cast.c) ------------------------------------------------------------------------------------------- */

typedef struct Ray {
	Cell frame;
	/* The fourth numbers are 0, for the fast form. */
	double origin[4];
	double dir[4];     /* longest component +-1 */
	double inverse[4]; /* 1 / dir; FLAT_INVERSE where it hardly moves: a plane is then at one end of the ray's world */
	int step[3];       /* sign of inverse */
	double end;        /* s of the end */
	/* Shear onto the longest axis k, see cast.c: u and v are the two after it. */
	int k, u, v;
	double whole[4]; /* whole units of the origin; the fourth may be anything */
	double slope_u, slope_v, rest_u, rest_v;
} Ray;

/* From a point along delta (units; not zero). */
void Ray_Set(Ray *ray, const GridPoint *from, const double delta[3]);

#if SCREE_X86
/* The same from `from` to `to`, metres, with all that is in between: false when either lies beyond FAR_CELLS or they
 * are one point or no numbers; then the plain way has to be gone. (ray_fast_set.c) */
bool Ray_SetFast(Ray *ray, const Terrain *terrain, Pos from, Pos to);
#endif

/* Cuts [*s0, *s1] to the part within a box of the same frame as origin. False when nothing is left. */
static inline bool Ray_Clip(const Ray *ray, const double origin[3], const double lo[3], const double hi[3], double *s0,
                            double *s1)
{
	for (int a = 0; a < 3; a++) {
		double t0 = (lo[a] - origin[a]) * ray->inverse[a], t1 = (hi[a] - origin[a]) * ray->inverse[a];
		*s0 = MaxD(*s0, MinD(t0, t1));
		*s1 = MinD(*s1, MaxD(t0, t1));
	}
	return *s0 <= *s1;
}

/* ---- walks over a grid of cubes ------------------------------------------------------------------------------ */

/* The cubes of a grid that a ray meets, in order (after Amanatides and Woo 1987). Plane distances are computed anew at
 * each step, so errors do not add up; each step moves one cube towards the end of a bounded range, so a walk ends. */
typedef struct GridWalk {
	const Ray *ray;
	double origin[3], size;
	int at[3], stop[3];       /* stop: the first place outside the range */
	double next[3];           /* s at which it leaves `at`, by axis */
	double enter, leave, end; /* within the cube: [enter, leave] */
} GridWalk;

static inline double GridWalk_Plane(const GridWalk *walk, int a)
{
	double plane = (walk->at[a] + (walk->ray->step[a] > 0)) * walk->size;
	return (plane - walk->origin[a]) * walk->ray->inverse[a];
}

static inline int GridWalk_NextAxis(const GridWalk *walk)
{
	const double *n = walk->next;
	return n[0] <= n[1] ? (n[0] <= n[2] ? 0 : 2) : n[1] <= n[2] ? 1 : 2;
}

/* Over the cubes lo..hi, for s0 <= s <= s1. origin: the ray's, from the corner of cube 0. */
static inline void GridWalk_Begin(GridWalk *walk, const Ray *ray, const double origin[3], double size, const int lo[3],
                                  const int hi[3], double s0, double s1)
{
	walk->ray = ray;
	walk->size = size;
	walk->enter = s0;
	walk->end = s1;
	for (int a = 0; a < 3; a++) {
		double start = (origin[a] + ray->dir[a] * s0) * (1.0 / size) - lo[a];
		walk->origin[a] = origin[a];
		walk->at[a] = lo[a] + (int)MinD(MaxD(start, 0.0), hi[a] - lo[a]);
		walk->stop[a] = ray->step[a] < 0 ? lo[a] - 1 : hi[a] + 1;
		walk->next[a] = GridWalk_Plane(walk, a);
	}
	walk->leave = MinD(walk->next[GridWalk_NextAxis(walk)], s1);
}

/* On to the next cube; false at the end. */
static inline bool GridWalk_Step(GridWalk *walk)
{
	int a = GridWalk_NextAxis(walk);
	double crossed = walk->next[a];
	walk->at[a] += walk->ray->step[a];
	if (crossed >= walk->end || walk->at[a] == walk->stop[a])
		return false;
	walk->enter = MaxD(walk->enter, crossed);
	walk->next[a] = GridWalk_Plane(walk, a);
	walk->leave = MinD(walk->next[GridWalk_NextAxis(walk)], walk->end);
	return true;
}

/* ---- the surface along a ray (cast.c) ------------------------------------------------------------------------ */

typedef struct Crossing {
	double s;
	const Collider *collider;
	Cell block;
	uint16_t quad;
	uint8_t half;
	double normal[3]; /* of the triangle, outward, any length */
} Crossing;

typedef enum CastMode {
	CAST_NEAREST, /* keeps the nearest crossing from the front */
	CAST_ALL,     /* lists the crossings from the front, some of them twice, in no order */
	CAST_COUNT    /* counts crossings from either side, keeps the nearest */
} CastMode;

typedef struct Cast {
	Terrain *terrain;
	const Ray *ray;
	CastMode mode;
	double limit; /* nothing beyond: the end, or the nearest so far */
	bool found;
	Crossing nearest;
	int count;
	Memory *memory; /* of `all`; both with CAST_ALL only */
	ARRAY(Crossing) all;
	bool failed; /* out of memory: the rest is void */
	/* With CAST_NEAREST, when asked for: crossings from behind are noted too, so that the first crossing of all tells
	 * whether the ray starts under the surface (Cast_StartsOutside). Builds nothing: fails where it would have to,
	 * and where it is sure to start inside. */
	bool sides;
	bool left_all; /* the ray leaves the box of all records before its end */
	bool unclear;  /* the start may be on the surface, or some crossing is there or nearly flat */
	double back;   /* s of the nearest from behind; DBL_MAX to begin with */
} Cast;

/* The rest is set when something was found. */
static inline void Cast_Begin(Cast *cast, Terrain *terrain, const Ray *ray, CastMode mode)
{
	cast->terrain = terrain;
	cast->ray = ray;
	cast->mode = mode;
	cast->limit = ray->end;
	cast->found = cast->failed = cast->sides = cast->left_all = cast->unclear = false;
	cast->count = 0;
	cast->back = DBL_MAX;
}

#define CLEAR_UNITS 0.5    /* crossings nearer to each other, or to the start, tell nothing */
#define FLAT_CROSSING 1e-3 /* nor do those at a smaller angle */

/* True: the ray certainly starts above the surface, since it first comes to it from the front, or never and leaves
 * all behind. */
static inline bool Cast_StartsOutside(const Cast *cast)
{
	if (cast->failed || cast->unclear)
		return false;
	return cast->found ? cast->back > cast->nearest.s + CLEAR_UNITS : cast->left_all && cast->back == DBL_MAX;
}

/* A collider in the frame of a ray. */
typedef struct ColliderAt {
	const Collider *collider;
	Cell block;
	double shift[3]; /* from positions to units in the ray's frame; whole numbers */
	double base[3];  /* ... to units from the ray's whole origin: the same number for a vertex in every block */
} ColliderAt;

void ColliderAt_Set(ColliderAt *at, const Ray *ray, const Collider *collider, Cell block);
/* Tests one quad, exactly to the rounding of doubles. Whoever looks for quads leaves the decision to this. */
void Cast_Quad(Cast *cast, const ColliderAt *at, int quad);
/* Its second half: the line winds round the triangle; where does it cross its plane? */
void Cast_Triangle(Cast *cast, const ColliderAt *at, int quad, int half);
void Cast_Keep(Cast *cast, const Crossing *crossing); /* its end: a crossing within the limit */
/* Of two at the same place, which counts: an order that depends on nothing but the surface. */
bool Crossing_Before(const Crossing *a, const Crossing *b);

/* One block's part of a cast: what was looked at. */
typedef struct CubeVisit {
	int id; /* of the block's record */
	Cell block;
	int last[3];   /* with a lattice: the cube before, all of whose quads were tested; far away at the start */
	unsigned done; /* with trees: bits of the neighbours (x + 2y + 4z; 0: the block) that were tested */
} CubeVisit;

static inline CubeVisit CubeVisit_Begin(int id, Cell block)
{
	return (CubeVisit){id, block, {-BLOCK_SIZE, -BLOCK_SIZE, -BLOCK_SIZE}, 0};
}

/* Tests the quads of a mixed cube, those that blocks beyond its faces own too, near s0..s1: with a lattice just those,
 * with trees perhaps more. Builds colliders. */
void Cast_Cube(Cast *cast, CubeVisit *visit, const int cube[3], double s0, double s1);
/* A record that the ray passes in [enter, leave]: walks over its cubes, and only where one is mixed builds and tests
 * colliders. */
void Cast_Block(void *cast, int id, double enter, double leave);
/* Follows the ray from s = 0 to its end over all records (ray_walk.c). */
void Cast_World(Cast *cast);
#if SCREE_X86
/* The fast form: reports the same bits (ray_fast.c). */
void Cast_WorldFast(Cast *cast);
#endif
/* A walk over many more blocks than there are groups is better done by groups (ray_walk.c). */
#define SPARSE_STEPS 256.0
static inline bool Walk_IsSparse(const Terrain *terrain, double blocks)
{
	return blocks > SPARSE_STEPS + 4.0 * terrain->groups.count;
}

/* ---- from question to answer (ray.c) ------------------------------------------------------------------------- */

/* What is asked, in the units of the walk. */
typedef struct Segment {
	GridPoint start;
	bool far;       /* begins beyond all cells: `start` is where it comes in */
	double skipped; /* s of `start` then, else 0 */
	double length;  /* s of the whole; 0: a point */
	Ray ray;        /* from `start` to the limit; not set for a point */
} Segment;

/* 1, 0: meets nothing for certain, or ERROR_ARGUMENT. */
int Segment_From(const Terrain *terrain, Pos from, Pos to, double limit, Segment *segment, Error *error);
/* What Terrain_Ray says of a segment with a length; of one whose cast with `sides` is done and did not fail to find
 * memory. */
int Segment_Ask(Terrain *terrain, const Segment *segment, TerrainRayOptions options, TerrainHit *hit);
int Segment_Conclude(Terrain *terrain, const Segment *segment, TerrainRayOptions options, const Cast *cast,
                     TerrainHit *hit);

/* All that there is to say of a crossing but its place on the ray. */
TerrainHit Crossing_Hit(const Crossing *crossing);

#if SCREE_X86
/* Rays that go together, ground alone (ray_packet.c). How many of the first `count` were cast; fewer than PACKET_LEAST:
 * they do not go together, nothing was done. hits, met: as Terrain_Rays has them. Or ERROR_MEMORY. */
enum { PACKET_RAYS = 16, PACKET_LEAST = 4 };
int Packet_Cast(Terrain *terrain, int count, const Pos *from, const Pos *to, TerrainRayOptions options,
                TerrainHit *hits, uint8_t *met);
#endif

/* ---- the quads of a cube ------------------------------------------------------------------------------------- */

/* The twelve lattice edges of a dual cube: along x (from the cells at z, then y, 0 and 1), y (x, then z), z (x, then
 * y). */
#define CUBE_EDGES 0xfffu
static const uint8_t CUBE_EDGE_AXIS[12] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
static const uint8_t CUBE_EDGE_CELL[12][3] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {0, 0, 0}, {1, 0, 0},
                                              {0, 0, 1}, {1, 0, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
/* [beyond][side]: the edges that the neighbour on that side (x + 2y + 4z; 0: the block itself) owns of a cube that has
 * coordinate 7 on the axes `beyond`. */
static const uint16_t CUBE_EDGES_OF[8][8] = {
    {0xfff, 0x000, 0x000, 0x000, 0x000, 0x000, 0x000, 0x000}, {0x55f, 0xaa0, 0x000, 0x000, 0x000, 0x000, 0x000, 0x000},
    {0x3f3, 0x000, 0xc0c, 0x000, 0x000, 0x000, 0x000, 0x000}, {0x153, 0x2a0, 0x40c, 0x800, 0x000, 0x000, 0x000, 0x000},
    {0xf35, 0x000, 0x000, 0x000, 0x0ca, 0x000, 0x000, 0x000}, {0x515, 0xa20, 0x000, 0x000, 0x04a, 0x080, 0x000, 0x000},
    {0x331, 0x000, 0xc04, 0x000, 0x0c2, 0x000, 0x008, 0x000}, {0x111, 0x220, 0x404, 0x800, 0x042, 0x080, 0x008, 0x000}};

/* Axes on which a cube's coordinate is 7. */
static inline unsigned Cube_Beyond(const int cube[3])
{
	return (unsigned)(cube[0] == BLOCK_SIZE - 1) | (unsigned)(cube[1] == BLOCK_SIZE - 1) << 1 |
	       (unsigned)(cube[2] == BLOCK_SIZE - 1) << 2;
}

/* The edges that a cube has in common with another. */
static inline unsigned CubeEdges_Shared(const int last[3], const int cube[3])
{
	/* [axis][step + 1] */
	static const uint16_t kept[3][3] = {
	    {0xaa0, CUBE_EDGES, 0x550}, {0xc0c, CUBE_EDGES, 0x303}, {0x0ca, CUBE_EDGES, 0x035}};
	unsigned x = (unsigned)(cube[0] - last[0] + 1), y = (unsigned)(cube[1] - last[1] + 1);
	unsigned z = (unsigned)(cube[2] - last[2] + 1);
	return x > 2 || y > 2 || z > 2 ? 0 : kept[0][x] & kept[1][y] & kept[2][z];
}

static inline Cell Block_Beside(Cell block, unsigned side)
{
	return (Cell){block.x + (int)(side & 1), block.y + (int)(side >> 1 & 1), block.z + (int)(side >> 2 & 1)};
}

/* The group of a block next to one of `group`. */
static inline const Group *Group_Beside(const Terrain *terrain, const Group *group, Cell block)
{
	Cell at = {block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS};
	bool same = at.x == group->at.x && at.y == group->at.y && at.z == group->at.z;
	return same ? group : Group_Find(terrain, at.x, at.y, at.z);
}

/* Is the cube's mirror image on that side, of which a neighbour's quads of the cube are too, mixed? */
static inline bool Record_SharesCube(const Record *record, const int cube[3], unsigned side)
{
	int x = side & 1 ? 0 : cube[0], y = side & 2 ? 0 : cube[1], z = side & 4 ? 0 : cube[2];
	return record->mixed[y] >> (8 * z + x) & 1;
}

/* The collider of a record that owns quads. NULL: out of memory, or to be built for a cast that first wants to know
 * where it starts; then the cast failed. */
static inline const Collider *Cast_Need(Cast *cast, const Record *record, int id)
{
	const Collider *collider = record->collider;
	if (collider && collider->used == cast->terrain->epoch)
		return collider;
	collider = !collider && cast->sides ? NULL : Cache_Need(cast->terrain, id);
	cast->failed |= !collider;
	return collider;
}

/* Which edges of a cube (of `edges`, all of one owner) have a quad. */
static inline unsigned Lattice_CubeEdges(const Lattice *lattice, const int cube[3], unsigned edges)
{
	int y = cube[1], above = (y + 1) & (BLOCK_SIZE - 1), bit = 8 * cube[2] + cube[0];
	uint64_t x0 = lattice->word[0][y] >> bit, x1 = lattice->word[0][above] >> bit, y0 = lattice->word[1][y] >> bit;
	uint64_t z0 = lattice->word[2][y] >> bit, z1 = lattice->word[2][above] >> bit;
	return (unsigned)((x0 & 1) | (x0 >> 7 & 2) | (x1 & 1) << 2 | (x1 >> 5 & 8) | (y0 & 3) << 4 | (y0 >> 2 & 0xc0) |
	                  (z0 & 3) << 8 | (z1 & 3) << 10) &
	       edges;
}

static inline int Lattice_EdgeBit(const int cube[3], int edge)
{
	const uint8_t *cell = CUBE_EDGE_CELL[edge];
	return ((cube[2] + cell[2]) & (BLOCK_SIZE - 1)) * 8 + ((cube[0] + cell[0]) & (BLOCK_SIZE - 1));
}

/* The same in a neighbour, which owns few of them. */
static inline unsigned Lattice_BorderEdges(const Lattice *lattice, const int cube[3], unsigned edges)
{
	unsigned found = 0;
	for (unsigned left = edges; left; left &= left - 1) {
		int edge = __builtin_ctz(left), y = (cube[1] + CUBE_EDGE_CELL[edge][1]) & (BLOCK_SIZE - 1);
		found |= (unsigned)(lattice->word[CUBE_EDGE_AXIS[edge]][y] >> Lattice_EdgeBit(cube, edge) & 1) << edge;
	}
	return found;
}

static inline int Lattice_EdgeQuad(const Lattice *lattice, const int cube[3], int edge)
{
	int y = (cube[1] + CUBE_EDGE_CELL[edge][1]) & (BLOCK_SIZE - 1);
	return Lattice_Quad(lattice, CUBE_EDGE_AXIS[edge], y, Lattice_EdgeBit(cube, edge));
}

/* ---- water and points ---------------------------------------------------------------------------------------- */

/* 1: under the surface, 0: not, ERROR_MEMORY. material (may be NULL): of the ground it is in. */
int GridPoint_InGround(Terrain *terrain, const GridPoint *point, uint8_t *material);
bool GridPoint_InWater(const Terrain *terrain, const GridPoint *point);

/* Entries into water along the ray, nearest first (ray_water.c). A cell holds water up to its fraction. */
typedef struct WaterEntry {
	double s;
	Cell cell;
	int axis; /* of the face that was met */
	int sign; /* of its outward normal */
} WaterEntry;

typedef struct WaterCast {
	const Terrain *terrain;
	const Ray *ray;
	bool wet;       /* in water where the walk has come to; to begin with, where the ray starts */
	bool all;       /* false: stops at the first entry */
	double limit;   /* nothing beyond */
	Memory *memory; /* of the entries */
	ARRAY(WaterEntry) entries;
	bool failed; /* out of memory */
} WaterCast;

void WaterCast_World(WaterCast *cast);

/* Calls fn for the records with a bit in this word of their groups that the ray meets in [s0, s1], nearest first, until
 * *limit is passed. shift: 0 for dual cubes, half a cell for cells. False: out of memory. (ray_walk.c) */
typedef enum GroupWord { GROUP_MIXED, GROUP_WATER } GroupWord;
typedef void RayBlockFn(void *context, int record, double enter, double leave);
bool Ray_Blocks(const Terrain *terrain, const Ray *ray, double shift, GroupWord word, double s0, double s1,
                const double *limit, RayBlockFn *fn, void *context);

#endif
