/* The level of the storage benchmarks: see level_big.c for what it is. */
#ifndef BENCH_LEVEL_BIG_H
#define BENCH_LEVEL_BIG_H

#include "voxel/voxel.h"

#define LEVEL_BIG_SIZE 1280  /* cells along x and z, from 0 on */
#define LEVEL_BIG_HEIGHT 176 /* nothing stands at or above it; the bottom is a hard face at y = 0 */

/* Fills `size` x `size` cells (a multiple of 32) of an empty store; a smaller one is a cut-out of the whole level. Of
 * ErrorCode. */
int LevelBig_Build(Store *store, int size, Error *error);

#endif
