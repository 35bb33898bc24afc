/* Filling a mesh: signs from crossings, sizes from distances, and the edit that lays them into the cells. */
#include "voxel/brush_internal.h"
#include "voxel/voxelise_internal.h"

#define THINNEST 1.5
/* A coordinate this near to a whole number lies on the grid plane, as for brushes. */
#define GRID_TOLERANCE 1e-6
#define CHUNK_CELLS_3 (CHUNK_SIZE * CHUNK_SIZE * CHUNK_SIZE)
#define SIGN_CELLS (SIGN_SIZE * SIGN_SIZE * SIGN_SIZE)
#define VOTES_NEEDED 4
/* Cells from the surface that are measured: those that get a byte of it, and their neighbours. */
#define BAND 2.25
/* Of the sum of curvatures that is made up for, 1/cells. */
#define MOST_BEND 0.75
/* The square of the distance's slope over two cells: below the one it is that of an edge, above the other of a curve.
 */
#define EDGE_SLOPE 0.91
#define SMOOTH_SLOPE 0.96
/* Cells further away keep nothing of the surface. */
#define REACH (1.0 + MOST_BEND / 6.0)

/* Bytes of chunks that were made already, for the mending of fringes, which comes back to them: 8^3 places, each for
 * the chunks of equal remainders. */
#define CACHE_SIDE 8
#define CACHE_PLACES (CACHE_SIDE * CACHE_SIDE * CACHE_SIDE)

typedef struct MadeChunk {
	Cell chunk;
	bool made;
	FieldCover cover;
	uint8_t *bytes; /* for COVER_SOME; NULL until first needed */
} MadeChunk;

typedef struct MeshFiller {
	Memory *memory;
	const MeshFill *fill;
	FillRule rule;
	MeshLattice lattice;
	Crossings crossings[3];
	ChunkTriangles near;
	double band;   /* cells: farther triangles change nothing */
	bool hard_all; /* 255 or 0 everywhere: materials of blockiness 1 */
	bool water;    /* the share that is covered goes into the water channel */
	bool drain;
	uint8_t *flat;   /* a byte a triangle: lies in a grid plane */
	double *squared; /* of the chunk at hand: distances, with a margin, */
	uint8_t *votes;  /* who is inside, with a margin, */
	uint8_t *bytes;  /* and what the cells are to be */
	uint8_t fresh[CHUNK_SIZE];
	bool several;       /* triangles have materials of their own: */
	bool some_blocky;   /* some of these are of exact cubes */
	MaterialTree tree;  /* which is near */
	uint8_t *materials; /* what the cells of the chunk at hand are to be made of */
	Cell corner;        /* first cell of that chunk */
	bool any_flat;      /* some triangle is flat */
	bool kept;          /* bytes and corner are those of kept_chunk, made without a place in the cache */
	Cell kept_chunk;    /* counted in chunks */
	FieldCover kept_cover;
	MadeChunk *cache;
	double chunks, chunks_done;
	Progress progress;
} MeshFiller;

/* ---- the lattice ------------------------------------------------------------------------------------------------- */

static int Mesh_Bounds(const MeshFill *fill, double lo[3], double hi[3], Error *error)
{
	for (int i = 0; i < 3; i++) {
		lo[i] = DBL_MAX;
		hi[i] = -DBL_MAX;
	}
	for (int64_t k = 0; k < 3 * fill->triangle_count; k++) {
		if (fill->indices[k] >= fill->vertex_count)
			return Error_Set(error, ERROR_ARGUMENT, "the mesh has no vertex %u", fill->indices[k]);
		const double *p = fill->positions + 3 * (size_t)fill->indices[k];
		for (int i = 0; i < 3; i++) {
			if (!(AbsD(p[i]) <= CELL_LIMIT - 64))
				return Error_Set(error, ERROR_LIMIT, "the mesh reaches to cell %g on the %c axis; the limit is +-%d",
				                 p[i], "xyz"[i], CELL_LIMIT - 64);
			lo[i] = MinD(lo[i], p[i]);
			hi[i] = MaxD(hi[i], p[i]);
		}
	}
	for (int i = 0; i < 3; i++)
		if (hi[i] - lo[i] > MESH_SPAN - 2)
			return Error_Set(error, ERROR_LIMIT, "the mesh spans %.0f cells on the %c axis; the limit is %d",
			                 hi[i] - lo[i], "xyz"[i], MESH_SPAN - 2);
	return ERROR_NONE;
}

static int Filler_MakeLattice(MeshFiller *filler, const double lo[3], const double hi[3], Error *error)
{
	MeshLattice *lattice = &filler->lattice;
	const MeshFill *fill = filler->fill;
	lattice->at = Memory_Alloc(filler->memory, 3 * (size_t)fill->vertex_count * sizeof *lattice->at);
	if (!lattice->at)
		return Error_OutOfMemory(error);
	lattice->lo = (Cell){FloorToInt(lo[0]), FloorToInt(lo[1]), FloorToInt(lo[2])};
	const double from[3] = {lattice->lo.x, lattice->lo.y, lattice->lo.z};
	for (int i = 0; i < 3; i++)
		lattice->size[i] = FloorToInt(hi[i] - from[i]) + 1;
	/* Vertices that no triangle uses may lie anywhere, and are not looked at. */
	for (int64_t k = 0; k < 3 * fill->vertex_count; k++) {
		double v = (fill->positions[k] - from[k % 3]) * LATTICE + 0.5;
		lattice->at[k] = v >= 0.0 && v < 2147483647.0 ? (int32_t)v : 0;
	}
	return ERROR_NONE;
}

/* Triangles whose corners share a whole coordinate. */
static int Filler_FindFlat(MeshFiller *filler, Error *error)
{
	const MeshFill *fill = filler->fill;
	filler->flat = Memory_AllocZero(filler->memory, (size_t)fill->triangle_count);
	if (!filler->flat)
		return Error_OutOfMemory(error);
	for (int64_t t = 0; t < fill->triangle_count; t++) {
		for (int i = 0; i < 3; i++) {
			double plane = fill->positions[3 * (size_t)fill->indices[3 * t] + (size_t)i];
			bool flat = AbsD(plane - FloorToInt(plane + 0.5)) < GRID_TOLERANCE;
			for (int k = 1; k < 3; k++)
				flat = flat &&
				       AbsD(fill->positions[3 * (size_t)fill->indices[3 * t + k] + (size_t)i] - plane) < GRID_TOLERANCE;
			filler->flat[t] |= flat;
			filler->any_flat |= flat;
		}
	}
	return ERROR_NONE;
}

/* ---- one chunk --------------------------------------------------------------------------------------------------- */

/* Where inside is known, votes become 1 or 0. */
static void Filler_FindSigns(MeshFiller *filler)
{
	MeshRule rule = filler->fill->rule;
	int axes = rule == MESH_VOTE ? 3 : 1, needed = rule == MESH_VOTE ? VOTES_NEEDED : 1;
	Cell from = {filler->corner.x - 1, filler->corner.y - 1, filler->corner.z - 1};
	memset(filler->votes, 0, SIGN_CELLS);
	for (int axis = 0; axis < axes; axis++)
		Crossings_Vote(&filler->crossings[axis], &filler->lattice, from, rule == MESH_PARITY, filler->votes);
	for (int i = 0; i < SIGN_CELLS; i++)
		filler->votes[i] = filler->votes[i] >= needed;
}

/* Are the cell and its 26 neighbours all inside, or all outside? */
static bool AllAre(const uint8_t *votes, uint8_t inside)
{
	for (int y = -1; y <= 1; y++)
		for (int z = -1; z <= 1; z++)
			for (int x = -1; x <= 1; x++)
				if (votes[x + SIGN_SIZE * (z + SIGN_SIZE * y)] != inside)
					return false;
	return true;
}

static uint8_t ShareToByte(double share)
{
	return (uint8_t)(255.0 * ClampD(share, 0.0, 1.0) + 0.5);
}

/* Signed distance of a cell of the block, cut off at the band. */
static double Filler_Distance(const MeshFiller *filler, int at)
{
	double squared = filler->squared[at], band = filler->band;
	double d = squared < band * band ? sqrt(squared) : band;
	if (filler->fill->rule == MESH_SHELL)
		return 0.5 * filler->fill->thickness - d;
	return filler->votes[at] ? d : -d;
}

/* The mean of points on a curved surface lies inside of it, by about a sixth of the sum of its curvatures, which is the
 * Laplacian of the distance: that is added here. Not at edges: there the Laplacian is large or cut off, and beside them
 * the distance is that of one face on this side and of another on that, so that the slope over both is less than 1. */
static double Filler_Bend(const MeshFiller *filler, int at, double d)
{
	static const int steps[3] = {1, SIGN_SIZE, SIGN_SIZE * SIGN_SIZE};
	double sum = -6.0 * d, slope = 0.0, limit = filler->band * filler->band;
	for (int k = 0; k < 3; k++) {
		int before = at - steps[k], after = at + steps[k];
		if (!(filler->squared[before] < limit && filler->squared[after] < limit))
			return 0.0;
		double a = Filler_Distance(filler, before), b = Filler_Distance(filler, after);
		sum += a + b;
		slope += 0.25 * (b - a) * (b - a);
	}
	double share = ClampD((slope - EDGE_SLOPE) / (SMOOTH_SLOPE - EDGE_SLOPE), 0.0, 1.0);
	return AbsD(sum) <= MOST_BEND ? -share * sum / 6.0 : 0.0;
}

/* 255 or 0: cells of exact cubes, by their centres. */
static uint8_t Filler_Hard(const MeshFiller *filler, int at)
{
	return (filler->fill->rule == MESH_SHELL ? Filler_Distance(filler, at) >= 0.0 : filler->votes[at]) ? 255 : 0;
}

/* at: of the cell in the block. */
static uint8_t Filler_Byte(const MeshFiller *filler, int at)
{
	const uint8_t *vote = filler->votes + at;
	MeshRule rule = filler->fill->rule;
	double d = Filler_Distance(filler, at);
	bool near = AbsD(d) < REACH, bent = near && !filler->water;
	if (near && rule != MESH_SHELL && AllAre(vote, 1)) {
		d = MaxD(d, 1.0); /* triangles near it lie within the solid, as where parts overlap */
		bent = false;
	} else if (near && rule == MESH_VOTE && AllAre(vote, 0)) {
		d = -REACH; /* and these belong to sheets; thin parts of closed meshes are kept, they can be seen */
		bent = false;
	}
	if (filler->water)
		return ShareToByte(0.5 + d);
	if (filler->hard_all)
		return Filler_Hard(filler, at);
	return Distance_ToByte(bent ? d + Filler_Bend(filler, at, d) : d);
}

static int Block_At(int x, int y, int z)
{
	return x + 1 + SIGN_SIZE * (z + 1 + SIGN_SIZE * (y + 1));
}

/* What each cell is made of; those of exact cubes become whole or nothing. */
static void Filler_FindMaterials(MeshFiller *filler)
{
	MaterialTree_Chunk(&filler->tree, filler->corner, filler->bytes, filler->materials);
	if (!filler->some_blocky)
		return;
	for (int y = 0, i = 0; y < CHUNK_SIZE; y++)
		for (int z = 0; z < CHUNK_SIZE; z++)
			for (int x = 0; x < CHUNK_SIZE; x++, i++)
				if (filler->bytes[i] && filler->rule.blocky[filler->materials[i]])
					filler->bytes[i] = Filler_Hard(filler, Block_At(x, y, z));
}

static void Filler_MakeBytes(MeshFiller *filler, Cell chunk, FieldCover *cover)
{
	bool shell = filler->fill->rule == MESH_SHELL;
	uint8_t any = 0, all = 255;
	if (!shell)
		Filler_FindSigns(filler);
	Distance_Chunk(&filler->near, filler->fill, chunk, filler->band, shell ? NULL : filler->flat, filler->squared);
	for (int y = 0, i = 0; y < CHUNK_SIZE; y++)
		for (int z = 0; z < CHUNK_SIZE; z++)
			for (int x = 0; x < CHUNK_SIZE; x++, i++) {
				filler->bytes[i] = Filler_Byte(filler, Block_At(x, y, z));
				any |= filler->bytes[i];
			}
	if (filler->several && any)
		Filler_FindMaterials(filler);
	for (int i = 0; i < CHUNK_CELLS_3; i++)
		all &= filler->bytes[i];
	*cover = any == 0 ? COVER_NONE : all == 255 ? COVER_ALL : COVER_SOME;
}

/* A chunk that no triangle comes near is all inside or all outside, if the mesh is closed. */
static FieldCover Filler_Cover(MeshFiller *filler, Cell chunk)
{
	MeshRule rule = filler->fill->rule;
	int64_t index = ChunkTriangles_Index(&filler->near, chunk);
	bool away = filler->near.start[index] == filler->near.start[index + 1];
	FieldCover cover;
	if (away && rule == MESH_SHELL)
		return COVER_NONE;
	if (away && rule != MESH_VOTE) {
		memset(filler->bytes, 255, CHUNK_CELLS_3);
		bool inside = Crossings_Inside(&filler->crossings[0], &filler->lattice, filler->corner, rule == MESH_PARITY);
		if (inside && filler->several)
			MaterialTree_Chunk(&filler->tree, filler->corner, filler->bytes, filler->materials);
		return inside ? COVER_ALL : COVER_NONE;
	}
	Filler_MakeBytes(filler, chunk, &cover);
	return cover;
}

/* Is the chunk at hand to be of one material? */
static bool Filler_IsOfOne(const MeshFiller *filler)
{
	return !filler->several || memcmp(filler->materials, filler->materials + 1, CHUNK_CELLS_3 - 1) == 0;
}

static ChunkAnswer Filler_Chunk(void *context, const Chunk *chunk, CellBox piece, WholeChunk *whole)
{
	MeshFiller *filler = context;
	const int mask = ~(CHUNK_SIZE - 1);
	filler->corner = (Cell){piece.lo.x & mask, piece.lo.y & mask, piece.lo.z & mask};
	Cell at = {filler->corner.x / CHUNK_SIZE, filler->corner.y / CHUNK_SIZE, filler->corner.z / CHUNK_SIZE};
	Progress_Update(&filler->progress, 0.3 + 0.7 * filler->chunks_done++ / filler->chunks);
	FieldCover cover = Filler_Cover(filler, at);
	if (cover == COVER_NONE)
		return CHUNK_UNCHANGED;
	if (cover == COVER_SOME || !Piece_IsChunk(piece) || filler->water || !Filler_IsOfOne(filler))
		return CHUNK_BY_ROWS;
	return FillRule_Covered(&filler->rule, filler->several ? filler->materials[0] : filler->fresh[0], chunk, whole);
}

static void Filler_Row(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *material, uint8_t *occupancy,
                       uint8_t *water)
{
	const MeshFiller *filler = context;
	Cell corner = filler->corner;
	int at = (x - corner.x) + CHUNK_SIZE * (z - corner.z + CHUNK_SIZE * (y - corner.y));
	const uint8_t *bytes = filler->bytes + at;
	if (!filler->water) {
		const uint8_t *fresh = filler->several ? filler->materials + at : filler->fresh;
		FillRule_Row(&filler->rule, bytes, fresh, n, material, occupancy);
		return;
	}
	/* Full solid cells lose it again when the row is normalised. */
	for (int i = 0; i < n; i++) {
		if (filler->drain)
			water[i] = (uint8_t)Int_Min(water[i], 255 - bytes[i]);
		else if (material[i] == MATERIAL_AIR || occupancy[i] != 255)
			water[i] = (uint8_t)Int_Max(water[i], bytes[i]);
	}
}

/* ---- once more, for fringes -------------------------------------------------------------------------------------- */

static void Filler_Make(MeshFiller *filler, Cell chunk)
{
	filler->corner = (Cell){chunk.x * CHUNK_SIZE, chunk.y * CHUNK_SIZE, chunk.z * CHUNK_SIZE};
	filler->kept_cover = Filler_Cover(filler, chunk);
	filler->kept_chunk = chunk;
	filler->kept = true;
}

static bool Cell_Same(Cell a, Cell b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The chunk's cover and bytes, out of the cache where there is memory for it. */
static FieldCover Filler_Made(MeshFiller *filler, Cell chunk, const uint8_t **bytes)
{
	const int mask = CACHE_SIDE - 1;
	int place = (chunk.x & mask) + CACHE_SIDE * ((chunk.z & mask) + CACHE_SIDE * (chunk.y & mask));
	MadeChunk *made = filler->cache ? &filler->cache[place] : NULL;
	if (made && made->made && Cell_Same(made->chunk, chunk)) {
		*bytes = made->bytes;
		return made->cover;
	}
	if (!filler->kept || !Cell_Same(filler->kept_chunk, chunk))
		Filler_Make(filler, chunk);
	*bytes = filler->bytes;
	if (!made)
		return filler->kept_cover;
	if (!made->bytes && filler->kept_cover == COVER_SOME)
		made->bytes = Memory_Alloc(filler->memory, CHUNK_CELLS_3);
	if (filler->kept_cover != COVER_SOME || made->bytes) {
		made->chunk = chunk;
		made->cover = filler->kept_cover;
		made->made = true;
		if (made->cover == COVER_SOME)
			memcpy(made->bytes, filler->bytes, CHUNK_CELLS_3);
	}
	return filler->kept_cover;
}

static void Filler_Bytes(void *context, int32_t x, int32_t y, int32_t z, int n, uint8_t *bytes)
{
	MeshFiller *filler = context;
	const uint8_t *made = NULL;
	FieldCover cover = COVER_NONE;
	Cell chunk = {x >> CHUNK_BITS, y >> CHUNK_BITS, z >> CHUNK_BITS};
	if (ChunkTriangles_Holds(&filler->near, chunk))
		cover = Filler_Made(filler, chunk, &made);
	if (cover == COVER_SOME)
		memcpy(bytes, made + (x & (CHUNK_SIZE - 1)) + CHUNK_SIZE * Cell_Row(y, z), (size_t)n);
	else
		memset(bytes, cover == COVER_ALL ? 255 : 0, (size_t)n);
}

static void Filler_FreeCache(MeshFiller *filler)
{
	for (int i = 0; filler->cache && i < CACHE_PLACES; i++)
		if (filler->cache[i].bytes)
			Memory_Free(filler->memory, filler->cache[i].bytes, CHUNK_CELLS_3);
	if (filler->cache)
		Memory_Free(filler->memory, filler->cache, CACHE_PLACES * sizeof *filler->cache);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static int Filler_Prepare(MeshFiller *filler, const double lo[3], const double hi[3], CellBox box, Error *error)
{
	MeshRule rule = filler->fill->rule;
	int code = Filler_MakeLattice(filler, lo, hi, error);
	if (!code)
		code = Filler_FindFlat(filler, error);
	for (int axis = 0; axis < 3 && !code && rule != MESH_SHELL; axis++)
		if (axis == 0 || rule == MESH_VOTE)
			code = Crossings_Find(&filler->crossings[axis], filler->memory, &filler->lattice, filler->fill, axis,
			                      &filler->progress, error);
	if (!code)
		code = ChunkTriangles_Find(&filler->near, filler->memory, filler->fill, box, filler->band + 1.0, error);
	filler->squared = Memory_Alloc(filler->memory, SIGN_CELLS * sizeof *filler->squared);
	filler->votes = Memory_AllocZero(filler->memory, SIGN_CELLS);
	filler->bytes = Memory_Alloc(filler->memory, CHUNK_CELLS_3);
	if (!code && !(filler->squared && filler->votes && filler->bytes))
		code = Error_OutOfMemory(error);
	if (!code && filler->several) {
		filler->materials = Memory_Alloc(filler->memory, CHUNK_CELLS_3);
		code = filler->materials ? MaterialTree_Make(&filler->tree, filler->memory, filler->fill, lo, hi, error)
		                         : Error_OutOfMemory(error);
	}
	return code;
}

static void Filler_Free(MeshFiller *filler)
{
	Memory *memory = filler->memory;
	Memory_Free(memory, filler->lattice.at, 3 * (size_t)filler->fill->vertex_count * sizeof *filler->lattice.at);
	Memory_Free(memory, filler->flat, (size_t)filler->fill->triangle_count);
	for (int axis = 0; axis < 3; axis++)
		Crossings_Free(&filler->crossings[axis], memory);
	ChunkTriangles_Free(&filler->near, memory);
	Memory_Free(memory, filler->squared, SIGN_CELLS * sizeof *filler->squared);
	Memory_Free(memory, filler->votes, SIGN_CELLS);
	Memory_Free(memory, filler->bytes, CHUNK_CELLS_3);
	Memory_Free(memory, filler->materials, CHUNK_CELLS_3);
	MaterialTree_Free(&filler->tree, memory);
	Filler_FreeCache(filler);
}

/* Cells whose centres are within reach of the mesh's bounds. */
static CellBox Filler_Box(const MeshFiller *filler, const double lo[3], const double hi[3])
{
	double reach = filler->band - BAND + REACH;
	int32_t first[3], last[3];
	for (int i = 0; i < 3; i++) {
		first[i] = CeilToInt(lo[i] - reach - 0.5);
		last[i] = Int_Max(first[i], FloorToInt(hi[i] + reach - 0.5));
	}
	return (CellBox){{first[0], first[1], first[2]}, {last[0], last[1], last[2]}};
}

static int Filler_Run(MeshFiller *filler, Store *store, const double lo[3], const double hi[3], bool existing,
                      const CleanPlan *clean, Tally *tally, Error *error)
{
	EditPlan plan = {Filler_Box(filler, lo, hi), existing, Filler_Chunk, Filler_Row, filler};
	CellBox all = plan.box;
	int code = Fill_Box(&plan.box, existing, error);
	filler->chunks = ChunkWalk_Count(all);
	if (!code && filler->chunks > EDIT_CHUNK_LIMIT)
		code = Error_Set(error, ERROR_LIMIT, "the mesh spans %.0f chunks of 32 cells a side; the limit is %d",
		                 filler->chunks, EDIT_CHUNK_LIMIT);
	if (!code)
		code = Filler_Prepare(filler, lo, hi, all, error);
	if (!code) {
		CleanPlan grown = {.box = CellBox_Grown(plan.box, 1),
		                   .dig = clean && clean->dig,
		                   .hard = filler->any_flat || filler->hard_all || filler->some_blocky,
		                   .blocky = filler->rule.blocky,
		                   .bytes = Filler_Bytes,
		                   .context = filler};
		/* Without it all goes on, only slower. */
		filler->cache = clean ? Memory_AllocZero(filler->memory, CACHE_PLACES * sizeof *filler->cache) : NULL;
		code = Fill_Run(store, &plan, clean ? &grown : NULL, tally, error);
	}
	return code;
}

/* The materials that triangles have of their own. *one: all have the same, which then is the call's; *blocky: some are
 * of exact cubes. */
static int Filler_CheckMaterials(const MeshFill *fill, const MaterialTable *table, const FillRule *rule,
                                 uint8_t *material, bool *one, bool *blocky, Error *error)
{
	*one = true;
	*blocky = false;
	if (!fill->materials)
		return ERROR_NONE;
	if (rule->mode == EDIT_REMOVE || *material == MATERIAL_WATER)
		return Error_Set(error, ERROR_ARGUMENT, "materials: digging and water take none of the triangles' own");
	for (int64_t t = 0; t < fill->triangle_count; t++) {
		uint8_t m = fill->materials[t];
		if (m == MATERIAL_AIR || m == MATERIAL_WATER || m >= table->count)
			return Error_Set(error, ERROR_ARGUMENT, "materials: %d of triangle %lld is no solid material", m,
			                 (long long)t);
		*one = *one && m == fill->materials[0];
		*blocky = *blocky || rule->blocky[m];
	}
	*material = fill->materials[0];
	return ERROR_NONE;
}

int Store_FillMesh(Store *store, const MaterialTable *table, const MeshFill *given, uint8_t material, EditMode mode,
                   Tally *tally, Error *error)
{
	double lo[3], hi[3];
	MeshFill fill = *given;
	int code = Fill_CheckMode(mode, material, table, error);
	if (!code && fill.triangle_count <= 0)
		code = Error_Set(error, ERROR_ARGUMENT, "the mesh has no triangles");
	if (!code && fill.rule == MESH_SHELL && !(fill.thickness > 0.0 && fill.thickness < 1e6))
		code = Error_Set(error, ERROR_ARGUMENT, "thickness: %g cells, must be above 0 and below 1e6", fill.thickness);
	if (!code)
		code = Mesh_Bounds(&fill, lo, hi, error);
	if (code)
		return code;
	if (material == MATERIAL_AIR)
		mode = EDIT_REMOVE;
	bool water = material == MATERIAL_WATER, fills = mode == EDIT_SET || mode == EDIT_ADD;
	bool existing = water ? mode == EDIT_REMOVE : !fills, one, blocky;
	FillRule rule;
	FillRule_Init(&rule, table, mode);
	code = Filler_CheckMaterials(&fill, table, &rule, &material, &one, &blocky, error);
	if (code)
		return code;
	if (fill.rule == MESH_SHELL && !existing && !water)
		fill.thickness = MaxD(fill.thickness, THINNEST);
	MeshFiller filler = {.memory = &store->memory, .fill = &fill, .rule = rule, .band = BAND, .water = water};
	if (fill.rule == MESH_SHELL)
		filler.band += 0.5 * fill.thickness;
	filler.drain = water && mode == EDIT_REMOVE;
	filler.several = !one;
	filler.some_blocky = !one && fills && blocky;
	filler.hard_all = one && !water && fills && rule.blocky[material];
	memset(filler.fresh, material, sizeof filler.fresh);
	CleanPlan clean = {.dig = mode == EDIT_REMOVE};
	Progress_Begin(&filler.progress, "filling mesh");
	code = Filler_Run(&filler, store, lo, hi, existing, water || mode == EDIT_PAINT ? NULL : &clean, tally, error);
	Progress_End(&filler.progress);
	Filler_Free(&filler);
	return code;
}
