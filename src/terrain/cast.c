/* A ray against colliders: watertight, exact to the rounding of doubles.
 *
 * The ray is sheared onto its longest axis (after Woop, Benthin, Wald, "Watertight ray/triangle intersection", 2013),
 * so a triangle is met when its shadow winds round the origin of the plane. The winding is counted by edges that cross
 * the right half of the x axis, each decided by one sign that both of its triangles compute from the same bits. So
 * every ray through an edge or a corner belongs to exactly one triangle of those around it, and crossings can be
 * counted.
 */
#include "terrain/cast_internal.h"

bool GridPoint_From(const Terrain *terrain, Pos point, GridPoint *out)
{
	double s = terrain->cells_per_metre;
	const double cells[3] = {point.x * s, point.y * s, point.z * s};
	int32_t block[3];
	for (int a = 0; a < 3; a++) {
		if (!(AbsD(cells[a]) <= FAR_CELLS))
			return false;
		block[a] = FloorToInt((cells[a] - 0.5) * (1.0 / BLOCK_SIZE));
		out->at[a] = (cells[a] - (double)block[a] * BLOCK_SIZE - 0.5) * SURFACE_UNIT;
	}
	out->block = (Cell){block[0], block[1], block[2]};
	return true;
}

void Ray_Set(Ray *ray, const GridPoint *from, const double delta[3])
{
	int k = 0;
	for (int a = 1; a < 3; a++)
		if (AbsD(delta[a]) > AbsD(delta[k]))
			k = a;
	ray->frame = from->block;
	ray->k = k;
	ray->u = (k + 1) % 3;
	ray->v = (k + 2) % 3;
	ray->end = AbsD(delta[k]);
	ray->origin[3] = ray->dir[3] = ray->inverse[3] = 0.0;
	for (int a = 0; a < 3; a++) {
		ray->origin[a] = from->at[a];
		ray->dir[a] = delta[a] / ray->end;
		ray->inverse[a] = AbsD(ray->dir[a]) < FLAT_DIRECTION ? FLAT_INVERSE : 1.0 / ray->dir[a];
		ray->step[a] = ray->inverse[a] < 0.0 ? -1 : 1;
		ray->whole[a] = (int)from->at[a]; /* 0..32768 */
	}
	ray->slope_u = ray->dir[ray->u] * ray->dir[k]; /* dir[k] is +-1 */
	ray->slope_v = ray->dir[ray->v] * ray->dir[k];
	double rest_k = ray->origin[k] - ray->whole[k];
	ray->rest_u = (ray->origin[ray->u] - ray->whole[ray->u]) - ray->slope_u * rest_k;
	ray->rest_v = (ray->origin[ray->v] - ray->whole[ray->v]) - ray->slope_v * rest_k;
}

/* ---- one quad ------------------------------------------------------------------------------------------------ */

/* Half a turn of the origin's winding for the edge a -> b: it counts when it crosses the x axis at x > 0. Turning the
 * edge round turns the sign and nothing else, whatever is rounded (no contraction: -ffp-contract=off). */
static inline int Turn(double ax, double ay, double bx, double by)
{
	if ((ay > 0.0) == (by > 0.0))
		return 0;
	double side = ax * by - ay * bx;
	return by > 0.0 ? side > 0.0 : -(side < 0.0);
}

bool Crossing_Before(const Crossing *a, const Crossing *b)
{
	QuadCorners qa, qb;
	Collider_Quad(a->collider, a->quad, qa);
	Collider_Quad(b->collider, b->quad, qb);
	QuadName na = Quad_Name(qa), nb = Quad_Name(qb);
	Cell ca = Quad_Cell(a->block, na), cb = Quad_Cell(b->block, nb);
	int order = Cell_Order(&ca, &cb);
	return order != 0 ? order < 0 : na.axis != nb.axis ? na.axis < nb.axis : a->half < b->half;
}

void Cast_Keep(Cast *cast, const Crossing *crossing)
{
	bool nearer = !cast->found || crossing->s < cast->nearest.s ||
	              (crossing->s == cast->nearest.s && Crossing_Before(crossing, &cast->nearest));
	if (cast->mode == CAST_ALL) {
		if (!Array_Push(cast->memory, cast->all, *crossing))
			cast->failed = true;
		return;
	}
	cast->count++;
	if (!nearer)
		return;
	cast->found = true;
	cast->nearest = *crossing;
	if (cast->mode == CAST_NEAREST)
		cast->limit = crossing->s;
}

void Cast_Triangle(Cast *cast, const ColliderAt *at, int quad, int half)
{
	const Ray *ray = cast->ray;
	QuadCorners corner;
	Collider_Quad(at->collider, quad, corner);
	const uint16_t *a = corner[0], *b = corner[1 + half], *c = corner[2 + half];
	int ab[3], ac[3];
	for (int i = 0; i < 3; i++) {
		ab[i] = b[i] - a[i];
		ac[i] = c[i] - a[i];
	}
	Crossing crossing = {.collider = at->collider, .block = at->block, .quad = (uint16_t)quad, .half = (uint8_t)half};
	double *n = crossing.normal; /* edges are under four cells: whole numbers below 2^28 */
	n[0] = ab[1] * ac[2] - ab[2] * ac[1];
	n[1] = ab[2] * ac[0] - ab[0] * ac[2];
	n[2] = ab[0] * ac[1] - ab[1] * ac[0];
	double along = n[0] * ray->dir[0] + n[1] * ray->dir[1] + n[2] * ray->dir[2];
	bool front = along < 0.0;
	if (cast->mode == CAST_COUNT ? along == 0.0 : !front && !cast->sides)
		return;
	double gap = 0.0;
	for (int i = 0; i < 3; i++)
		gap += n[i] * ((a[i] + at->shift[i]) - ray->origin[i]);
	crossing.s = gap / along;
	if (cast->sides) {
		double flat = (AbsD(n[0]) + AbsD(n[1]) + AbsD(n[2])) * FLAT_CROSSING;
		cast->unclear |= !(AbsD(along) > flat && AbsD(crossing.s) > CLEAR_UNITS);
		if (!front) {
			if (crossing.s > 0.0)
				cast->back = MinD(cast->back, crossing.s);
			return;
		}
	}
	if (crossing.s >= 0.0 && crossing.s <= cast->limit)
		Cast_Keep(cast, &crossing);
}

void ColliderAt_Set(ColliderAt *at, const Ray *ray, const Collider *collider, Cell block)
{
	const int32_t ahead[3] = {block.x - ray->frame.x, block.y - ray->frame.y, block.z - ray->frame.z};
	at->collider = collider;
	at->block = block;
	for (int a = 0; a < 3; a++) {
		at->shift[a] = (double)ahead[a] * BLOCK_UNITS - SURFACE_UNIT;
		at->base[a] = at->shift[a] - ray->whole[a];
	}
}

void Cast_Quad(Cast *cast, const ColliderAt *at, int quad)
{
	const Ray *ray = cast->ray;
	int k = ray->k, u = ray->u, v = ray->v;
	QuadCorners corner;
	Collider_Quad(at->collider, quad, corner);
	/* Plain loops over four whole numbers, which compilers turn into vectors. */
	const int pk[4] = {corner[0][k], corner[1][k], corner[2][k], corner[3][k]};
	const int pv[4] = {corner[0][v], corner[1][v], corner[2][v], corner[3][v]};
	double depth[4], x[4], y[4];
	for (int i = 0; i < 4; i++)
		depth[i] = pk[i] + at->base[k];
	for (int i = 0; i < 4; i++)
		y[i] = (pv[i] + at->base[v]) - ray->slope_v * depth[i] - ray->rest_v;
	int above = (y[0] > 0.0) + (y[1] > 0.0) + (y[2] > 0.0) + (y[3] > 0.0);
	if (above == 0 || above == 4)
		return;
	const int pu[4] = {corner[0][u], corner[1][u], corner[2][u], corner[3][u]};
	for (int i = 0; i < 4; i++)
		x[i] = (pu[i] + at->base[u]) - ray->slope_u * depth[i] - ray->rest_u;
	int right = (x[0] > 0.0) + (x[1] > 0.0) + (x[2] > 0.0) + (x[3] > 0.0);
	if (right == 0 || right == 4)
		return;
	int diagonal = Turn(x[0], y[0], x[2], y[2]);
	int first = Turn(x[0], y[0], x[1], y[1]) + Turn(x[1], y[1], x[2], y[2]) - diagonal;
	int second = diagonal + Turn(x[2], y[2], x[3], y[3]) + Turn(x[3], y[3], x[0], y[0]);
	/* Seen from the front a triangle's shadow runs clockwise when the ray goes up its axis. */
	int front = ray->dir[k] > 0.0 ? -1 : 1;
	bool both = cast->mode == CAST_COUNT || cast->sides;
	if (first == front || (both && first != 0))
		Cast_Triangle(cast, at, quad, 0);
	if (second == front || (both && second != 0))
		Cast_Triangle(cast, at, quad, 1);
}

/* ---- by lattice ---------------------------------------------------------------------------------------------- */

static void LatticeOwner(Cast *cast, Cell block, const int cube[3], unsigned side, unsigned edges)
{
	const Terrain *terrain = cast->terrain;
	Cell owner = Block_Beside(block, side);
	int id = Record_Find(terrain, owner);
	const Record *record = id < 0 ? NULL : Record_At(terrain, id);
	if (!record || record->quads == 0 || !Record_SharesCube(record, cube, side))
		return;
	const Collider *collider = Cast_Need(cast, record, id);
	if (!collider)
		return;
	const Lattice *lattice = Collider_Lattice(collider);
	ColliderAt at;
	ColliderAt_Set(&at, cast->ray, collider, owner);
	for (edges = Lattice_BorderEdges(lattice, cube, edges); edges; edges &= edges - 1)
		Cast_Quad(cast, &at, Lattice_EdgeQuad(lattice, cube, __builtin_ctz(edges)));
}

static void LatticeCube(Cast *cast, CubeVisit *visit, const int cube[3])
{
	unsigned beyond = Cube_Beyond(cube), wanted = CUBE_EDGES & ~CubeEdges_Shared(visit->last, cube);
	for (unsigned side = 0; side <= beyond && !cast->failed; side++)
		if (!(side & ~beyond) && (CUBE_EDGES_OF[beyond][side] & wanted))
			LatticeOwner(cast, visit->block, cube, side, CUBE_EDGES_OF[beyond][side] & wanted);
	memcpy(visit->last, cube, sizeof visit->last);
}

/* ---- by tree ------------------------------------------------------------------------------------------------- */

/* All quads that a block owns, for s0 <= s <= s1 (a little more is looked at). */
static void TreeOwner(Cast *cast, Cell block, const Record *record, int id, double s0, double s1)
{
	const Ray *ray = cast->ray;
	if (record->quads == 0)
		return;
	const Collider *collider = Cast_Need(cast, record, id);
	if (!collider)
		return;
	const KdBounds *tree = Collider_Tree(collider);
	ColliderAt at;
	double origin[3], lo[3], hi[3];
	ColliderAt_Set(&at, ray, collider, block);
	for (int a = 0; a < 3; a++) {
		origin[a] = ray->origin[a] - at.shift[a];
		lo[a] = tree->box.lo[a] - WALK_SLACK;
		hi[a] = tree->box.hi[a] + WALK_SLACK;
	}
	s0 -= 2.0 * WALK_SLACK;
	s1 += 2.0 * WALK_SLACK;
	if (!Ray_Clip(ray, origin, lo, hi, &s0, &s1))
		return;
	KdWalk walk;
	int first, count;
	KdWalk_Begin(&walk, tree->node, Collider_NodeCount(collider), origin, ray->dir, s0, s1);
	while (KdWalk_Next(&walk, cast->limit, &first, &count))
		for (int i = 0; i < count; i++)
			Cast_Quad(cast, &at, first + i);
}

static void TreeCube(Cast *cast, CubeVisit *visit, const int cube[3], double s0, double s1)
{
	const Terrain *terrain = cast->terrain;
	unsigned beyond = Cube_Beyond(cube);
	for (unsigned side = 0; side <= beyond && !cast->failed; side++) {
		if ((side & ~beyond) || visit->done >> side & 1)
			continue;
		Cell owner = Block_Beside(visit->block, side);
		int id = side == 0 ? visit->id : Record_Find(terrain, owner);
		const Record *record = id < 0 ? NULL : Record_At(terrain, id);
		if (record && !Record_SharesCube(record, cube, side))
			continue;
		visit->done |= 1u << side;
		if (record)
			TreeOwner(cast, owner, record, id, s0, s1);
	}
}

/* ---- one block ----------------------------------------------------------------------------------------------- */

void Cast_Cube(Cast *cast, CubeVisit *visit, const int cube[3], double s0, double s1)
{
	if (cast->terrain->narrowphase == NARROWPHASE_LATTICE)
		LatticeCube(cast, visit, cube);
	else
		TreeCube(cast, visit, cube, s0, s1);
}

void Cast_Block(void *context, int id, double enter, double leave)
{
	Cast *cast = context;
	const Ray *ray = cast->ray;
	const Record *record = Record_At(cast->terrain, id);
	Cell block = Record_Block(cast->terrain, id);
	const int ahead[3] = {block.x - ray->frame.x, block.y - ray->frame.y, block.z - ray->frame.z};
	double origin[3], box_lo[3], box_hi[3];
	int lo[3], hi[3];
	for (int a = 0; a < 3; a++) {
		origin[a] = ray->origin[a] - (double)ahead[a] * BLOCK_UNITS;
		lo[a] = record->mixed_lo[a];
		hi[a] = record->mixed_hi[a];
		box_lo[a] = lo[a] * SURFACE_UNIT - WALK_SLACK;
		box_hi[a] = (hi[a] + 1) * SURFACE_UNIT + WALK_SLACK;
	}
	if (!Ray_Clip(ray, origin, box_lo, box_hi, &enter, &leave))
		return;
	CubeVisit visit = CubeVisit_Begin(id, block);
	GridWalk cubes;
	GridWalk_Begin(&cubes, ray, origin, SURFACE_UNIT, lo, hi, enter, leave);
	do {
		if (cubes.enter > cast->limit || cast->failed)
			return;
		if (record->mixed[cubes.at[1]] >> (8 * cubes.at[2] + cubes.at[0]) & 1)
			Cast_Cube(cast, &visit, cubes.at, cubes.enter, leave);
	} while (GridWalk_Step(&cubes));
}
