/* The joints of a mechanism at once: locks with their softness, and those limits and drives that act. In the unknowns
 * of the bodies, (M + J' W J) dv = -J' W r, where W holds the inverse compliances and r what the rows miss; the
 * impulses follow from dv. The matrix has a block of 6 x 6 a body and one for each tie; it is symmetric and positive
 * whatever the joints are. In double, so that compliances can be small. */
#include "dynamics/solver_internal.h"

#define HARD 1e-8       /* compliance of a lock that must not give way, to the inverse mass of its rows */
#define HARD_TIED 1e-5  /* where rows may say the same: what they would then shift about stays small */
#define HARD_LIMIT 1e2  /* that of a limit, to these */
#define HARD_DRIVE 1e-3 /* that of a drive */
#define ROUNDS 3        /* limits and drives that turn out to act are looked at so often ... */
#define PIN_ROUNDS 8    /* ... and in each of these, such as turn out not to */

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void Put(double *to, Vec3 v, double sign)
{
	to[0] = sign * (double)v.x;
	to[1] = sign * (double)v.y;
	to[2] = sign * (double)v.z;
}

static void PutLinear(SystemRow *row, const JointConstraint *c, Vec3 axis)
{
	Put(row->a, axis, -1.0);
	Put(row->a + 3, Cross(c->arm_a, axis), -1.0);
	Put(row->b, axis, 1.0);
	Put(row->b + 3, Cross(c->arm_b, axis), 1.0);
	row->turning = row->point = false;
}

static void PutAngular(SystemRow *row, Vec3 axis)
{
	memset(row->a, 0, 3 * sizeof(double));
	memset(row->b, 0, 3 * sizeof(double));
	Put(row->a + 3, axis, -1.0);
	Put(row->b + 3, axis, 1.0);
	row->turning = true;
	row->point = false;
}

static void Get6(const SolverBody *body, double v[6])
{
	Put(v, body->velocity, 1.0);
	Put(v + 3, body->angular_velocity, 1.0);
}

static double Dot6(const double *a, const double *b)
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

typedef struct Builder {
	SolverStep *step;
	double hard;
	float most; /* impulse of a lock or limit */
	bool push_out;
	int constraint;
	double va[6], vb[6]; /* of its bodies */
	SystemRow *next;
} Builder;

/* A row that is soft under `load`, or hard with load 0. */
static void Finish(Builder *b, SystemRow *row, float inverse_mass, float load, double hard, float bias, float *impulse)
{
	double compliance = load > 0.0f ? 1.0 / ((double)b->step->joints.stiffness * (double)load) : hard;
	compliance *= (double)inverse_mass;
	row->weight = compliance > 0.0 ? 1.0 / compliance : 0.0;
	row->rest = Dot6(row->a, b->va) + Dot6(row->b, b->vb) + (double)bias;
	if (load > 0.0f)
		row->rest += compliance * (double)*impulse;
	row->impulse = impulse;
	row->constraint = b->constraint;
	row->single = NULL;
}

/* What a drive would ask for beyond its strength is cut off after the solution. So that what a limit holds against it
 * stays of that size, it is no harder than needed to ask for twice its strength. */
static double DriveHardness(float miss, float max, float inverse_mass)
{
	return MaxD(HARD_DRIVE, (double)miss / (2.0 * (double)max * (double)inverse_mass));
}

static void PutBlock(Builder *b, const JointConstraint *c, const JointBlock *block, bool angular)
{
	for (int k = 0; k < block->count; k++) {
		if (angular)
			PutAngular(&b->next[k], block->axis[k]);
		else
			PutLinear(&b->next[k], c, block->axis[k]);
		b->next[k].drive = NULL;
	}
	b->next->point = !angular && block->count == 3;
}

static void AddDrive(Builder *b, const JointConstraint *c, JointBlock *block, bool angular)
{
	if (block->spent || block->count == 0 || block->mean <= 0.0f || block->max <= 0.0f)
		return;
	PutBlock(b, c, block, angular);
	float miss = 0.0f;
	for (int k = 0; k < block->count; k++) {
		const SystemRow *row = &b->next[k];
		float more = block->wanted[k] - (float)(Dot6(row->a, b->va) + Dot6(row->b, b->vb));
		miss += more * more;
	}
	double hard = DriveHardness(Sqrt(miss), block->max, block->mean);
	b->next->drive = block;
	for (int k = 0; k < block->count; k++)
		Finish(b, b->next++, block->mean, 0.0f, hard, -block->wanted[k], &block->impulse[k]);
}

static void AddBlock(Builder *b, const JointConstraint *c, JointBlock *block, bool angular)
{
	if (block->drive) {
		AddDrive(b, c, block, angular);
		return;
	}
	float load = b->push_out ? Joint_Load(b->step, Block_Impulse(block), block->mean) : 0.0f;
	float rate = b->push_out ? b->step->joints.bias_rate : 0.0f;
	PutBlock(b, c, block, angular);
	for (int k = 0; k < block->count; k++) {
		SystemRow *row = b->next++;
		row->high = b->most;
		row->low = -b->most;
		float bias = Clamp(rate * block->error[k], -JOINT_PULL_SPEED, JOINT_PULL_SPEED);
		Finish(b, row, block->mean, load, b->hard, bias, &block->impulse[k]);
	}
}

/* What the row's speed must at least be, negative, and how soft: as in SolveLimit. */
static float LimitBias(const SolverStep *step, const JointRow *row, bool push_out)
{
	if (row->error > 0.0f)
		return row->error * step->inverse_h;
	return push_out ? Max(step->joints.bias_rate * row->error, -JOINT_PULL_SPEED) : 0.0f;
}

/* Whether a limit or drive acts: it pushes, or would have to. */
static bool IsActive(const JointRow *row, float speed, float bias)
{
	if (row->kind == ROW_LIMIT)
		return row->impulse > 0.0f || speed + bias < 0.0f;
	float more = row->wanted - speed;
	return (row->impulse < row->max || more < 0.0f) && (row->impulse > -row->max || more > 0.0f);
}

static void AddSingle(Builder *b, const JointConstraint *c, JointRow *single)
{
	if (single->inverse_mass <= 0.0f || single->pinned)
		return;
	SystemRow *row = b->next;
	if (single->turning)
		PutAngular(row, single->axis);
	else
		PutLinear(row, c, single->axis);
	bool limit = single->kind == ROW_LIMIT;
	float bias = limit ? LimitBias(b->step, single, b->push_out) : -single->wanted;
	float speed = (float)(Dot6(row->a, b->va) + Dot6(row->b, b->vb));
	if (!IsActive(single, speed, bias))
		return;
	bool soft = limit && b->push_out && single->error <= 0.0f;
	float load = soft ? Joint_Load(b->step, single->impulse, single->inverse_mass) : 0.0f;
	double hard = HARD_LIMIT * b->hard;
	if (!limit)
		hard = DriveHardness(Abs(single->wanted - speed), single->max, single->inverse_mass);
	row->drive = NULL;
	Finish(b, row, single->inverse_mass, load, hard, bias, &single->impulse);
	row->single = single;
	row->low = limit ? 0.0f : -single->max;
	row->high = limit ? b->most : single->max;
	b->next++;
}

static int BuildRows(SolverStep *step, const JointMechanism *m, bool push_out, SystemRow *rows)
{
	Builder b = {.step = step, .hard = m->tied ? HARD_TIED : HARD, .most = m->most, .push_out = push_out, .next = rows};
	for (int i = m->constraints.first; i < m->constraints.first + m->constraints.count; i++) {
		JointConstraint *c = &step->joints.list[i];
		b.constraint = i;
		Get6(&step->bodies[c->a], b.va);
		Get6(&step->bodies[c->b], b.vb);
		AddBlock(&b, c, &c->linear, false);
		if (!c->extra)
			continue;
		AddBlock(&b, c, &c->extra->angular, true);
		for (int k = 0; k < c->extra->row_count; k++)
			AddSingle(&b, c, &c->extra->rows[k]);
	}
	return (int)(b.next - rows);
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

/* to += w u: a row of a block. Its operands never overlap, which lets the compiler take two numbers at a time. */
static inline void AddScaled(double *restrict to, double w, const double *restrict u)
{
	to[0] += w * u[0];
	to[1] += w * u[1];
	to[2] += w * u[2];
	to[3] += w * u[3];
	to[4] += w * u[4];
	to[5] += w * u[5];
}

/* to += w u v'. Only the lower triangle of a diagonal block is used. */
static void AddOuter(double *restrict to, double w, const double *restrict u, const double *restrict v)
{
	for (int i = 0; i < 6; i++)
		AddScaled(to + 6 * i, w * u[i], v);
}

/* Mass and world inertia of a body, from their inverses. */
static void StartDiagonal(const SolverBody *body, double *m)
{
	const Mat3 *k = &body->inverse_inertia;
	double a = k->cx.x, b = k->cy.x, c = k->cz.x, e = k->cy.y, f = k->cz.y, i = k->cz.z;
	double ei = e * i - f * f, fc = f * c - b * i, bf = b * f - e * c;
	double s = 1.0 / (a * ei + b * fc + c * bf);
	memset(m, 0, 36 * sizeof *m);
	m[0] = m[7] = m[14] = 1.0 / (double)body->inverse_mass;
	m[21] = s * ei;
	m[27] = s * fc;
	m[28] = s * (a * i - c * c);
	m[33] = s * bf;
	m[34] = s * (b * c - a * f);
	m[35] = s * (a * e - b * b);
}

/* The same of a row without a linear part. */
static void AddTurning(double *restrict to, double w, const double *restrict u, const double *restrict v)
{
	for (int i = 3; i < 6; i++)
		for (int j = 3; j < 6; j++)
			to[6 * i + j] += w * u[i] * v[j];
}

/* The three rows of a point at once: with [r] the matrix of the cross product, a body's part of them is (1, -[r]). Adds
 * w (1, -[r])' (1, -[s]); between two bodies, whose parts have opposite signs, w is negative. */
static void AddPoint(double *m, double w, const double r[3], const double s[3])
{
	double dot = r[0] * s[0] + r[1] * s[1] + r[2] * s[2];
	for (int i = 0; i < 3; i++) {
		m[7 * i] += w;
		for (int j = 0; j < 3; j++)
			m[6 * (i + 3) + j + 3] -= w * s[i] * r[j];
		m[7 * (i + 3)] += w * dot;
	}
	m[4] += w * s[2], m[5] -= w * s[1];
	m[9] -= w * s[2], m[11] += w * s[0];
	m[15] += w * s[1], m[16] -= w * s[0];
	m[19] -= w * r[2], m[20] += w * r[1];
	m[24] += w * r[2], m[26] -= w * r[0];
	m[30] -= w * r[1], m[31] += w * r[0];
}

static void AddBlocks(JointStep *joints, const SystemRow *row, const JointConstraint *c)
{
	int a = joints->node_of[c->a], b = joints->node_of[c->b], edge = joints->edge_of[row->constraint];
	double w = row->weight, arm_a[3], arm_b[3];
	void (*add)(double *, double, const double *, const double *) = row->turning ? AddTurning : AddOuter;
	const double *of_a = row->a, *of_b = row->b;
	double across = w;
	if (row->point) {
		Put(arm_a, c->arm_a, 1.0);
		Put(arm_b, c->arm_b, 1.0);
		add = AddPoint;
		of_a = arm_a;
		of_b = arm_b;
		across = -w;
	}
	if (a != NONE)
		add(joints->diagonal[a], w, of_a, of_a);
	if (b != NONE)
		add(joints->diagonal[b], w, of_b, of_b);
	if (edge == NONE)
		return;
	bool forward = joints->edges[edge].a == a;
	add(joints->side[edge], across, forward ? of_a : of_b, forward ? of_b : of_a);
}

static void Assemble(SolverStep *step, const JointMechanism *m, const SystemRow *rows, int count)
{
	JointStep *joints = &step->joints;
	for (int i = m->pivots.first; i < m->pivots.first + m->pivots.count; i++) {
		const JointPivot *p = &joints->pivots[i];
		StartDiagonal(&step->bodies[joints->body_of[p->node]], joints->diagonal[p->node]);
		memset(joints->right[p->node], 0, sizeof joints->right[p->node]);
		for (int k = 0; k < 2; k++)
			if (p->edge[k] != NONE)
				memset(joints->side[p->edge[k]], 0, sizeof joints->side[p->edge[k]]);
	}
	for (int i = 0, covered = 0; i < count; i++) {
		const SystemRow *row = &rows[i];
		const JointConstraint *c = &joints->list[row->constraint];
		int a = joints->node_of[c->a], b = joints->node_of[c->b];
		double pull = -row->weight * row->rest;
		if (a != NONE)
			AddScaled(joints->right[a], pull, row->a);
		if (b != NONE)
			AddScaled(joints->right[b], pull, row->b);
		if (i < covered)
			continue;
		AddBlocks(joints, row, c);
		if (row->point)
			covered = i + 3;
	}
}

/* ---- elimination ------------------------------------------------------------------------------------------------- */

/* Cholesky in the lower triangle, with the inverses of the pivots on the diagonal. False: not positive. */
static bool Factor(double *m)
{
	for (int i = 0; i < 6; i++) {
		for (int j = 0; j <= i; j++) {
			double sum = m[6 * i + j];
			for (int k = 0; k < j; k++)
				sum -= m[6 * i + k] * m[6 * j + k];
			if (j < i)
				m[6 * i + j] = sum * m[7 * j];
			else if (sum > 0.0 && IsFinite(sum))
				m[7 * i] = 1.0 / sqrt(sum);
			else
				return false;
		}
	}
	return true;
}

static void SolveLower(const double *l, double *v)
{
	for (int i = 0; i < 6; i++) {
		double sum = v[i];
		for (int k = 0; k < i; k++)
			sum -= l[6 * i + k] * v[k];
		v[i] = sum * l[7 * i];
	}
}

static void SolveUpper(const double *l, double *v)
{
	for (int i = 5; i >= 0; i--) {
		double sum = v[i];
		for (int k = i + 1; k < 6; k++)
			sum -= l[6 * k + i] * v[k];
		v[i] = sum * l[7 * i];
	}
}

static void Transpose(double *m)
{
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < i; j++) {
			double t = m[6 * i + j];
			m[6 * i + j] = m[6 * j + i];
			m[6 * j + i] = t;
		}
}

/* m: rows of the eliminated body, all columns at once. */
static void SolveLowerBlock(const double *l, double *m)
{
	for (int i = 0; i < 6; i++) {
		for (int k = 0; k < i; k++)
			AddScaled(m + 6 * i, -l[6 * i + k], m + 6 * k);
		for (int j = 0; j < 6; j++)
			m[6 * i + j] *= l[7 * i];
	}
}

/* to -= u' v */
static void SubtractProduct(double *restrict to, const double *restrict u, const double *restrict v)
{
	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 6; k++)
			AddScaled(to + 6 * i, -u[6 * k + i], v + 6 * k);
}

/* to -= m' v */
static void SubtractTransposed(double *to, const double *m, const double *v)
{
	for (int k = 0; k < 6; k++)
		for (int i = 0; i < 6; i++)
			to[i] -= m[6 * k + i] * v[k];
}

static bool Eliminate(JointStep *joints, const JointPivot *p)
{
	double *own = joints->diagonal[p->node], *right = joints->right[p->node];
	if (!Factor(own))
		return false;
	SolveLower(own, right);
	for (int k = 0; k < 2; k++) {
		if (p->edge[k] == NONE)
			continue;
		double *side = joints->side[p->edge[k]];
		if (joints->edges[p->edge[k]].a != p->node)
			Transpose(side);
		SolveLowerBlock(own, side);
		SubtractProduct(joints->diagonal[p->neighbour[k]], side, side);
		SubtractTransposed(joints->right[p->neighbour[k]], side, right);
	}
	if (p->fill == NONE)
		return true;
	bool forward = joints->edges[p->fill].a == p->neighbour[0];
	const double *first = joints->side[p->edge[0]], *second = joints->side[p->edge[1]];
	SubtractProduct(joints->side[p->fill], forward ? first : second, forward ? second : first);
	return true;
}

/* The changes of velocity, in `right`. */
static void SubstituteBack(JointStep *joints, const JointPivot *p)
{
	double *x = joints->right[p->node];
	for (int k = 0; k < 2; k++) {
		if (p->edge[k] == NONE)
			continue;
		const double *side = joints->side[p->edge[k]], *other = joints->right[p->neighbour[k]];
		for (int i = 0; i < 6; i++)
			x[i] -= Dot6(side + 6 * i, other);
	}
	SolveUpper(joints->diagonal[p->node], x);
}

static bool SolveSystem(JointStep *joints, const JointMechanism *m)
{
	for (int i = 0; i < m->pivots.count; i++)
		if (!Eliminate(joints, &joints->pivots[m->pivots.first + i]))
			return false;
	for (int i = m->pivots.count - 1; i >= 0; i--)
		SubstituteBack(joints, &joints->pivots[m->pivots.first + i]);
	return true;
}

/* ---- impulses ---------------------------------------------------------------------------------------------------- */

/* The impulse that the solution asks of a row. */
static float WantedImpulse(const JointStep *joints, const SystemRow *row)
{
	const JointConstraint *c = &joints->list[row->constraint];
	int a = joints->node_of[c->a], b = joints->node_of[c->b];
	double miss = row->rest;
	if (a != NONE)
		miss += Dot6(row->a, joints->right[a]);
	if (b != NONE)
		miss += Dot6(row->b, joints->right[b]);
	return *row->impulse - (float)(row->weight * miss);
}

/* Sets a row's impulse, and adds its change to the sums of its constraint. */
static void SetImpulse(const SystemRow *row, float impulse, Vec3 *linear, Vec3 *angular)
{
	float change = impulse - *row->impulse;
	*row->impulse = impulse;
	const double *axis = row->turning ? row->b + 3 : row->b;
	Vec3 *sum = row->turning ? angular : linear;
	*sum = MulAdd(*sum, change, V3((float)axis[0], (float)axis[1], (float)axis[2]));
}

/* The impulses that the solution asks of the rows of a drive, bounded in length together. Returns whether they are less
 * than it asks. */
static bool BoundDrive(const JointStep *joints, const SystemRow *rows, float impulse[3])
{
	const JointBlock *block = rows->drive;
	float sum = 0.0f, max = block->max;
	for (int k = 0; k < block->count; k++) {
		impulse[k] = WantedImpulse(joints, &rows[k]);
		sum += impulse[k] * impulse[k];
	}
	float length = Sqrt(sum);
	if (!(length > max))
		return false;
	for (int k = 0; k < block->count; k++)
		impulse[k] *= max / length;
	return true;
}

/* What the rows from i on that belong together are to have: a drive's, or one row. Returns how many they are. */
static int RowImpulses(const JointStep *joints, const SystemRow *row, float impulse[3], bool *held)
{
	if (row->drive) {
		*held = BoundDrive(joints, row, impulse);
		return row->drive->count;
	}
	float wanted = WantedImpulse(joints, row);
	impulse[0] = Clamp(wanted, row->low, row->high);
	*held = impulse[0] != wanted;
	return 1;
}

/* Limits and drives of which the solution asks what they cannot give: they give what they can, and no longer belong to
 * the equations. Returns whether there were any. With their shares cut off only when it is applied, the solution would
 * be none: what locks hold against a limit that must not pull is many times what the limit can. */
static bool PinRows(SolverStep *step, const SystemRow *rows, int count)
{
	const JointStep *joints = &step->joints;
	bool any = false;
	for (int i = 0, n; i < count; i += n) {
		float impulse[3];
		bool held;
		n = RowImpulses(joints, &rows[i], impulse, &held);
		if (!held || !(rows[i].drive || rows[i].single))
			continue;
		Vec3 linear = {0.0f, 0.0f, 0.0f}, angular = {0.0f, 0.0f, 0.0f};
		for (int k = 0; k < n; k++)
			SetImpulse(&rows[i + k], impulse[k], &linear, &angular);
		Joint_Push(step, &joints->list[rows[i].constraint], linear, angular);
		if (rows[i].drive)
			rows[i].drive->spent = true;
		else
			rows[i].single->pinned = true;
		any = true;
	}
	return any;
}

/* Rows stand constraint by constraint. */
static void ApplyRows(SolverStep *step, const SystemRow *rows, int count)
{
	const JointStep *joints = &step->joints;
	for (int i = 0; i < count;) {
		int constraint = rows[i].constraint;
		Vec3 linear = {0.0f, 0.0f, 0.0f}, angular = {0.0f, 0.0f, 0.0f};
		while (i < count && rows[i].constraint == constraint) {
			float impulse[3];
			bool held;
			int n = RowImpulses(joints, &rows[i], impulse, &held);
			for (int k = 0; k < n; k++)
				SetImpulse(&rows[i + k], impulse[k], &linear, &angular);
			i += n;
		}
		Joint_Push(step, &joints->list[constraint], linear, angular);
	}
}

/* Whether any limit or drive of the mechanism could come to act, or cease to. */
static bool HasSingles(const JointStep *joints, const JointMechanism *m)
{
	for (int i = m->constraints.first; i < m->constraints.first + m->constraints.count; i++) {
		const JointConstraint *c = &joints->list[i];
		if (c->linear.drive || (c->extra && (c->extra->row_count > 0 || c->extra->angular.drive)))
			return true;
	}
	return false;
}

static void Unpin(SolverStep *step, const JointMechanism *m)
{
	for (int i = m->constraints.first; i < m->constraints.first + m->constraints.count; i++) {
		JointExtra *extra = step->joints.list[i].extra;
		for (int k = 0; extra && k < extra->row_count; k++)
			extra->rows[k].pinned = false;
	}
}

bool Joint_SolveMechanism(SolverStep *step, int mechanism, bool push_out)
{
	JointStep *joints = &step->joints;
	const JointMechanism *m = &joints->mechanisms[mechanism];
	SystemRow *rows = joints->rows + joints->first_row[m->constraints.first];
	bool singles = HasSingles(joints, m);
	int rounds = singles ? ROUNDS : 1, before = 0;
	for (int i = m->constraints.first; i < m->constraints.first + m->constraints.count; i++)
		Joint_SolveDrives(step, &joints->list[i]);
	for (int round = 0; round < rounds; round++) {
		Unpin(step, m);
		int count = BuildRows(step, m, push_out, rows);
		if (round > 0 && count == before)
			break;
		for (int i = 0;; i++) {
			Assemble(step, m, rows, count);
			if (!SolveSystem(joints, m))
				return false;
			if (!singles || i == PIN_ROUNDS || !PinRows(step, rows, count))
				break;
			count = BuildRows(step, m, push_out, rows);
		}
		ApplyRows(step, rows, count);
		before = count;
	}
	return true;
}
