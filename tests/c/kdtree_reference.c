#include "kdtree_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAF 3
#define STACK 128

/* ---- building ------------------------------------------------------------------------------------------------ */

static float Low(const float *t, int axis)
{
	return fminf(t[axis], fminf(t[3 + axis], t[6 + axis]));
}
static float High(const float *t, int axis)
{
	return fmaxf(t[axis], fmaxf(t[3 + axis], t[6 + axis]));
}

typedef struct Key {
	float middle;
	uint32_t triangle;
} Key;

static int KeyOrder(const void *a, const void *b)
{
	const Key *p = a, *q = b;
	if (p->middle != q->middle)
		return p->middle < q->middle ? -1 : 1;
	return p->triangle < q->triangle ? -1 : 1;
}

/* Sorted by midpoint; how many come under the mean, or half of them when that leaves one side with under a quarter. */
static int Cut(const SeedTree *tree, uint32_t *order, int count, int axis)
{
	Key *keys = malloc((size_t)count * sizeof *keys);
	double sum = 0.0;
	int left = 0;
	for (int i = 0; i < count; i++) {
		const float *t = tree->triangles[order[i]];
		keys[i] = (Key){(Low(t, axis) + High(t, axis)) * 0.5f, order[i]};
		sum += keys[i].middle;
	}
	qsort(keys, (size_t)count, sizeof *keys, KeyOrder);
	for (int i = 0; i < count; i++) {
		order[i] = keys[i].triangle;
		left += keys[i].middle <= sum / count;
	}
	free(keys);
	return 4 * left < count || 4 * (count - left) < count ? count / 2 : left;
}

static void BuildNode(SeedTree *tree, int node, uint32_t *order, int count, int depth)
{
	tree->depth = depth > tree->depth ? depth : tree->depth;
	if (count <= 2) {
		tree->nodes[node] =
		    (SeedNode){.triangle = {order[0], order[count - 1]}, .axis = LEAF, .child = (uint32_t)count};
		return;
	}
	int axis = 0;
	float longest = -1.0f;
	for (int a = 0; a < 3; a++) {
		float lo = INFINITY, hi = -INFINITY;
		for (int i = 0; i < count; i++) {
			lo = fminf(lo, Low(tree->triangles[order[i]], a));
			hi = fmaxf(hi, High(tree->triangles[order[i]], a));
		}
		if (hi - lo > longest) {
			longest = hi - lo;
			axis = a;
		}
	}
	int left = Cut(tree, order, count, axis), child = tree->node_count;
	SeedNode *branch = &tree->nodes[node];
	*branch =
	    (SeedNode){.split = {-INFINITY, INFINITY}, .axis = (uint32_t)axis & 3, .child = (uint32_t)child & 0x3fffffff};
	for (int i = 0; i < count; i++) {
		const float *t = tree->triangles[order[i]];
		if (i < left)
			branch->split[0] = fmaxf(branch->split[0], High(t, axis));
		else
			branch->split[1] = fminf(branch->split[1], Low(t, axis));
	}
	tree->node_count += 2;
	BuildNode(tree, child, order, left, depth + 1); /* as deep as the cuts are lopsided: 3/4 at worst */
	BuildNode(tree, child + 1, order + left, count - left, depth + 1);
}

SeedTree SeedTree_Build(const float (*triangles)[9], int count)
{
	SeedTree tree = {.triangles = triangles, .count = count};
	for (int a = 0; a < 3; a++) {
		tree.lo[a] = INFINITY;
		tree.hi[a] = -INFINITY;
		for (int i = 0; i < count; i++) {
			tree.lo[a] = fminf(tree.lo[a], Low(triangles[i], a));
			tree.hi[a] = fmaxf(tree.hi[a], High(triangles[i], a));
		}
	}
	if (count == 0)
		return tree;
	uint32_t *order = malloc((size_t)count * sizeof *order);
	tree.nodes = malloc(2 * (size_t)count * sizeof *tree.nodes);
	for (int i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	tree.node_count = 1;
	BuildNode(&tree, 0, order, count, 1);
	free(order);
	return tree;
}

void SeedTree_Free(SeedTree *tree)
{
	free(tree->nodes);
	*tree = (SeedTree){0};
}

/* ---- asking -------------------------------------------------------------------------------------------------- */

static bool BoxMeets(const float *t, const float lo[3], const float hi[3])
{
	for (int a = 0; a < 3; a++)
		if (Low(t, a) > hi[a] || High(t, a) < lo[a])
			return false;
	return true;
}

int SeedTree_Box(const SeedTree *tree, const float lo[3], const float hi[3], int *out)
{
	uint32_t stack[STACK];
	int top = 0, found = 0;
	if (tree->count > 0)
		stack[top++] = 0;
	while (top > 0) {
		const SeedNode *node = &tree->nodes[stack[--top]];
		if (node->axis != LEAF) {
			if (node->split[1] <= hi[node->axis])
				stack[top++] = node->child + 1;
			if (node->split[0] >= lo[node->axis])
				stack[top++] = node->child;
			continue;
		}
		for (uint32_t i = 0; i < node->child; i++)
			if (BoxMeets(tree->triangles[node->triangle[i]], lo, hi))
				out[found++] = (int)node->triangle[i];
	}
	return found;
}

/* Möller and Trumbore, from the front, in doubles. */
static bool RayMeets(const float *t, const double o[3], const double d[3], double *s)
{
	double ab[3], ac[3], ao[3], p[3], q[3];
	for (int a = 0; a < 3; a++) {
		ab[a] = (double)t[3 + a] - t[a];
		ac[a] = (double)t[6 + a] - t[a];
		ao[a] = o[a] - t[a];
	}
	p[0] = d[1] * ac[2] - d[2] * ac[1], p[1] = d[2] * ac[0] - d[0] * ac[2], p[2] = d[0] * ac[1] - d[1] * ac[0];
	q[0] = ao[1] * ab[2] - ao[2] * ab[1], q[1] = ao[2] * ab[0] - ao[0] * ab[2], q[2] = ao[0] * ab[1] - ao[1] * ab[0];
	double det = ab[0] * p[0] + ab[1] * p[1] + ab[2] * p[2];
	if (!(det > 0.0))
		return false;
	double u = (ao[0] * p[0] + ao[1] * p[1] + ao[2] * p[2]) / det;
	double v = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
	*s = (ac[0] * q[0] + ac[1] * q[1] + ac[2] * q[2]) / det;
	return u >= 0.0 && v >= 0.0 && u + v <= 1.0;
}

int SeedTree_Ray(const SeedTree *tree, const double o[3], const double d[3], double end, double *t)
{
	struct {
		uint32_t node;
		double t0, t1;
	} stack[STACK];
	int top = 0, best = -1;
	const double slack = 1e-4; /* planes and segments are widened by it, as the article has it */
	if (tree->count > 0) {
		stack[top].node = 0;
		stack[top].t0 = 0.0;
		stack[top++].t1 = end;
	}
	*t = end;
	while (top > 0) {
		top--;
		const SeedNode *node = &tree->nodes[stack[top].node];
		double t0 = stack[top].t0, t1 = stack[top].t1;
		if (t0 > *t + slack)
			continue;
		if (node->axis == LEAF) {
			for (uint32_t i = 0; i < node->child; i++) {
				double s;
				if (RayMeets(tree->triangles[node->triangle[i]], o, d, &s) && s >= 0.0 && s <= *t) {
					*t = s;
					best = (int)node->triangle[i];
				}
			}
			continue;
		}
		int axis = (int)node->axis, near = d[axis] < 0.0, far = 1 - near;
		for (int i = 0; i < 2; i++) { /* the far child first, so that the near one is looked at first */
			int side = i == 0 ? far : near;
			double from = t0, to = t1, plane = side == 0 ? node->split[0] + slack : node->split[1] - slack;
			if (d[axis] == 0.0) {
				if (side == 0 ? o[axis] > plane : o[axis] < plane)
					continue;
			} else if ((side == 0) == (d[axis] > 0.0)) {
				to = fmin(to, (plane - o[axis]) / d[axis]);
			} else {
				from = fmax(from, (plane - o[axis]) / d[axis]);
			}
			if (from > to)
				continue;
			stack[top].node = node->child + (uint32_t)side;
			stack[top].t0 = from;
			stack[top++].t1 = to;
		}
	}
	return best;
}
