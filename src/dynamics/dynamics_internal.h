/* What the files of the dynamics room have from one another. Only these include it. */
#ifndef SCREE_DYNAMICS_INTERNAL_H
#define SCREE_DYNAMICS_INTERNAL_H

#include "dynamics/state_internal.h"

/* ---- body.c, part.c ---------------------------------------------------------------------------------------------- */

static inline bool Body_IsAwake(const Body *body)
{
	return body->awake_place != NONE;
}
static inline bool Body_IsSleeper(const Body *body)
{
	return body->motion == MOTION_DYNAMIC && !Body_IsAwake(body);
}
/* The body, or contact, at a place of the list of those awake, with later ones on their way. */
static inline Body *Awake_Body(const Dynamics *d, int place)
{
	if (place + FETCH_AHEAD < d->awake.count)
		Fetch(&d->bodies.data[d->awake.data[place + FETCH_AHEAD]], 128);
	return &d->bodies.data[d->awake.data[place]];
}
static inline Contact *Awake_Contact(const Dynamics *d, int place)
{
	if (place + FETCH_AHEAD < d->awake_contacts.count)
		Fetch(&d->contacts.data[d->awake_contacts.data[place + FETCH_AHEAD]], sizeof(Contact));
	return &d->contacts.data[d->awake_contacts.data[place]];
}
/* May there be anything to do with the contact at this place? */
static inline bool Awake_Matters(const Dynamics *d, int place)
{
	return place >= d->counted_places || d->matters[place];
}
static inline void Awake_SetMatters(Dynamics *d, int place)
{
	if (place < d->counted_places)
		d->matters[place] = 1;
}
/* How many manifolds it has room for. */
static inline int Contact_Room(const Contact *c)
{
	return c->first == NONE ? 0 : 1 << c->run_class;
}
static inline void Fetch_Reaches(const Dynamics *d, const ContactPair *pair)
{
	if (!pair->awake)
		return;
	Fetch(&d->reaches.data[pair->part_b], sizeof(PartReach));
	if (pair->part_a != NONE)
		Fetch(&d->reaches.data[pair->part_a], sizeof(PartReach));
}
/* What a contact has to do with. */
static inline void Fetch_Whole(const Dynamics *d, const Contact *c)
{
	Fetch(&d->bodies.data[c->body_b], 64);
	if (c->body_a != NONE)
		Fetch(&d->bodies.data[c->body_a], 64);
	if (c->count > 0)
		Fetch(&d->manifolds.data[c->first], sizeof(StoredManifold));
}
/* Where its parts are, and their shapes. */
static inline void Fetch_Parts(const Dynamics *d, const ContactPair *pair)
{
	Fetch(&d->parts.data[pair->part_b], 96);
	if (pair->part_a != NONE)
		Fetch(&d->parts.data[pair->part_a], 96);
}
/* The same, with what the contact has to do with. */
static inline Contact *Awake_WholeContact(const Dynamics *d, int place)
{
	if (place + FETCH_AHEAD / 2 < d->awake_contacts.count)
		Fetch_Whole(d, &d->contacts.data[d->awake_contacts.data[place + FETCH_AHEAD / 2]]);
	return Awake_Contact(d, place);
}

static inline const StoredManifold *Contact_Manifold(const Dynamics *d, const Contact *c, int i)
{
	return &d->manifolds.data[c->first + i];
}
static inline Vec3 PointVelocity(const Body *body, Vec3 arm)
{
	return Add(body->velocity, Cross(body->angular_velocity, arm));
}

static inline bool Part_IsMesh(const Part *part)
{
	return part->def.shape.kind == SHAPE_MESH;
}
Pose Part_Pose(const Dynamics *d, const Part *part);
/* How far under its surface a part may be turned about without the surface moving, where it is touched along `normal`
 * (world axes): the radius of a ball or capsule, of a cylinder up to its axis where its side or rim is touched; else 0.
 */
float Part_Rounding(const Dynamics *d, const Part *part, Vec3 normal);
/* The same as a lever of rolling resistance: a cone has one too, and flat ends have a rim that rolls. */
float Part_RollingRadius(const Dynamics *d, const Part *part, Vec3 normal);

Vec3 Part_LocalMiddle(const Part *part); /* a point well inside the shape, in its frame */
Pos Part_Middle(const Dynamics *d, const Part *part);
WorldBox Part_Box(const Dynamics *d, const Part *part); /* tight */
BoxTree *Body_Tree(Dynamics *d, const Body *body);
/* After its pose changed: moves leaves whose tight box left the fat one, and lists those parts for FindPairs. `drift`:
 * where it will be by the next step, to fatten in that direction. Room for the list was made when the parts were. */
WorldBox Part_KeepBox(const Dynamics *d, Part *part); /* Part_Box, which will be at hand while the body does not move */
bool Body_LeavesBoxes(Dynamics *d, const Body *body); /* does any part reach out of its box in the tree? */
void Body_UpdateBoxes(Dynamics *d, Body *body, Vec3 drift);
/* Whether it should be in the awake list by itself: dynamic, or kinematic and moving. */
bool Body_ListAwake(Dynamics *d,
                    int slot); /* into the list, with its contacts; false: out of memory, nothing changed */
void Body_UnlistAwake(Dynamics *d, int slot);
bool Parts_Reserve(Dynamics *d, int count); /* room for so many, in all that is listed by part */
void Parts_Add(Dynamics *d, int part);      /* nothing is known of this part, which is the next */
void Part_MarkMoved(Dynamics *d, int part); /* all that its box meets is looked at again */
/* Into the tree of its body's kind; there is room. */
void Part_EnterTree(Dynamics *d, int part, WorldBox fat);
void Part_MoveInTree(Dynamics *d, int part, WorldBox fat);
/* Around moves of so many parts of bodies that are not static: many are done at once. */
void Parts_BeginMoves(Dynamics *d, int count);
void Parts_EndMoves(Dynamics *d);
void Part_NoteReach(Dynamics *d, int part, WorldBox box, bool tight);

/* ---- body_mass.c ------------------------------------------------------------------------------------------------- */

/* Mass, centre and inertia of all parts, in the assembly's frame. False: out of memory. */
bool Mass_OfParts(Dynamics *d, const PartDef *parts, int count, MassProps *total);
int Mass_Check(const MassProps *mass, Error *error); /* can it be moved at all? */
void Body_SetInverseMass(Body *body);
/* Takes mass, centre (assembly's frame) and inertia; what moves goes on as it did. */
void Body_TakeMass(Dynamics *d, int slot, const MassProps *mass);
/* Wakes a body that was changed by hand, what leaned on it and what it leans on. */
bool Body_Disturb(Dynamics *d, int slot, const char *reason);
void Body_EndContacts(Dynamics *d, Body *body);
/* Its contacts are made anew in the next step. */
void Body_DropManifolds(Dynamics *d, const Body *body);

/* ---- contact.c --------------------------------------------------------------------------------------------------- */

int Contact_Create(Dynamics *d, int part_a, int part_b); /* NONE on failure */
void Contact_Destroy(Dynamics *d, int contact);          /* event room must be there when it touches */
bool Contact_ReserveEvents(Dynamics *d, int count);
/* Loops over awake contacts whose order does not matter go by slots where most are awake: so they lie in memory. */
static inline bool Contacts_BySlot(const Dynamics *d)
{
	return d->awake_contacts.count >= d->contacts.count / 4;
}
ContactPair Contact_Pair(const Dynamics *d, const Contact *contact); /* of one that is awake */
bool Contact_ListAwake(Dynamics *d, int contact);
void Contact_UnlistAwake(Dynamics *d, int contact);
bool Contact_Resize(Dynamics *d, Contact *c, int manifolds); /* room for so many; contents kept */
void Contact_PushEnd(Dynamics *d, const Contact *c);
void Contact_PushTouchEvents(Dynamics *d); /* at the end of a step */
bool Parts_ShouldCollide(const Dynamics *d, int part_a, int part_b);

/* The same for both orders. */
static inline uint64_t PairKey(int part_a, int part_b)
{
	uint32_t lower = (uint32_t)Int_Min(part_a, part_b), higher = (uint32_t)Int_Max(part_a, part_b);
	return (uint64_t)lower << 32 | higher;
}

/* ---- joint.c ----------------------------------------------------------------------------------------------------- */

JointPlace Joint_Place(const Dynamics *d, const Joint *joint);
/* The turn of frame b against frame a about their x axis: the one next to `near`, turns counted. */
double Joint_Twist(Quat frame_a, Quat frame_b, double near);
void Joint_Link(Dynamics *d, int joint); /* into all lists, as the youngest */
void Joint_NoteSettings(Joint *joint);   /* Joint.plain and .tears; whenever settings change (joint_gather.c) */
/* Whether a joint forbids parts of the two bodies to touch. */
bool Joint_Parts(const Dynamics *d, int body_a, int body_b);
/* Holds no longer. Event room must be there. */
void Joint_Break(Dynamics *d, int joint);
void Joint_DestroyAll(Dynamics *d, int body); /* of a body that goes; its neighbours have been woken */
void Joint_Hash(const Dynamics *d, Hasher *hasher);
bool Joint_Validate(const Dynamics *d, char *why, size_t why_size);

/* ---- neighbours.c ------------------------------------------------------------------------------------------------ */

/* What a body touches or is joined to, one after the other: touching contacts, then joints that hold. */
typedef struct NeighbourWalk {
	bool in_joints;
	int next;           /* link to come */
	int body;           /* of the neighbour; NONE: the ground, or the world */
	int contact, joint; /* what ties them; the other is NONE */
} NeighbourWalk;

NeighbourWalk Neighbour_Start(const Dynamics *d, int body);
bool Neighbour_Next(const Dynamics *d, NeighbourWalk *walk);

/* ---- keep.c ------------------------------------------------------------------------------------------------------ */

Vec3 Contact_Between(const Dynamics *d, const Contact *c); /* from the centre of B to that of A; 0 for terrain */
int Contact_DepthOf(float separation);                     /* StoredManifold.deep */
float Contact_RoomOf(const Dynamics *d, const Contact *c); /* ContactMade.room of parts that touch */
void Contact_NoteMade(const Dynamics *d, Contact *c, float margin, float room);
/* Keeps the contact as it is while the parts stand nearly as they did. */
bool Contact_Keep(Dynamics *d, Contact *c, float margin);

/* ---- narrow.c ---------------------------------------------------------------------------------------------------- */

#define FRESH_LIMIT 64 /* manifolds of one contact; the deepest are kept */

/* Friction, restitution and rolling of the two surfaces. */
void Manifold_SetSurface(const Dynamics *d, const Contact *c, StoredManifold *m);
/* Metres at which a contact of the two is made; part_a NONE: the ground. */
float Part_Margin(const Dynamics *d, int part_a, int part_b, float dt);

/* ---- probe.c ----------------------------------------------------------------------------------------------------- */

/* Of a sleeper where the ground may have changed; all else is woken or starts to count anew. False: out of memory. */
bool Probe_Start(Dynamics *d, int slot, const char *reason);
/* Whether the new manifolds bear the body as the old ones did. */
bool Probe_IsSame(const StoredManifold *old, int old_count, const Manifold *fresh, int count);
bool Probe_End(Dynamics *d,
               const char *reason); /* wakes those whose ground changed, lists the others as asleep again */

/* ---- foresee.c, continuous.c ------------------------------------------------------------------------------------- */

/* The part's sweep along a path, in a frame at `origin`. */
ShapeSweep Part_Sweep(const Dynamics *d, const Part *part, Pos origin, Vec3 shift, Vec3 turn);
/* Around all that the part passes on its way in this step. */
WorldBox Part_SweptBox(const Dynamics *d, const Part *part, Vec3 shift, Vec3 turn);

/* Where the two sides of a point met in this step, on their surfaces; once everything has moved. */
Pos Contact_MeetingPlace(const Dynamics *d, const Contact *c, const StoredManifold *m, const StoredPoint *p);

/* ---- pairs.c ----------------------------------------------------------------------------------------------------- */

bool Pairs_Validate(const Dynamics *d, char *why, size_t why_size);

/* ---- seams.c ----------------------------------------------------------------------------------------------------- */

/* Empties the manifolds of pairs of parts that touch at an inner side of what parts make together. False: out of
 * memory. */
bool Seams_Silence(Dynamics *d);

/* ---- ground.c ---------------------------------------------------------------------------------------------------- */

int Ground_Order(const GroundContact *a, const GroundContact *b); /* the order of a part's contacts */
bool Ground_Reserve(Dynamics *d, Part *part, int count);          /* a run for a part that has none */
void Ground_Close(Dynamics *d, Part *part);                       /* all contacts of a part with blocks */
/* Whether the contact of the pair's part with block i (of its hits) made a point in this step. Thread-safe for
 * different parts. */
void Ground_NotePoint(Dynamics *d, const TerrainPair *pair, int i);
bool Ground_Validate(const Dynamics *d, char *why, size_t why_size);

/* ---- archive.c --------------------------------------------------------------------------------------------------- */

void Reasons_Free(Dynamics *d);

/* ---- water.c ----------------------------------------------------------------------------------------------------- */

void Water_PushEvents(Dynamics *d); /* who came into water or out of it, at the end of a step */
void Water_PushEvent(Dynamics *d, int slot, EventKind kind);

/* ---- sleep.c ----------------------------------------------------------------------------------------------------- */

/* Wakes a sleeper; by the rule of velocities all that it touches, too. An awake one starts to count anew. False: out of
 * memory; some may be awake, none is lost. */
bool Sleep_Wake(Dynamics *d, int slot, const char *reason);
bool Sleep_WakeStack(Dynamics *d, int slot, const char *reason); /* ... and what rests on it, and so on */
/* Wakes what touches a body (its support may be gone), and what rests on that. */
bool Sleep_WakeNeighbours(Dynamics *d, int slot, const char *reason);
void Watch_Drop(Dynamics *d, int slot); /* is no longer watched: it woke, or goes */
void Sleep_RetireStopped(Dynamics *d);
/* Drops the warm start of all contacts of the bodies from this place of the awake list on. */
void Sleep_ForgetLoads(Dynamics *d, int first_place);

#endif
