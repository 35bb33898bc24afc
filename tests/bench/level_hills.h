/* A level of hills and caves for benchmarks: rolling ground with soil over rock, hollowed by caverns and tunnels. The
 * same cells for the same seed on every machine. */
#ifndef BENCH_LEVEL_HILLS_H
#define BENCH_LEVEL_HILLS_H

#include "voxel/voxel.h"

/* Writes nx * ny * nz cells with their corner at `at`. Materials: from the table that MaterialTable_Init makes. */
int LevelHills_Fill(Store *store, Cell at, int nx, int ny, int nz, uint64_t seed, Error *error);

#endif
