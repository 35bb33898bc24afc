/* The solver's kernels, four lanes at a time: what every 64-bit processor can do. */
#include "dynamics/wide_internal.h"

#if SCREE_X86
#include <emmintrin.h>
#endif

typedef float F __attribute__((vector_size(16)));
typedef int32_t M __attribute__((vector_size(16)));

#define WIDTH 4
#define KERNEL static inline __attribute__((always_inline))

KERNEL F F_Load(const float *from)
{
	F v;
	memcpy(&v, from, sizeof v);
	return v;
}
KERNEL void F_Store(float *to, F v)
{
	memcpy(to, &v, sizeof v);
}
KERNEL F F_Set(float v)
{
	return (F){v, v, v, v};
}
KERNEL M F_Greater(F a, F b)
{
	return a > b;
}
KERNEL bool F_Any(M m)
{
	return (m[0] | m[1] | m[2] | m[3]) != 0;
}
KERNEL F F_Pick(M m, F a, F b)
{
	return (F)((m & (M)a) | (~m & (M)b));
}
#if SCREE_X86
KERNEL F F_Max(F a, F b)
{
	return _mm_max_ps(a, b);
}
KERNEL F F_Min(F a, F b)
{
	return _mm_min_ps(a, b);
}
KERNEL F F_Sqrt(F a)
{
	return _mm_sqrt_ps(a);
}
#else
KERNEL F F_Max(F a, F b)
{
	return F_Pick(a > b, a, b);
}
KERNEL F F_Min(F a, F b)
{
	return F_Pick(a < b, a, b);
}
KERNEL F F_Sqrt(F a)
{
	return (F){Sqrt(a[0]), Sqrt(a[1]), Sqrt(a[2]), Sqrt(a[3])};
}
#endif

#include "dynamics/solve_kernel_internal.h"

#include "dynamics/joint_kernel_internal.h"
#include "dynamics/turn_kernel_internal.h"

/* Four rows of four floats to columns. */
KERNEL void LoadColumns(const float *p0, const float *p1, const float *p2, const float *p3, F column[4])
{
	F a = F_Load(p0), b = F_Load(p1), c = F_Load(p2), d = F_Load(p3);
	F ab_low = {a[0], b[0], a[1], b[1]}, ab_high = {a[2], b[2], a[3], b[3]};
	F cd_low = {c[0], d[0], c[1], d[1]}, cd_high = {c[2], d[2], c[3], d[3]};
	column[0] = (F){ab_low[0], ab_low[1], cd_low[0], cd_low[1]};
	column[1] = (F){ab_low[2], ab_low[3], cd_low[2], cd_low[3]};
	column[2] = (F){ab_high[0], ab_high[1], cd_high[0], cd_high[1]};
	column[3] = (F){ab_high[2], ab_high[3], cd_high[2], cd_high[3]};
}

KERNEL void Columns(const SolverBody *bodies, const int32_t *index, int field, F column[4])
{
	const float *from = (const float *)bodies + field;
	LoadColumns(from + index[0] * SOLVER_BODY_FLOATS, from + index[1] * SOLVER_BODY_FLOATS,
	            from + index[2] * SOLVER_BODY_FLOATS, from + index[3] * SOLVER_BODY_FLOATS, column);
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
	for (int i = 0; i < WIDTH; i++) {
		if (!(mask >> i & 1))
			continue;
		bodies[index[i]].velocity = V3(m->v.x[i], m->v.y[i], m->v.z[i]);
		bodies[index[i]].angular_velocity = V3(m->w.x[i], m->w.y[i], m->w.z[i]);
	}
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

KERNEL void Place_Load(const SolverBody *bodies, const int32_t *index, KPlace *p)
{
	F c[4][4];
	for (int i = 0; i < 4; i++)
		Columns(bodies, index, 8 + 4 * i, c[i]);
	*p = (KPlace){{c[0][0], c[0][1], c[0][2]},
	              c[0][3],
	              c[1][0],
	              c[1][1],
	              c[1][2],
	              {c[1][3], c[2][0], c[2][1]},
	              {c[2][2], c[2][3], c[3][0]},
	              {c[3][1], c[3][2], c[3][3]}};
}

static void Run(const SolverStep *step, Pass pass, WideContact *contacts, int count)
{
	RunAll(step, pass, contacts, count);
}

static void RunBalls(const SolverStep *step, JointPass pass, WideBall *balls, int count)
{
	RunAllBalls(step, pass, balls, count);
}

static void RunTurns(WideTurn *turn, bool tumbling, float h)
{
	RunTurn(turn, tumbling, h);
}

const SolverKernel solver_kernel_four = {Run, RunBalls, RunTurns};
