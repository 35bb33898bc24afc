/* The arithmetic of joints that hold two points together, written once like that of contacts: the file that includes
 * this has included solve_kernel_internal.h, and defines Place_Load of WIDTH bodies after it. Operations and their
 * order are those of joint_place.c and joint_solve.c for a block of three rows along x, y and z, products with 0 and 1
 * included, so joints get the same bits here and there. */

/* What placing and pushing need of a body. */
typedef struct KPlace {
	V shift;
	F qx, qy, qz, qw;
	V cx, cy, cz; /* columns of the inverse of its inertia */
} KPlace;

KERNEL void Place_Load(const SolverBody *bodies, const int32_t *index, KPlace *p);

KERNEL V K_Axis(int k)
{
	return (V){F_Set(k == 0 ? 1.0f : 0.0f), F_Set(k == 1 ? 1.0f : 0.0f), F_Set(k == 2 ? 1.0f : 0.0f)};
}

KERNEL V V_Rotate(const KPlace *p, V v)
{
	V u = {p->qx, p->qy, p->qz};
	V t = V_Scale(F_Set(2.0f), V_Cross(u, v));
	return V_Add(V_MulAdd(v, p->qw, t), V_Cross(u, t));
}

KERNEL V V_Apply(const KPlace *p, V v)
{
	return (V){p->cx.x * v.x + p->cy.x * v.y + p->cz.x * v.z, p->cx.y * v.x + p->cy.y * v.y + p->cz.y * v.z,
	           p->cx.z * v.x + p->cy.z * v.y + p->cz.z * v.z};
}

/* A vector of its three rows. */
KERNEL V V_OfRows(F x, F y, F z)
{
	F zero = F_Set(0.0f);
	V sum = {zero, zero, zero};
	sum = V_MulAdd(sum, x, K_Axis(0));
	sum = V_MulAdd(sum, y, K_Axis(1));
	return V_MulAdd(sum, z, K_Axis(2));
}

KERNEL V Ball_Impulse(const WideBall *c, int lane)
{
	return V_OfRows(F_Load(c->impulse.x + lane), F_Load(c->impulse.y + lane), F_Load(c->impulse.z + lane));
}

/* ---- placing ----------------------------------------------------------------------------------------------------- */

KERNEL void SetBallMass(WideBall *c, int lane, F mass, const KPlace *a, const KPlace *b, V arm_a, V arm_b)
{
	V turn_a[3], turn_b[3];
	float from[6][WIDTH], to[6];
	UNROLL
	for (int i = 0, at = 0; i < 3; i++) {
		turn_a[i] = V_Cross(arm_a, K_Axis(i));
		turn_b[i] = V_Cross(arm_b, K_Axis(i));
		V spin_a = V_Apply(a, turn_a[i]), spin_b = V_Apply(b, turn_b[i]);
		UNROLL
		for (int j = 0; j < i; j++) {
			static const int entry[3][2] = {{0, 0}, {1, 0}, {2, 4}};
			F_Store(from[entry[i][j]], V_Dot(turn_a[j], spin_a) + V_Dot(turn_b[j], spin_b));
		}
		F_Store(from[at], mass + V_Dot(turn_a[i], spin_a) + V_Dot(turn_b[i], spin_b));
		at += 3 - i;
	}
	for (int i = 0; i < WIDTH; i++) {
		float k[6] = {from[0][i], from[1][i], from[2][i], from[3][i], from[4][i], from[5][i]};
		Joint_Invert(k, to);
		for (int e = 0; e < 6; e++)
			c->inverse[e][lane + i] = to[e];
	}
}

KERNEL void PlaceBall(WideBall *c, int lane, const KMotion *ma, const KMotion *mb, const KPlace *a, const KPlace *b)
{
	V start_a = V_Load(&c->start_a, lane), start_b = V_Load(&c->start_b, lane);
	V ra = V_Rotate(a, start_a), rb = V_Rotate(b, start_b);
	V moved = V_Sub(V_Add(b->shift, V_Sub(rb, start_b)), V_Add(a->shift, V_Sub(ra, start_a)));
	V gap = V_Add(V_Load(&c->start_gap, lane), moved);
	/* two bodies must be pushed at one point of the world */
	F zero = F_Set(0.0f), half = F_Set(0.5f);
	M moves_a = F_Greater(ma->mass, zero), moves_b = F_Greater(mb->mass, zero);
	V half_a = V_MulAdd(ra, half, gap), half_b = V_Sub(rb, V_Scale(half, gap));
	V arm_a = {F_Pick(moves_b, half_a.x, ra.x), F_Pick(moves_b, half_a.y, ra.y), F_Pick(moves_b, half_a.z, ra.z)};
	V arm_b = {F_Pick(moves_a, half_b.x, rb.x), F_Pick(moves_a, half_b.y, rb.y), F_Pick(moves_a, half_b.z, rb.z)};
	arm_a = (V){F_Pick(moves_a, arm_a.x, ra.x), F_Pick(moves_a, arm_a.y, ra.y), F_Pick(moves_a, arm_a.z, ra.z)};
	arm_b = (V){F_Pick(moves_b, arm_b.x, rb.x), F_Pick(moves_b, arm_b.y, rb.y), F_Pick(moves_b, arm_b.z, rb.z)};
	V_Store(&c->arm_a, lane, arm_a);
	V_Store(&c->arm_b, lane, arm_b);
	F_Store(c->error.x + lane, V_Dot(gap, K_Axis(0)));
	F_Store(c->error.y + lane, V_Dot(gap, K_Axis(1)));
	F_Store(c->error.z + lane, V_Dot(gap, K_Axis(2)));
	SetBallMass(c, lane, ma->mass + mb->mass, a, b, arm_a, arm_b);
}

/* ---- impulses ---------------------------------------------------------------------------------------------------- */

KERNEL void PushBall(const WideBall *c, int lane, KMotion *ma, KMotion *mb, const KPlace *a, const KPlace *b, V impulse)
{
	F zero = F_Set(0.0f);
	V none = {zero, zero, zero};
	V turn_a = V_Add(V_Cross(V_Load(&c->arm_a, lane), impulse), none);
	V turn_b = V_Add(V_Cross(V_Load(&c->arm_b, lane), impulse), none);
	ma->v = V_Sub(ma->v, V_Scale(ma->mass, impulse));
	ma->w = V_Sub(ma->w, V_Apply(a, turn_a));
	mb->v = V_MulAdd(mb->v, mb->mass, impulse);
	mb->w = V_Add(mb->w, V_Apply(b, turn_b));
}

KERNEL F K_Clamp(F v, F lo, F hi)
{
	return F_Pick(F_Greater(lo, v), lo, F_Pick(F_Greater(v, hi), hi, v));
}

KERNEL void SolveBall(const SolverStep *step, WideBall *c, int lane, KMotion *ma, KMotion *mb, const KPlace *a,
                      const KPlace *b, bool push_out)
{
	V arm_a = V_Load(&c->arm_a, lane), arm_b = V_Load(&c->arm_b, lane), old = V_Load(&c->impulse, lane);
	V speed = V_Sub(V_Add(mb->v, V_Cross(mb->w, arm_b)), V_Add(ma->v, V_Cross(ma->w, arm_a)));
	F one = F_Set(1.0f), mass_scale = one, impulse_scale = F_Set(0.0f), bias_rate = F_Set(0.0f);
	if (push_out) {
		F stiffness = F_Set(step->joints.stiffness);
		impulse_scale = one / (one + stiffness);
		mass_scale = stiffness * impulse_scale;
		bias_rate = F_Set(step->joints.bias_rate);
	}
	F most = F_Set(JOINT_PULL_SPEED), least = F_Set(-JOINT_PULL_SPEED);
	F x = V_Dot(K_Axis(0), speed) + K_Clamp(bias_rate * F_Load(c->error.x + lane), least, most);
	F y = V_Dot(K_Axis(1), speed) + K_Clamp(bias_rate * F_Load(c->error.y + lane), least, most);
	F z = V_Dot(K_Axis(2), speed) + K_Clamp(bias_rate * F_Load(c->error.z + lane), least, most);
	F m[6];
	UNROLL
	for (int e = 0; e < 6; e++)
		m[e] = F_Load(c->inverse[e] + lane);
	V change = {m[0] * x + m[1] * y + m[2] * z, m[1] * x + m[3] * y + m[4] * z, m[2] * x + m[4] * y + m[5] * z};
	V after = V_Sub(V_Sub(old, V_Scale(mass_scale, change)), V_Scale(impulse_scale, old));
	V_Store(&c->impulse, lane, after);
	PushBall(c, lane, ma, mb, a, b, V_OfRows(after.x - old.x, after.y - old.y, after.z - old.z));
}

/* ---- many -------------------------------------------------------------------------------------------------------- */

KERNEL void RunBallLanes(const SolverStep *step, JointPass pass, WideBall *c, int lane)
{
	KMotion ma, mb;
	KPlace a, b;
	Motion_Load(step->bodies, c->a + lane, &ma);
	Motion_Load(step->bodies, c->b + lane, &mb);
	Place_Load(step->bodies, c->a + lane, &a);
	Place_Load(step->bodies, c->b + lane, &b);
	if (pass == JOINTS_PLACE || pass == JOINTS_RELAX)
		PlaceBall(c, lane, &ma, &mb, &a, &b);
	if (pass == JOINTS_PLACE)
		return;
	if (pass == JOINTS_START)
		PushBall(c, lane, &ma, &mb, &a, &b, Ball_Impulse(c, lane));
	else
		SolveBall(step, c, lane, &ma, &mb, &a, &b, pass == JOINTS_SOLVE);
	Motion_Store(step->bodies, c->a + lane, c->move_a >> lane, &ma);
	Motion_Store(step->bodies, c->b + lane, c->move_b >> lane, &mb);
}

KERNEL void RunBallPass(const SolverStep *step, JointPass pass, WideBall *balls, int count)
{
	for (int i = 0; i < count; i++)
		for (int lane = 0; lane < LANES; lane += WIDTH)
			RunBallLanes(step, pass, &balls[i], lane);
}

KERNEL void CountBalls(WideBall *balls, int count)
{
	for (int i = 0; i < count; i++)
		for (int lane = 0; lane < LANES; lane += WIDTH) {
			WideBall *c = &balls[i];
			V_Store(&c->total, lane, V_Add(V_Load(&c->total, lane), Ball_Impulse(c, lane)));
		}
}

KERNEL void RunAllBalls(const SolverStep *step, JointPass pass, WideBall *balls, int count)
{
	switch (pass) {
	case JOINTS_PLACE:
		RunBallPass(step, JOINTS_PLACE, balls, count);
		break;
	case JOINTS_START:
		RunBallPass(step, JOINTS_START, balls, count);
		break;
	case JOINTS_SOLVE:
		RunBallPass(step, JOINTS_SOLVE, balls, count);
		break;
	case JOINTS_RELAX:
	case JOINTS_AGAIN:
		RunBallPass(step, JOINTS_RELAX, balls, count);
		break;
	case JOINTS_COUNT:
		CountBalls(balls, count);
		break;
	}
}
