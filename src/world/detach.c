/* Loose pieces: what edits cut off from every anchor becomes a body, at the beginning of the step. */
#include "world/world_internal.h"

#define PENDING_LIMIT 65536 /* boxes between two steps; further ones are joined with the last */

static const char *const causes[CAUSE_COUNT] = {"edit", "dig", "blast", "detach_all"};

/* ---- settings ---------------------------------------------------------------------------------------------------- */

DetachSettings World_Detach(const World *w)
{
	return w->detach.settings;
}

/* What was edited while nothing came off is not looked at later. */
bool World_SetDetach(World *w, DetachSettings settings)
{
	if (settings.enabled && !w->detach.settings.enabled) {
		w->detach.seen = Store_Version(w->store);
		w->detach.pending.count = 0;
	}
	w->detach.settings = settings;
	return true;
}

int World_AddAnchor(World *w, CellBox box, Error *error)
{
	if (w->detach.anchors.count >= ANCHOR_LIMIT)
		return Error_Set(error, ERROR_LIMIT, "there can be %d anchors", ANCHOR_LIMIT);
	return Array_Push(&w->memory, w->detach.anchors, box) ? ERROR_NONE : Error_OutOfMemory(error);
}

void World_ClearAnchors(World *w)
{
	w->detach.anchors.count = 0;
}

int World_AnchorCount(const World *w)
{
	return w->detach.anchors.count;
}

CellBox World_Anchor(const World *w, int i)
{
	return w->detach.anchors.data[i];
}

/* ---- what was edited --------------------------------------------------------------------------------------------- */

static CellBox Box_Around(CellBox a, CellBox b)
{
	return (CellBox){{Int_Min(a.lo.x, b.lo.x), Int_Min(a.lo.y, b.lo.y), Int_Min(a.lo.z, b.lo.z)},
	                 {Int_Max(a.hi.x, b.hi.x), Int_Max(a.hi.y, b.hi.y), Int_Max(a.hi.z, b.hi.z)}};
}

bool World_NoteEdits(World *w, DetachCause cause)
{
	DetachState *d = &w->detach;
	uint64_t version = Store_Version(w->store);
	if (!d->settings.enabled || version == d->seen)
		return true;
	int count = Store_Changes(w->store, d->seen, NULL, 0);
	ARRAY(CellBox) boxes = {0};
	if (!Array_Resize(&w->memory, boxes, count) ||
	    !Array_Reserve(&w->memory, d->pending, Int_Min(d->pending.count + count, PENDING_LIMIT))) {
		Array_Free(&w->memory, boxes);
		return false;
	}
	Store_Changes(w->store, d->seen, boxes.data, count);
	for (int i = 0; i < count; i++) {
		if (d->pending.count < PENDING_LIMIT)
			d->pending.data[d->pending.count++] = (PendingBox){boxes.data[i], cause};
		else
			d->pending.data[PENDING_LIMIT - 1].box = Box_Around(d->pending.data[PENDING_LIMIT - 1].box, boxes.data[i]);
	}
	Array_Free(&w->memory, boxes);
	d->seen = version;
	return true;
}

/* ---- from pieces to bodies --------------------------------------------------------------------------------------- */

typedef struct NewBody {
	MassProps mass;
	PieceParts shapes;
	PartDef *parts;
	bool vanishes;
} NewBody;

typedef struct Detaching {
	World *w;
	LooseSet set;
	NewBody *bodies;  /* one a piece */
	int *part_counts; /* of those that are made */
	int made;
} Detaching;

static void Detaching_Free(Detaching *t)
{
	Memory *memory = &t->w->memory;
	size_t count = (size_t)t->set.pieces.count;
	for (size_t i = 0; i < count && t->bodies; i++) {
		NewBody *body = &t->bodies[i];
		Memory_Free(memory, body->parts, sizeof(PartDef) * (size_t)body->shapes.items.count);
		PieceParts_Free(&body->shapes, memory);
	}
	Memory_Free(memory, t->bodies, sizeof(NewBody) * count);
	Memory_Free(memory, t->part_counts, sizeof(int) * count);
	LooseSet_Free(&t->set);
}

/* m3 that the piece's cells take up. */
static double MatterOf(const Piece *piece, double size)
{
	int64_t cells[MATERIAL_LIMIT] = {0}, matter[MATERIAL_LIMIT] = {0}, sum = 0;
	Piece_Count(piece, cells, matter);
	for (int m = 0; m < MATERIAL_LIMIT; m++)
		sum += matter[m];
	return (double)sum / 256.0 * size * size * size;
}

/* Parts are of the material that the piece has most of, and of such a density that together they weigh what it does;
 * and they displace what its cells would. */
static bool MakeParts(Detaching *t, const Piece *piece, NewBody *body)
{
	uint8_t material = Piece_Material(piece);
	const Material *m = &t->w->materials->items[material];
	int count = body->shapes.items.count;
	double volume = 0.0;
	double matter = MatterOf(piece, Terrain_CellSize(t->w->terrain));
	body->parts = Memory_Alloc(&t->w->memory, sizeof(PartDef) * (size_t)count);
	if (!body->parts)
		return false;
	for (int i = 0; i < count; i++)
		volume += (double)Shape_Volume(&body->shapes.items.data[i].shape);
	for (int i = 0; i < count; i++) {
		const PiecePart *from = &body->shapes.items.data[i];
		bool box = from->shape.kind == SHAPE_BOX;
		body->parts[i] = (PartDef){
		    .shape = from->shape,
		    .placement = {box ? from->center : V3(0.0f, 0.0f, 0.0f), QuatIdentity()},
		    .source = box ? PIECE_SOURCE_BOX : PIECE_SOURCE_HULL,
		    .material = material,
		    .mask = UINT32_MAX,
		    .density = volume > 0.0 ? (float)((double)body->mass.mass / volume) : m->density,
		    .friction = m->friction,
		    .restitution = m->restitution,
		    .rolling = m->rolling,
		    .swell = volume > 0.0 ? (float)MinD(matter / volume - 1.0, SWELL_LIMIT) : 0.0f,
		};
	}
	return true;
}

static bool MakeBodies(Detaching *t)
{
	World *w = t->w;
	DetachSettings settings = w->detach.settings;
	size_t count = (size_t)t->set.pieces.count;
	uint16_t blockiness[MATERIAL_LIMIT];
	Terrain_Blockiness(w->materials, blockiness);
	t->bodies = Memory_AllocZero(&w->memory, sizeof(NewBody) * count);
	t->part_counts = Memory_Alloc(&w->memory, sizeof(int) * count);
	Carver *carver = Carver_Create(&w->memory, w->tasks, blockiness);
	bool ok = t->bodies && t->part_counts && carver;
	for (size_t i = 0; ok && i < count; i++) {
		const Piece *piece = t->set.pieces.data[i];
		NewBody *body = &t->bodies[i];
		bool small = piece->cells < settings.small_cells;
		body->mass = Piece_Mass(piece, w->materials, Terrain_CellSize(w->terrain));
		body->vanishes = (small && settings.small_vanish) || !Mass_CanMove(&body->mass);
		if (body->vanishes)
			continue;
		ok = Carver_Run(carver, piece, Terrain_CellSize(w->terrain), small, &w->memory, &body->shapes) &&
		     MakeParts(t, piece, body);
		t->part_counts[t->made++] = body->shapes.items.count;
	}
	Carver_Destroy(carver);
	return ok;
}

static const char *CauseOf(const Detaching *t, int piece)
{
	int box = t->set.box.data[piece];
	return causes[box < 0 ? CAUSE_ALL : t->w->detach.pending.data[box].cause];
}

/* Room was made for all that this needs. */
static void PlaceBody(Detaching *t, int i)
{
	World *w = t->w;
	Piece *piece = t->set.pieces.data[i];
	NewBody *body = &t->bodies[i];
	double size = Terrain_CellSize(w->terrain);
	Pos origin = {piece->origin.x * size, piece->origin.y * size, piece->origin.z * size};
	int slot = -1;
	if (!body->vanishes) {
		BodyDef def = {.origin = origin,
		               .rotation = QuatIdentity(),
		               .gravity_scale = 1.0f,
		               .motion = MOTION_DYNAMIC,
		               .can_sleep = true,
		               .part_count = body->shapes.items.count,
		               .parts = body->parts,
		               .has_mass = true,
		               .has_center = true,
		               .has_inertia = true,
		               .mass = body->mass,
		               .piece = piece};
		Error error;
		Id id = Body_Create(w->dynamics, &def, &error);
		SCREE_ASSERT(id != ID_NONE);
		slot = Body_Find(w->dynamics, id);
		w->listed.data[w->listed.count++] = id;
		t->set.pieces.data[i] = NULL; /* piece and hulls are the body's now */
		Memory_Free(&w->memory, body->parts, sizeof(PartDef) * (size_t)body->shapes.items.count);
		body->parts = NULL;
		Array_Free(&w->memory, body->shapes.items);
	}
	Dynamics_PushDetach(w->dynamics, slot, PosAdd(origin, body->mass.center), piece->cells, CauseOf(t, i));
}

/* Everything that can fail comes first; the edit is the last of it. */
static int ComeOff(Detaching *t, Error *error)
{
	World *w = t->w;
	if (!MakeBodies(t) || !Dynamics_Reserve(w->dynamics, t->part_counts, t->made, t->set.pieces.count) ||
	    !Array_Reserve(&w->memory, w->listed, t->made))
		return Error_OutOfMemory(error);
	int code = Loose_Remove(&t->set, w->store, NULL, error);
	if (code != ERROR_NONE)
		return code;
	Store_ForgetUndo(w->store); /* to undo would bring back cells that are bodies now */
	for (int i = 0; i < t->set.pieces.count; i++)
		PlaceBody(t, i);
	return ERROR_NONE;
}

/* ---- what holds -------------------------------------------------------------------------------------------------- */

/* The floor stays where it was first seen, so that what is built lower elsewhere takes it from nobody; it rises when
 * nothing is left at it. False: there is no ground. */
static bool FindFloor(World *w)
{
	DetachState *d = &w->detach;
	if (!d->has_floor || !Loose_HasCellsTo(w->store, d->floor))
		d->has_floor = Loose_FindFloor(w->store, &d->floor);
	return d->has_floor;
}

/* What is made is in w->listed. */
static int Examine(World *w, bool all, Error *error)
{
	DetachState *d = &w->detach;
	Detaching t = {.w = w};
	w->listed.count = 0;
	if (d->anchors.count == 0 && !FindFloor(w)) {
		d->pending.count = 0;
		return ERROR_NONE;
	}
	double most = MAX_COORDINATE / Terrain_CellSize(w->terrain) - 2.0 * CHUNK_SIZE;
	Anchors anchors = {.floor = d->anchors.count == 0,
	                   .level = d->floor,
	                   .reach = most < (double)CELL_LIMIT ? Int_Max((int32_t)most, 1) : 0,
	                   .boxes = d->anchors.data,
	                   .count = d->anchors.count};
	ARRAY(CellBox) boxes = {0};
	int code = ERROR_NONE;
	if (!all && !Array_Resize(&w->memory, boxes, d->pending.count))
		return Error_OutOfMemory(error);
	for (int i = 0; i < boxes.count; i++)
		boxes.data[i] = d->pending.data[i].box;
	code = Loose_Find(w->store, w->materials, &w->memory, boxes.data, all ? -1 : boxes.count, &anchors, &t.set, error);
	if (code == ERROR_NONE && t.set.pieces.count > 0)
		code = ComeOff(&t, error);
	if (code == ERROR_NONE) {
		d->pending.count = 0;
		d->seen = Store_Version(w->store);
	}
	Detaching_Free(&t);
	Array_Free(&w->memory, boxes);
	return code;
}

int World_DetachLoose(World *w, Error *error)
{
	if (!w->detach.settings.enabled)
		return ERROR_NONE;
	if (!World_NoteEdits(w, CAUSE_EDIT))
		return Error_OutOfMemory(error);
	return w->detach.pending.count > 0 ? Examine(w, false, error) : ERROR_NONE;
}

int World_DetachAll(World *w, const Id **made, Error *error)
{
	int code = Examine(w, true, error);
	*made = w->listed.data;
	return code == ERROR_NONE ? w->listed.count : code;
}

/* ---- back into the ground ---------------------------------------------------------------------------------------- */

int World_ToTerrain(World *w, int body, Tally *tally, Error *error)
{
	const Piece *piece = Body_Piece(w->dynamics, body);
	double size = Terrain_CellSize(w->terrain);
	if (!piece)
		return Error_Set(error, ERROR_ARGUMENT, "the assembly is no piece of the ground");
	Pos origin = Body_Origin(w->dynamics, body);
	const double position[3] = {origin.x / size, origin.y / size, origin.z / size};
	if (!Body_ReserveDestroy(w->dynamics, body))
		return Error_OutOfMemory(error);
	int code =
	    Piece_Lay(piece, w->store, w->materials, &w->memory, position, Body_Pose(w->dynamics, body).q, tally, error);
	if (code != ERROR_NONE)
		return code;
	Store_ForgetUndo(w->store);
	bool gone = Body_PrepareDestroy(w->dynamics, body, "back in the ground") && Body_Destroy(w->dynamics, body);
	SCREE_ASSERT(gone);
	(void)gone;
	return ERROR_NONE;
}

/* ---- keeping ----------------------------------------------------------------------------------------------------- */

static void Archive_Box(Archive *ar, CellBox *box)
{
	int32_t *numbers[] = {&box->lo.x, &box->lo.y, &box->lo.z, &box->hi.x, &box->hi.y, &box->hi.z};
	for (int i = 0; i < 6; i++)
		Archive_Int(ar, numbers[i], -CELL_LIMIT, CELL_LIMIT);
	Archive_IsSound(ar, box->lo.x <= box->hi.x && box->lo.y <= box->hi.y && box->lo.z <= box->hi.z,
	                "a box of cells is inside out");
}

bool Archive_Detach(Archive *ar, DetachState *d)
{
	Archive_Bool(ar, &d->settings.enabled);
	Archive_Bool(ar, &d->settings.small_vanish);
	Archive_Int(ar, &d->settings.small_cells, 0, SMALL_PIECE_LIMIT);
	Archive_Bool(ar, &d->has_floor);
	Archive_Int(ar, &d->floor, -CELL_LIMIT, CELL_LIMIT);
	int anchors = Archive_Count(ar, d->anchors.count, ANCHOR_LIMIT, 24);
	if (ar->reading && !Array_Resize(ar->memory, d->anchors, anchors))
		ar->failure = ERROR_MEMORY;
	for (int i = 0; i < anchors && ar->failure == ERROR_NONE; i++)
		Archive_Box(ar, &d->anchors.data[i]);
	int pending = Archive_Count(ar, d->pending.count, PENDING_LIMIT, 28);
	if (ar->reading && !Array_Resize(ar->memory, d->pending, pending))
		ar->failure = ERROR_MEMORY;
	for (int i = 0; i < pending && ar->failure == ERROR_NONE; i++) {
		int cause = (int)d->pending.data[i].cause;
		Archive_Box(ar, &d->pending.data[i].box);
		Archive_Int(ar, &cause, 0, CAUSE_COUNT - 1);
		d->pending.data[i].cause = (DetachCause)cause;
	}
	return ar->failure == ERROR_NONE;
}

void DetachState_Free(DetachState *d, Memory *memory)
{
	Array_Free(memory, d->anchors);
	Array_Free(memory, d->pending);
}

/* Where nothing of it is used, the hash is what it would be without. */
void DetachState_Hash(const DetachState *d, const Store *store, Hasher *hasher)
{
	if (!d->settings.enabled && d->anchors.count == 0)
		return;
	int32_t numbers[] = {d->settings.enabled, d->settings.small_vanish,    d->settings.small_cells,
	                     d->has_floor,        d->has_floor ? d->floor : 0, d->anchors.count};
	Hasher_Bytes(hasher, numbers, sizeof numbers);
	for (int i = 0; i < d->anchors.count; i++)
		Hasher_Bytes(hasher, &d->anchors.data[i], sizeof(CellBox));
	int edited = d->pending.count > 0 || (d->settings.enabled && Store_Version(store) != d->seen);
	Hasher_Bytes(hasher, &edited, sizeof edited);
}
