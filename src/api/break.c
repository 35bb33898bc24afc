/* What breaks: loose pieces, digging by hardness, blasts. */
#include "api/api_internal.h"

_Static_assert(PIECE_SOURCE_BOX == SCREE_BOX && PIECE_SOURCE_HULL == SCREE_HULL, "pieces are made of these");

static Tally *FreshTally(ScreeWorld *w)
{
	memset(&w->tally, 0, sizeof w->tally);
	return &w->tally;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

void screeTerrain_GetDetach(const ScreeWorld *w, ScreeDetach *out)
{
	DetachSettings settings = World_Detach(w->world);
	*out = (ScreeDetach){settings.enabled, settings.small_cells, settings.small_vanish};
}

int32_t screeTerrain_SetDetach(ScreeWorld *w, const ScreeDetach *detach)
{
	if (!Check_Flag(w, "enabled", detach->enabled) ||
	    !Check_Number(w, "small_cells", detach->small_cells, 0, SMALL_PIECE_LIMIT) ||
	    !Check_Flag(w, "small_vanish", detach->small_vanish))
		return SCREE_BAD_ARGUMENT;
	DetachSettings settings = {detach->enabled != 0, detach->small_vanish != 0, detach->small_cells};
	return World_SetDetach(w->world, settings) ? SCREE_OK : Api_OutOfMemory(w);
}

int32_t screeTerrain_Anchor(ScreeWorld *w, const double *min, const double *max)
{
	CellBox box;
	if (!Check_CellBox(w, min, max, &box))
		return SCREE_BAD_ARGUMENT;
	return World_AddAnchor(w->world, box, &w->error);
}

void screeTerrain_ClearAnchors(ScreeWorld *w)
{
	World_ClearAnchors(w->world);
}

int32_t screeTerrain_Anchors(ScreeWorld *w, double *boxes, int32_t capacity)
{
	int count = World_AnchorCount(w->world);
	if (!Check_Number(w, "capacity", capacity, 0, ANCHOR_LIMIT))
		return SCREE_BAD_ARGUMENT;
	for (int i = 0; i < count && i < capacity; i++) {
		CellBox box = World_Anchor(w->world, i);
		const double numbers[6] = {box.lo.x, box.lo.y, box.lo.z, box.hi.x, box.hi.y, box.hi.z};
		memcpy(boxes + 6 * i, numbers, sizeof numbers);
	}
	return count;
}

int32_t screeTerrain_DetachAll(ScreeWorld *w, const ScreeId **out)
{
	return World_DetachAll(w->world, out, &w->error);
}

int32_t screeAssembly_Cells(ScreeWorld *w, ScreeId id, double *cells, double *matter)
{
	int slot = Check_Assembly(w, id);
	int64_t counts[MATERIAL_LIMIT] = {0}, sums[MATERIAL_LIMIT] = {0};
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	const Piece *piece = Body_Piece(World_Dynamics(w->world), slot);
	if (piece)
		Piece_Count(piece, counts, sums);
	for (int m = 0; m < MATERIAL_LIMIT; m++) {
		if (cells)
			cells[m] = (double)counts[m];
		if (matter)
			matter[m] = (double)sums[m] / 256.0;
	}
	return piece != NULL;
}

int32_t screeAssembly_ToTerrain(ScreeWorld *w, ScreeId id)
{
	int slot = Check_Assembly(w, id);
	if (slot < 0)
		return SCREE_BAD_ARGUMENT;
	return World_ToTerrain(w->world, slot, FreshTally(w), &w->error);
}

/* ---- digging and blasts ------------------------------------------------------------------------------------------ */

/* A ball whose cells the ground can hold. */
static bool CheckBall(ScreeWorld *w, const char *name, const double *center, double radius)
{
	double cell = Terrain_CellSize(World_Terrain(w->world)), limit = (double)CELL_LIMIT - 8192.0;
	if (!Check_Vector(w, name, center, MAX_COORDINATE) || !Check_Positive(w, "radius", radius) ||
	    !Check_Number(w, "radius", radius, 0.0, DIG_RADIUS * cell))
		return false;
	for (int i = 0; i < 3; i++)
		if (!Check_Number(w, name, center[i] / cell, -limit, limit))
			return false;
	return true;
}

int32_t screeTerrain_Dig(ScreeWorld *w, const double *center, double radius, double strength)
{
	if (!CheckBall(w, "center", center, radius) || !Check_Positive(w, "strength", strength))
		return SCREE_BAD_ARGUMENT;
	return World_Dig(w->world, ToPos(center), radius, strength, FreshTally(w), &w->error);
}

int32_t screeWorld_Blast(ScreeWorld *w, const ScreeBlast *blast, const ScreeId **out)
{
	if (!CheckBall(w, "position", blast->position, blast->radius) ||
	    !Check_Number(w, "strength", blast->strength, 0.0, NUMBER_LIMIT) ||
	    !Check_Number(w, "impulse", blast->impulse, 0.0, NUMBER_LIMIT))
		return SCREE_BAD_ARGUMENT;
	Blast with = {ToPos(blast->position), blast->radius, blast->strength, blast->impulse};
	return World_Blast(w->world, &with, FreshTally(w), out, &w->error);
}
