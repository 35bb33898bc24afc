/* The loose kD-tree as it was first published ("Voxel terrain: physics", 2017): 12-byte nodes of two float planes,
 * triangles, two a leaf. A twin for the library's tree of quads and its lattice index: what they find, it must find. */
#ifndef TESTS_KDTREE_REFERENCE_H
#define TESTS_KDTREE_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* A branch keeps how far its left child reaches up and its right child down. axis 3: a leaf of `child` triangles. */
typedef struct SeedNode {
	union {
		float split[2];
		uint32_t triangle[2];
	};
	uint32_t axis : 2;
	uint32_t child : 30;
} SeedNode;

typedef struct SeedTree {
	const float (*triangles)[9]; /* the caller's: x, y, z of three corners */
	int count, node_count, depth;
	SeedNode *nodes;
	float lo[3], hi[3];
} SeedTree;

SeedTree SeedTree_Build(const float (*triangles)[9], int count);
void SeedTree_Free(SeedTree *tree);
/* Triangles whose own box meets the box, in no order: `out` has room for all. Returns how many. */
int SeedTree_Box(const SeedTree *tree, const float lo[3], const float hi[3], int *out);
/* The nearest triangle that o + t d meets from the front for t in [0, end]; -1: none. */
int SeedTree_Ray(const SeedTree *tree, const double o[3], const double d[3], double end, double *t);

#endif
