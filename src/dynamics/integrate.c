/* Motion of free bodies over one substep. */
#include "dynamics/solver_internal.h"

typedef struct Double3 {
	double x, y, z;
} Double3;

static Double3 Cross3(Double3 a, Double3 b)
{
	return (Double3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static Double3 Apply3(const Mat3 *m, Double3 v)
{
	return (Double3){(double)m->cx.x * v.x + (double)m->cy.x * v.y + (double)m->cz.x * v.z,
	                 (double)m->cx.y * v.x + (double)m->cy.y * v.y + (double)m->cz.y * v.z,
	                 (double)m->cx.z * v.x + (double)m->cy.z * v.y + (double)m->cz.z * v.z};
}

/* Gyroscopic turning by the implicit midpoint rule in body axes: w' = w0 - h I^-1 (m x I m), m = (w0 + w') / 2. It
 * keeps the energy and the length of the angular momentum, which explicit and backward Euler do not. Solved by
 * fixed-point rounds, which gain a factor of h |w| each; in double, since a body near its middle axis feels the last
 * bits. */
#define MIDPOINT_ROUNDS 5

static Vec3 Gyroscopic(const Body *body, Quat q, Vec3 w_world, float h)
{
	Vec3 start = InvRotate(q, w_world);
	Double3 w0 = {start.x, start.y, start.z}, w1 = w0;
	for (int i = 0; i < MIDPOINT_ROUNDS; i++) {
		Double3 m = {0.5 * (w0.x + w1.x), 0.5 * (w0.y + w1.y), 0.5 * (w0.z + w1.z)};
		Double3 torque = Cross3(m, Apply3(&body->inertia, m));
		Double3 turn = Apply3(&body->inverse_inertia, torque);
		w1 = (Double3){w0.x - (double)h * turn.x, w0.y - (double)h * turn.y, w0.z - (double)h * turn.z};
	}
	return Rotate(q, V3((float)w1.x, (float)w1.y, (float)w1.z));
}

static bool TurnsFreely(const Body *body)
{
	const Mat3 *m = &body->inertia;
	/* a ball or cube has no gyroscopic term */
	return m->cx.x != m->cy.y || m->cy.y != m->cz.z || m->cx.y != 0.0f || m->cx.z != 0.0f || m->cy.z != 0.0f;
}

Mat3 WorldInertia(Mat3 body_inertia, Quat q)
{
	Mat3 r = QuatToMat(q);
	return MatMul(MatMul(r, body_inertia), MatTranspose(r));
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
		if (TurnsFreely(body) && LengthSq(s->angular_velocity) > 0.0f) {
			Quat q = QuatMul(s->turn, body->pose.q);
			s->angular_velocity = Gyroscopic(body, q, s->angular_velocity, h);
			s->inverse_inertia = WorldInertia(body->inverse_inertia, q); /* else impulses would not keep momentum */
		}
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
