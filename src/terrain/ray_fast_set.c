/* From two points to a ray, four numbers at a time: the same operations as GridPoint_From and Ray_Set, the same bits.
 */
#include "terrain/ray_fast_internal.h"

#if SCREE_X86

#define TOO_FAR 1e30 /* units: what reaches beyond is left to the plain form, and so is what is no number */

SIMD_FUNCTION static inline __m256d Magnitudes(__m256d v)
{
	return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v);
}

SIMD_FUNCTION bool Ray_SetFast(Ray *ray, const Terrain *terrain, Pos from, Pos to)
{
	static const uint8_t next[3] = {1, 2, 0};
	const __m256d three = _mm256_castsi256_pd(_mm256_setr_epi64x(-1, -1, -1, 0));
	const __m256d a = _mm256_setr_pd(from.x, from.y, from.z, 0.0), b = _mm256_setr_pd(to.x, to.y, to.z, 0.0);
	const double scale = terrain->cells_per_metre;
	__m256d cells = _mm256_mul_pd(a, _mm256_set1_pd(scale));
	__m256d delta = _mm256_mul_pd(_mm256_sub_pd(b, a), _mm256_set1_pd(scale * SURFACE_UNIT));
	__m256d size = Magnitudes(delta);
	__m128d most = _mm_max_pd(_mm256_castpd256_pd128(size), _mm256_extractf128_pd(size, 1));
	__m256d end = _mm256_broadcastsd_pd(_mm_max_sd(most, _mm_unpackhi_pd(most, most)));
	__m256d usual = _mm256_and_pd(_mm256_cmp_pd(Magnitudes(cells), _mm256_set1_pd(FAR_CELLS), _CMP_LE_OQ),
	                              _mm256_cmp_pd(size, _mm256_set1_pd(TOO_FAR), _CMP_LE_OQ));
	usual = _mm256_and_pd(usual, _mm256_cmp_pd(end, _mm256_setzero_pd(), _CMP_GT_OQ));
	if (_mm256_movemask_pd(usual) != 15)
		return false;
	const int k = __builtin_ctz((unsigned)_mm256_movemask_pd(_mm256_cmp_pd(size, end, _CMP_EQ_OQ)));
	const int u = next[k], v = next[u];
	const __m256d half = _mm256_set1_pd(0.5), block_size = _mm256_set1_pd(BLOCK_SIZE);
	__m256d block = _mm256_floor_pd(_mm256_mul_pd(_mm256_sub_pd(cells, half), _mm256_set1_pd(1.0 / BLOCK_SIZE)));
	__m256d at = _mm256_sub_pd(_mm256_sub_pd(cells, _mm256_mul_pd(block, block_size)), half);
	at = _mm256_and_pd(_mm256_mul_pd(at, _mm256_set1_pd(SURFACE_UNIT)), three);
	__m128i whole = _mm256_cvttpd_epi32(at);
	__m256d dir = _mm256_div_pd(delta, end), whole_at = _mm256_cvtepi32_pd(whole);
	__m256d flat = _mm256_cmp_pd(Magnitudes(dir), _mm256_set1_pd(FLAT_DIRECTION), _CMP_LT_OQ);
	__m256d inverse = _mm256_blendv_pd(_mm256_div_pd(_mm256_set1_pd(1.0), dir), _mm256_set1_pd(FLAT_INVERSE), flat);
	__m128i frame = _mm256_cvttpd_epi32(block);
	ray->frame = (Cell){_mm_cvtsi128_si32(frame), _mm_extract_epi32(frame, 1), _mm_extract_epi32(frame, 2)};
	_mm256_storeu_pd(ray->origin, at);
	_mm256_storeu_pd(ray->dir, dir);
	_mm256_storeu_pd(ray->inverse, _mm256_and_pd(inverse, three));
	_mm256_storeu_pd(ray->whole, whole_at);
	int falls = _mm256_movemask_pd(inverse);
	ray->step[0] = 1 - 2 * (falls & 1);
	ray->step[1] = 1 - (falls & 2);
	ray->step[2] = 1 - (falls >> 1 & 2);
	ray->end = _mm256_cvtsd_f64(end);
	ray->k = k;
	ray->u = u;
	ray->v = v;
	double slopes[4], rests[4];
	__m256d rest = _mm256_sub_pd(at, whole_at), slope = _mm256_mul_pd(dir, _mm256_set1_pd(ray->dir[k]));
	_mm256_storeu_pd(rests, rest);
	rest = _mm256_sub_pd(rest, _mm256_mul_pd(slope, _mm256_set1_pd(rests[k])));
	_mm256_storeu_pd(rests, rest);
	_mm256_storeu_pd(slopes, slope);
	ray->slope_u = slopes[u];
	ray->slope_v = slopes[v];
	ray->rest_u = rests[u];
	ray->rest_v = rests[v];
	return true;
}

#endif
