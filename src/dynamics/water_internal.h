/* What the files about water share. */
#ifndef SCREE_DYNAMICS_WATER_INTERNAL_H
#define SCREE_DYNAMICS_WATER_INTERNAL_H

#include "dynamics/solver_internal.h"

/* The water around a part: false when there is none. Reads cells only. (water_look.c) */
bool Water_Look(const Dynamics *d, int part, WaterPart *out);

float Part_Displaced(const Part *part); /* m3 of water, when all of it is under */

#endif
