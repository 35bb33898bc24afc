/* Ground under a grid of heights.
 *
 * Works by chunk columns: what 32 x 32 columns need is computed when the edit comes to a chunk of them, and a short
 * summary of every chunk column, made beforehand, tells chunks that are wholly under or above the surface. So memory
 * follows the surface, and nothing of the size of the volume is ever held. */
#include "voxel/brush_internal.h"
#include "voxel/fill_internal.h"

#define LAYER_LIMIT COUNT_OF(((HeightFill *)0)->layer_material)
#define MIXED (-1)
/* Stands for any solid material of the table. */
#define SOME_SOLID 2

/* A block of 32 x 32 columns in short. y below: cell centres. */
typedef struct Summary {
	double low;   /* below it every cell is full, of one material; -DBL_MAX when a column is void */
	double top;   /* from it upwards nothing is touched */
	int material; /* of what is below `low`, or MIXED */
} Summary;

typedef struct HeightEdit {
	const HeightFill *fill;
	FillRule rule;
	bool dig;
	int32_t x_lo, x_hi, z_lo, z_hi; /* cells covered */
	int32_t chunk_x, chunk_z, chunks_x, chunks_z;
	Summary *summaries; /* [chunks_x * chunks_z] */
	/* the current block of columns, index x + 32 * z: */
	bool cached;
	int32_t block_x, block_z;
	double ground[CHUNK_SIZE * CHUNK_SIZE];    /* NaN: void or not covered */
	double upright[CHUNK_SIZE * CHUNK_SIZE];   /* the normal's y */
	uint8_t material[CHUNK_SIZE * CHUNK_SIZE]; /* with sample_material */
	Summary row[CHUNK_SIZE];
	double around[(CHUNK_SIZE + 2) * (CHUNK_SIZE + 2)];
	int64_t voids; /* of the current block */
} HeightEdit;

/* ---- the surface -------------------------------------------------------------------------------------------- */

/* Sample index and fraction for a cell's centre; past the edge samples the surface goes on level. */
static double SampleAt(int32_t cell, double first, double spacing, int count, int *index)
{
	double u = ClampD((((double)cell + 0.5) - first) / spacing, 0.0, (double)(count - 1));
	*index = Int_Min((int)u, Int_Max(count - 2, 0));
	return u - *index;
}

/* Between two values; one that has no weight may be NaN. */
static double Mix(double a, double b, double t)
{
	return t == 0.0 ? a : t == 1.0 ? b : a + t * (b - a);
}

static double NoGround(void)
{
	return (double)NAN;
}

static double GroundAt(const HeightEdit *edit, int32_t x, int32_t z)
{
	const HeightFill *fill = edit->fill;
	if (x < edit->x_lo || x > edit->x_hi || z < edit->z_lo || z > edit->z_hi)
		return NoGround();
	int i, k;
	double s = SampleAt(x, fill->x0, fill->spacing, fill->width, &i);
	double t = SampleAt(z, fill->z0, fill->spacing, fill->depth, &k);
	const double *row = fill->heights + (size_t)k * (size_t)fill->width + i;
	const double *next = row + (t == 0.0 ? 0 : fill->width);
	int right = s == 0.0 ? 0 : 1;
	return Mix(Mix(row[0], row[right], s), Mix(next[0], next[right], s), t);
}

static uint8_t MaterialAt(const HeightEdit *edit, int32_t x, int32_t z)
{
	const HeightFill *fill = edit->fill;
	int i, k;
	double s = SampleAt(x, fill->x0, fill->spacing, fill->width, &i);
	double t = SampleAt(z, fill->z0, fill->spacing, fill->depth, &k);
	i += s >= 0.5;
	k += t >= 0.5;
	return fill->sample_material[(size_t)k * (size_t)fill->width + (size_t)i];
}

/* Central difference per cell; one-sided beside a void. */
static double Slope(double before, double here, double after)
{
	bool has_before = before == before, has_after = after == after;
	if (has_before && has_after)
		return 0.5 * (after - before);
	if (has_after)
		return after - here;
	return has_before ? here - before : 0.0;
}

/* ---- blocks of columns -------------------------------------------------------------------------------------- */

/* The depth from which a column has its last material. */
static double LastLayerDepth(const HeightEdit *edit)
{
	const HeightFill *fill = edit->fill;
	double depth = 0.0;
	if (!edit->dig && !fill->sample_material)
		for (int j = 0; j + 1 < fill->layer_count; j++)
			depth = MaxD(depth, fill->layer_depth[j]);
	return depth;
}

static uint8_t LastMaterial(const HeightEdit *edit, int column)
{
	if (edit->dig)
		return MATERIAL_AIR;
	if (edit->fill->sample_material)
		return edit->material[column];
	return edit->fill->layer_material[edit->fill->layer_count - 1];
}

static Summary Summary_Join(Summary a, Summary b)
{
	return (Summary){MinD(a.low, b.low), MaxD(a.top, b.top), a.material == b.material ? a.material : MIXED};
}

static Summary Column_Summary(const HeightEdit *edit, int column, double last_depth)
{
	double ground = edit->ground[column];
	if (!(ground == ground))
		return (Summary){-DBL_MAX, -DBL_MAX, MIXED};
	double reach = 1.0 / edit->upright[column];
	/* A hair more than needed, for rounding. */
	return (Summary){ground - MaxD(reach, last_depth) - 1e-3, ground + reach + 1e-3, LastMaterial(edit, column)};
}

static void Block_Surface(HeightEdit *edit, int32_t x0, int32_t z0)
{
	const int side = CHUNK_SIZE + 2;
	for (int k = 0; k < side; k++)
		for (int i = 0; i < side; i++)
			edit->around[i + side * k] = GroundAt(edit, x0 + i - 1, z0 + k - 1);
	edit->voids = 0;
	for (int column = 0; column < CHUNK_ROWS; column++) {
		int x = column % CHUNK_SIZE, z = column / CHUNK_SIZE;
		const double *here = edit->around + (x + 1) + side * (z + 1);
		double gx = Slope(here[-1], here[0], here[1]), gz = Slope(here[-side], here[0], here[side]);
		bool covered = x0 + x >= edit->x_lo && x0 + x <= edit->x_hi && z0 + z >= edit->z_lo && z0 + z <= edit->z_hi;
		edit->ground[column] = here[0];
		edit->upright[column] = 1.0 / sqrt(1.0 + gx * gx + gz * gz);
		edit->voids += covered && !(here[0] == here[0]);
		if (edit->fill->sample_material && !edit->dig)
			edit->material[column] = covered ? MaterialAt(edit, x0 + x, z0 + z) : MATERIAL_AIR;
	}
}

static Summary Block_Load(HeightEdit *edit, int32_t block_x, int32_t block_z)
{
	double last_depth = LastLayerDepth(edit);
	edit->cached = true;
	edit->block_x = block_x;
	edit->block_z = block_z;
	Block_Surface(edit, block_x * CHUNK_SIZE, block_z * CHUNK_SIZE);
	for (int column = 0; column < CHUNK_ROWS; column++) {
		Summary summary = Column_Summary(edit, column, last_depth), *row = &edit->row[column / CHUNK_SIZE];
		*row = column % CHUNK_SIZE == 0 ? summary : Summary_Join(*row, summary);
	}
	Summary all = edit->row[0];
	for (int z = 1; z < CHUNK_SIZE; z++)
		all = Summary_Join(all, edit->row[z]);
	return all;
}

/* ---- the edit ----------------------------------------------------------------------------------------------- */

static uint8_t LayerAt(const HeightEdit *edit, int column, double depth)
{
	const HeightFill *fill = edit->fill;
	if (edit->dig || fill->sample_material)
		return LastMaterial(edit, column);
	int j = 0;
	while (j + 1 < fill->layer_count && depth > fill->layer_depth[j])
		j++;
	return fill->layer_material[j];
}

/* Bytes and materials that the fill brings to a row; bytes are 0 outside of the heights and under the bottom. */
static void Height_Wants(HeightEdit *edit, int32_t x, int32_t y, int32_t z, int n, uint8_t *bytes, uint8_t *fresh)
{
	if (!edit->cached || edit->block_x != x >> CHUNK_BITS || edit->block_z != z >> CHUNK_BITS)
		Block_Load(edit, x >> CHUNK_BITS, z >> CHUNK_BITS);
	int column = (x & (CHUNK_SIZE - 1)) + CHUNK_SIZE * (z & (CHUNK_SIZE - 1));
	const Summary *row = &edit->row[column / CHUNK_SIZE];
	double centre = (double)y + 0.5;
	memset(bytes, 0, (size_t)n);
	if (centre >= row->top || y < edit->fill->bottom)
		return;
	bool fills = edit->rule.mode == EDIT_SET || edit->rule.mode == EDIT_ADD;
	if (centre < row->low && row->material != MIXED) {
		memset(bytes, 255, (size_t)n);
		memset(fresh, row->material, (size_t)n);
		return;
	}
	for (int i = 0; i < n; i++, column++) {
		double depth = edit->ground[column] - centre;
		fresh[i] = MATERIAL_AIR;
		if (!(depth == depth))
			continue;
		double d = depth * edit->upright[column];
		fresh[i] = LayerAt(edit, column, depth);
		bytes[i] = fills && edit->rule.blocky[fresh[i]] ? (d >= 0.0 ? 255 : 0) : Distance_ToByte(d);
	}
}

static void Height_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                       uint8_t *water)
{
	HeightEdit *edit = context;
	uint8_t bytes[CHUNK_SIZE], fresh[CHUNK_SIZE] = {0};
	(void)water;
	Height_Wants(edit, x, y, z, n, bytes, fresh);
	FillRule_Row(&edit->rule, bytes, fresh, n, material, occupancy);
}

static void Height_Bytes(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *bytes)
{
	uint8_t fresh[CHUNK_SIZE];
	Height_Wants(context, x, y, z, n, bytes, fresh);
}

static double Height_Distance(void *context, int32_t x, int32_t y, int32_t z)
{
	HeightEdit *edit = context;
	if (!edit->cached || edit->block_x != x >> CHUNK_BITS || edit->block_z != z >> CHUNK_BITS)
		Block_Load(edit, x >> CHUNK_BITS, z >> CHUNK_BITS);
	int column = (x & (CHUNK_SIZE - 1)) + CHUNK_SIZE * (z & (CHUNK_SIZE - 1));
	double depth = edit->ground[column] - ((double)y + 0.5);
	if (y < edit->fill->bottom || !(depth == depth))
		return -FILL_HARD;
	double d = depth * edit->upright[column];
	bool blocky = !edit->dig && edit->rule.blocky[LayerAt(edit, column, depth)];
	return !blocky ? d : d >= 0.0 ? FILL_HARD : -FILL_HARD;
}

static ChunkAnswer Height_Chunk(void *context, const Chunk *chunk, CellBox piece, WholeChunk *whole)
{
	const HeightEdit *edit = context;
	int i = (piece.lo.x >> CHUNK_BITS) - edit->chunk_x, k = (piece.lo.z >> CHUNK_BITS) - edit->chunk_z;
	const Summary *summary = &edit->summaries[i + (size_t)edit->chunks_x * (size_t)k];
	if ((double)piece.lo.y + 0.5 >= summary->top)
		return CHUNK_UNCHANGED;
	if (!Piece_IsChunk(piece) || (double)piece.hi.y + 0.5 >= summary->low || summary->material == MIXED)
		return CHUNK_BY_ROWS;
	return FillRule_Covered(&edit->rule, (uint8_t)summary->material, chunk, whole);
}

/* ---- checks ------------------------------------------------------------------------------------------------- */

static int Height_CheckGrid(const HeightFill *fill, Error *error)
{
	if (fill->width < 1 || fill->depth < 1)
		return Error_Set(error, ERROR_ARGUMENT, "heights: %d x %d samples, must be at least 1 x 1", fill->width,
		                 fill->depth);
	if (!IsFinite(fill->x0) || !IsFinite(fill->z0))
		return Error_Set(error, ERROR_ARGUMENT, "position: (%g, %g) must be finite", fill->x0, fill->z0);
	if (!IsFinite(fill->spacing) || !(fill->spacing > 0.0))
		return Error_Set(error, ERROR_ARGUMENT, "spacing: %g must be above 0 and finite", fill->spacing);
	if (fill->bottom < -CELL_LIMIT || fill->bottom > CELL_LIMIT)
		return Error_Set(error, ERROR_LIMIT, "bottom: %d lies beyond the limit of %d cells", fill->bottom, CELL_LIMIT);
	double x1 = fill->x0 + (fill->width - 1) * fill->spacing, z1 = fill->z0 + (fill->depth - 1) * fill->spacing;
	if (fill->x0 < -CELL_LIMIT || x1 >= CELL_LIMIT || fill->z0 < -CELL_LIMIT || z1 >= CELL_LIMIT)
		return Error_Set(error, ERROR_LIMIT, "heights: (%g, %g) to (%g, %g) pass the limit of %d cells", fill->x0,
		                 fill->z0, x1, z1, CELL_LIMIT);
	for (int64_t i = 0; i < (int64_t)fill->width * fill->depth; i++) {
		double h = fill->heights[i];
		if (h > CELL_LIMIT || h < -CELL_LIMIT)
			return Error_Set(error, ERROR_LIMIT, "heights: sample %lld of %g lies beyond the limit of %d cells",
			                 (long long)i, h, CELL_LIMIT);
	}
	return ERROR_NONE;
}

static int Height_CheckMaterials(const HeightFill *fill, const MaterialTable *table, EditMode mode, Error *error)
{
	int code = Fill_CheckMode(mode, SOME_SOLID, table, error);
	if (code || mode == EDIT_REMOVE)
		return code;
	if (fill->sample_material) {
		for (int64_t i = 0; i < (int64_t)fill->width * fill->depth; i++)
			if (fill->sample_material[i] <= MATERIAL_WATER || fill->sample_material[i] >= table->count)
				return Error_Set(error, ERROR_ARGUMENT, "material: %d of sample %lld is no solid material of the table",
				                 fill->sample_material[i], (long long)i);
		return ERROR_NONE;
	}
	if (fill->layer_count < 1 || fill->layer_count > LAYER_LIMIT)
		return Error_Set(error, ERROR_ARGUMENT, "layers: %d, must be 1 to %d", fill->layer_count, LAYER_LIMIT);
	for (int j = 0; j < fill->layer_count; j++) {
		if (fill->layer_material[j] <= MATERIAL_WATER || fill->layer_material[j] >= table->count)
			return Error_Set(error, ERROR_ARGUMENT, "layers: %d of layer %d is no solid material of the table",
			                 fill->layer_material[j], j + 1);
		if (j + 1 < fill->layer_count && !(fill->layer_depth[j] == fill->layer_depth[j]))
			return Error_Set(error, ERROR_ARGUMENT, "layers: the depth of layer %d is no number", j + 1);
	}
	return ERROR_NONE;
}

/* ---- the call ----------------------------------------------------------------------------------------------- */

/* Summaries of all blocks, voids counted, and the cell above everything: false when that is not above the bottom. */
static bool Height_Survey(HeightEdit *edit, int64_t *voids, int32_t *top)
{
	double highest = -DBL_MAX;
	*voids = 0;
	for (int32_t k = 0; k < edit->chunks_z; k++) {
		for (int32_t i = 0; i < edit->chunks_x; i++) {
			Summary summary = Block_Load(edit, edit->chunk_x + i, edit->chunk_z + k);
			edit->summaries[i + (size_t)edit->chunks_x * (size_t)k] = summary;
			highest = MaxD(highest, summary.top);
			*voids += edit->voids;
		}
	}
	*top = FloorToInt(ClampD(highest, -(double)CELL_LIMIT, (double)CELL_LIMIT));
	return highest > edit->fill->bottom;
}

static int Height_Run(Store *store, HeightEdit *edit, Tally *tally, int64_t *void_columns, Error *error)
{
	EditMode mode = edit->rule.mode;
	bool fills = mode == EDIT_SET || mode == EDIT_ADD;
	int64_t voids;
	int32_t top;
	bool any = Height_Survey(edit, &voids, &top);
	int code = ERROR_NONE;
	if (any) {
		CellBox box = {{edit->x_lo, edit->fill->bottom, edit->z_lo}, {edit->x_hi, top, edit->z_hi}};
		EditPlan plan = {box, !fills, Height_Chunk, Height_Row, edit};
		CleanPlan clean = {.box = CellBox_Grown(box, 1),
		                   .dig = edit->dig,
		                   .hard = true, /* the bottom */
		                   .blocky = edit->rule.blocky,
		                   .bytes = Height_Bytes,
		                   .distance = Height_Distance,
		                   .context = edit};
		code = Fill_Run(store, &plan, mode == EDIT_PAINT ? NULL : &clean, tally, error);
	}
	if (!code && void_columns)
		*void_columns = voids;
	return code;
}

int Store_FillHeights(Store *store, const MaterialTable *table, const HeightFill *fill, EditMode mode, Tally *tally,
                      int64_t *void_columns, Error *error)
{
	int code = Height_CheckGrid(fill, error);
	if (!code)
		code = Height_CheckMaterials(fill, table, mode, error);
	if (code)
		return code;
	HeightEdit *edit = Memory_AllocZero(&store->memory, sizeof(*edit));
	if (!edit)
		return Error_OutOfMemory(error);
	edit->fill = fill;
	edit->dig = mode == EDIT_REMOVE;
	FillRule_Init(&edit->rule, table, mode);
	edit->x_lo = FloorToInt(fill->x0);
	edit->z_lo = FloorToInt(fill->z0);
	edit->x_hi = FloorToInt(fill->x0 + (fill->width - 1) * fill->spacing);
	edit->z_hi = FloorToInt(fill->z0 + (fill->depth - 1) * fill->spacing);
	edit->chunk_x = edit->x_lo >> CHUNK_BITS;
	edit->chunk_z = edit->z_lo >> CHUNK_BITS;
	edit->chunks_x = (edit->x_hi >> CHUNK_BITS) - edit->chunk_x + 1;
	edit->chunks_z = (edit->z_hi >> CHUNK_BITS) - edit->chunk_z + 1;
	size_t size = (size_t)edit->chunks_x * (size_t)edit->chunks_z * sizeof(*edit->summaries);
	if ((double)edit->chunks_x * edit->chunks_z > EDIT_CHUNK_LIMIT)
		code = Error_Set(error, ERROR_LIMIT, "heights: %d x %d cells are more than an edit may span (%d chunks)",
		                 edit->x_hi - edit->x_lo, edit->z_hi - edit->z_lo, EDIT_CHUNK_LIMIT);
	else if (!(edit->summaries = Memory_Alloc(&store->memory, size)))
		code = Error_OutOfMemory(error);
	if (!code)
		code = Height_Run(store, edit, tally, void_columns, error);
	if (edit->summaries)
		Memory_Free(&store->memory, edit->summaries, size);
	Memory_Free(&store->memory, edit, sizeof(*edit));
	return code;
}
