/* The solver's kernels, eight lanes at a time (AVX2). */
#include "dynamics/wide_internal.h"

#if SCREE_X86

#include <immintrin.h>

#define F __m256
#define M __m256
#define WIDTH 8
#define KERNEL SIMD_FUNCTION static inline __attribute__((always_inline))

KERNEL F F_Load(const float *from)
{
	return _mm256_loadu_ps(from);
}
KERNEL void F_Store(float *to, F v)
{
	_mm256_storeu_ps(to, v);
}
KERNEL F F_Set(float v)
{
	return _mm256_set1_ps(v);
}
KERNEL M F_Greater(F a, F b)
{
	return _mm256_cmp_ps(a, b, _CMP_GT_OQ);
}
KERNEL F F_Pick(M m, F a, F b)
{
	return _mm256_blendv_ps(b, a, m);
}
KERNEL F F_Max(F a, F b)
{
	return _mm256_max_ps(a, b);
}
KERNEL F F_Min(F a, F b)
{
	return _mm256_min_ps(a, b);
}
KERNEL F F_Sqrt(F a)
{
	return _mm256_sqrt_ps(a);
}

#include "dynamics/solve_kernel_internal.h"

/* Four floats of each of eight bodies, to columns. */
KERNEL void Columns(const SolverBody *bodies, const int32_t *index, int field, F column[4])
{
	const float *from = (const float *)bodies + field;
	F row[4];
	for (int i = 0; i < 4; i++)
		row[i] =
		    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + (ptrdiff_t)index[i] * SOLVER_BODY_FLOATS)),
		                         _mm_loadu_ps(from + (ptrdiff_t)index[i + 4] * SOLVER_BODY_FLOATS), 1);
	F low01 = _mm256_unpacklo_ps(row[0], row[1]), high01 = _mm256_unpackhi_ps(row[0], row[1]);
	F low23 = _mm256_unpacklo_ps(row[2], row[3]), high23 = _mm256_unpackhi_ps(row[2], row[3]);
	column[0] = _mm256_shuffle_ps(low01, low23, 0x44);
	column[1] = _mm256_shuffle_ps(low01, low23, 0xEE);
	column[2] = _mm256_shuffle_ps(high01, high23, 0x44);
	column[3] = _mm256_shuffle_ps(high01, high23, 0xEE);
}

/* The way back, for the bodies that may be written. */
KERNEL void Rows(SolverBody *bodies, const int32_t *index, unsigned mask, int field, const F column[4])
{
	float *to = (float *)bodies + field;
	F low01 = _mm256_unpacklo_ps(column[0], column[1]), low23 = _mm256_unpacklo_ps(column[2], column[3]);
	F high01 = _mm256_unpackhi_ps(column[0], column[1]), high23 = _mm256_unpackhi_ps(column[2], column[3]);
	F row[4] = {_mm256_shuffle_ps(low01, low23, 0x44), _mm256_shuffle_ps(low01, low23, 0xEE),
	            _mm256_shuffle_ps(high01, high23, 0x44), _mm256_shuffle_ps(high01, high23, 0xEE)};
	for (int i = 0; i < 4; i++) {
		if (mask >> i & 1)
			_mm_storeu_ps(to + (ptrdiff_t)index[i] * SOLVER_BODY_FLOATS, _mm256_castps256_ps128(row[i]));
		if (mask >> (i + 4) & 1)
			_mm_storeu_ps(to + (ptrdiff_t)index[i + 4] * SOLVER_BODY_FLOATS, _mm256_extractf128_ps(row[i], 1));
	}
}

KERNEL void Motion_Load(const SolverBody *bodies, const int32_t *index, KMotion *m)
{
	F linear[4], angular[4];
	Columns(bodies, index, 0, linear);
	Columns(bodies, index, 4, angular);
	*m = (KMotion){{linear[0], linear[1], linear[2]}, {angular[0], angular[1], angular[2]}, linear[3], angular[3]};
}

KERNEL void Motion_Store(SolverBody *bodies, const int32_t *index, unsigned mask, const KMotion *m)
{
	F linear[4] = {m->v.x, m->v.y, m->v.z, m->mass}, angular[4] = {m->w.x, m->w.y, m->w.z, m->name};
	Rows(bodies, index, mask, 0, linear);
	Rows(bodies, index, mask, 4, angular);
}

KERNEL void Pose_Load(const SolverBody *bodies, const int32_t *index, KPose *p)
{
	F c[4][4];
	for (int i = 0; i < 4; i++)
		Columns(bodies, index, 8 + 4 * i, c[i]);
	*p = (KPose){{c[0][0], c[0][1], c[0][2]},
	             c[0][3],
	             c[1][0],
	             c[1][1],
	             c[1][2],
	             c[1][3],
	             c[2][0],
	             c[2][1],
	             c[2][3],
	             c[3][0],
	             c[3][3]};
}

SIMD_FUNCTION static void Run(const SolverStep *step, Pass pass, WideContact *contacts, int count)
{
	RunContacts(step, pass, contacts, count);
}

const SolverKernel solver_kernel_eight = {Run};

#endif
