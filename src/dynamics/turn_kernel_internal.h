/* The turning of bodies over a substep, WIDTH at a time: included after solve_kernel_internal.h. */

typedef struct KQuat {
	F x, y, z, w;
} KQuat;

typedef struct KMat {
	V cx, cy, cz;
} KMat;

KERNEL KQuat Quat_Load(const Lanes from[4], int lane)
{
	return (KQuat){F_Load(from[0] + lane), F_Load(from[1] + lane), F_Load(from[2] + lane), F_Load(from[3] + lane)};
}

KERNEL void Quat_Store(Lanes to[4], int lane, KQuat q)
{
	F_Store(to[0] + lane, q.x);
	F_Store(to[1] + lane, q.y);
	F_Store(to[2] + lane, q.z);
	F_Store(to[3] + lane, q.w);
}

KERNEL KMat Mat_Load(const Lanes3 from[3], int lane)
{
	return (KMat){V_Load(&from[0], lane), V_Load(&from[1], lane), V_Load(&from[2], lane)};
}

KERNEL KQuat K_QuatMul(KQuat a, KQuat b)
{
	return (KQuat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
	               a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

KERNEL KMat K_QuatToMat(KQuat q)
{
	F one = F_Set(1.0f), two = F_Set(2.0f);
	F xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
	F xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
	F xw = q.x * q.w, yw = q.y * q.w, zw = q.z * q.w;
	return (KMat){{one - two * (yy + zz), two * (xy + zw), two * (xz - yw)},
	              {two * (xy - zw), one - two * (xx + zz), two * (yz + xw)},
	              {two * (xz + yw), two * (yz - xw), one - two * (xx + yy)}};
}

KERNEL V K_Apply(const KMat *m, V v)
{
	return (V){m->cx.x * v.x + m->cy.x * v.y + m->cz.x * v.z, m->cx.y * v.x + m->cy.y * v.y + m->cz.y * v.z,
	           m->cx.z * v.x + m->cy.z * v.y + m->cz.z * v.z};
}

KERNEL V K_ApplyBack(const KMat *m, V v)
{
	return (V){V_Dot(m->cx, v), V_Dot(m->cy, v), V_Dot(m->cz, v)};
}

/* q turned by the rotation vector w: sine and cosine of the half angle by their series, good to float rounding for |w|
 * <= 2 MAX_TURN. Contacts may have sped it up since it was held to MAX_TURN. */
KERNEL KQuat K_Turn(KQuat q, V w)
{
	F one = F_Set(1.0f), most = F_Set(2.0f * MAX_TURN), length = F_Sqrt(V_Dot(w, w));
	w = V_Scale(F_Pick(F_Greater(length, most), most / F_Max(length, F_Set(FLT_MIN)), one), w);
	F x = F_Set(0.25f) * V_Dot(w, w);
	F s = F_Set(1.0f / 5040.0f) - x / F_Set(362880.0f);
	s = F_Set(1.0f / 120.0f) - x * s;
	s = F_Set(1.0f / 6.0f) - x * s;
	s = F_Set(0.5f) * (one - x * s);
	F c = F_Set(1.0f / 40320.0f) - x / F_Set(3628800.0f);
	c = F_Set(1.0f / 720.0f) - x * c;
	c = F_Set(1.0f / 24.0f) - x * c;
	c = one - x * (F_Set(0.5f) - x * c);
	KQuat p = K_QuatMul((KQuat){s * w.x, s * w.y, s * w.z, c}, q);
	F scale = one / F_Sqrt(p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w);
	return (KQuat){scale * p.x, scale * p.y, scale * p.z, scale * p.w};
}

KERNEL void TurnPlain(WideTurn *t, int lane, float h)
{
	Quat_Store(t->turn, lane, K_Turn(Quat_Load(t->turn, lane), V_Scale(F_Set(h), V_Load(&t->velocity, lane))));
}

#define NEARLY_SETTLED 0.03f /* share of the spin that the second round may still change it by */

/* The implicit midpoint rule of TurnFreely (integrate.c) for bodies among contacts, whose floats change in every
 * substep: two rounds, in float, from the angular momentum that they have now. The spin gets the difference of what
 * that momentum gives at the end and at the start, so that what the inertia and its inverse are off by in float (the
 * same way in every substep) is no gain. */
KERNEL void TurnTumbling(WideTurn *t, int lane, float h)
{
	KQuat turn = Quat_Load(t->turn, lane), pose = Quat_Load(t->pose, lane), q = K_QuatMul(turn, pose);
	KMat r = K_QuatToMat(q), inertia = Mat_Load(t->inertia, lane), inverse = Mat_Load(t->inverse, lane);
	V start = V_Load(&t->velocity, lane), l = K_Apply(&r, K_Apply(&inertia, K_ApplyBack(&r, start)));
	V rounded = K_Apply(&r, K_Apply(&inverse, K_ApplyBack(&r, l)));
	F half = F_Set(0.5f * h);
	V w = start, before = w;
	for (int i = 0; i < 2; i++) {
		before = w;
		KMat half_way = K_QuatToMat(K_Turn(q, V_Scale(half, w)));
		w = K_Apply(&half_way, K_Apply(&inverse, K_ApplyBack(&half_way, l)));
	}
	V change = V_Sub(w, before);
	F most = F_Set(NEARLY_SETTLED * NEARLY_SETTLED) * V_Dot(w, w);
	F_Store(t->unsettled + lane, F_Pick(F_Greater(V_Dot(change, change), most), F_Set(1.0f), F_Set(0.0f)));
	turn = K_Turn(turn, V_Scale(F_Set(h), w));
	r = K_QuatToMat(K_QuatMul(turn, pose));
	KMat m = {K_Apply(&r, inverse.cx), K_Apply(&r, inverse.cy), K_Apply(&r, inverse.cz)};
	KMat back = {{r.cx.x, r.cy.x, r.cz.x}, {r.cx.y, r.cy.y, r.cz.y}, {r.cx.z, r.cy.z, r.cz.z}};
	KMat world = {K_Apply(&m, back.cx), K_Apply(&m, back.cy), K_Apply(&m, back.cz)};
	Quat_Store(t->turn, lane, turn);
	V_Store(&t->inverse[0], lane, world.cx);
	V_Store(&t->inverse[1], lane, world.cy);
	V_Store(&t->inverse[2], lane, world.cz);
	V_Store(&t->velocity, lane, V_Add(start, V_Sub(K_Apply(&world, l), rounded)));
}

KERNEL void RunTurn(WideTurn *t, bool tumbling, float h)
{
	for (int lane = 0; lane < LANES; lane += WIDTH)
		if (tumbling)
			TurnTumbling(t, lane, h);
		else
			TurnPlain(t, lane, h);
}
