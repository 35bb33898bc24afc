/* Rays for a packet: from pairs of points, four at a time, with the same operations as Ray_SetFast: the same bits. */
#include "terrain/ray_packet_internal.h"

#if SCREE_X86

#define TOO_FAR 1e30 /* units, as in ray_fast_set.c */

SIMD_FUNCTION static inline __m256d Magnitudes(__m256d v)
{
	return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v);
}

/* A coordinate of four points: 0, 1, 2 for x, y, z. */
SIMD_FUNCTION static inline __m256d LoadFour(const Pos *points, const int place[4], int axis)
{
	const double *p = &points[0].x + axis;
	return _mm256_setr_pd(p[3 * place[0]], p[3 * place[1]], p[3 * place[2]], p[3 * place[3]]);
}

/* Four rays from `ray` on. Bits of those that may go with the first of all, whose frame, k and way `packet` has. */
SIMD_FUNCTION static unsigned SetFour(Packet *packet, int ray)
{
	const Terrain *terrain = packet->terrain;
	const double scale = terrain->cells_per_metre;
	const int last = packet->count - 1;
	const int place[4] = {Int_Min(ray, last), Int_Min(ray + 1, last), Int_Min(ray + 2, last), Int_Min(ray + 3, last)};
	const __m256d half = _mm256_set1_pd(0.5), block_size = _mm256_set1_pd(BLOCK_SIZE), zero = _mm256_setzero_pd();
	const __m256d to_units = _mm256_set1_pd(scale * SURFACE_UNIT);
	__m256d delta[3], size[3], block[3], fits = _mm256_cmp_pd(zero, zero, _CMP_EQ_OQ);
	for (int a = 0; a < 3; a++) {
		__m256d from = LoadFour(packet->from, place, a), to = LoadFour(packet->to, place, a);
		__m256d cells = _mm256_mul_pd(from, _mm256_set1_pd(scale));
		delta[a] = _mm256_mul_pd(_mm256_sub_pd(to, from), to_units);
		size[a] = Magnitudes(delta[a]);
		__m256d usual = _mm256_cmp_pd(Magnitudes(cells), _mm256_set1_pd(FAR_CELLS), _CMP_LE_OQ);
		fits = _mm256_and_pd(fits, _mm256_and_pd(usual, _mm256_cmp_pd(size[a], _mm256_set1_pd(TOO_FAR), _CMP_LE_OQ)));
		block[a] = _mm256_floor_pd(_mm256_mul_pd(_mm256_sub_pd(cells, half), _mm256_set1_pd(1.0 / BLOCK_SIZE)));
		__m256d at = _mm256_sub_pd(_mm256_sub_pd(cells, _mm256_mul_pd(block[a], block_size)), half);
		_mm256_storeu_pd(packet->origin[a] + ray, _mm256_mul_pd(at, _mm256_set1_pd(SURFACE_UNIT)));
	}
	__m256d length = _mm256_max_pd(_mm256_max_pd(size[0], size[2]), size[1]);
	fits = _mm256_and_pd(fits, _mm256_cmp_pd(length, zero, _CMP_GT_OQ));
	const double limit = MinD(packet->options.limit, 1.0);
	__m256d end = _mm256_mul_pd(length, _mm256_set1_pd(limit));
	fits = _mm256_and_pd(fits, _mm256_cmp_pd(end, _mm256_set1_pd(PACKET_CELLS * SURFACE_UNIT), _CMP_LE_OQ));
	unsigned ok = (unsigned)_mm256_movemask_pd(fits);
	for (int a = 0; a < 3; a++)
		_mm256_storeu_pd(packet->dir[a] + ray, _mm256_div_pd(delta[a], length));
	_mm256_storeu_pd(packet->length + ray, length);
	_mm256_storeu_pd(packet->end + ray, end);
	/* The first of the longest axes. */
	unsigned x = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(size[0], length, _CMP_EQ_OQ));
	unsigned y = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(size[1], length, _CMP_EQ_OQ));
	if (ray == 0) {
		if (!(ok & 1))
			return 0;
		packet->frame = (Cell){(int32_t)_mm256_cvtsd_f64(block[0]), (int32_t)_mm256_cvtsd_f64(block[1]),
		                       (int32_t)_mm256_cvtsd_f64(block[2])};
		packet->k = x & 1 ? 0 : y & 1 ? 1 : 2;
		packet->up = packet->dir[packet->k][0] > 0.0;
	}
	ok &= packet->k == 0 ? x : packet->k == 1 ? y & ~x : ~(x | y);
	unsigned falls = (unsigned)_mm256_movemask_pd(delta[packet->k]);
	ok &= packet->up ? ~falls : falls;
	for (int a = 0; a < 3; a++)
		ok &= (unsigned)_mm256_movemask_pd(
		    _mm256_cmp_pd(block[a], _mm256_set1_pd((double)At(packet->frame, a)), _CMP_EQ_OQ));
	return ok;
}

/* Where they are in floats, and where they end. */
SIMD_FUNCTION static void SetWays(Packet *packet)
{
	const int k = packet->k, u = packet->u, v = packet->v;
	const __m256d cell = _mm256_set1_pd(CELL);
	packet->left_all = 0;
	for (int i = 0; i < PACKET_RAYS; i += 4) {
		__m256d way = _mm256_loadu_pd(packet->dir[k] + i), depth = _mm256_loadu_pd(packet->origin[k] + i);
		__m256d slope_u = _mm256_mul_pd(_mm256_loadu_pd(packet->dir[u] + i), way);
		__m256d slope_v = _mm256_mul_pd(_mm256_loadu_pd(packet->dir[v] + i), way);
		__m256d at_u = _mm256_sub_pd(_mm256_loadu_pd(packet->origin[u] + i), _mm256_mul_pd(slope_u, depth));
		__m256d at_v = _mm256_sub_pd(_mm256_loadu_pd(packet->origin[v] + i), _mm256_mul_pd(slope_v, depth));
		_mm256_storeu_pd(packet->slope_u + i, slope_u);
		_mm256_storeu_pd(packet->slope_v + i, slope_v);
		_mm256_storeu_pd(packet->at_u + i, _mm256_mul_pd(at_u, cell));
		_mm256_storeu_pd(packet->at_v + i, _mm256_mul_pd(at_v, cell));
		/* Out of the box of all records: where, and is the end beyond? */
		__m256d leaves = _mm256_set1_pd(DBL_MAX), end = _mm256_loadu_pd(packet->end + i), out = _mm256_setzero_pd();
		for (int a = 0; a < 3; a++) {
			const double first = (double)packet->least[a] - At(packet->frame, a);
			const double last = (double)packet->most[a] - At(packet->frame, a);
			__m256d origin = _mm256_loadu_pd(packet->origin[a] + i), dir = _mm256_loadu_pd(packet->dir[a] + i);
			__m256d flat = _mm256_cmp_pd(Magnitudes(dir), _mm256_set1_pd(FLAT_DIRECTION), _CMP_LT_OQ);
			__m256d inverse =
			    _mm256_blendv_pd(_mm256_div_pd(_mm256_set1_pd(1.0), dir), _mm256_set1_pd(FLAT_INVERSE), flat);
			__m256d plane = _mm256_blendv_pd(_mm256_set1_pd((last + 1.0) * BLOCK_UNITS + WALK_SLACK),
			                                 _mm256_set1_pd(first * BLOCK_UNITS - WALK_SLACK), inverse);
			leaves = _mm256_min_pd(leaves, _mm256_mul_pd(_mm256_sub_pd(plane, origin), inverse));
			__m256d at =
			    _mm256_mul_pd(_mm256_add_pd(origin, _mm256_mul_pd(dir, end)), _mm256_set1_pd(1.0 / BLOCK_UNITS));
			out = _mm256_or_pd(out, _mm256_cmp_pd(at, _mm256_set1_pd(first - 0.5), _CMP_LT_OQ));
			out = _mm256_or_pd(out, _mm256_cmp_pd(at, _mm256_set1_pd(last + 1.5), _CMP_GT_OQ));
		}
		_mm256_storeu_pd(packet->leaves + i, leaves);
		_mm256_storeu_pd(packet->limit + i, end);
		_mm256_storeu_pd(packet->back + i, _mm256_set1_pd(DBL_MAX));
		packet->left_all |= (uint32_t)_mm256_movemask_pd(out) << i;
	}
}

SIMD_FUNCTION static inline __m256 Rounded(const double eight[8])
{
	__m128 low = _mm256_cvtpd_ps(_mm256_loadu_pd(eight)), high = _mm256_cvtpd_ps(_mm256_loadu_pd(eight + 4));
	return _mm256_set_m128(high, low);
}

SIMD_FUNCTION int Packet_Set(Packet *packet, int count)
{
	static const uint8_t next[3] = {1, 2, 0};
	const Terrain *terrain = packet->terrain;
	int together = 0;
	packet->count = count;
	for (int i = 0; i < PACKET_RAYS; i += 4) {
		unsigned ok = SetFour(packet, i);
		if (together == i)
			together += __builtin_ctz(~ok | 16);
		if (i == 0 && ok != 15)
			break;
	}
	together = Int_Min(together, count);
	if (together < PACKET_LEAST)
		return together;
	if (together < count) { /* copies of the last that fits */
		packet->count = together;
		for (int i = together & ~3; i < PACKET_RAYS; i += 4)
			SetFour(packet, i);
	}
	packet->u = next[packet->k];
	packet->v = next[packet->u];
	for (int a = 0; a < 3; a++) {
		packet->least[a] = At(terrain->lo, a);
		packet->most[a] = At(terrain->hi, a);
	}
	int u = At(packet->frame, packet->u), v = At(packet->frame, packet->v);
	packet->frame_uv = _mm_setr_epi32(u, v, u, v);
	packet->sides = packet->options.inside;
	packet->found = packet->unclear = packet->known = 0;
	packet->hit_count = 0;
	SetWays(packet);
	packet->sign = _mm256_set1_ps(packet->up ? -1.0f : 1.0f); /* see Cast_Quad */
	for (int i = 0; i < PACKET_VECTORS; i++) {
		packet->near_u[i] = Rounded(packet->at_u + 8 * i);
		packet->near_v[i] = Rounded(packet->at_v + 8 * i);
		packet->lean_u[i] = Rounded(packet->slope_u + 8 * i);
		packet->lean_v[i] = Rounded(packet->slope_v + 8 * i);
		packet->turned_u[i] = _mm256_mul_ps(packet->lean_u[i], packet->sign);
	}
	return together;
}

#endif
