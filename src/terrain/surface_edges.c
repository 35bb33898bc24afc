/* Edge kinds: how a quad's triangles meet their neighbours, so that a contact on an inner edge of flat ground is known
 * for what it is. The neighbour across a mesh edge follows from four inside bits; it may belong to the ring of quads
 * round the block, whose corners are worked out here.
 *
 * Both sides of an edge, in whatever blocks, do the same arithmetic on the same whole numbers and find the same kind.
 */
#include "spatial/spatial.h"
#include "terrain/surface_cube_internal.h"

#define FLAT_COSINE_SQUARED 0.992403876506104 /* of 5 degrees */

#define RING (BLOCK_SIZE + 3) /* dual cubes -2..8 a side */
#define RING_CUBES (RING * RING * RING)

/* Vertices of the cubes that ring quads stand on, made as they are asked for. */
typedef struct RingVertices {
	uint16_t first[RING_CUBES]; /* 1 + the cube's first vertex; 0: not made yet */
	uint16_t pattern[RING_CUBES];
	uint16_t q[RING_CUBES * LOOP_LIMIT][3];
	int count;
} RingVertices;

typedef struct EdgeFinder {
	const SurfaceMesh *mesh;
	uint16_t slice_first[3][BLOCK_SIZE]; /* the slice's first quad, as in mesh->word */
	SurfaceCells cells;
	RingVertices ring;
} EdgeFinder;

/* From cell p to p + axis. */
typedef struct LatticeEdge {
	int cell[3];
	int axis;
} LatticeEdge;

/* One of the six directions along an axis. */
typedef struct Direction {
	int axis, sign;
} Direction;

/* The corner that the triangle on mesh edge k has besides the edge's two: [diagonal as in SurfaceQuad_Diagonal][k]. */
static const uint8_t FAR_CORNER[2][4] = {{2, 0, 0, 2}, {3, 3, 1, 1}};

/* ---- the kind of one edge ---------------------------------------------------------------------------------------- */

/* Twice the area times the normal of a triangle. Corners lie within two cells: every part is below 2^28. */
static void CrossOf(const int32_t *a, const int32_t *b, const int32_t *c, int64_t n[3])
{
	int64_t ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
	int64_t vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
	n[0] = uy * vz - uz * vy;
	n[1] = uz * vx - ux * vz;
	n[2] = ux * vy - uy * vx;
}

static int64_t DotOf(const int64_t a[3], const int64_t b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Triangles (p, q, r) and (q, p, s). The same from both sides: every sum is exact and the products commute. */
static EdgeKind KindOf(const int32_t *p, const int32_t *q, const int32_t *r, const int32_t *s)
{
	int64_t n[3], m[3], out[3] = {s[0] - p[0], s[1] - p[1], s[2] - p[2]};
	CrossOf(p, q, r, n);
	CrossOf(q, p, s, m);
	int64_t dot = DotOf(n, m);
	if (dot > 0) {
		double lengths = (double)DotOf(n, n) * (double)DotOf(m, m);
		if ((double)dot * (double)dot > FLAT_COSINE_SQUARED * lengths)
			return EDGE_FLAT;
	}
	return DotOf(n, out) > 0 ? EDGE_CONCAVE : EDGE_CONVEX;
}

/* ---- the quad across an edge ------------------------------------------------------------------------------------- */

/* Mesh edge k of a quad crosses the cubes' common face in this direction. */
static Direction AcrossEdge(int axis, int k)
{
	int u = (axis + 1) % 3, v = (axis + 2) % 3;
	return (Direction){k & 1 ? u : v, k == 1 || k == 2 ? 1 : -1};
}

/* The inverse: which mesh edge lies in a direction. */
static int EdgeAcross(int axis, Direction direction)
{
	if (direction.axis == (axis + 1) % 3)
		return direction.sign > 0 ? 1 : 3;
	return direction.sign > 0 ? 2 : 0;
}

static LatticeEdge EdgeFrom(const int cell[3], Direction direction)
{
	LatticeEdge edge = {{cell[0], cell[1], cell[2]}, direction.axis};
	if (direction.sign < 0)
		edge.cell[direction.axis]--;
	return edge;
}

/* The cube that corner k of a quad stands in. */
static void QuadCube(const LatticeEdge *edge, int k, int cube[3])
{
	memcpy(cube, edge->cell, sizeof edge->cell);
	cube[(edge->axis + 1) % 3] += QUAD_U[k];
	cube[(edge->axis + 2) % 3] += QUAD_V[k];
}

/* The lattice edge whose quad shares mesh edge k of this edge's quad; *back: as which of its mesh edges. The shared
 * face has corners a = p, b = p + axis and a2, b2 beside them; the face's links say which of its crossing edges is
 * next.
 */
static LatticeEdge Partner(const SurfaceCells *cells, const LatticeEdge *edge, int k, int *back)
{
	Direction across = AcrossEdge(edge->axis, k), along = {edge->axis, 1};
	int a[3], b[3], a2[3], b2[3];
	memcpy(a, edge->cell, sizeof a);
	memcpy(b, a, sizeof b);
	b[edge->axis]++;
	memcpy(a2, a, sizeof a2);
	memcpy(b2, b, sizeof b2);
	a2[across.axis] += across.sign;
	b2[across.axis] += across.sign;
	bool inside = SurfaceCells_Inside(cells, a), inside_a2 = SurfaceCells_Inside(cells, a2);
	bool at_a; /* the partner starts at a, else at b */
	if (inside_a2 == SurfaceCells_Inside(cells, b2)) {
		at_a = inside_a2 != inside;
	} else if (inside_a2 == inside) {
		*back = EdgeAcross(edge->axis, (Direction){across.axis, -across.sign});
		return EdgeFrom(a2, along);
	} else {
		/* Ambiguous. Cut off the inside corner, unless the cubes on both sides are flipped. */
		int cube[3];
		QuadCube(edge, k, cube);
		bool flipped = SurfaceCube_Pattern(cells, cube[0], cube[1], cube[2]) > 255;
		at_a = inside != flipped;
	}
	*back = EdgeAcross(across.axis, (Direction){edge->axis, at_a ? 1 : -1});
	return EdgeFrom(at_a ? a : b, across);
}

static bool IsOwned(const LatticeEdge *edge)
{
	return ((edge->cell[0] | edge->cell[1] | edge->cell[2]) & ~(BLOCK_SIZE - 1)) == 0;
}

static int QuadOf(const EdgeFinder *finder, const LatticeEdge *edge)
{
	int y = edge->cell[1];
	uint64_t bit = (uint64_t)1 << (edge->cell[2] * BLOCK_SIZE + edge->cell[0]);
	uint64_t word = finder->mesh->word[edge->axis][y];
	SCREE_ASSERT(word & bit);
	return finder->slice_first[edge->axis][y] + __builtin_popcountll(word & (bit - 1));
}

/* Corner k of a ring quad, in the mesh's coordinates. */
static void RingCorner(EdgeFinder *finder, const LatticeEdge *edge, int k, int32_t position[3])
{
	RingVertices *ring = &finder->ring;
	int cube[3];
	QuadCube(edge, k, cube);
	int i = (cube[0] + 2) + RING * ((cube[2] + 2) + RING * (cube[1] + 2));
	if (ring->first[i] == 0) {
		int pattern = SurfaceCube_Pattern(&finder->cells, cube[0], cube[1], cube[2]);
		ring->pattern[i] = (uint16_t)pattern;
		ring->first[i] = (uint16_t)(ring->count + 1);
		ring->count += SurfaceCube_Vertices(&finder->cells, cube[0], cube[1], cube[2], pattern, ring->q + ring->count);
	}
	const SurfaceTables *tables = finder->cells.tables;
	int pattern = ring->pattern[i], loop = tables->loop[pattern >> 8][pattern & 255][4 * edge->axis + QUAD_EDGE[k]];
	SCREE_ASSERT(loop != LOOP_NONE);
	for (int j = 0; j < 3; j++)
		position[j] = (cube[j] + 1) * SURFACE_UNIT + ring->q[ring->first[i] - 1 + loop][j];
}

/* The far corner of the ring quad's triangle on its mesh edge `back`. */
static void RingFarCorner(EdgeFinder *finder, const LatticeEdge *edge, int back, int32_t far[3])
{
	int32_t corner[4][3];
	for (int k = 0; k < 4; k++)
		RingCorner(finder, edge, k, corner[k]);
	memcpy(far, corner[FAR_CORNER[SurfaceQuad_Diagonal(edge->axis, corner)][back]], sizeof corner[0]);
}

/* ---- the quads of a block ---------------------------------------------------------------------------------------- */

static void Corner(const SurfaceMesh *mesh, int quad, int k, int32_t position[3])
{
	for (int i = 0; i < 3; i++)
		position[i] = mesh->position[mesh->corner[quad][k]][i];
}

/* Place of a mesh edge in the quad's stored order, which starts at canonical corner `first` and may run backwards. */
static int StoredEdge(int canonical, int first, bool forwards)
{
	return forwards ? (canonical - first) & 3 : (first - 1 - canonical) & 3;
}

static int CanonicalEdge(int stored, int first, bool forwards)
{
	return forwards ? (first + stored) & 3 : (first - 1 - stored) & 3;
}

/* The canonical corner that stands first in the stored order: 0 in the cube (-u,-v), 1 in the cube (0,-v). */
static int FirstCorner(const SurfaceMesh *mesh, int quad, const LatticeEdge *edge)
{
	int u = (edge->axis + 1) % 3;
	return mesh->position[mesh->corner[quad][0]][u] >> 12 == edge->cell[u] + 1;
}

static LatticeEdge EdgeOf(const SurfaceMesh *mesh, int quad)
{
	int e = mesh->edge[quad];
	return (LatticeEdge){{e & 7, e >> 6 & 7, e >> 3 & 7}, e >> 9};
}

/* What has been found so far: kinds as they are handed out, and which edges (bit k) of a quad are known. */
typedef struct FoundKinds {
	uint16_t *kinds;
	uint8_t known[SURFACE_QUAD_LIMIT];
} FoundKinds;

static void SetKind(FoundKinds *found, int quad, int k, EdgeKind kind)
{
	found->kinds[quad] |= (uint16_t)((unsigned)kind << 2 * k);
	found->known[quad] |= (uint8_t)(1 << k);
}

/* Finds edge k's kind, for the quad across as well when the block owns it. */
static void FindKind(EdgeFinder *finder, int quad, const LatticeEdge *edge, int first, int32_t corner[4][3], int k,
                     FoundKinds *found)
{
	const SurfaceMesh *mesh = finder->mesh;
	int back, other = -1, j = 0;
	int32_t far[3];
	LatticeEdge partner = Partner(&finder->cells, edge, CanonicalEdge(k, first, mesh->low_inside[quad] != 0), &back);
	if (IsOwned(&partner)) {
		other = QuadOf(finder, &partner);
		j = StoredEdge(back, FirstCorner(mesh, other, &partner), mesh->low_inside[other] != 0);
		SCREE_ASSERT(mesh->corner[other][j] == mesh->corner[quad][(k + 1) & 3]);
		SCREE_ASSERT(mesh->corner[other][(j + 1) & 3] == mesh->corner[quad][k]);
		Corner(mesh, other, FAR_CORNER[0][j], far);
	} else {
		RingFarCorner(finder, &partner, back, far);
	}
	EdgeKind kind = KindOf(corner[k], corner[(k + 1) & 3], corner[FAR_CORNER[0][k]], far);
	SetKind(found, quad, k, kind);
	if (other >= 0)
		SetKind(found, other, j, kind);
}

static void FindQuadKinds(EdgeFinder *finder, int quad, FoundKinds *found)
{
	LatticeEdge edge = EdgeOf(finder->mesh, quad);
	int first = FirstCorner(finder->mesh, quad, &edge);
	int32_t corner[4][3];
	for (int k = 0; k < 4; k++)
		Corner(finder->mesh, quad, k, corner[k]);
	SetKind(found, quad, 4, KindOf(corner[2], corner[0], corner[1], corner[3]));
	for (int k = 0; k < 4; k++)
		if (!(found->known[quad] >> k & 1))
			FindKind(finder, quad, &edge, first, corner, k, found);
}

void Surface_EdgeKinds(const SurfaceField *field, const uint16_t blockiness[256], const SurfaceMesh *mesh,
                       uint16_t *kinds)
{
	if (mesh->quad_count == 0)
		return;
	EdgeFinder finder;
	if (!SurfaceCells_Init(&finder.cells, field, blockiness, FLAG_HALO - 1)) {
		SCREE_ASSERT(!"the mesh is not this field's");
		return;
	}
	finder.mesh = mesh;
	finder.ring.count = 0;
	memset(finder.ring.first, 0, sizeof finder.ring.first);
	int count = 0;
	for (int axis = 0; axis < 3; axis++)
		for (int y = 0; y < BLOCK_SIZE; y++) {
			finder.slice_first[axis][y] = (uint16_t)count;
			count += __builtin_popcountll(mesh->word[axis][y]);
		}
	SCREE_ASSERT(count == mesh->quad_count);
	FoundKinds found = {.kinds = kinds};
	memset(kinds, 0, sizeof *kinds * (size_t)count);
	for (int quad = 0; quad < count; quad++)
		FindQuadKinds(&finder, quad, &found);
}
