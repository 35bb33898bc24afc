/* Chains under tension. A link that turns between its neighbours is pulled back by the tension at both of its ends, as
 * by a spring; under a load of many times its own weight that spring is too stiff for the substep, and the chain would
 * shake itself to pieces (the geometric stiffness of Tournier et al., "Stable constrained dynamics", 2015). Such bodies
 * get as much more inertia in this step as it takes. What hangs at one joint only cannot shake so. */
#include "dynamics/solver_internal.h"

#define CALM 0.5f    /* stiffness h2 / inertia that the substep follows well */
#define AT_ONCE 1.2f /* that it follows badly: what is calmed already lies below */

static void Raise(float value, float *first, float *second)
{
	if (value > *first) {
		*second = *first;
		*first = value;
	} else if (value > *second) {
		*second = value;
	}
}

static void AddTurn(JointTension *t, float h, Vec3 impulse, Vec3 arm)
{
	float value = h * Dot(impulse, arm);
	if (value > t->turn)
		t->arm = arm;
	Raise(value, &t->turn, &t->second_turn);
}

/* Where its ends are: Joint_Place without its axes. */
static JointPlace EndsOf(const Dynamics *d, const Joint *j)
{
	if (!j->plain)
		return Joint_Place(d, j);
	const Body *b = &d->bodies.data[j->body_b];
	JointPlace place = {.arm_a = V3(0.0f, 0.0f, 0.0f)};
	Pos from = j->world_anchor;
	if (j->body_a != NONE) {
		const Body *a = &d->bodies.data[j->body_a];
		place.arm_a = Rotate(a->pose.q, j->anchor_a);
		from = PosAdd(a->pose.p, place.arm_a);
	}
	place.arm_b = Rotate(b->pose.q, j->anchor_b);
	place.gap = PosSub(PosAdd(b->pose.p, place.arm_b), from);
	return place;
}

void Joint_AddSource(SolverStep *step, int joint, int a, int b)
{
	const Dynamics *d = step->dynamics;
	const Joint *j = &d->joints.data[joint];
	JointStep *joints = &step->joints;
	JointTension *tensions = joints->tensions;
	JointPlace place = EndsOf(d, j);
	float scale = Joint_ImpulseScale(step, j);
	joints->ends[joints->count] = (JointEnds){place.arm_a, place.arm_b, place.gap,
	                                          V3(scale * j->impulse[0], scale * j->impulse[1], scale * j->impulse[2])};
	joints->sources[joints->count] = (JointSource){
	    .joint = joint, .a = a, .b = b, .type = j->type, .ends = joints->count, .wide = j->plain, .tears = j->tears};
	joints->count++;
	if (j->type == JOINT_WELD || j->type == JOINT_BALL || j->type == JOINT_HINGE) {
		Vec3 impulse = V3(j->impulse[0], j->impulse[1], j->impulse[2]);
		AddTurn(&tensions[b], step->h, impulse, place.arm_b);
		AddTurn(&tensions[a], step->h, Neg(impulse), place.arm_a);
		return;
	}
	if (j->type != JOINT_ROPE && j->type != JOINT_ROD)
		return;
	float length = Length(place.gap), pull = j->type == JOINT_ROPE ? j->impulse[8] : -j->impulse[0];
	if (length <= 0.0f || pull <= 0.0f)
		return;
	Vec3 impulse = Scale(-pull / length, place.gap);
	AddTurn(&tensions[b], step->h, impulse, place.arm_b);
	AddTurn(&tensions[a], step->h, Neg(impulse), place.arm_a);
	Raise(step->h * pull / length, &tensions[b].line, &tensions[b].second_line);
	Raise(step->h * pull / length, &tensions[a].line, &tensions[a].second_line);
}

static float TraceOfProduct(Mat3 a, Mat3 b)
{
	return Dot(a.cx, b.cx) + Dot(a.cy, b.cy) + Dot(a.cz, b.cz); /* both symmetric */
}

static Mat3 Scaled(float s, Mat3 m)
{
	return (Mat3){Scale(s, m.cx), Scale(s, m.cy), Scale(s, m.cz)};
}

static void Calm(SolverStep *step, int index, const JointTension *t, float from)
{
	SolverBody *body = &step->bodies[index];
	if (body->inverse_mass <= 0.0f)
		return;
	float across = 4.0f * t->second_line * body->inverse_mass;
	if (across > CALM)
		body->inverse_mass /= 1.0f + across - CALM;
	if (t->second_turn <= 0.0f)
		return;
	Vec3 n = Normalize(t->arm);
	Mat3 outer = {Scale(n.x, n), Scale(n.y, n), Scale(n.z, n)};
	Mat3 stiffness = Scaled(2.0f * t->second_turn, MatAdd(MatDiag(1.0f, 1.0f, 1.0f), Scaled(-1.0f, outer)));
	float turning = TraceOfProduct(body->inverse_inertia, stiffness);
	if (!(turning > from))
		return;
	Mat3 before = MatInverse(body->inverse_inertia);
	body->inverse_inertia = MatInverse(MatAdd(before, Scaled(1.0f - CALM / turning, stiffness)));
	/* with the spin that it had, it would gain energy by this */
	body->angular_velocity = MatMulV(body->inverse_inertia, MatMulV(before, body->angular_velocity));
	step->forces[index].spins = false; /* not by the inertia that it has by itself */
	step->dynamics->bodies.data[body->body].spin.holds = false;
}

void Joints_Calm(SolverStep *step)
{
	for (int i = 1; i < step->body_count; i++)
		Calm(step, i, &step->joints.tensions[i], CALM);
}

/* A rope may have drawn taut in this very step. */
void Joint_CalmMechanism(SolverStep *step, int mechanism)
{
	const JointStep *joints = &step->joints;
	const JointMechanism *m = &joints->mechanisms[mechanism];
	for (int i = m->pivots.first; i < m->pivots.first + m->pivots.count; i++)
		joints->tensions[joints->body_of[joints->pivots[i].node]] = (JointTension){.turn = 0.0f};
	for (int i = m->constraints.first; i < m->constraints.first + m->constraints.count; i++) {
		const JointConstraint *c = &joints->list[i];
		const JointBlock *block = &c->linear;
		if (block->count != 3 || block->drive)
			continue;
		Vec3 impulse = V3(block->impulse[0], block->impulse[1], block->impulse[2]);
		if (joints->node_of[c->b] != NONE)
			AddTurn(&joints->tensions[c->b], step->h, impulse, c->arm_b);
		if (joints->node_of[c->a] != NONE)
			AddTurn(&joints->tensions[c->a], step->h, Neg(impulse), c->arm_a);
	}
	for (int i = m->pivots.first; i < m->pivots.first + m->pivots.count; i++) {
		int body = joints->body_of[joints->pivots[i].node];
		Calm(step, body, &joints->tensions[body], AT_ONCE);
	}
}
