/* Eight rays that start in one block and go the same way, cast together: as those of a view do. Reports the same bits
 * as each of them would alone.
 *
 * The rays share their longest axis, k, and so pass the layers of blocks across k in the same order. In a layer they
 * lie within a box of the other two axes, whose ends are found at its two planes, since the outermost of several lines
 * is convex between them. Of each block that the box meets, the quads whose edges it can meet are taken from the words
 * of lattice edges, and each is tested in floats for all eight rays at once. What a ray meets or nearly meets goes to
 * Cast_Triangle or Cast_Quad, which decide. So a quad that is looked at for nothing costs time and nothing else; and
 * none is left out, since a block's edges belong to its cubes -1..7 and it is visited when the box meets any of those.
 */
#include "terrain/ray_fast_internal.h"

#if SCREE_X86

#define PACKET_CELLS 2048.0f /* longer rays go alone: a float places them no better than 1/4096 cell */
#define PACKET_SLACK 0.01f   /* cells, around the box */
#define PACKET_WIDTH 8.0f    /* cells: rays further apart go alone from there on */
#define PACKET_EDGE 16384.0f /* as EDGE_SLACK in ray_fast_quads.c */

/* The box around the rays at two planes across k; cells, from the frame's corner. */
typedef struct PacketBox {
	float k0, k1;
	__m128 at0, at1; /* lowest u, lowest v, highest u, highest v */
} PacketBox;

typedef struct Packet {
	Terrain *terrain;
	Cast *cast; /* eight */
	Cell frame;
	int k, u, v;
	bool up, sides;
	int least[3], most[3];                             /* blocks with records lie within */
	__m128i frame_uv;                                  /* u, v, u, v of the frame */
	float reach;                                       /* the furthest k that any of them has to come to */
	double leaves[PACKET_RAYS];                        /* s where it leaves the box of all records */
	__m256 at_u, at_v, slope_u, slope_v;               /* u and v where k is 0, and for each cell of k */
	double exact_u[PACKET_RAYS], exact_v[PACKET_RAYS]; /* at_u and at_v, not rounded */
	__m256 turned_u, sign;                             /* for the float test, see FastRay */
} Packet;

/* A block whose quads are tested. */
typedef struct PacketOwner {
	const Collider *collider;
	Cell block;
	__m256 base_u, base_v;
} PacketOwner;

static inline int At(Cell cell, int axis)
{
	return axis == 0 ? cell.x : axis == 1 ? cell.y : cell.z;
}

/* ---- quads ---------------------------------------------------------------------------------------------------- */

SIMD_FUNCTION static inline __m256 SideOf(__m256 au, __m256 av, __m256 bu, __m256 bv)
{
	return _mm256_fmsub_ps(au, bv, _mm256_mul_ps(av, bu));
}

SIMD_FUNCTION static inline unsigned Above(__m256 value, float bound)
{
	return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(value, _mm256_set1_ps(bound), _CMP_GE_OQ));
}

/* bit i: of ray i. first, second: triangles that it is sure to meet, open: those that may be. */
SIMD_FUNCTION static void MeetFound(const Packet *packet, const PacketOwner *owner, int quad, unsigned first,
                                    unsigned second, unsigned open)
{
	for (unsigned left = first | second | open; left; left &= left - 1) {
		int i = __builtin_ctz(left);
		Cast *cast = &packet->cast[i];
		if (open >> i & 1) {
			ColliderAt at;
			cast->unclear |= cast->sides; /* see EDGE_SLACK in ray_fast_quads.c */
			ColliderAt_Set(&at, cast->ray, owner->collider, owner->block);
			Cast_Quad(cast, &at, quad);
			continue;
		}
		if (first >> i & 1)
			FastTriangle_Meet(cast, owner->collider, owner->block, quad, 0);
		if (second >> i & 1)
			FastTriangle_Meet(cast, owner->collider, owner->block, quad, 1);
	}
}

/* True: some ray met it. */
SIMD_FUNCTION static inline bool MeetQuad(const Packet *packet, const PacketOwner *owner, int quad)
{
	QuadCorners corner;
	float at[4][4];
	__m256 u[4], v[4];
	Collider_Quad(owner->collider, quad, corner);
	for (int c = 0; c < 4; c++) {
		__m128i words = _mm_loadl_epi64((const __m128i *)corner[c]);
		_mm_storeu_ps(at[c], _mm_cvtepi32_ps(_mm_cvtepu16_epi32(words)));
	}
	for (int c = 0; c < 4; c++) {
		__m256 depth = _mm256_broadcast_ss(&at[c][packet->k]);
		u[c] = _mm256_fmadd_ps(packet->sign, _mm256_broadcast_ss(&at[c][packet->u]), owner->base_u);
		v[c] = _mm256_add_ps(_mm256_broadcast_ss(&at[c][packet->v]), owner->base_v);
		u[c] = _mm256_fnmadd_ps(packet->turned_u, depth, u[c]);
		v[c] = _mm256_fnmadd_ps(packet->slope_v, depth, v[c]);
	}
	__m256 e0 = SideOf(u[0], v[0], u[1], v[1]), e1 = SideOf(u[1], v[1], u[2], v[2]);
	__m256 e2 = SideOf(u[2], v[2], u[3], v[3]), e3 = SideOf(u[3], v[3], u[0], v[0]);
	__m256 right = SideOf(u[0], v[0], u[2], v[2]), left = SideOf(u[2], v[2], u[0], v[0]);
	/* How far within its edges the ray passes, or outside all of them. */
	__m256 first = _mm256_min_ps(_mm256_min_ps(e0, e1), left), second = _mm256_min_ps(_mm256_min_ps(e2, e3), right);
	if (packet->sides) {
		const __m256 minus = _mm256_set1_ps(-0.0f);
		__m256 behind = _mm256_xor_ps(_mm256_max_ps(_mm256_max_ps(e0, e1), left), minus);
		first = _mm256_max_ps(first, behind);
		behind = _mm256_xor_ps(_mm256_max_ps(_mm256_max_ps(e2, e3), right), minus);
		second = _mm256_max_ps(second, behind);
	}
	unsigned may = Above(_mm256_max_ps(first, second), -PACKET_EDGE);
	if (__builtin_expect(may == 0, 1))
		return false;
	unsigned may1 = Above(first, -PACKET_EDGE), may2 = Above(second, -PACKET_EDGE);
	unsigned sure1 = Above(first, PACKET_EDGE), sure2 = Above(second, PACKET_EDGE);
	MeetFound(packet, owner, quad, sure1, sure2, (may1 ^ sure1) | (may2 ^ sure2));
	return true;
}

/* ---- blocks --------------------------------------------------------------------------------------------------- */

/* Lattice edges to look at, as in Lattice. */
typedef struct EdgeMask {
	uint64_t word[3][BLOCK_SIZE];
} EdgeMask;

/* Adds the edges of the cubes lo..hi, each -1..7; those that lie in the block. */
static inline void EdgeMask_Add(EdgeMask *mask, const int lo[3], const int hi[3])
{
	const int last = BLOCK_SIZE - 1, x0 = Int_Max(lo[0], 0), z0 = Int_Max(lo[2], 0);
	uint64_t x_beyond = Words_Columns(x0, Int_Min(hi[0] + 1, last));
	uint64_t z_beyond = Words_Rows(z0, Int_Min(hi[2] + 1, last));
	uint64_t along_x = hi[0] < 0 ? 0 : Words_Columns(x0, hi[0]) & z_beyond;
	uint64_t along_z = hi[2] < 0 ? 0 : Words_Rows(z0, hi[2]) & x_beyond;
	uint64_t along_y = x_beyond & z_beyond;
	for (int y = Int_Max(lo[1], 0); y <= Int_Min(hi[1] + 1, last); y++) {
		mask->word[0][y] |= along_x;
		mask->word[2][y] |= along_z;
		mask->word[1][y] |= y <= hi[1] ? along_y : 0;
	}
}

/* The box at a place across k, where `slope` takes it from its first plane; widened. */
SIMD_FUNCTION static inline __m128 Stretch(__m128 at, __m128 slope, float from, float to)
{
	const __m128 slack = _mm_setr_ps(-PACKET_SLACK, -PACKET_SLACK, PACKET_SLACK, PACKET_SLACK);
	__m128 near = _mm_fmadd_ps(slope, _mm_set1_ps(from), at), far = _mm_fmadd_ps(slope, _mm_set1_ps(to), at);
	return _mm_add_ps(_mm_blend_ps(_mm_min_ps(near, far), _mm_max_ps(near, far), 12), slack);
}

/* The edges of a block's cubes that the box around the rays meets, between its planes and as far as the rays reach.
 * corner: of the block, from the frame's; cells by axis. Only edges from the cells that name the block's mixed cubes
 * have quads, so only cubes from one before those to the last of those count. False: none. */
SIMD_FUNCTION static bool MarkEdges(const Packet *packet, const Record *record, const PacketBox *box,
                                    const float corner[3], EdgeMask *mask)
{
	const int k = packet->k, u = packet->u, v = packet->v;
	float k0 = box->k0, k1 = box->k1;
	if (packet->up)
		k1 = Min(k1, packet->reach + 1.0f);
	else
		k0 = Max(k0, packet->reach - 1.0f);
	int first = Int_Max((int)(k0 - corner[k] + 1.0f) - 1, record->mixed_lo[k] - 1);
	int last = Int_Min((int)(k1 - corner[k] + 1.0f) - 1, record->mixed_hi[k]);
	if (first > last)
		return false;
	const float start = corner[k] - box->k0, length = box->k1 - box->k0;
	const __m128 slope = _mm_div_ps(_mm_sub_ps(box->at1, box->at0), _mm_set1_ps(length));
	const __m128 at = _mm_sub_ps(box->at0, _mm_setr_ps(corner[u], corner[v], corner[u], corner[v]));
	const __m128i least = _mm_setr_epi32(record->mixed_lo[u] - 1, record->mixed_lo[v] - 1, -1, -1);
	const __m128i most = _mm_setr_epi32(BLOCK_SIZE, BLOCK_SIZE, record->mixed_hi[u], record->mixed_hi[v]);
	__m128 whole = Stretch(at, slope, Max((float)first + start, 0.0f), Min((float)(last + 1) + start, length));
	const __m128 low = _mm_cvtepi32_ps(least), high = _mm_cvtepi32_ps(_mm_shuffle_epi32(most, 0xee));
	if (_mm_movemask_ps(_mm_cmpgt_ps(whole, _mm_add_ps(high, _mm_set1_ps(1.0f)))) & 3 ||
	    _mm_movemask_ps(_mm_cmplt_ps(_mm_movehl_ps(whole, whole), low)) & 3)
		return false;
	bool any = false;
	for (int layer = first; layer <= last; layer++) {
		__m128 ends = Stretch(at, slope, Max((float)layer + start, 0.0f), Min((float)(layer + 1) + start, length));
		ends = _mm_min_ps(_mm_max_ps(ends, _mm_set1_ps(-2.0f)), _mm_set1_ps(BLOCK_SIZE + 1.0f));
		__m128i cubes = _mm_cvttps_epi32(_mm_floor_ps(ends));
		cubes = _mm_min_epi32(_mm_max_epi32(cubes, least), most);
		/* lowest u, lowest v, highest u, highest v: lowest above highest when the cut left nothing */
		__m128i empty = _mm_cmpgt_epi32(cubes, _mm_shuffle_epi32(cubes, 0xee));
		if (_mm_movemask_epi8(empty) & 0xff)
			continue;
		int lo[3], hi[3];
		lo[k] = hi[k] = layer;
		lo[u] = _mm_cvtsi128_si32(cubes);
		lo[v] = _mm_extract_epi32(cubes, 1);
		hi[u] = _mm_extract_epi32(cubes, 2);
		hi[v] = _mm_extract_epi32(cubes, 3);
		EdgeMask_Add(mask, lo, hi);
		any = true;
	}
	return any;
}

/* As SetBase in ray_fast_quads.c, for eight rays. */
SIMD_FUNCTION static void SetBase(const Packet *packet, PacketOwner *owner, const float corner[3])
{
	float u[PACKET_RAYS], v[PACKET_RAYS];
	const double depth = (double)corner[packet->k] - 1.0;
	const double up = 1.0 - (double)corner[packet->u], vp = 1.0 - (double)corner[packet->v];
	for (int i = 0; i < PACKET_RAYS; i++) {
		const Ray *ray = packet->cast[i].ray;
		u[i] = (float)((packet->exact_u[i] + up + ray->slope_u * depth) * -SURFACE_UNIT);
		v[i] = (float)((packet->exact_v[i] + vp + ray->slope_v * depth) * -SURFACE_UNIT);
	}
	owner->base_u = _mm256_mul_ps(_mm256_loadu_ps(u), packet->sign);
	owner->base_v = _mm256_loadu_ps(v);
}

/* How far the rays still have to go. */
static void SetReach(Packet *packet)
{
	double reach = packet->up ? -DBL_MAX : DBL_MAX;
	for (int i = 0; i < PACKET_RAYS; i++) {
		const Ray *ray = packet->cast[i].ray;
		double limit = MinD(packet->cast[i].limit, packet->leaves[i]);
		double end = (ray->origin[packet->k] + ray->dir[packet->k] * limit) * CELL;
		reach = packet->up ? MaxD(reach, end) : MinD(reach, end);
	}
	packet->reach = (float)reach;
}

/* False: a collider is not there, or memory ran out. */
SIMD_FUNCTION static bool MeetBlock(Packet *packet, Cell block, const PacketBox *box)
{
	Terrain *terrain = packet->terrain;
	const Group *group = Group_Find(terrain, block.x >> GROUP_BITS, block.y >> GROUP_BITS, block.z >> GROUP_BITS);
	const Record *record = Group_Record(group, Group_Index(block));
	if (!record || record->quads == 0)
		return true;
	const float corner[3] = {(float)(block.x - packet->frame.x) * BLOCK_SIZE,
	                         (float)(block.y - packet->frame.y) * BLOCK_SIZE,
	                         (float)(block.z - packet->frame.z) * BLOCK_SIZE};
	EdgeMask mask = {{{0}}};
	if (!MarkEdges(packet, record, box, corner, &mask))
		return true;
	if (!Cache_Ready(terrain, record, false))
		return false;
	PacketOwner owner = {.collider = record->collider, .block = block};
	const Lattice *lattice = Collider_Lattice(owner.collider);
	bool begun = false, met = false;
	for (int axis = 0; axis < 3; axis++)
		for (int y = record->mixed_lo[1]; y <= record->mixed_hi[1]; y++) {
			uint64_t word = lattice->word[axis][y], left = word & mask.word[axis][y];
			if (left && !begun) {
				begun = true;
				SetBase(packet, &owner, corner);
			}
			for (; left; left &= left - 1) {
				int below = __builtin_popcountll(_bzhi_u64(word, (unsigned)__builtin_ctzll(left)));
				met |= MeetQuad(packet, &owner, lattice->rank[axis][y] + below);
			}
		}
	if (met)
		SetReach(packet);
	return true;
}

/* ---- layers --------------------------------------------------------------------------------------------------- */

SIMD_FUNCTION static inline __m128 BoxAt(const Packet *packet, float k)
{
	__m256 u = _mm256_fmadd_ps(packet->slope_u, _mm256_set1_ps(k), packet->at_u);
	__m256 v = _mm256_fmadd_ps(packet->slope_v, _mm256_set1_ps(k), packet->at_v);
	__m256 even = _mm256_unpacklo_ps(u, v), odd = _mm256_unpackhi_ps(u, v);
	__m256 low = _mm256_min_ps(even, odd), high = _mm256_max_ps(even, odd);
	__m128 least = _mm_min_ps(_mm256_castps256_ps128(low), _mm256_extractf128_ps(low, 1));
	__m128 most = _mm_max_ps(_mm256_castps256_ps128(high), _mm256_extractf128_ps(high, 1));
	least = _mm_min_ps(least, _mm_movehl_ps(least, least));
	most = _mm_max_ps(most, _mm_movehl_ps(most, most));
	return _mm_movelh_ps(least, most);
}

/* The blocks of a layer that the box meets, cut to those that there are; lo > hi: none. */
SIMD_FUNCTION static inline void BlocksOf(const Packet *packet, const PacketBox *box, int32_t layer, int lo[3],
                                          int hi[3])
{
	const int k = packet->k, u = packet->u, v = packet->v;
	const float beyond = 1.0f + PACKET_SLACK;
	__m128 ends = _mm_blend_ps(_mm_min_ps(box->at0, box->at1), _mm_max_ps(box->at0, box->at1), 12);
	ends = _mm_add_ps(ends, _mm_setr_ps(-PACKET_SLACK, -PACKET_SLACK, beyond, beyond));
	__m128i blocks = _mm_cvttps_epi32(_mm_floor_ps(_mm_mul_ps(ends, _mm_set1_ps(1.0f / BLOCK_SIZE))));
	blocks = _mm_add_epi32(blocks, packet->frame_uv);
	lo[k] = hi[k] = layer;
	lo[u] = Int_Max(_mm_cvtsi128_si32(blocks), packet->least[u]);
	lo[v] = Int_Max(_mm_extract_epi32(blocks, 1), packet->least[v]);
	hi[u] = Int_Min(_mm_extract_epi32(blocks, 2), packet->most[u]);
	hi[v] = Int_Min(_mm_extract_epi32(blocks, 3), packet->most[v]);
}

/* False: the rays are too far apart, or a collider is missing: what was not met before `*done` (k, cells) is not known.
 */
SIMD_FUNCTION static bool WalkLayers(Packet *packet, float *done)
{
	const GroupGrid *grid = &packet->terrain->group_grid;
	const int k = packet->k;
	const int32_t frame = At(packet->frame, k), least = packet->least[k], most = packet->most[k];
	/* A block's edges belong to its cubes -1..7, so a ray that falls may begin among those of the block above. */
	const int32_t begin = packet->up ? Int_Max(frame, least) : Int_Min(frame + 1, most);
	for (int32_t layer = begin; packet->up ? layer <= most : layer >= least; layer += packet->up ? 1 : -1) {
		const float corner = (float)(layer - frame) * BLOCK_SIZE;
		PacketBox box = {.k0 = corner - 1.0f, .k1 = corner + BLOCK_SIZE};
		*done = packet->up ? box.k0 : box.k1;
		if (packet->up ? packet->reach + PACKET_SLACK < box.k0 : packet->reach - PACKET_SLACK > box.k1)
			return true;
		/* Not behind the block where they start. */
		if (packet->up)
			box.k0 = Max(box.k0, -0.5f);
		else
			box.k1 = Min(box.k1, BLOCK_SIZE + 0.5f);
		box.at0 = BoxAt(packet, box.k0);
		box.at1 = BoxAt(packet, box.k1);
		__m128 size = _mm_max_ps(_mm_sub_ps(_mm_movehl_ps(box.at0, box.at0), box.at0),
		                         _mm_sub_ps(_mm_movehl_ps(box.at1, box.at1), box.at1));
		if (_mm_movemask_ps(_mm_cmpgt_ps(size, _mm_set1_ps(PACKET_WIDTH))) & 3)
			return false;
		int lo[3], hi[3];
		BlocksOf(packet, &box, layer, lo, hi);
		for (int y = lo[1]; y <= hi[1]; y++)
			for (int z = lo[2]; z <= hi[2]; z++)
				for (int x = lo[0]; x <= hi[0]; x++) {
					const Cell block = {x, y, z};
					size_t bit = GroupGrid_Bit(grid, block);
					if ((grid->bits[bit / 64] >> bit % 64 & 1) && !MeetBlock(packet, block, &box))
						return false;
				}
	}
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

static bool IsCoherent(const Terrain *terrain, const Segment *segments)
{
	const Ray *first = &segments[0].ray;
	if (!terrain->simd || !terrain->group_grid.complete || terrain->narrowphase != NARROWPHASE_LATTICE)
		return false;
	for (int i = 0; i < PACKET_RAYS; i++) {
		const Ray *ray = &segments[i].ray;
		if (segments[i].far || segments[i].length == 0.0 || ray->k != first->k ||
		    ray->dir[ray->k] != first->dir[first->k] || Cell_Order(&ray->frame, &first->frame) != 0 ||
		    !(ray->end * CELL <= (double)PACKET_CELLS))
			return false;
	}
	return true;
}

/* The end is beyond all records. */
static bool EndsOutside(const Terrain *terrain, const Ray *ray)
{
	for (int a = 0; a < 3; a++) {
		double end = (ray->origin[a] + ray->dir[a] * ray->end) * (1.0 / BLOCK_UNITS) + At(ray->frame, a);
		if (end < At(terrain->lo, a) - 0.5 || end > At(terrain->hi, a) + 1.5)
			return true;
	}
	return false;
}

static void SetCasts(Terrain *terrain, const Segment *segments, bool sides, Cast *casts)
{
	for (int i = 0; i < PACKET_RAYS; i++) {
		const Ray *ray = &segments[i].ray;
		Cast_Begin(&casts[i], terrain, ray, CAST_NEAREST);
		if (sides) {
			casts[i].sides = true;
			casts[i].left_all = EndsOutside(terrain, ray);
		}
	}
}

SIMD_FUNCTION static void Packet_Set(Packet *packet)
{
	const Ray *first = packet->cast[0].ray;
	float u[PACKET_RAYS], v[PACKET_RAYS], slope_u[PACKET_RAYS], slope_v[PACKET_RAYS];
	packet->frame = first->frame;
	packet->k = first->k;
	packet->u = first->u;
	packet->v = first->v;
	packet->up = first->dir[first->k] > 0.0;
	const Terrain *terrain = packet->terrain;
	for (int a = 0; a < 3; a++) {
		packet->least[a] = At(terrain->lo, a);
		packet->most[a] = At(terrain->hi, a);
	}
	int frame_u = At(packet->frame, packet->u), frame_v = At(packet->frame, packet->v);
	packet->frame_uv = _mm_setr_epi32(frame_u, frame_v, frame_u, frame_v);
	double last[3], first_at[3];
	for (int a = 0; a < 3; a++) {
		first_at[a] = ((double)packet->least[a] - At(packet->frame, a)) * BLOCK_UNITS - WALK_SLACK;
		last[a] = ((double)packet->most[a] - At(packet->frame, a) + 1.0) * BLOCK_UNITS + WALK_SLACK;
	}
	for (int i = 0; i < PACKET_RAYS; i++) {
		const Ray *ray = packet->cast[i].ray;
		double depth = ray->origin[packet->k];
		packet->leaves[i] = DBL_MAX;
		for (int a = 0; a < 3; a++) {
			double plane = ray->step[a] > 0 ? last[a] : first_at[a];
			packet->leaves[i] = MinD(packet->leaves[i], (plane - ray->origin[a]) * ray->inverse[a]);
		}
		packet->exact_u[i] = (ray->origin[packet->u] - ray->slope_u * depth) * CELL;
		packet->exact_v[i] = (ray->origin[packet->v] - ray->slope_v * depth) * CELL;
		u[i] = (float)packet->exact_u[i];
		v[i] = (float)packet->exact_v[i];
		slope_u[i] = (float)ray->slope_u;
		slope_v[i] = (float)ray->slope_v;
	}
	packet->at_u = _mm256_loadu_ps(u);
	packet->at_v = _mm256_loadu_ps(v);
	packet->slope_u = _mm256_loadu_ps(slope_u);
	packet->slope_v = _mm256_loadu_ps(slope_v);
	packet->sign = _mm256_set1_ps(packet->up ? -1.0f : 1.0f); /* see Cast_Quad */
	packet->turned_u = _mm256_mul_ps(packet->slope_u, packet->sign);
}

SIMD_FUNCTION bool Packet_Cast(Terrain *terrain, const Segment *segments, bool sides, Cast *casts, bool *known)
{
	if (!IsCoherent(terrain, segments))
		return false;
	Packet packet = {.terrain = terrain, .cast = casts, .sides = sides};
	float done = 0.0f;
	SetCasts(terrain, segments, sides, casts);
	Packet_Set(&packet);
	SetReach(&packet);
	bool all = WalkLayers(&packet, &done);
	for (int i = 0; i < PACKET_RAYS; i++) {
		const Ray *ray = casts[i].ray;
		double end = (ray->origin[packet.k] + ray->dir[packet.k] * casts[i].limit) * CELL;
		known[i] = all || (packet.up ? end < (double)done - 0.5 : end > (double)done + 0.5);
	}
	return true;
}

#endif
