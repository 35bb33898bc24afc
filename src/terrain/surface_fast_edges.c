#include "terrain/surface_fast_internal.h"
