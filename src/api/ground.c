/* Terrain cells: reading, writing, counting, brushes, mesh. */
#include "api/api_internal.h"

static Store *Ground(const ScreeWorld *w)
{
	return World_Store(w->world);
}

static Tally *FreshTally(ScreeWorld *w)
{
	memset(&w->tally, 0, sizeof w->tally);
	return &w->tally;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

int32_t screeTerrain_Get(ScreeWorld *w, double x, double y, double z, int32_t *out3)
{
	double v[3] = {x, y, z};
	Cell cell;
	if (!Check_Cell(w, "cell", v, &cell))
		return SCREE_BAD_ARGUMENT;
	Voxel voxel = Store_Get(Ground(w), cell);
	out3[0] = voxel.material;
	out3[1] = voxel.occupancy;
	out3[2] = voxel.water;
	return SCREE_OK;
}

int32_t screeTerrain_Set(ScreeWorld *w, double x, double y, double z, int32_t material, int32_t occupancy,
                         int32_t water)
{
	double v[3] = {x, y, z};
	Cell cell;
	if (!Check_Cell(w, "cell", v, &cell) || !Check_Material(w, "material", material) ||
	    !Check_Index(w, "occupancy", occupancy, 256) || !Check_Index(w, "water", water, 256))
		return SCREE_BAD_ARGUMENT;
	Voxel voxel = {(uint8_t)material, (uint8_t)occupancy, (uint8_t)water};
	if (material == MATERIAL_WATER) /* water has its own channel: a cell set to water is air full of it */
		voxel = (Voxel){MATERIAL_AIR, 0, 255};
	return Store_Set(Ground(w), cell, voxel, FreshTally(w), &w->error);
}

/* Number of cells of a box that a caller's flat buffers must hold; false when no buffer could. */
static bool CheckVolume(ScreeWorld *w, CellBox box)
{
	double nx = (double)box.hi.x - box.lo.x + 1, ny = (double)box.hi.y - box.lo.y + 1,
	       nz = (double)box.hi.z - box.lo.z + 1;
	if (nx * ny * nz <= 2147483647.0)
		return true;
	Api_Fail(w, ERROR_LIMIT, "the box of min and max holds %.0f cells, more than a buffer can", nx * ny * nz);
	return false;
}

static Region RegionOf(CellBox box, uint8_t *material, uint8_t *occupancy, uint8_t *water)
{
	return (Region){box.hi.x - box.lo.x + 1,
	                box.hi.y - box.lo.y + 1,
	                box.hi.z - box.lo.z + 1,
	                {[CHANNEL_MATERIAL] = material, [CHANNEL_OCCUPANCY] = occupancy, [CHANNEL_WATER] = water}};
}

int32_t screeTerrain_Read(ScreeWorld *w, const double *min, const double *max, uint8_t *material, uint8_t *occupancy,
                          uint8_t *water)
{
	CellBox box;
	if (!Check_CellBox(w, min, max, &box) || !CheckVolume(w, box))
		return SCREE_BAD_ARGUMENT;
	Region region = RegionOf(box, material, occupancy, water);
	Store_Read(Ground(w), box, &region);
	return SCREE_OK;
}

int32_t screeTerrain_Write(ScreeWorld *w, const double *min, const double *max, const uint8_t *material,
                           const uint8_t *occupancy, const uint8_t *water, const uint8_t *mask)
{
	CellBox box;
	if (!Check_CellBox(w, min, max, &box) || !CheckVolume(w, box))
		return SCREE_BAD_ARGUMENT;
	Region region = RegionOf(box, (uint8_t *)material, (uint8_t *)occupancy, (uint8_t *)water);
	size_t cells = (size_t)region.nx * (size_t)region.ny * (size_t)region.nz;
	int count = World_Materials(w->world)->count;
	for (size_t i = 0; material && i < cells; i++)
		if ((!mask || mask[i]) && (material[i] >= count || material[i] == MATERIAL_WATER))
			return Api_Fail(w, ERROR_ARGUMENT, "material byte %d at index %zu names no solid material", material[i], i);
	return Store_Write(Ground(w), box, &region, mask, FreshTally(w), &w->error);
}

int32_t screeTerrain_Count(ScreeWorld *w, const double *min, const double *max, double *counts, double *water)
{
	CellBox box;
	int64_t found[MATERIAL_LIMIT], wet;
	if (!Check_CellBox(w, min, max, &box))
		return SCREE_BAD_ARGUMENT;
	Store_Count(Ground(w), box, found, &wet);
	for (int i = 0; i < MATERIAL_LIMIT; i++)
		counts[i] = (double)found[i];
	if (water)
		*water = (double)wet;
	return SCREE_OK;
}

static void ToCells(const int64_t *units, double *cells)
{
	for (int i = 0; i < MATERIAL_LIMIT; i++)
		cells[i] = (double)units[i] / (i == MATERIAL_WATER ? 255.0 : 256.0);
}

int32_t screeTerrain_Matter(ScreeWorld *w, const double *min, const double *max, double *sums)
{
	CellBox box;
	int64_t found[MATERIAL_LIMIT];
	if (!Check_CellBox(w, min, max, &box))
		return SCREE_BAD_ARGUMENT;
	Store_Matter(Ground(w), box, found);
	ToCells(found, sums);
	return SCREE_OK;
}

int32_t screeTerrain_Replace(ScreeWorld *w, const double *min, const double *max, int32_t from, int32_t to)
{
	CellBox box;
	if (!Check_CellBox(w, min, max, &box) || !Check_Material(w, "from", from) || !Check_Material(w, "to", to))
		return SCREE_BAD_ARGUMENT;
	return Store_Replace(Ground(w), box, (uint8_t)from, (uint8_t)to, FreshTally(w), &w->error);
}

int32_t screeTerrain_Clear(ScreeWorld *w)
{
	return Store_Clear(Ground(w), FreshTally(w), &w->error);
}

void screeTerrain_Tally(const ScreeWorld *w, double *removed, double *added)
{
	ToCells(w->tally.removed, removed);
	ToCells(w->tally.added, added);
}

/* ---- brushes ----------------------------------------------------------------------------------------------------- */

static void SetBrushRotation(Brush *brush, Quat q)
{
	double x = q.x, y = q.y, z = q.z, w = q.w, s = 2.0 / (x * x + y * y + z * z + w * w);
	double m[3][3] = {{1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
	                  {s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)},
	                  {s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)}};
	memcpy(brush->rotation, m, sizeof m);
	brush->rotated = x != 0.0 || y != 0.0 || z != 0.0;
}

static bool CheckSides(ScreeWorld *w, const double *size, double reach)
{
	static const char *const names[] = {"size[1]", "size[2]", "size[3]"};
	for (int i = 0; i < 3; i++)
		if (!Check_Positive(w, names[i], size[i]) || !Check_Number(w, names[i], size[i], 0.0, reach))
			return false;
	return true;
}

/* The brush in cells. Its cells, not its metres, are what the store must be able to hold. */
static bool MakeBrush(ScreeWorld *w, const ScreeFill *fill, Brush *brush)
{
	double cell = Terrain_CellSize(World_Terrain(w->world)), reach = 1e6 * cell;
	Quat q;
	*brush = (Brush){.shape = (BrushShape)fill->brush};
	if (!Check_Index(w, "brush", fill->brush, 4) || !Check_Vector(w, "position", fill->position, MAX_COORDINATE) ||
	    !Check_Rotation(w, "rotation", fill->rotation, &q))
		return false;
	double size[3] = {2.0 * fill->radius, fill->height, 2.0 * fill->radius};
	if (fill->brush == SCREE_BRUSH_BOX || fill->brush == SCREE_BRUSH_WEDGE) {
		if (!CheckSides(w, fill->size, reach))
			return false;
		memcpy(size, fill->size, sizeof size);
	} else if (!Check_Positive(w, "radius", fill->radius) || !Check_Number(w, "radius", fill->radius, 0.0, reach)) {
		return false;
	}
	if (fill->brush == SCREE_BRUSH_CYLINDER &&
	    (!Check_Positive(w, "height", fill->height) || !Check_Number(w, "height", fill->height, 0.0, reach)))
		return false;
	SetBrushRotation(brush, q);
	bool square = fill->brush == SCREE_BRUSH_BOX || fill->brush == SCREE_BRUSH_WEDGE;
	const char *names[2][3] = {{"radius", "height", "radius"}, {"size[1]", "size[2]", "size[3]"}};
	for (int i = 0; i < 3; i++) {
		brush->center[i] = fill->position[i] / cell;
		brush->half[i] = 0.5 * size[i] / cell;
		bool given = square || i == 0 || (i == 1 && fill->brush == SCREE_BRUSH_CYLINDER);
		if (given && !Check_Positive(w, names[square][i], brush->half[i])) /* what is less than any cell's share */
			return false;
		if (!Check_Number(w, "position", brush->center[i], -(double)CELL_LIMIT + 2e6, (double)CELL_LIMIT - 2e6))
			return false;
	}
	return true;
}

int32_t screeTerrain_Fill(ScreeWorld *w, const ScreeFill *fill)
{
	Brush brush;
	if (!MakeBrush(w, fill, &brush) || !Check_Material(w, "material", fill->material) ||
	    !Check_Index(w, "mode", fill->mode, 4))
		return SCREE_BAD_ARGUMENT;
	return Store_Fill(Ground(w), World_Materials(w->world), &brush, (uint8_t)fill->material, (EditMode)fill->mode,
	                  FreshTally(w), &w->error);
}

/* A ball in cells. */
static bool MakeBall(ScreeWorld *w, const double *center, double radius, double ball[4])
{
	double cell = Terrain_CellSize(World_Terrain(w->world)), limit = (double)CELL_LIMIT - 1024.0;
	if (!Check_Vector(w, "center", center, MAX_COORDINATE) || !Check_Positive(w, "radius", radius) ||
	    !Check_Number(w, "radius", radius, 0.0, RESHAPE_RADIUS * cell))
		return false;
	for (int i = 0; i < 3; i++) {
		ball[i] = center[i] / cell;
		if (!Check_Number(w, "center", ball[i], -limit, limit))
			return false;
	}
	ball[3] = MinD(radius / cell, RESHAPE_RADIUS);
	return true;
}

int32_t screeTerrain_Smooth(ScreeWorld *w, const double *center, double radius, double strength)
{
	double ball[4];
	if (!MakeBall(w, center, radius, ball) || !Check_Number(w, "strength", strength, 0.0, 1.0))
		return SCREE_BAD_ARGUMENT;
	return Store_Smooth(Ground(w), World_Materials(w->world), ball, ball[3], strength, FreshTally(w), &w->error);
}

int32_t screeTerrain_Grow(ScreeWorld *w, const double *center, double radius, double strength, int32_t material)
{
	double ball[4], cell = Terrain_CellSize(World_Terrain(w->world));
	if (!MakeBall(w, center, radius, ball) ||
	    !Check_Number(w, "strength", strength, -GROW_LIMIT * cell, GROW_LIMIT * cell))
		return SCREE_BAD_ARGUMENT;
	if (material != -1 && (!Check_Material(w, "material", material) || material <= MATERIAL_WATER))
		return Api_Fail(w, ERROR_ARGUMENT, "material must be solid or -1, got %d", material);
	double cells = ClampD(strength / cell, -GROW_LIMIT, GROW_LIMIT);
	return Store_Grow(Ground(w), World_Materials(w->world), ball, ball[3], cells, material, FreshTally(w), &w->error);
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

double screeTerrain_Version(const ScreeWorld *w)
{
	return (double)Store_Version(Ground(w));
}
double screeTerrain_Bytes(const ScreeWorld *w)
{
	return (double)Store_Bytes(Ground(w));
}

static void FromCellBox(CellBox box, double *out6)
{
	out6[0] = box.lo.x, out6[1] = box.lo.y, out6[2] = box.lo.z;
	out6[3] = box.hi.x, out6[4] = box.hi.y, out6[5] = box.hi.z;
}

int32_t screeTerrain_Changes(ScreeWorld *w, double since, double *boxes, int32_t capacity)
{
	if (!Check_Number(w, "since", since, 0.0, 9007199254740992.0) || !Check_Number(w, "capacity", capacity, 0, 65536))
		return SCREE_BAD_ARGUMENT;
	size_t bytes = sizeof(CellBox) * (size_t)capacity;
	CellBox *found = Memory_Alloc(World_Memory(w->world), bytes);
	if (capacity > 0 && !found)
		return Api_OutOfMemory(w);
	int count = Store_Changes(Ground(w), (uint64_t)since, found, capacity);
	for (int i = 0; i < count && i < capacity; i++)
		FromCellBox(found[i], boxes + 6 * i);
	Memory_Free(World_Memory(w->world), found, bytes);
	return count;
}

int32_t screeTerrain_Bounds(const ScreeWorld *w, double *out6)
{
	CellBox box;
	if (!Store_Bounds(Ground(w), &box))
		return 0;
	FromCellBox(box, out6);
	return 1;
}

int32_t screeTerrain_IsInside(ScreeWorld *w, const double *point, int32_t *water)
{
	bool wet = false;
	if (!Check_Vector(w, "point", point, MAX_COORDINATE))
		return SCREE_BAD_ARGUMENT;
	int result = World_SyncTerrain(w->world, &w->error);
	if (result != ERROR_NONE)
		return result;
	int inside = Terrain_PointInside(World_Terrain(w->world), ToPos(point), &wet);
	if (inside < 0)
		return Api_OutOfMemory(w);
	if (water)
		*water = wet;
	return inside;
}

/* ---- mesh -------------------------------------------------------------------------------------------------------- */

int32_t screeTerrain_Mesh(ScreeWorld *w, const double *min, const double *max, ScreeMesh **mesh)
{
	CellBox box;
	bool whole = !min && !max;
	if (!whole && (!min || !max))
		return Api_Fail(w, ERROR_ARGUMENT, "min and max must both be given, or neither");
	if (!whole && !Check_CellBox(w, min, max, &box))
		return SCREE_BAD_ARGUMENT;
	Memory *memory = World_Memory(w->world);
	MeshHandle *handle = Memory_AllocZero(memory, sizeof *handle);
	if (!handle)
		return Api_OutOfMemory(w);
	int result = World_SyncTerrain(w->world, &w->error);
	if (result == ERROR_NONE)
		result = Terrain_Mesh(World_Terrain(w->world), whole ? NULL : &box, &handle->mesh, &w->error);
	if (result != ERROR_NONE) {
		Memory_Free(memory, handle, sizeof *handle);
		return result;
	}
	*mesh = MeshHandle_Face(handle);
	return SCREE_OK;
}

void screeMesh_Free(ScreeWorld *w, ScreeMesh *mesh)
{
	if (!mesh)
		return;
	MeshHandle *handle = (MeshHandle *)mesh;
	TerrainMesh_Free(World_Memory(w->world), &handle->mesh);
	Memory_Free(World_Memory(w->world), handle, sizeof *handle);
}
