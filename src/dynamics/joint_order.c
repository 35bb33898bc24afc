/* In which way and order joints are solved.
 *
 * Bodies that joints tie together are a mechanism. Solved joint by joint, an impulse would need as many rounds to go
 * through a chain as it has links, and many more where a light body carries a heavy one. So the equations of a
 * mechanism are solved at once, by eliminating body after body (sparse Gauss as in Baraff, "Linear-time dynamics using
 * Lagrange multipliers", 1996, but in the unknowns of the bodies, which makes loops and what is held twice no special
 * case). A body can be eliminated cheaply while it is tied to at most two others: that is enough for chains, trees and
 * rings of any size, and for bridges. Where a mechanism is more of a net than that, its joints are solved one by one in
 * colours, as are springs, which give way anyhow. */
#include "dynamics/solver_internal.h"

typedef struct Ordering {
	SolverStep *step;
	JointStep *joints;
	int *head;   /* per node: edge * 2 + side, or NONE */
	int *next;   /* per edge * 2 + side */
	int *degree; /* per node: neighbours that are still there */
	bool *gone, *queued;
	int *queue;
	int *parent; /* of nodes, for the mechanisms */
	int *number; /* per node that is a root: its mechanism, or NONE: solved in colours */
	int edge_capacity;
} Ordering;

static bool IsMovable(const SolverStep *step, int body)
{
	return step->bodies[body].inverse_mass > 0.0f;
}

static bool IsRigid(JointType type)
{
	return type != JOINT_SPRING;
}

static JointType TypeOf(const Ordering *o, int source)
{
	return o->joints->sources[source].type;
}

static int FindRoot(int *parent, int i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */

static int NodeOf(Ordering *o, int body)
{
	JointStep *joints = o->joints;
	if (!IsMovable(o->step, body))
		return NONE;
	if (joints->node_of[body] == NONE) {
		joints->body_of[joints->node_count] = body;
		joints->node_of[body] = joints->node_count++;
	}
	return joints->node_of[body];
}

/* An edge that is still there between two nodes; looked for on the side that has fewer. */
static int FindEdge(const Ordering *o, int a, int b)
{
	int from = o->degree[a] <= o->degree[b] ? a : b, to = from == a ? b : a;
	for (int link = o->head[from]; link != NONE; link = o->next[link]) {
		const JointEdge *e = &o->joints->edges[link >> 1];
		if (((link & 1) ? e->a : e->b) == to)
			return link >> 1;
	}
	return NONE;
}

static int AddEdge(Ordering *o, int a, int b)
{
	int edge = o->joints->edge_count++;
	SCREE_ASSERT(edge < o->edge_capacity);
	o->joints->edges[edge] = (JointEdge){a, b};
	int ends[2] = {a, b};
	for (int side = 0; side < 2; side++) {
		o->next[edge * 2 + side] = o->head[ends[side]];
		o->head[ends[side]] = edge * 2 + side;
		o->degree[ends[side]]++;
	}
	return edge;
}

static void AddEdges(Ordering *o)
{
	JointStep *joints = o->joints;
	for (int i = 0; i < joints->count; i++) {
		const JointSource *s = &joints->sources[i];
		if (!IsRigid(TypeOf(o, i)))
			continue;
		int a = NodeOf(o, s->a), b = NodeOf(o, s->b);
		if (a == NONE || b == NONE)
			continue;
		if (FindEdge(o, a, b) == NONE)
			AddEdge(o, a, b);
		int x = FindRoot(o->parent, a), y = FindRoot(o->parent, b);
		o->parent[Int_Max(x, y)] = Int_Min(x, y);
	}
}

/* ---- elimination ------------------------------------------------------------------------------------------------- */

static void Enqueue(Ordering *o, int *end, int node)
{
	if (node == NONE || o->degree[node] > 2 || o->queued[node])
		return;
	o->queued[node] = true;
	o->queue[(*end)++] = node;
}

static JointPivot Eliminate(Ordering *o, int node)
{
	JointPivot pivot = {.node = node, .neighbour = {NONE, NONE}, .edge = {NONE, NONE}, .fill = NONE};
	int count = 0;
	o->gone[node] = true;
	for (int link = o->head[node]; link != NONE; link = o->next[link]) {
		const JointEdge *e = &o->joints->edges[link >> 1];
		int other = (link & 1) ? e->a : e->b;
		if (o->gone[other])
			continue;
		SCREE_ASSERT(count < 2);
		pivot.neighbour[count] = other;
		pivot.edge[count++] = link >> 1;
		o->degree[other]--;
	}
	if (count < 2)
		return pivot;
	pivot.fill = FindEdge(o, pivot.neighbour[0], pivot.neighbour[1]);
	if (pivot.fill == NONE)
		pivot.fill = AddEdge(o, pivot.neighbour[0], pivot.neighbour[1]);
	return pivot;
}

/* Pivots in order of elimination; returns how many nodes could be eliminated. */
static int EliminateAll(Ordering *o, JointPivot *pivots)
{
	int begin = 0, end = 0;
	for (int node = 0; node < o->joints->node_count; node++)
		Enqueue(o, &end, node);
	for (; begin < end; begin++) {
		pivots[begin] = Eliminate(o, o->queue[begin]);
		Enqueue(o, &end, pivots[begin].neighbour[0]);
		Enqueue(o, &end, pivots[begin].neighbour[1]);
	}
	return end;
}

/* ---- mechanisms -------------------------------------------------------------------------------------------------- */

/* Numbers those whose nodes have all been eliminated, in order of their first nodes. */
static bool NumberMechanisms(Ordering *o)
{
	JointStep *joints = o->joints;
	const int net = -2;
	for (int node = 0; node < joints->node_count; node++)
		o->number[node] = NONE;
	for (int node = 0; node < joints->node_count; node++)
		if (!o->gone[node])
			o->number[FindRoot(o->parent, node)] = net;
	for (int node = 0; node < joints->node_count; node++) {
		int root = FindRoot(o->parent, node);
		if (o->number[root] == NONE)
			o->number[root] = joints->mechanism_count++;
	}
	joints->mechanisms = Arena_Array(&o->step->dynamics->arena, JointMechanism, joints->mechanism_count);
	if (!joints->mechanisms)
		return false;
	for (int i = 0; i < joints->mechanism_count; i++)
		joints->mechanisms[i] = (JointMechanism){.tied = false};
	return true;
}

static int MechanismOf(Ordering *o, int source)
{
	const JointSource *s = &o->joints->sources[source];
	if (!IsRigid(TypeOf(o, source)))
		return NONE;
	int node = o->joints->node_of[IsMovable(o->step, s->a) ? s->a : s->b];
	int number = o->number[FindRoot(o->parent, node)];
	return number < 0 ? NONE : number;
}

/* Groups the pivots by mechanism, each in order of elimination. */
static bool SortPivots(Ordering *o, const JointPivot *found, int count)
{
	JointStep *joints = o->joints;
	joints->pivots = Arena_Array(&o->step->dynamics->arena, JointPivot, count);
	if (!joints->pivots)
		return false;
	for (int pass = 0; pass < 2; pass++) {
		int first = 0;
		for (int m = 0; m < joints->mechanism_count && pass == 1; m++) {
			joints->mechanisms[m].pivots.first = first;
			first += joints->mechanisms[m].pivots.count;
			joints->mechanisms[m].pivots.count = 0;
		}
		for (int i = 0; i < count; i++) {
			int number = o->number[FindRoot(o->parent, found[i].node)];
			if (number < 0)
				continue;
			JointRange *range = &joints->mechanisms[number].pivots;
			if (pass == 1)
				joints->pivots[range->first + range->count] = found[i];
			range->count++;
		}
	}
	return true;
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

/* Lowest colour that neither body has yet, or JOINT_COLOURS. */
static int TakeColour(const SolverStep *step, uint64_t *used, int a, int b)
{
	uint64_t taken = (IsMovable(step, a) ? used[a] : 0) | (IsMovable(step, b) ? used[b] : 0);
	int colour = taken == UINT64_MAX ? JOINT_COLOURS : Int_Min(__builtin_ctzll(~taken), JOINT_COLOURS);
	if (colour == JOINT_COLOURS)
		return colour;
	used[a] |= (uint64_t)1 << colour;
	used[b] |= (uint64_t)1 << colour;
	return colour;
}

static void BoundMechanism(const Ordering *o, JointMechanism *m)
{
	float mass = 0.0f;
	for (int i = m->pivots.first; i < m->pivots.first + m->pivots.count; i++)
		mass += 1.0f / o->step->bodies[o->joints->body_of[o->joints->pivots[i].node]].inverse_mass;
	m->tied = m->constraints.count > m->pivots.count;
	m->most = m->tied ? MAX_SPEED * mass : FLT_MAX;
}

/* Sorting places of a batch: two a colour, of its wide joints and of the others, and then one a mechanism. */
static int PlaceOf(const JointBatch *batch, const JointSource *s)
{
	if (s->group < FIRST_MECHANISM)
		return 2 * s->group + !s->wide;
	return FIRST_MECHANISM + s->group - batch->mechanisms.first;
}

static void AddColour(JointStep *joints, JointRange wide, JointRange others, int *colours)
{
	int groups = (wide.count + LANES - 1) / LANES;
	joints->colours[(*colours)++] = (JointColour){{joints->ball_groups, groups}, others};
	for (int i = 0; i < groups; i++) {
		WideBall *ball = &joints->balls[joints->ball_groups++];
		ball->first = wide.first + LANES * i;
		ball->count = (uint8_t)Int_Min(LANES, wide.count - LANES * i);
	}
}

/* Sorts one batch's sources by group, and sets the ranges of its colours and mechanisms. `place`: room for as many
 * places as there can be and one more. */
static void SortBatch(Ordering *o, JointBatch *batch, const JointSource *from, int *place, int *colours)
{
	JointStep *joints = o->joints;
	int first = batch->constraints.first, end = first + batch->constraints.count;
	int places = 2 * FIRST_MECHANISM + batch->mechanisms.count;
	memset(place, 0, sizeof *place * (size_t)(places + 1));
	for (int i = first; i < end; i++)
		place[PlaceOf(batch, &from[i]) + 1]++;
	place[0] = first;
	batch->colours.first = *colours;
	JointRange wide = {0, 0};
	for (int p = 0; p < places; p++) {
		JointRange range = {place[p], place[p + 1]};
		place[p + 1] += place[p];
		if (p == 2 * FIRST_MECHANISM)
			batch->mechanical = (JointRange){range.first, end - range.first};
		if (p >= 2 * FIRST_MECHANISM)
			joints->mechanisms[batch->mechanisms.first + p - 2 * FIRST_MECHANISM].constraints = range;
		else if (p % 2 == 0)
			wide = range;
		else if (wide.count + range.count > 0)
			AddColour(joints, wide, range, colours);
		batch->overflow = batch->overflow || (p == 2 * JOINT_COLOURS + 1 && range.count > 0);
	}
	batch->colours.count = *colours - batch->colours.first;
	for (int i = first; i < end; i++)
		joints->sources[place[PlaceOf(batch, &from[i])]++] = from[i];
}

/* Mechanisms are numbered in the order of their first sources, so those of a batch stand together. */
static void CountMechanisms(const Ordering *o, JointBatch *batch, int *first)
{
	batch->mechanisms.first = *first;
	for (int i = batch->constraints.first; i < batch->constraints.first + batch->constraints.count; i++)
		*first = Int_Max(*first, o->joints->sources[i].group - FIRST_MECHANISM + 1);
	batch->mechanisms.count = *first - batch->mechanisms.first;
}

/* Each colour of a batch may leave lanes empty. */
static int BallsAtMost(const JointStep *joints, int batches)
{
	int wide = 0, most = 0;
	for (int i = 0; i < joints->count; i++)
		wide += joints->sources[i].wide;
	for (int i = 0; i < batches; i++)
		most += Int_Min(joints->batches[i].constraints.count, JOINT_COLOURS);
	return Int_Min(wide, wide / LANES + most);
}

static bool SortSources(Ordering *o)
{
	SolverStep *step = o->step;
	JointStep *joints = o->joints;
	Arena *arena = &step->dynamics->arena;
	int *place = Arena_Array(arena, int, 2 * FIRST_MECHANISM + joints->mechanism_count + 1);
	JointSource *from = joints->sources, *sorted = Arena_Array(arena, JointSource, joints->count);
	joints->colours = Arena_Array(arena, JointColour, joints->count);
	joints->balls = Arena_Array(arena, WideBall, BallsAtMost(joints, step->batch_count));
	joints->ball_groups = 0;
	if (!place || !sorted || !joints->colours || !joints->balls)
		return false;
	int mechanisms = 0, colours = 0;
	for (int i = 0; i < step->batch_count; i++)
		CountMechanisms(o, &joints->batches[i], &mechanisms);
	joints->sources = sorted;
	for (int i = 0; i < step->batch_count; i++)
		if (joints->batches[i].constraints.count > 0)
			SortBatch(o, &joints->batches[i], from, place, &colours);
	for (int m = 0; m < joints->mechanism_count; m++)
		BoundMechanism(o, &joints->mechanisms[m]);
	return true;
}

static bool GroupSources(Ordering *o)
{
	SolverStep *step = o->step;
	JointStep *joints = o->joints;
	size_t bytes = sizeof(uint64_t) * (size_t)step->body_count;
	uint64_t *used = Arena_Alloc(&step->dynamics->arena, bytes);
	if (!used)
		return false;
	memset(used, 0, bytes);
	for (int i = 0; i < joints->count; i++) {
		JointSource *s = &joints->sources[i];
		int mechanism = MechanismOf(o, i);
		s->group = mechanism == NONE ? TakeColour(step, used, s->a, s->b) : FIRST_MECHANISM + mechanism;
		s->wide = s->wide && s->group < JOINT_COLOURS;
	}
	return SortSources(o);
}

/* Batch after batch, in each in their old order. */
static bool SortByBatch(SolverStep *step)
{
	JointStep *joints = &step->joints;
	Arena *arena = &step->dynamics->arena;
	JointSource *from = joints->sources, *sorted = Arena_Array(arena, JointSource, joints->count);
	joints->batches = Arena_Array(arena, JointBatch, step->batch_count);
	if (!sorted || !joints->batches)
		return false;
	memset(joints->batches, 0, sizeof *joints->batches * (size_t)step->batch_count);
	for (int i = 0; i < joints->count; i++)
		joints->batches[step->batch_of[JointSource_Body(&from[i])]].constraints.count++;
	int first = 0;
	for (int i = 0; i < step->batch_count; i++) {
		joints->batches[i].constraints.first = first;
		first += joints->batches[i].constraints.count;
		joints->batches[i].constraints.count = 0;
	}
	for (int i = 0; i < joints->count; i++) {
		JointRange *to = &joints->batches[step->batch_of[JointSource_Body(&from[i])]].constraints;
		sorted[to->first + to->count++] = from[i];
	}
	joints->sources = sorted;
	return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool Reserve(Ordering *o)
{
	SolverStep *step = o->step;
	JointStep *joints = o->joints;
	Arena *arena = &step->dynamics->arena;
	int nodes = Int_Min(2 * joints->count, step->body_count);
	o->edge_capacity = joints->count + nodes; /* each elimination fills in one at most */
	joints->node_of = Arena_Array(arena, int, step->body_count);
	joints->body_of = Arena_Array(arena, int, nodes);
	joints->edges = Arena_Array(arena, JointEdge, o->edge_capacity);
	o->head = Arena_Array(arena, int, nodes);
	o->next = Arena_Array(arena, int, 2 * o->edge_capacity);
	o->degree = Arena_Array(arena, int, nodes);
	o->gone = Arena_Array(arena, bool, nodes);
	o->queued = Arena_Array(arena, bool, nodes);
	o->queue = Arena_Array(arena, int, nodes);
	o->parent = Arena_Array(arena, int, nodes);
	o->number = Arena_Array(arena, int, nodes);
	if (!joints->node_of || !joints->body_of || !joints->edges || !o->head || !o->next || !o->degree || !o->gone ||
	    !o->queued || !o->queue || !o->parent || !o->number)
		return false;
	memset(joints->node_of, 0xFF, sizeof *joints->node_of * (size_t)step->body_count);
	for (int i = 0; i < nodes; i++) {
		o->head[i] = NONE;
		o->degree[i] = 0;
		o->gone[i] = o->queued[i] = false;
		o->parent[i] = i;
	}
	return true;
}

/* Which edge each constraint of a mechanism fills, and room for the numbers. */
static bool MakeSystem(Ordering *o)
{
	JointStep *joints = o->joints;
	Arena *arena = &o->step->dynamics->arena;
	joints->edge_of = Arena_Array(arena, int, joints->count);
	joints->diagonal = Arena_Alloc(arena, sizeof *joints->diagonal * (size_t)Int_Max(joints->node_count, 1));
	joints->right = Arena_Alloc(arena, sizeof *joints->right * (size_t)Int_Max(joints->node_count, 1));
	joints->side = Arena_Alloc(arena, sizeof *joints->side * (size_t)Int_Max(joints->edge_count, 1));
	if (!joints->edge_of || !joints->diagonal || !joints->right || !joints->side)
		return false;
	for (int i = 0; i < joints->count; i++) {
		const JointSource *s = &joints->sources[i];
		int a = joints->node_of[s->a], b = joints->node_of[s->b];
		bool pair = s->group >= FIRST_MECHANISM && a != NONE && b != NONE;
		joints->edge_of[i] = pair ? FindEdge(o, a, b) : NONE;
	}
	return true;
}

bool Joints_Order(SolverStep *step)
{
	Ordering o = {.step = step, .joints = &step->joints};
	if (!SortByBatch(step) || !Reserve(&o))
		return false;
	for (int i = 0; i < step->joints.count; i++) {
		if (!IsRigid(TypeOf(&o, i)))
			continue;
		NodeOf(&o, step->joints.sources[i].a);
		NodeOf(&o, step->joints.sources[i].b);
	}
	AddEdges(&o);
	JointPivot *pivots = Arena_Array(&step->dynamics->arena, JointPivot, step->joints.node_count);
	if (!pivots)
		return false;
	int count = EliminateAll(&o, pivots);
	return NumberMechanisms(&o) && SortPivots(&o, pivots, count) && GroupSources(&o) && MakeSystem(&o);
}
