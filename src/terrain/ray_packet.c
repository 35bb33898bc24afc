/* Rays that start in one block and go the same way, up to sixteen of them, cast together: as those of a view do.
 * Reports the same bits as each of them would alone.
 *
 * The rays share their longest axis, k, and so pass the layers of blocks across k in the same order. In a layer they
 * lie within a box of the other two axes, whose ends are found at its two planes, since the outermost of several lines
 * is convex between them. Of each block that the box meets, the quads whose edges it can meet are taken from the words
 * of lattice edges, and each is tested in floats for all rays. What a ray meets or nearly meets goes to Packet_Meet,
 * which decides. So a quad that is looked at for nothing costs time and nothing else; and none is left out, since a
 * block's edges belong to its cubes -1..7 and it is visited when the box meets any of those. Where the box gets too
 * wide the rays go on in two halves.
 */
#include "terrain/ray_packet_internal.h"

#if SCREE_X86

#define PACKET_SLACK 0.01f   /* cells, around the box */
#define PACKET_WIDTH 8.0f    /* cells: rays further apart go on in halves, and then alone */
#define PACKET_EDGE 16384.0f /* as EDGE_SLACK in ray_fast_quads.c */

/* The box around the rays at two planes across k; cells, from the frame's corner. */
typedef struct PacketBox {
	float k0, k1;
	__m128 at0, at1; /* lowest u, lowest v, highest u, highest v */
} PacketBox;

/* ---- quads ---------------------------------------------------------------------------------------------------- */

SIMD_FUNCTION static inline __m256 SideOf(__m256 au, __m256 av, __m256 bu, __m256 bv)
{
	return _mm256_fmsub_ps(au, bv, _mm256_mul_ps(av, bu));
}

SIMD_FUNCTION static inline unsigned Above(__m256 value, float bound)
{
	return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(value, _mm256_set1_ps(bound), _CMP_GE_OQ));
}

typedef struct QuadBits {
	unsigned may[2], sure[2]; /* by triangle, a bit a ray */
} QuadBits;

/* One corner, x, y, z, as eight rays see it. */
SIMD_FUNCTION static inline void ToPlane(const Packet *packet, const PacketOwner *owner, int i, const float at[4],
                                         __m256 *u, __m256 *v)
{
	__m256 depth = _mm256_broadcast_ss(&at[packet->k]);
	*u = _mm256_fmadd_ps(packet->sign, _mm256_broadcast_ss(&at[packet->u]), owner->base_u[i]);
	*v = _mm256_add_ps(_mm256_broadcast_ss(&at[packet->v]), owner->base_v[i]);
	*u = _mm256_fnmadd_ps(packet->turned_u[i], depth, *u);
	*v = _mm256_fnmadd_ps(packet->lean_v[i], depth, *v);
}

/* The least of three numbers, or of their negatives when those are all above. */
SIMD_FUNCTION static inline __m256 Within(__m256 a, __m256 b, __m256 c, __m256 minus_c, bool sides)
{
	__m256 front = _mm256_min_ps(_mm256_min_ps(a, b), c);
	if (!sides)
		return front;
	__m256 behind = _mm256_xor_ps(_mm256_max_ps(a, b), _mm256_set1_ps(-0.0f));
	return _mm256_max_ps(front, _mm256_min_ps(behind, minus_c));
}

/* Eight rays; at: the corners. True: one of them may meet the quad. */
SIMD_FUNCTION static inline __attribute__((always_inline)) bool TestQuad(const Packet *packet, const PacketOwner *owner,
                                                                         int i, const float at[4][4], QuadBits *bits)
{
	__m256 u[4], v[4];
	ToPlane(packet, owner, i, at[0], &u[0], &v[0]);
	ToPlane(packet, owner, i, at[1], &u[1], &v[1]);
	ToPlane(packet, owner, i, at[2], &u[2], &v[2]);
	ToPlane(packet, owner, i, at[3], &u[3], &v[3]);
	__m256 e0 = SideOf(u[0], v[0], u[1], v[1]), e1 = SideOf(u[1], v[1], u[2], v[2]);
	__m256 e2 = SideOf(u[2], v[2], u[3], v[3]), e3 = SideOf(u[3], v[3], u[0], v[0]);
	__m256 right = SideOf(u[0], v[0], u[2], v[2]), left = _mm256_xor_ps(right, _mm256_set1_ps(-0.0f));
	/* How far within its edges the ray passes, or outside all of them. */
	__m256 first = Within(e0, e1, left, right, packet->sides), second = Within(e2, e3, right, left, packet->sides);
	if (__builtin_expect(Above(_mm256_max_ps(first, second), -PACKET_EDGE) == 0, 1))
		return false;
	bits->may[0] |= Above(first, -PACKET_EDGE) << 8 * i;
	bits->may[1] |= Above(second, -PACKET_EDGE) << 8 * i;
	bits->sure[0] |= Above(first, PACKET_EDGE) << 8 * i;
	bits->sure[1] |= Above(second, PACKET_EDGE) << 8 * i;
	return true;
}

SIMD_FUNCTION static inline void CornerFloats(const uint16_t *corner, float at[4])
{
	__m128i words = _mm_loadl_epi64((const __m128i *)corner);
	_mm_storeu_ps(at, _mm_cvtepi32_ps(_mm_cvtepu16_epi32(words)));
}

/* 1: some ray met it, 0, or -1: there is no room for hits. */
SIMD_FUNCTION static int MeetQuad(Packet *packet, const PacketOwner *owner, int quad)
{
	QuadCorners corner;
	float at[4][4];
	QuadBits bits = {{0, 0}, {0, 0}};
	Collider_Quad(owner->collider, quad, corner);
	CornerFloats(corner[0], at[0]);
	CornerFloats(corner[1], at[1]);
	CornerFloats(corner[2], at[2]);
	CornerFloats(corner[3], at[3]);
	bool may = TestQuad(packet, owner, packet->first, at, &bits), others = false;
	if (packet->vectors == 2)
		others = TestQuad(packet, owner, 1, at, &bits);
	if (__builtin_expect(!may && !others, 1))
		return 0;
	unsigned open = (bits.may[0] ^ bits.sure[0]) | (bits.may[1] ^ bits.sure[1]);
	return Packet_Meet(packet, owner, quad, bits.sure[0], bits.sure[1], open) ? 1 : -1;
}

/* ---- blocks --------------------------------------------------------------------------------------------------- */

/* Lattice edges to look at, as in Lattice: by axis and half of its rows. */
typedef struct EdgeMask {
	__m256i four[3][2];
} EdgeMask;

/* Adds the edges of the cubes lo..hi, each -1..7; those that lie in the block. */
SIMD_FUNCTION static inline void EdgeMask_Add(EdgeMask *mask, const int lo[3], const int hi[3])
{
	const int last = BLOCK_SIZE - 1, x0 = Int_Max(lo[0], 0), y0 = Int_Max(lo[1], 0), z0 = Int_Max(lo[2], 0);
	uint64_t x_beyond = Words_Columns(x0, Int_Min(hi[0] + 1, last));
	uint64_t z_beyond = Words_Rows(z0, Int_Min(hi[2] + 1, last));
	uint64_t along_x = hi[0] < 0 ? 0 : Words_Columns(x0, hi[0]) & z_beyond;
	uint64_t along_z = hi[2] < 0 ? 0 : Words_Rows(z0, hi[2]) & x_beyond;
	/* A byte a row, as Words_Rows has them. */
	uint64_t rows_beyond = Words_Rows(y0, Int_Min(hi[1] + 1, last)), rows = hi[1] < 0 ? 0 : Words_Rows(y0, hi[1]);
	__m256i x = _mm256_set1_epi64x((long long)along_x), z = _mm256_set1_epi64x((long long)along_z);
	__m256i y = _mm256_set1_epi64x((long long)(x_beyond & z_beyond));
	for (int i = 0; i < 2; i++) {
		__m256i beyond = _mm256_cvtepi8_epi64(_mm_cvtsi32_si128((int)(rows_beyond >> 32 * i)));
		__m256i within = _mm256_cvtepi8_epi64(_mm_cvtsi32_si128((int)(rows >> 32 * i)));
		mask->four[0][i] = _mm256_or_si256(mask->four[0][i], _mm256_and_si256(x, beyond));
		mask->four[1][i] = _mm256_or_si256(mask->four[1][i], _mm256_and_si256(y, within));
		mask->four[2][i] = _mm256_or_si256(mask->four[2][i], _mm256_and_si256(z, beyond));
	}
}

/* Those of the mask that have quads, by row. Returns the rows that have any. */
SIMD_FUNCTION static inline uint32_t EdgeMask_Quads(const EdgeMask *mask, const Lattice *lattice,
                                                    uint64_t found[3 * BLOCK_SIZE])
{
	const uint64_t *words = lattice->word[0];
	uint32_t none = 0;
	for (int i = 0; i < 6; i++) {
		__m256i four = _mm256_loadu_si256((const __m256i *)(const void *)(words + 4 * i));
		four = _mm256_and_si256(four, mask->four[i / 2][i % 2]);
		_mm256_storeu_si256((__m256i *)(void *)(found + 4 * i), four);
		__m256i zero = _mm256_cmpeq_epi64(four, _mm256_setzero_si256());
		none |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(zero)) << 4 * i;
	}
	return none ^ 0xffffff;
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

/* As SetBase in ray_fast_quads.c, for four rays. */
SIMD_FUNCTION static inline __m128 BaseOf(const double *at, const double *slope, __m256d shift, __m256d depth)
{
	__m256d base = _mm256_add_pd(_mm256_loadu_pd(at), shift);
	base = _mm256_add_pd(base, _mm256_mul_pd(_mm256_loadu_pd(slope), depth));
	return _mm256_cvtpd_ps(_mm256_mul_pd(base, _mm256_set1_pd(-SURFACE_UNIT)));
}

SIMD_FUNCTION static void SetBase(const Packet *packet, PacketOwner *owner, const float corner[3])
{
	const __m256d depth = _mm256_set1_pd((double)corner[packet->k] - 1.0);
	const __m256d u = _mm256_set1_pd(1.0 - (double)corner[packet->u]);
	const __m256d v = _mm256_set1_pd(1.0 - (double)corner[packet->v]);
	for (int i = packet->first; i < packet->first + packet->vectors; i++) {
		const double *at_u = packet->at_u + 8 * i, *slope_u = packet->slope_u + 8 * i;
		const double *at_v = packet->at_v + 8 * i, *slope_v = packet->slope_v + 8 * i;
		__m256 base_u = _mm256_set_m128(BaseOf(at_u + 4, slope_u + 4, u, depth), BaseOf(at_u, slope_u, u, depth));
		owner->base_u[i] = _mm256_mul_ps(base_u, packet->sign);
		owner->base_v[i] = _mm256_set_m128(BaseOf(at_v + 4, slope_v + 4, v, depth), BaseOf(at_v, slope_v, v, depth));
	}
}

/* How far the rays still have to go. */
SIMD_FUNCTION static void SetReach(Packet *packet)
{
	const double *origin = packet->origin[packet->k];
	double reach = packet->up ? -DBL_MAX : DBL_MAX;
	for (int i = 8 * packet->first; i < 8 * (packet->first + packet->vectors); i++) {
		double limit = MinD(packet->limit[i], packet->leaves[i]);
		reach = packet->up ? MaxD(reach, origin[i] + limit) : MinD(reach, origin[i] - limit);
	}
	packet->reach = (float)(reach * CELL);
}

/* False: a collider is not there, or there is no room for hits. */
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
	const __m256i zero = _mm256_setzero_si256();
	EdgeMask mask = {{{zero, zero}, {zero, zero}, {zero, zero}}};
	if (!MarkEdges(packet, record, box, corner, &mask))
		return true;
	if (!Cache_Ready(terrain, record, false))
		return false;
	PacketOwner owner;
	owner.collider = record->collider;
	owner.block = block;
	const Lattice *lattice = Collider_Lattice(owner.collider);
	uint64_t found[3 * BLOCK_SIZE];
	uint32_t rows = EdgeMask_Quads(&mask, lattice, found);
	if (rows == 0)
		return true;
	SetBase(packet, &owner, corner);
	int met = 0;
	for (; rows; rows &= rows - 1) {
		const int r = __builtin_ctz(rows), axis = r / BLOCK_SIZE, y = r % BLOCK_SIZE;
		const uint64_t word = lattice->word[axis][y];
		for (uint64_t left = found[r]; left; left &= left - 1) {
			int below = __builtin_popcountll(_bzhi_u64(word, (unsigned)__builtin_ctzll(left)));
			int result = MeetQuad(packet, &owner, lattice->rank[axis][y] + below);
			if (result < 0)
				return false;
			met |= result;
		}
	}
	if (met)
		SetReach(packet);
	return true;
}

/* ---- layers --------------------------------------------------------------------------------------------------- */

SIMD_FUNCTION static inline __m128 BoxAt(const Packet *packet, float k)
{
	__m256 at = _mm256_set1_ps(k);
	const int one = packet->first, two = packet->first + packet->vectors - 1;
	__m256 u = _mm256_fmadd_ps(packet->lean_u[one], at, packet->near_u[one]);
	__m256 v = _mm256_fmadd_ps(packet->lean_v[one], at, packet->near_v[one]);
	__m256 u2 = _mm256_fmadd_ps(packet->lean_u[two], at, packet->near_u[two]);
	__m256 v2 = _mm256_fmadd_ps(packet->lean_v[two], at, packet->near_v[two]);
	__m256 u_low = _mm256_min_ps(u, u2), u_high = _mm256_max_ps(u, u2);
	__m256 v_low = _mm256_min_ps(v, v2), v_high = _mm256_max_ps(v, v2);
	__m256 low = _mm256_min_ps(_mm256_unpacklo_ps(u_low, v_low), _mm256_unpackhi_ps(u_low, v_low));
	__m256 high = _mm256_max_ps(_mm256_unpacklo_ps(u_high, v_high), _mm256_unpackhi_ps(u_high, v_high));
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

/* Those of the part whose ends lie before a place along k are known. */
static void KnowUntil(Packet *packet, float k)
{
	const double *origin = packet->origin[packet->k];
	for (int i = 8 * packet->first; i < 8 * (packet->first + packet->vectors); i++) {
		double end = (packet->up ? origin[i] + packet->limit[i] : origin[i] - packet->limit[i]) * CELL;
		if (packet->up ? end < (double)k - 0.5 : end > (double)k + 0.5)
			packet->known |= 1u << i;
	}
}

static void KnowAll(Packet *packet)
{
	packet->known |= (packet->vectors == 2 ? 0xffffu : 0xffu) << 8 * packet->first;
}

/* The part of the packet from a layer of blocks on. False: they get too far apart, *layer tells where. */
SIMD_FUNCTION static bool WalkLayers(Packet *packet, int32_t *layer)
{
	const GroupGrid *grid = &packet->terrain->group_grid;
	const int k = packet->k;
	const int32_t frame = At(packet->frame, k), least = packet->least[k], most = packet->most[k];
	for (; packet->up ? *layer <= most : *layer >= least; *layer += packet->up ? 1 : -1) {
		const float corner = (float)(*layer - frame) * BLOCK_SIZE;
		PacketBox box = {.k0 = corner - 1.0f, .k1 = corner + BLOCK_SIZE};
		const float done = packet->up ? box.k0 : box.k1;
		if (packet->up ? packet->reach + PACKET_SLACK < box.k0 : packet->reach - PACKET_SLACK > box.k1)
			break;
		/* Not behind the block where they start. */
		if (packet->up)
			box.k0 = Max(box.k0, -0.5f);
		else
			box.k1 = Min(box.k1, BLOCK_SIZE + 0.5f);
		box.at0 = BoxAt(packet, box.k0);
		box.at1 = BoxAt(packet, box.k1);
		__m128 size = _mm_max_ps(_mm_sub_ps(_mm_movehl_ps(box.at0, box.at0), box.at0),
		                         _mm_sub_ps(_mm_movehl_ps(box.at1, box.at1), box.at1));
		if (_mm_movemask_ps(_mm_cmpgt_ps(size, _mm_set1_ps(PACKET_WIDTH))) & 3) {
			KnowUntil(packet, done);
			return false;
		}
		int lo[3], hi[3];
		BlocksOf(packet, &box, *layer, lo, hi);
		for (int y = lo[1]; y <= hi[1]; y++)
			for (int z = lo[2]; z <= hi[2]; z++)
				for (int x = lo[0]; x <= hi[0]; x++) {
					const Cell block = {x, y, z};
					size_t bit = GroupGrid_Bit(grid, block);
					if ((grid->bits[bit / 64] >> bit % 64 & 1) && !MeetBlock(packet, block, &box)) {
						KnowUntil(packet, done);
						return true;
					}
				}
	}
	KnowAll(packet);
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

static void Walk(Packet *packet)
{
	const int32_t frame = At(packet->frame, packet->k), least = packet->least[packet->k];
	const int32_t most = packet->most[packet->k];
	/* A block's edges belong to its cubes -1..7, so rays that fall may begin among those of the block above. */
	int32_t layer = packet->up ? Int_Max(frame, least) : Int_Min(frame + 1, most);
	packet->first = 0;
	packet->vectors = packet->count > 8 ? 2 : 1;
	SetReach(packet);
	if (WalkLayers(packet, &layer) || packet->vectors == 1)
		return;
	packet->vectors = 1;
	for (int half = 0; half < 2; half++) {
		int32_t from = layer;
		packet->first = half;
		SetReach(packet);
		WalkLayers(packet, &from);
	}
}

/* Two rays that start far apart go alone: seen before anything is worked out. */
static bool StartApart(const Terrain *terrain, const Pos *from)
{
	const double far = BLOCK_SIZE * terrain->cell_size;
	return !(AbsD(from[0].x - from[1].x) < far && AbsD(from[0].y - from[1].y) < far &&
	         AbsD(from[0].z - from[1].z) < far);
}

int Packet_Cast(Terrain *terrain, int count, const Pos *from, const Pos *to, TerrainRayOptions options,
                TerrainHit *hits, uint8_t *met)
{
	Packet packet;
	if (!terrain->group_grid.complete || terrain->narrowphase != NARROWPHASE_LATTICE || !(options.limit >= 0.0) ||
	    StartApart(terrain, from))
		return 0;
	packet.terrain = terrain;
	packet.from = from;
	packet.to = to;
	packet.options = options;
	int together = Packet_Set(&packet, count);
	if (together < PACKET_LEAST)
		return together;
	Walk(&packet);
	for (int i = 0; i < together; i++) {
		int result = packet.known >> i & 1 ? Packet_Tell(&packet, i, &hits[i])
		                                   : Terrain_Ray(terrain, from[i], to[i], options, &hits[i], NULL);
		if (result < 0)
			return ERROR_MEMORY;
		met[i] = result > 0;
	}
	return together;
}

#endif
