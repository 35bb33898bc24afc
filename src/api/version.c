/* The version, as the build names it. */
#include "scree.h"

#ifndef SCREE_VERSION
#define SCREE_VERSION "unknown" /* compiled by hand, without the build */
#endif

const char *scree_version(void)
{
	return SCREE_VERSION;
}
