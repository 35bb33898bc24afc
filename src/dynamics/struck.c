/* Blows against sleepers that lie behind each other: within the step they go through all of them. A sleeper that was
 * taken for immovable behind one that is struck would take up the momentum of the blow, and it would be gone; so those
 * that it can make so fast that they would wake are watched in this step, and solved for. What is driven downwards is
 * not followed: it is borne by what bears the weight, and ends in the ground. */
#include "dynamics/sleep_internal.h"

#define SIDEWAYS 0.1f /* cosine between the way of a blow and that in which it is passed on, at least */
#define STEEP 0.7f    /* ... and between gravity and a way that leads down */

typedef struct Struck {
	int body;
	Vec3 way;      /* unit, in which it is driven */
	float impulse; /* N s, at most */
} Struck;

typedef struct StruckQueue {
	Struck *items; /* each body once */
	uint8_t *seen; /* per body */
	int count;
	Vec3 down; /* unit; or 0 */
} StruckQueue;

static bool Queue_Make(Dynamics *d, StruckQueue *queue)
{
	if (queue->items)
		return true;
	queue->items = Arena_Array(&d->arena, Struck, d->bodies.count);
	queue->seen = Arena_Array(&d->arena, uint8_t, d->bodies.count);
	if (!queue->items || !queue->seen)
		return false;
	memset(queue->seen, 0, (size_t)d->bodies.count);
	float gravity = Length(d->gravity);
	queue->down = gravity > 0.0f ? Scale(1.0f / gravity, d->gravity) : V3(0.0f, 0.0f, 0.0f);
	return true;
}

static void Queue_Push(const Dynamics *d, StruckQueue *queue, int slot, Vec3 way, float impulse)
{
	if (queue->seen[slot] || d->bodies.data[slot].motion != MOTION_DYNAMIC || Dot(way, queue->down) > STEEP)
		return;
	queue->seen[slot] = 1;
	queue->items[queue->count++] = (Struck){slot, way, impulse};
}

/* The hardest blow of a contact within `time`: its speed, or 0, and its normal. */
static float BlowOf(const Dynamics *d, const Contact *c, float time, Vec3 *normal)
{
	const Body *a = &d->bodies.data[c->body_a], *b = &d->bodies.data[c->body_b];
	float fastest = 0.0f;
	for (int i = 0; i < c->count; i++) {
		const StoredManifold *m = Contact_Manifold(d, c, i);
		for (int k = 0; k < m->count; k++) {
			const StoredPoint *p = &m->points[k];
			Vec3 velocity = Sub(PointVelocity(b, p->rb), PointVelocity(a, Sub(p->rb, c->between)));
			float speed = -Dot(m->normal, velocity);
			if (speed <= fastest || p->separation - speed * time >= 0.5f * SLOP)
				continue;
			fastest = speed;
			*normal = m->normal;
		}
	}
	return fastest;
}

/* What rests does not strike, and that is nearly all. */
static bool MayStrike(const Dynamics *d, const Contact *c)
{
	return c->count > 0 && c->body_a != NONE &&
	       d->bodies.data[c->body_a].reach_speed + d->bodies.data[c->body_b].reach_speed > BLOW_SPEED;
}

/* The way from one body to the next where they touch: that which goes on most nearly as it came. False: it does not. */
static bool WayOn(const Dynamics *d, const Contact *c, int from, Vec3 *way)
{
	float sign = c->body_a == from ? 1.0f : -1.0f, best = SIDEWAYS;
	Vec3 came = *way;
	for (int i = 0; i < c->count; i++) {
		const StoredManifold *m = Contact_Manifold(d, c, i);
		bool touches = false;
		for (int k = 0; k < m->count; k++)
			touches = touches || m->points[k].separation <= SLOP;
		float along = sign * Dot(m->normal, came);
		if (!touches || along <= best)
			continue;
		best = along;
		*way = Scale(sign, m->normal);
	}
	return best > SIDEWAYS;
}

static bool PassOn(Dynamics *d, StruckQueue *queue, const Struck *struck)
{
	NeighbourWalk walk = Neighbour_Start(d, struck->body);
	while (Neighbour_Next(d, &walk)) {
		Vec3 way = struck->way;
		if (walk.contact == NONE || walk.body == NONE || queue->seen[walk.body] ||
		    !WayOn(d, &d->contacts.data[walk.contact], struck->body, &way))
			continue;
		const Body *body = &d->bodies.data[walk.body];
		float impulse = struck->impulse * Dot(way, struck->way);
		if (impulse * body->inverse_mass <= Watch_Limit(d, body))
			continue;
		Queue_Push(d, queue, walk.body, way, impulse);
		if (queue->seen[walk.body] && Sleep_CanWake(d, walk.body) && !Watch_Add(d, walk.body))
			return false;
	}
	return true;
}

bool Watch_AddStruck(Dynamics *d, float dt)
{
	StruckQueue queue = {0};
	float time = dt * (1.0f + 1.0f / (float)d->substeps); /* the solver looks a substep ahead */
	for (int i = 0; i < d->awake_contacts.count && d->sleepers > 0; i++) {
		const Contact *c = &d->contacts.data[d->awake_contacts.data[i]];
		Vec3 normal = {0.0f, 0.0f, 0.0f};
		if (!Awake_Matters(d, i) || !MayStrike(d, c))
			continue;
		float speed = BlowOf(d, c, time, &normal);
		float mobility = d->bodies.data[c->body_a].inverse_mass + d->bodies.data[c->body_b].inverse_mass;
		if (speed <= BLOW_SPEED || mobility <= 0.0f)
			continue;
		if (!Queue_Make(d, &queue))
			return false;
		float impulse = 2.0f * speed / mobility; /* if both bounce fully */
		Queue_Push(d, &queue, c->body_b, normal, impulse);
		Queue_Push(d, &queue, c->body_a, Neg(normal), impulse);
	}
	for (int i = 0; i < queue.count; i++)
		if (!PassOn(d, &queue, &queue.items[i]))
			return false;
	return true;
}
