/* What the files of the terrain benchmark share. */
#ifndef BENCH_TERRAIN_LEVEL_H
#define BENCH_TERRAIN_LEVEL_H

#include "bench_terrain.h"
#include "terrain/terrain_internal.h"

#define LEVEL_X 256
#define LEVEL_Y 64
#define LEVEL_Z 256
#define PASS_LIMIT 25

void Fail(const char *what);
void *Need(size_t bytes);
double Median(const double *values, int count);

/* ---- the level (bench_terrain_level.c) ----------------------------------------------------------------------- */

extern Memory bench_memory;
extern MaterialTable bench_materials;
extern Store *bench_store;

void Level_Open(void);
void Level_Close(void);
int Level_Fill(Store *store, Error *error);
Terrain *NewTerrain(Narrowphase narrowphase);
bool BuildAll(Terrain *terrain, bool edge_kinds);
BenchMesh MakeMesh(Terrain *terrain);

/* ---- what is asked (bench_terrain_asked.c) ------------------------------------------------------------------- */

typedef struct Question {
	const char *name;
	float length; /* of rays */
	float side;   /* of boxes; 0: rays */
	int count;
	float *data; /* six or three floats each */
} Question;

enum { VIEWS = 16, PIXELS = 250 };

Question LongRays(Terrain *terrain, int count, Random *r);
Question DownRays(Terrain *terrain, int count, Random *r);
Question CameraRays(Random *r);
Question Boxes(const char *name, float side, int count, const BenchMesh *mesh, Random *r);

/* ---- tables of the library alone ----------------------------------------------------------------------------- */

void PrintBuild(Narrowphase narrowphase, const char *name, int passes);
void PrintEdits(Narrowphase narrowphase, const char *name, double radius, uint64_t seed, const BenchMesh *mesh);
void PrintVisits(Terrain *terrain, const Question *q); /* what a ray looks at (bench_terrain_visits.c) */
void PrintSweeps(Narrowphase narrowphase, const char *name, int passes);

#endif
