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
KERNEL bool F_Any(M m)
{
	return _mm256_movemask_ps(m) != 0;
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

#include "dynamics/joint_kernel_internal.h"
#include "dynamics/turn_kernel_internal.h"

KERNEL F Row(const float *from, const int32_t *index, int i)
{
	return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + (ptrdiff_t)index[i] * SOLVER_BODY_FLOATS)),
	                            _mm_loadu_ps(from + (ptrdiff_t)index[i + 4] * SOLVER_BODY_FLOATS), 1);
}

/* Four floats of each of eight bodies, to columns. Written out, since a loop would go through memory. */
KERNEL void Columns(const SolverBody *bodies, const int32_t *index, int field, F *c0, F *c1, F *c2, F *c3)
{
	const float *from = (const float *)bodies + field;
	F row0 = Row(from, index, 0), row1 = Row(from, index, 1), row2 = Row(from, index, 2), row3 = Row(from, index, 3);
	F low01 = _mm256_unpacklo_ps(row0, row1), high01 = _mm256_unpackhi_ps(row0, row1);
	F low23 = _mm256_unpacklo_ps(row2, row3), high23 = _mm256_unpackhi_ps(row2, row3);
	*c0 = _mm256_shuffle_ps(low01, low23, 0x44);
	*c1 = _mm256_shuffle_ps(low01, low23, 0xEE);
	*c2 = _mm256_shuffle_ps(high01, high23, 0x44);
	*c3 = _mm256_shuffle_ps(high01, high23, 0xEE);
}

KERNEL void StoreRow(float *to, const int32_t *index, unsigned mask, int i, F row)
{
	if (mask >> i & 1)
		_mm_storeu_ps(to + (ptrdiff_t)index[i] * SOLVER_BODY_FLOATS, _mm256_castps256_ps128(row));
	if (mask >> (i + 4) & 1)
		_mm_storeu_ps(to + (ptrdiff_t)index[i + 4] * SOLVER_BODY_FLOATS, _mm256_extractf128_ps(row, 1));
}

/* The way back, for the bodies that may be written. */
KERNEL void Rows(SolverBody *bodies, const int32_t *index, unsigned mask, int field, F c0, F c1, F c2, F c3)
{
	float *to = (float *)bodies + field;
	F low01 = _mm256_unpacklo_ps(c0, c1), low23 = _mm256_unpacklo_ps(c2, c3);
	F high01 = _mm256_unpackhi_ps(c0, c1), high23 = _mm256_unpackhi_ps(c2, c3);
	StoreRow(to, index, mask, 0, _mm256_shuffle_ps(low01, low23, 0x44));
	StoreRow(to, index, mask, 1, _mm256_shuffle_ps(low01, low23, 0xEE));
	StoreRow(to, index, mask, 2, _mm256_shuffle_ps(high01, high23, 0x44));
	StoreRow(to, index, mask, 3, _mm256_shuffle_ps(high01, high23, 0xEE));
}

KERNEL void Motion_Load(const SolverBody *bodies, const int32_t *index, KMotion *m)
{
	Columns(bodies, index, 0, &m->v.x, &m->v.y, &m->v.z, &m->mass);
	Columns(bodies, index, 4, &m->w.x, &m->w.y, &m->w.z, &m->name);
}

KERNEL void Motion_Store(SolverBody *bodies, const int32_t *index, unsigned mask, const KMotion *m)
{
	Rows(bodies, index, mask, 0, m->v.x, m->v.y, m->v.z, m->mass);
	Rows(bodies, index, mask, 4, m->w.x, m->w.y, m->w.z, m->name);
}

KERNEL void Pose_Load(const SolverBody *bodies, const int32_t *index, KPose *p)
{
	F unused;
	Columns(bodies, index, 8, &p->shift.x, &p->shift.y, &p->shift.z, &p->qx);
	Columns(bodies, index, 12, &p->qy, &p->qz, &p->qw, &p->xx);
	Columns(bodies, index, 16, &p->xy, &p->xz, &unused, &p->yy);
	Columns(bodies, index, 20, &p->yz, &unused, &unused, &p->zz);
}

KERNEL void Place_Load(const SolverBody *bodies, const int32_t *index, KPlace *p)
{
	Columns(bodies, index, 8, &p->shift.x, &p->shift.y, &p->shift.z, &p->qx);
	Columns(bodies, index, 12, &p->qy, &p->qz, &p->qw, &p->cx.x);
	Columns(bodies, index, 16, &p->cx.y, &p->cx.z, &p->cy.x, &p->cy.y);
	Columns(bodies, index, 20, &p->cy.z, &p->cz.x, &p->cz.y, &p->cz.z);
}

SIMD_FUNCTION static void Run(const SolverStep *step, Pass pass, WideContact *contacts, int count)
{
	RunAll(step, pass, contacts, count);
}

SIMD_FUNCTION static void RunBalls(const SolverStep *step, JointPass pass, WideBall *balls, int count)
{
	RunAllBalls(step, pass, balls, count);
}

SIMD_FUNCTION static void RunTurns(WideTurn *turn, bool tumbling, float h)
{
	RunTurn(turn, tumbling, h);
}

const SolverKernel solver_kernel_eight = {Run, RunBalls, RunTurns};

#endif
