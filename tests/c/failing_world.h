/* What worlds of tests are made with: the settings of a fresh world, on memory that can be made to fail. */
#ifndef TESTS_FAILING_WORLD_H
#define TESTS_FAILING_WORLD_H

#include "failing_memory.h"
#include "world/world.h"

static inline WorldDef FailingWorldDef(FailingMemory *f)
{
	return (WorldDef){
	    .gravity = {0.0, -9.81, 0.0},
	    .cell_size = 1.0,
	    .substeps = 4,
	    .threads = 1,
	    .sleep = {.enabled = true, .linear = 0.09f, .angular = 0.12f, .time = 0.5f, .balance = 0.02f, .wake = 0.02f},
	    .resize = FailingMemory_Resize,
	    .resize_user = f};
}

#endif
