/* The solver's arithmetic, written once and compiled for one, four and eight lanes: the file that includes this defines
 *
 *   F, WIDTH           a vector of WIDTH floats, with the operators of C
 *   M                  what comparing two of them gives
 *   KERNEL             how its functions are declared (always inline)
 *   F_Load F_Store F_Set F_Greater F_Any F_Pick F_Max F_Min F_Sqrt
 *
 * and, after it, Motion_Load, Motion_Store, Pose_Load of WIDTH bodies that are named by their numbers.
 *
 * Every operation on a lane is the same in all forms and in the same order, so the bits are, too. No reciprocals or
 * roots but the exact ones. A lane without a constraint has masses of 0, which makes all of its impulses 0. */
#include "dynamics/solver_internal.h"

#define UNROLL _Pragma("GCC unroll 4")

typedef struct V {
	F x, y, z;
} V;

/* Velocity of a body. */
typedef struct KMotion {
	V v, w;
	F mass; /* inverse */
	F name; /* the bits beside it, which go back as they were */
} KMotion;

/* What else is known of it: its motion since the start of the step, and the inverse of its inertia. */
typedef struct KPose {
	V shift;
	F qx, qy, qz, qw;
	F xx, xy, xz, yy, yz, zz;
} KPose;

KERNEL void Motion_Load(const SolverBody *bodies, const int32_t *index, KMotion *m);
KERNEL void Motion_Store(SolverBody *bodies, const int32_t *index, unsigned mask, const KMotion *m);
KERNEL void Pose_Load(const SolverBody *bodies, const int32_t *index, KPose *p);

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

KERNEL V V_Load(const Lanes3 *from, int lane)
{
	return (V){F_Load(from->x + lane), F_Load(from->y + lane), F_Load(from->z + lane)};
}
KERNEL V V_Add(V a, V b)
{
	return (V){a.x + b.x, a.y + b.y, a.z + b.z};
}
KERNEL V V_Sub(V a, V b)
{
	return (V){a.x - b.x, a.y - b.y, a.z - b.z};
}
KERNEL V V_Scale(F s, V a)
{
	return (V){s * a.x, s * a.y, s * a.z};
}
KERNEL V V_MulAdd(V a, F s, V b)
{
	return (V){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
KERNEL F V_Dot(V a, V b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}
KERNEL V V_Cross(V a, V b)
{
	return (V){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
KERNEL V V_Spin(const KPose *p, V t)
{
	return (V){p->xx * t.x + p->xy * t.y + p->xz * t.z, p->xy * t.x + p->yy * t.y + p->yz * t.z,
	           p->xz * t.x + p->yz * t.y + p->zz * t.z};
}
/* By how much turning the body back changes the vector. */
KERNEL V V_TurnedBack(const KPose *p, V n)
{
	V u = {-p->qx, -p->qy, -p->qz};
	V t = V_Cross(u, n);
	t = V_Add(t, t);
	return V_Add(V_Scale(p->qw, t), V_Cross(u, t));
}

/* ---- one group --------------------------------------------------------------------------------------------------- */

typedef struct KPair {
	KMotion a, b;
	KPose pose_a, pose_b;
	V normal, tangent1, tangent2;
	V between, half, half_a;
} KPair;

/* Two bodies that move past each other must still be pushed at one point of the world, or their impulses would make up
 * a torque out of nothing: both arms go half the way. Against an immovable side the arm stays with the body, and what
 * that side's turning does there is looked at where the body is now: else a turntable would throw off what lies on it.
 * After a step so long that they have left each other no point is common. */
KERNEL void LoadPair(const SolverStep *step, const WideContact *c, int lane, KPair *p)
{
	Motion_Load(step->bodies, c->a + lane, &p->a);
	Motion_Load(step->bodies, c->b + lane, &p->b);
	Pose_Load(step->bodies, c->a + lane, &p->pose_a);
	Pose_Load(step->bodies, c->b + lane, &p->pose_b);
	p->normal = V_Load(&c->normal, lane);
	p->tangent1 = V_Load(&c->tangent, lane);
	p->tangent2 = V_Cross(p->normal, p->tangent1);
	p->between = V_Load(&c->between, lane);
	V arm_b = V_Load(&c->friction_arm, lane), arm_a = V_Sub(arm_b, p->between);
	V half = V_Scale(F_Set(0.5f), V_Sub(p->pose_b.shift, p->pose_a.shift));
	F zero = F_Set(0.0f), reach = V_Dot(arm_a, arm_a) + V_Dot(arm_b, arm_b);
	F share = F_Pick(F_Greater(V_Dot(half, half), reach), zero, F_Load(c->meets + lane));
	M both_move = F_Greater(p->a.mass * p->b.mass, zero);
	p->half = V_Scale(F_Pick(both_move, share, zero), half);
	p->half_a = V_Scale(F_Pick(both_move, share, share + share), half);
}

KERNEL void StorePair(const SolverStep *step, const WideContact *c, int lane, const KPair *p)
{
	Motion_Store(step->bodies, c->a + lane, c->move_a >> lane, &p->a);
	Motion_Store(step->bodies, c->b + lane, c->move_b >> lane, &p->b);
}

/* An impulse at the common point `arm` (from B's centre at the start of the step), and a twist beside it. */
KERNEL void Push(KPair *p, V arm, V impulse, V twist)
{
	V arm_b = V_Sub(arm, p->half), arm_a = V_Add(V_Sub(arm, p->between), p->half_a);
	V spin_a = V_Spin(&p->pose_a, V_Add(V_Cross(arm_a, impulse), twist));
	V spin_b = V_Spin(&p->pose_b, V_Add(V_Cross(arm_b, impulse), twist));
	p->a.v = V_Sub(p->a.v, V_Scale(p->a.mass, impulse));
	p->b.v = V_Add(p->b.v, V_Scale(p->b.mass, impulse));
	p->a.w = V_Sub(p->a.w, spin_a);
	p->b.w = V_Add(p->b.w, spin_b);
}

KERNEL void Twist(KPair *p, V twist)
{
	p->a.w = V_Sub(p->a.w, V_Spin(&p->pose_a, twist));
	p->b.w = V_Add(p->b.w, V_Spin(&p->pose_b, twist));
}

/* Sum over the points of impulse times arm: one impulse along the normal at that place does what they do. */
KERNEL void PushNormal(KPair *p, F sum, V arms)
{
	V moment = V_Cross(arms, p->normal);
	V half = V_Cross(p->half, p->normal), between = V_Cross(V_Sub(p->between, p->half_a), p->normal);
	V spin_a = V_Spin(&p->pose_a, V_Sub(moment, V_Scale(sum, between)));
	V spin_b = V_Spin(&p->pose_b, V_Sub(moment, V_Scale(sum, half)));
	p->a.v = V_Sub(p->a.v, V_Scale(p->a.mass * sum, p->normal));
	p->b.v = V_Add(p->b.v, V_Scale(p->b.mass * sum, p->normal));
	p->a.w = V_Sub(p->a.w, spin_a);
	p->b.w = V_Add(p->b.w, spin_b);
}

KERNEL void WarmStart(const SolverStep *step, const WideContact *c, int lane, int points)
{
	KPair p;
	LoadPair(step, c, lane, &p);
	F sum = F_Set(0.0f);
	V arms = {sum, sum, sum};
	UNROLL
	for (int k = 0; k < points; k++) {
		F impulse = F_Load(c->point[k].impulse + lane);
		sum = sum + impulse;
		arms = V_MulAdd(arms, impulse, V_Load(&c->point[k].arm, lane));
	}
	PushNormal(&p, sum, arms);
	V friction = V_MulAdd(V_Scale(F_Load(c->tangent_impulse[0] + lane), p.tangent1),
	                      F_Load(c->tangent_impulse[1] + lane), p.tangent2);
	V twist = V_Scale(F_Load(c->twist_impulse + lane), p.normal);
	if (c->rolling)
		twist = V_Add(twist, V_Load(&c->rolling->impulse, lane));
	Push(&p, V_Load(&c->friction_arm, lane), friction, twist);
	StorePair(step, c, lane, &p);
}

KERNEL void SolveRolling(WideRolling *r, int lane, F load, KPair *p)
{
	V w = V_Sub(p->b.w, p->a.w), old = V_Load(&r->impulse, lane);
	F xx = F_Load(r->mass[0] + lane), xy = F_Load(r->mass[1] + lane), xz = F_Load(r->mass[2] + lane);
	F yy = F_Load(r->mass[3] + lane), yz = F_Load(r->mass[4] + lane), zz = F_Load(r->mass[5] + lane);
	V impulse =
	    V_Sub(old, (V){xx * w.x + xy * w.y + xz * w.z, xy * w.x + yy * w.y + yz * w.z, xz * w.x + yz * w.y + zz * w.z});
	F limit = F_Load(r->limit + lane) * load, length = F_Sqrt(V_Dot(impulse, impulse));
	F scale = F_Pick(F_Greater(length, limit), limit / F_Max(length, F_Set(FLT_MIN)), F_Set(1.0f));
	impulse = V_Scale(scale, impulse);
	F_Store(r->impulse.x + lane, impulse.x);
	F_Store(r->impulse.y + lane, impulse.y);
	F_Store(r->impulse.z + lane, impulse.z);
	Twist(p, V_Sub(impulse, old));
}

KERNEL void SolveFriction(WideContact *c, int lane, int points, KPair *p)
{
	F load = F_Set(0.0f), lever = load;
	UNROLL
	for (int k = 0; k < points; k++) {
		F impulse = F_Load(c->point[k].impulse + lane);
		load = load + impulse;
		lever = lever + F_Load(c->point[k].lever + lane) * impulse;
	}
	F friction = F_Load(c->friction + lane);
	if (c->rolling)
		SolveRolling(c->rolling, lane, load, p);
	/* about the normal */
	F twist = F_Load(c->twist_impulse + lane), most = friction * lever;
	F after = twist - F_Load(c->twist_mass + lane) * V_Dot(p->normal, V_Sub(p->b.w, p->a.w));
	after = F_Max(F_Min(after, most), -most);
	F_Store(c->twist_impulse + lane, after);
	Twist(p, V_Scale(after - twist, p->normal));
	/* along the tangents */
	V arm = V_Load(&c->friction_arm, lane);
	V arm_b = V_Sub(arm, p->half), arm_a = V_Add(V_Sub(arm, p->between), p->half_a);
	V velocity = V_Sub(V_Add(p->b.v, V_Cross(p->b.w, arm_b)), V_Add(p->a.v, V_Cross(p->a.w, arm_a)));
	F v1 = V_Dot(velocity, p->tangent1), v2 = V_Dot(velocity, p->tangent2);
	F m11 = F_Load(c->tangent_mass[0] + lane), m12 = F_Load(c->tangent_mass[1] + lane);
	F m22 = F_Load(c->tangent_mass[2] + lane);
	F old1 = F_Load(c->tangent_impulse[0] + lane), old2 = F_Load(c->tangent_impulse[1] + lane);
	F x = old1 - (m11 * v1 + m12 * v2), y = old2 - (m12 * v1 + m22 * v2);
	F limit = friction * load, length = F_Sqrt(x * x + y * y);
	F scale = F_Pick(F_Greater(length, limit), limit / F_Max(length, F_Set(FLT_MIN)), F_Set(1.0f));
	x = scale * x;
	y = scale * y;
	F_Store(c->tangent_impulse[0] + lane, x);
	F_Store(c->tangent_impulse[1] + lane, y);
	F zero = F_Set(0.0f);
	Push(p, arm, V_MulAdd(V_Scale(x - old1, p->tangent1), y - old2, p->tangent2), (V){zero, zero, zero});
}

/* What a point wants: its speed along the normal, the speed it should have, its masses. */
typedef struct KPoint {
	F separation, speed, bias, mass, soft, impulse, change;
} KPoint;

KERNEL void LoadPoints(const SolverStep *step, const WideContact *c, int lane, int points, const KPair *p,
                       bool push_out, KPoint point[MANIFOLD_POINTS])
{
	/* Separation now: the core of a round shape turns with its body, its surface stays the radius away along the
	 * normal. Turning the normal back is the same as turning all arms. */
	V back_a = V_TurnedBack(&p->pose_a, p->normal), back_b = V_TurnedBack(&p->pose_b, p->normal);
	V turned = V_Sub(back_b, back_a);
	F moved = V_Dot(V_Sub(p->pose_b.shift, p->pose_a.shift), p->normal) + V_Dot(p->between, back_a) +
	          F_Load(c->radius_a + lane) * V_Dot(back_a, p->normal) +
	          F_Load(c->radius_b + lane) * V_Dot(back_b, p->normal) + F_Load(c->lift + lane);
	/* Speed of a point: of the centres, and its arm in the spins. */
	V spin = V_Cross(p->normal, V_Sub(p->b.w, p->a.w));
	V half = V_Cross(p->half, p->normal), between = V_Cross(V_Sub(p->between, p->half_a), p->normal);
	F speed = V_Dot(V_Sub(p->b.v, p->a.v), p->normal) - V_Dot(p->b.w, half) + V_Dot(p->a.w, between);
	F zero = F_Set(0.0f), one = F_Set(1.0f), inverse_h = F_Set(step->inverse_h);
	F rate = F_Load(c->bias_rate + lane), most = -F_Load(c->push_out + lane);
	F mass_scale = F_Load(c->mass_scale + lane), impulse_scale = F_Load(c->impulse_scale + lane);
	UNROLL
	for (int k = 0; k < points; k++) {
		const WidePoint *from = &c->point[k];
		V arm = V_Load(&from->arm, lane);
		F s = F_Load(from->separation + lane) + V_Dot(arm, turned) + moved;
		M apart = F_Greater(s, zero); /* may close the gap in this substep, no more */
		point[k].separation = s;
		point[k].speed = speed + V_Dot(arm, spin);
		point[k].impulse = F_Load(from->impulse + lane);
		point[k].bias = F_Pick(apart, s * inverse_h, push_out ? F_Max(rate * s, most) : zero);
		point[k].mass = F_Load(from->mass + lane);
		point[k].soft = zero;
		if (push_out) {
			point[k].mass = point[k].mass * F_Pick(apart, one, mass_scale);
			point[k].soft = F_Pick(apart, zero, impulse_scale);
		}
		point[k].change = zero;
	}
}

/* Which entry of the couplings is for points k < l. */
#define COUPLING(k, l) ((k) == 0 ? (l)-1 : (k) + (l))

/* An impulse at one point and the speeds that it gives the others. */
KERNEL F SolvePoint(KPoint *q)
{
	F impulse = q->impulse - (q->mass * (q->speed + q->bias) + q->soft * q->impulse);
	impulse = F_Max(impulse, F_Set(0.0f));
	F change = impulse - q->impulse;
	q->impulse = impulse;
	q->change = q->change + change;
	return change;
}

KERNEL void SolveOnce(const WideContact *c, int lane, int points, KPoint point[MANIFOLD_POINTS])
{
	UNROLL
	for (int k = 0; k < points; k++) {
		F change = SolvePoint(&point[k]);
		UNROLL
		for (int l = k + 1; l < points; l++)
			point[l].speed = point[l].speed + F_Load(c->coupling[COUPLING(k, l)] + lane) * change;
	}
}

/* Points of a hard landing against each other, until they agree; lanes that land softly have one round. */
KERNEL void SolveRounds(const WideContact *c, int lane, KPoint point[MANIFOLD_POINTS])
{
	F rounds = F_Load(c->rounds_of + lane), zero = F_Set(0.0f);
	for (int i = 0; i < c->rounds; i++) {
		M runs = F_Greater(rounds, F_Set((float)i));
		F most = zero, sum_all = zero;
		for (int k = 0; k < c->points; k++) {
			F mass = F_Load(c->point[k].mass + lane);
			F own = F_Pick(F_Greater(mass, zero), F_Set(1.0f) / F_Max(mass, F_Set(FLT_MIN)), zero);
			F before = point[k].impulse, sum = point[k].change;
			F change = SolvePoint(&point[k]);
			change = F_Pick(runs, change, zero);
			point[k].impulse = F_Pick(runs, point[k].impulse, before);
			point[k].change = sum + change;
			for (int l = 0; l < c->points; l++) {
				F coupling = l == k ? own : F_Load(c->coupling[l > k ? COUPLING(k, l) : COUPLING(l, k)] + lane);
				point[l].speed = point[l].speed + coupling * change;
			}
			most = F_Max(most, F_Max(change, zero - change));
			sum_all = sum_all + point[k].impulse;
		}
		/* a lane in which little changed is done */
		rounds = F_Pick(F_Greater(most, F_Set(LANDING_ACCURACY) * sum_all), rounds, zero);
		if (!F_Any(F_Greater(rounds, F_Set((float)(i + 1)))))
			break;
	}
}

KERNEL void SolveNormal(const SolverStep *step, WideContact *c, int lane, int points, KPair *p, bool push_out,
                        KPoint point[MANIFOLD_POINTS])
{
	LoadPoints(step, c, lane, points, p, push_out, point);
	if (c->rounds > 1)
		SolveRounds(c, lane, point);
	else
		SolveOnce(c, lane, points, point);
	F sum = F_Set(0.0f);
	V arms = {sum, sum, sum};
	UNROLL
	for (int k = 0; k < points; k++) {
		WidePoint *to = &c->point[k];
		sum = sum + point[k].change;
		arms = V_MulAdd(arms, point[k].change, V_Load(&to->arm, lane));
		F_Store(to->impulse + lane, point[k].impulse);
		if (!push_out)
			F_Store(to->total + lane, F_Load(to->total + lane) + point[k].impulse);
	}
	PushNormal(p, sum, arms);
}

KERNEL void Solve(const SolverStep *step, WideContact *c, int lane, int points, bool push_out)
{
	KPair p;
	KPoint point[MANIFOLD_POINTS];
	LoadPair(step, c, lane, &p);
	SolveFriction(c, lane, points, &p);
	SolveNormal(step, c, lane, points, &p, push_out, point);
	StorePair(step, c, lane, &p);
}

/* ---- the ends of the step ---------------------------------------------------------------------------------------- */

/* Turning that an impulse along a direction gives, of both sides. */
typedef struct KLever {
	V a, b;           /* cross(arm, direction) */
	V spin_a, spin_b; /* inverse inertia of that */
} KLever;

KERNEL KLever Lever_Of(const KPair *p, V arm, V direction)
{
	V a = V_Cross(V_Sub(arm, p->between), direction), b = V_Cross(arm, direction);
	return (KLever){a, b, V_Spin(&p->pose_a, a), V_Spin(&p->pose_b, b)};
}

/* Speed along one lever's direction from a unit impulse along the other's, turning only. */
KERNEL F Lever_Coupling(const KLever *x, const KLever *y)
{
	return V_Dot(x->a, y->spin_a) + V_Dot(x->b, y->spin_b);
}

KERNEL F InverseOrZero(F v)
{
	return F_Pick(F_Greater(v, F_Set(0.0f)), F_Set(1.0f) / F_Max(v, F_Set(FLT_MIN)), F_Set(0.0f));
}

KERNEL void V_Store(Lanes3 *to, int lane, V v)
{
	F_Store(to->x + lane, v.x);
	F_Store(to->y + lane, v.y);
	F_Store(to->z + lane, v.z);
}

/* Some unit vector at right angles to the normal. */
KERNEL V Across(V n)
{
	F zero = F_Set(0.0f), size = F_Max(n.x, zero - n.x);
	M flat = F_Greater(size, F_Set(0.57735f));
	V p = {F_Pick(flat, n.y, zero), F_Pick(flat, zero - n.x, n.z), F_Pick(flat, zero, zero - n.y)};
	return V_Scale(F_Set(1.0f) / F_Max(F_Sqrt(V_Dot(p, p)), F_Set(FLT_MIN)), p);
}

KERNEL void PreparePoints(WideContact *c, int lane, const KPair *p)
{
	KLever lever[MANIFOLD_POINTS];
	F zero = F_Set(0.0f), mass = p->a.mass + p->b.mass, count = F_Load(c->count + lane);
	for (int k = 0; k < c->points; k++) {
		V arm = V_Load(&c->point[k].arm, lane);
		lever[k] = Lever_Of(p, arm, p->normal);
		F inverse = InverseOrZero(mass + Lever_Coupling(&lever[k], &lever[k]));
		F_Store(c->point[k].mass + lane, F_Pick(F_Greater(count, F_Set((float)k)), inverse, zero));
		F speed = V_Dot(V_Sub(p->b.v, p->a.v), p->normal) + V_Dot(p->b.w, lever[k].b) - V_Dot(p->a.w, lever[k].a);
		F_Store(c->approach[k] + lane, speed);
		for (int l = 0; l < k; l++)
			F_Store(c->coupling[COUPLING(l, k)] + lane, mass + Lever_Coupling(&lever[l], &lever[k]));
	}
}

/* The centre of friction, from the centre of B: the middle of the points that touch, or of all when none does yet. */
KERNEL V FrictionArm(const WideContact *c, int lane)
{
	F zero = F_Set(0.0f), one = F_Set(1.0f), slop = F_Set(SLOP), count = F_Load(c->count + lane);
	F touching = zero, all = zero;
	V sum = {zero, zero, zero}, sum_all = sum;
	for (int k = 0; k < c->points; k++) {
		F there = F_Pick(F_Greater(count, F_Set((float)k)), one, zero);
		F touches = F_Pick(F_Greater(F_Load(c->point[k].separation + lane), slop), zero, there);
		V arm = V_Load(&c->point[k].arm, lane);
		sum = V_MulAdd(sum, touches, arm);
		sum_all = V_MulAdd(sum_all, there, arm);
		touching = touching + touches;
		all = all + there;
	}
	M any = F_Greater(touching, zero);
	F share = one / F_Max(F_Pick(any, touching, all), one);
	return V_Scale(share,
	               (V){F_Pick(any, sum.x, sum_all.x), F_Pick(any, sum.y, sum_all.y), F_Pick(any, sum.z, sum_all.z)});
}

KERNEL void PrepareFriction(WideContact *c, int lane, KPair *p)
{
	V arm = FrictionArm(c, lane), tangent1 = Across(p->normal), tangent2 = V_Cross(p->normal, tangent1);
	KLever x = Lever_Of(p, arm, tangent1), y = Lever_Of(p, arm, tangent2);
	F mass = p->a.mass + p->b.mass;
	F k11 = mass + Lever_Coupling(&x, &x), k22 = mass + Lever_Coupling(&y, &y), k12 = Lever_Coupling(&x, &y);
	F inverse = InverseOrZero(k11 * k22 - k12 * k12);
	V_Store(&c->tangent, lane, tangent1);
	V_Store(&c->friction_arm, lane, arm);
	F_Store(c->tangent_mass[0] + lane, inverse * k22);
	F_Store(c->tangent_mass[1] + lane, F_Set(0.0f) - inverse * k12);
	F_Store(c->tangent_mass[2] + lane, inverse * k11);
	V old = V_Load(&c->friction_impulse, lane);
	F_Store(c->tangent_impulse[0] + lane, V_Dot(old, tangent1));
	F_Store(c->tangent_impulse[1] + lane, V_Dot(old, tangent2));
	F twist = V_Dot(p->normal, V_Spin(&p->pose_a, p->normal)) + V_Dot(p->normal, V_Spin(&p->pose_b, p->normal));
	F_Store(c->twist_mass + lane, InverseOrZero(twist));
	for (int k = 0; k < c->points; k++) {
		V away = V_Sub(V_Load(&c->point[k].arm, lane), arm);
		F_Store(c->point[k].lever + lane, F_Sqrt(V_Dot(away, away)));
	}
}

KERNEL void Prepare(const SolverStep *step, WideContact *c, int lane)
{
	KPair p;
	Motion_Load(step->bodies, c->a + lane, &p.a);
	Motion_Load(step->bodies, c->b + lane, &p.b);
	Pose_Load(step->bodies, c->a + lane, &p.pose_a);
	Pose_Load(step->bodies, c->b + lane, &p.pose_b);
	p.normal = V_Load(&c->normal, lane);
	p.between = V_Load(&c->between, lane);
	PreparePoints(c, lane, &p);
	PrepareFriction(c, lane, &p);
}

/* A soft contact gives way to a load: a tower would sink by the sum. The depth that stays is therefore added, slowly,
 * to what is pushed against, until a steady load stands at depth 0 (integral action). One value a manifold, from the
 * mean of its points: corrected point by point, a tower would begin to sway. */
KERNEL void Finish(const SolverStep *step, WideContact *c, int lane)
{
	KPair p;
	KPoint point[MANIFOLD_POINTS];
	LoadPair(step, c, lane, &p);
	LoadPoints(step, c, lane, c->points, &p, false, point);
	F zero = F_Set(0.0f), one = F_Set(1.0f), slop = F_Set(SLOP), sum = zero, bearing = zero;
	F lift = F_Load(c->lift + lane);
	for (int k = 0; k < c->points; k++) {
		M bears = F_Greater(point[k].impulse, zero);
		sum = sum + F_Pick(bears, point[k].separation - lift, zero);
		bearing = bearing + F_Pick(bears, one, zero);
	}
	F mean = F_Max(F_Min(sum / F_Max(bearing, one), slop), zero - slop);
	F after = F_Max(F_Min(lift + F_Set(LIFT_RATE * step->dt) * mean, zero), F_Set(-LIFT_LIMIT));
	F_Store(c->lift + lane, F_Pick(F_Greater(bearing, zero), after, zero));
	V_Store(&c->friction_impulse, lane,
	        V_MulAdd(V_Scale(F_Load(c->tangent_impulse[0] + lane), p.tangent1), F_Load(c->tangent_impulse[1] + lane),
	                 p.tangent2));
}

/* ---- many -------------------------------------------------------------------------------------------------------- */

/* `points` is a constant where this is called, so that loops over them can be unrolled. */
KERNEL void RunPass(const SolverStep *step, Pass pass, WideContact *c, int points)
{
	for (int lane = 0; lane < LANES; lane += WIDTH)
		switch (pass) {
		case PASS_PREPARE:
			Prepare(step, c, lane);
			break;
		case PASS_WARM_START:
			WarmStart(step, c, lane, points);
			break;
		case PASS_SOLVE:
			Solve(step, c, lane, points, true);
			break;
		case PASS_RELAX:
			Solve(step, c, lane, points, false);
			break;
		case PASS_FINISH:
			Finish(step, c, lane);
			break;
		}
}

KERNEL void RunContacts(const SolverStep *step, Pass pass, WideContact *contacts, int count)
{
	for (int i = 0; i < count; i++) {
		WideContact *c = &contacts[i];
		if (c->points == 4)
			RunPass(step, pass, c, 4);
		else if (c->points == 1)
			RunPass(step, pass, c, 1);
		else
			RunPass(step, pass, c, c->points);
	}
}

KERNEL void RunAll(const SolverStep *step, Pass pass, WideContact *contacts, int count)
{
	switch (pass) {
	case PASS_PREPARE:
		RunContacts(step, PASS_PREPARE, contacts, count);
		break;
	case PASS_WARM_START:
		RunContacts(step, PASS_WARM_START, contacts, count);
		break;
	case PASS_SOLVE:
		RunContacts(step, PASS_SOLVE, contacts, count);
		break;
	case PASS_RELAX:
		RunContacts(step, PASS_RELAX, contacts, count);
		break;
	case PASS_FINISH:
		RunContacts(step, PASS_FINISH, contacts, count);
		break;
	}
}
