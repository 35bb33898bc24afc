/* Motion of free bodies over one substep. */
#include "dynamics/solver_internal.h"

/* Gyroscopic turning by the implicit midpoint rule in body axes with one Newton step: it keeps energy and the length of
 * the angular momentum, which explicit and backward Euler do not (after Catto, "Numerical methods", GDC 2015, for the
 * Newton form). */
static Vec3 Gyroscopic(const Body *body, Quat q, Vec3 w_world, float h)
{
	Mat3 inertia = body->inertia;
	Vec3 w0 = InvRotate(q, w_world);
	/* f(w) = I (w - w0) + h (m x I m), m = (w + w0) / 2, from w = w0: m = w0 */
	Vec3 iw = MatMulV(inertia, w0);
	Vec3 f = Scale(h, Cross(w0, iw));
	/* df/dw = I + h/2 (skew(m) I - skew(I m)) */
	Mat3 columns = inertia;
	Vec3 *column[3] = {&columns.cx, &columns.cy, &columns.cz};
	Vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	for (int i = 0; i < 3; i++) {
		Vec3 turn = Sub(Cross(w0, *column[i]), Cross(iw, unit[i]));
		*column[i] = MulAdd(*column[i], 0.5f * h, turn);
	}
	Vec3 w1 = Sub(w0, MatSolve(columns, f));
	return Rotate(q, w1);
}

static bool TurnsFreely(const Body *body)
{
	const Mat3 *m = &body->inertia;
	/* a ball or cube has no gyroscopic term */
	return m->cx.x != m->cy.y || m->cy.y != m->cz.z || m->cx.y != 0.0f || m->cx.z != 0.0f || m->cy.z != 0.0f;
}

void Integrate_Velocities(SolverStep *step, int begin, int end)
{
	const Dynamics *d = step->dynamics;
	float h = step->h;
	float max_turn = MAX_TURN * step->inverse_h;
	for (int i = Int_Max(begin, 1); i < end; i++) {
		SolverBody *s = &step->bodies[i];
		const Body *body = &d->bodies.data[s->body];
		if (s->inverse_mass == 0.0f)
			continue;
		Vec3 acceleration = MulAdd(Scale(body->gravity_scale, d->gravity), s->inverse_mass, body->force);
		s->velocity = MulAdd(s->velocity, h, acceleration);
		s->angular_velocity = MulAdd(s->angular_velocity, h, MatMulV(s->inverse_inertia, body->torque));
		if (TurnsFreely(body) && LengthSq(s->angular_velocity) > 0.0f)
			s->angular_velocity = Gyroscopic(body, QuatMul(s->turn, body->pose.q), s->angular_velocity, h);
		float speed = Length(s->velocity), turn = Length(s->angular_velocity);
		if (speed > MAX_SPEED)
			s->velocity = Scale(MAX_SPEED / speed, s->velocity);
		if (turn > max_turn)
			s->angular_velocity = Scale(max_turn / turn, s->angular_velocity);
	}
}

/* q turned by the rotation vector w: sine and cosine of the half angle by their series, good to float rounding for |w|
 * <= 2 MAX_TURN. */
static Quat Turn(Quat q, Vec3 w)
{
	float x = 0.25f * LengthSq(w);
	float s = 0.5f * (1.0f - x * (1.0f / 6.0f - x * (1.0f / 120.0f - x * (1.0f / 5040.0f - x / 362880.0f))));
	float c = 1.0f - x * (0.5f - x * (1.0f / 24.0f - x * (1.0f / 720.0f - x * (1.0f / 40320.0f - x / 3628800.0f))));
	return QuatNormalize(QuatMul((Quat){s * w.x, s * w.y, s * w.z, c}, q));
}

void Integrate_Positions(SolverStep *step, int begin, int end)
{
	float h = step->h;
	for (int i = Int_Max(begin, 1); i < end; i++) {
		SolverBody *s = &step->bodies[i];
		s->shift = MulAdd(s->shift, h, s->velocity);
		s->turn = Turn(s->turn, Scale(h, s->angular_velocity));
	}
}
