/* Contacts that are kept: while two parts have hardly moved against each other, only the places and separations of
 * their points are worked out again (after Box3D's contact recycling). */
#include "dynamics/dynamics_internal.h"

Vec3 Contact_Between(const Dynamics *d, const Contact *c)
{
	if (c->body_a == NONE)
		return V3(0.0f, 0.0f, 0.0f);
	return PosSub(d->bodies.data[c->body_a].pose.p, d->bodies.data[c->body_b].pose.p);
}

int Contact_DepthOf(float separation)
{
	return separation < -DEEP_OVERLAP ? 2 : separation < -SOME_OVERLAP ? 1 : 0;
}

#define KEEP_WITHIN 0.002f /* m that two parts may move against each other before their contact is made anew ... */
#define KEEP_SHARE 0.02f   /* ... or, if that is less, this share of the smaller one's inner radius */

static Quat TurnSince(Quat now, Quat then)
{
	return QuatMul(now, QuatConj(then));
}

/* What a turn adds to a vector: exactly 0 for none, however long the vector is. */
static Vec3 TurnAdds(Quat turn, Vec3 v)
{
	Vec3 u = {turn.x, turn.y, turn.z};
	Vec3 t = Scale(2.0f, Cross(u, v));
	return MulAdd(Cross(u, t), turn.w, t);
}

static Vec3D Way(const Dynamics *d, const Contact *c)
{
	Pos b = d->bodies.data[c->body_b].pose.p;
	Pos a = c->body_a == NONE ? (Pos){0.0, 0.0, 0.0} : d->bodies.data[c->body_a].pose.p;
	return (Vec3D){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* How two bodies stand against how they stood when their contact was made. */
typedef struct Since {
	Quat turn_a, turn_b;
	Vec3 shift;    /* of A's centre as B's sees it, world axes */
	Vec3 made_way; /* from the centre of B to that of A then */
} Since;

/* False: some point of B has moved by `room` or more as A sees it. *moved: how far any has moved at most. */
static bool HaveStayed(const Dynamics *d, const Contact *c, float room, Since *s, float *moved)
{
	const ContactMade *made = &c->made;
	*s = (Since){.turn_a = QuatIdentity(), .shift = ToF(SubD(Way(d, c), made->way))};
	if (c->body_a != NONE) {
		s->turn_a = TurnSince(d->bodies.data[c->body_a].pose.q, made->qa);
		s->made_way = ToF(made->way);
	}
	/* as A sees it, B's centre has moved by the shift, and by what A's own turn makes of the way to it */
	*moved = Length(Sub(s->shift, TurnAdds(s->turn_a, s->made_way)));
	if (!(*moved < room))
		return false;
	s->turn_b = TurnSince(d->bodies.data[c->body_b].pose.q, made->qb);
	Quat relative = QuatInvMul(s->turn_a, s->turn_b);
	*moved += 2.0f * d->reaches.data[c->part_b].radius * Length(V3(relative.x, relative.y, relative.z));
	return *moved < room;
}

void Contact_NoteMade(const Dynamics *d, Contact *c, float margin, float room)
{
	c->made = (ContactMade){.qa = c->body_a == NONE ? QuatIdentity() : d->bodies.data[c->body_a].pose.q,
	                        .qb = d->bodies.data[c->body_b].pose.q,
	                        .way = Way(d, c),
	                        .margin = margin,
	                        .room = room,
	                        .holds = room > 0.0f};
}

/* ---- the points of a manifold, side by side ---------------------------------------------------------------------- */

typedef float Four __attribute__((vector_size(16)));

typedef struct Four3 {
	Four x, y, z;
} Four3;

static inline Four Four_Of(float v)
{
	return (Four){v, v, v, v};
}
static inline Four3 Four3_Of(Vec3 v)
{
	return (Four3){Four_Of(v.x), Four_Of(v.y), Four_Of(v.z)};
}
static inline Four3 Four3_Add(Four3 a, Four3 b)
{
	return (Four3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline Four3 Four3_Sub(Four3 a, Four3 b)
{
	return (Four3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline Four3 Four3_Cross(Four3 a, Four3 b)
{
	return (Four3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline Four3 Four3_MulAdd(Four3 a, float s, Four3 b)
{
	return (Four3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
/* As TurnAdds. */
static inline Four3 Four3_TurnAdds(Quat turn, Four3 v)
{
	Four3 u = Four3_Of(V3(turn.x, turn.y, turn.z)), t = Four3_Cross(u, v);
	t = (Four3){2.0f * t.x, 2.0f * t.y, 2.0f * t.z};
	return Four3_MulAdd(Four3_Cross(u, t), turn.w, t);
}
/* Rows into columns, and back. */
static inline void Transpose(Four rows[4])
{
	Four a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
	Four b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
	Four c = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
	Four d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
	rows[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
	rows[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
	rows[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
	rows[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

_Static_assert(MANIFOLD_POINTS == 4 && offsetof(StoredPoint, separation) == offsetof(StoredPoint, rb) + 12 &&
                   offsetof(StoredPoint, made_separation) == offsetof(StoredPoint, made_rb) + 12,
               "a place and its separation are read together");

/* The points go with both bodies and stay half way between them; separations follow from how far those places parted.
 */
static void MoveManifold(StoredManifold *m, const Since *s)
{
	Four rows[4];
	Vec3 normal = Rotate(s->turn_a, m->made_normal);
	for (int k = 0; k < MANIFOLD_POINTS; k++)
		memcpy(&rows[k], &m->points[k].made_rb, sizeof rows[k]);
	Transpose(rows);
	Four3 made = {rows[0], rows[1], rows[2]}, shift = Four3_Of(s->shift), way = Four3_Of(s->made_way);
	Four3 on_a = Four3_Add(shift, Four3_TurnAdds(s->turn_a, Four3_Sub(made, way)));
	Four3 on_b = Four3_TurnAdds(s->turn_b, made), parted = Four3_Sub(on_b, on_a);
	Four3 rb = Four3_MulAdd(made, 0.5f, Four3_Add(on_a, on_b));
	Four separation = rows[3] + (normal.x * parted.x + normal.y * parted.y + normal.z * parted.z);
	rows[0] = rb.x, rows[1] = rb.y, rows[2] = rb.z, rows[3] = separation;
	Transpose(rows);
	m->normal = normal;
	m->deep = 0;
	for (int k = 0; k < m->count; k++) {
		memcpy(&m->points[k].rb, &rows[k], sizeof rows[k]);
		m->deep = (uint8_t)Int_Max(m->deep, Contact_DepthOf(separation[k]));
	}
}

/* ---- keeping ----------------------------------------------------------------------------------------------------- */

bool Contact_Keep(Dynamics *d, Contact *c, float margin)
{
	Since since;
	float moved;
	if (!c->made.holds || (c->count > 0 && margin > c->made.margin) || !HaveStayed(d, c, c->made.room, &since, &moved))
		return false;
	if (c->count == 0)
		return moved + margin < c->made.room;
	c->between = Contact_Between(d, c);
	for (int i = 0; i < c->count; i++)
		MoveManifold(&d->manifolds.data[c->first + i], &since);
	return true;
}

/* Balls and all that is round about its axis. */
static float Shape_Roundness(const Shape *shape)
{
	bool flat = shape->kind == SHAPE_BOX || shape->kind == SHAPE_HULL || shape->kind == SHAPE_MESH;
	return flat ? 0.0f : shape->radius;
}

float Contact_RoomOf(const Dynamics *d, const Contact *c)
{
	const Part *b = &d->parts.data[c->part_b];
	float inner = b->inner_radius, round = Shape_Roundness(&b->def.shape);
	if (c->part_a != NONE) {
		const Part *a = &d->parts.data[c->part_a];
		inner = Min(inner, a->inner_radius);
		round = Max(round, Shape_Roundness(&a->def.shape));
	}
	if (round > 0.0f)
		return 0.0f; /* rolls off its points */
	return Min(KEEP_WITHIN, KEEP_SHARE * inner);
}
