/* Small triangle meshes with edge kinds, for collision tests. */
#ifndef TESTS_COLLIDE_MESHES_H
#define TESTS_COLLIDE_MESHES_H

#include "collide_twins.h"

#include <stdlib.h>

typedef struct Mesh {
	Triangle *triangles;
	int count, capacity;
} Mesh;

static inline void Mesh_Free(Mesh *mesh)
{
	free(mesh->triangles);
	*mesh = (Mesh){0};
}

static inline void Mesh_Add(Mesh *mesh, Vec3 a, Vec3 b, Vec3 c)
{
	if (mesh->count == mesh->capacity) {
		mesh->capacity = mesh->capacity ? 2 * mesh->capacity : 64;
		mesh->triangles = realloc(mesh->triangles, sizeof(Triangle) * (size_t)mesh->capacity);
		ck_assert_ptr_nonnull(mesh->triangles);
	}
	Triangle *t = &mesh->triangles[mesh->count];
	*t = (Triangle){
	    .v = {a, b, c}, .id = 1000u + (uint32_t)mesh->count, .edge = {EDGE_CONVEX, EDGE_CONVEX, EDGE_CONVEX}};
	mesh->count++;
}

static inline P3 Mesh_Normal(const Triangle *t)
{
	return P3Unit(P3Cross(P3Sub(P3Of(t->v[1]), P3Of(t->v[0])), P3Sub(P3Of(t->v[2]), P3Of(t->v[0]))));
}

/* A place for every directed edge in a table that holds twice as many: open addressing by the bits of both ends. */
static inline int *Mesh_EdgePlace(int *table, int size, const Mesh *mesh, Vec3 a, Vec3 b)
{
	Vec3 ends[2] = {a, b};
	int at = (int)(Hash_Bytes(ends, sizeof(ends)) % (uint64_t)size);
	for (; table[at] >= 0; at = (at + 1) % size) {
		const Triangle *t = &mesh->triangles[table[at] / 3];
		Vec3 p = t->v[table[at] % 3], q = t->v[(table[at] + 1) % 3];
		if (memcmp(&p, &a, sizeof(p)) == 0 && memcmp(&q, &b, sizeof(q)) == 0)
			break;
	}
	return &table[at];
}

/* Flat within 5 degrees; open borders are convex. */
static inline void Mesh_SetEdges(Mesh *mesh)
{
	int size = 6 * mesh->count + 1;
	int *table = malloc(sizeof(int) * (size_t)size);
	ck_assert_ptr_nonnull(table);
	for (int i = 0; i < size; i++)
		table[i] = -1;
	for (int e = 0; e < 3 * mesh->count; e++) {
		Triangle *b = &mesh->triangles[e / 3];
		Vec3 from = b->v[e % 3], to = b->v[(e + 1) % 3];
		int other = *Mesh_EdgePlace(table, size, mesh, to, from);
		if (other >= 0) {
			Triangle *a = &mesh->triangles[other / 3];
			P3 n = Mesh_Normal(a);
			bool flat = P3Dot(n, Mesh_Normal(b)) > 0.99619470;
			bool concave = P3Dot(n, P3Sub(P3Of(b->v[(e + 2) % 3]), P3Of(from))) > 0.0;
			a->edge[other % 3] = b->edge[e % 3] = flat ? EDGE_FLAT : concave ? EDGE_CONCAVE : EDGE_CONVEX;
		}
		*Mesh_EdgePlace(table, size, mesh, from, to) = e;
	}
	free(table);
}

/* Heights over a grid of nx by nz cells with the corner (x0, z0); diagonals one way, the other, or at random. */
typedef float HeightFn(float x, float z);
typedef enum Diagonals { DIAGONAL_A, DIAGONAL_B, DIAGONAL_MIXED } Diagonals;

static inline void Mesh_AddGrid(Mesh *mesh, HeightFn *height, float x0, float z0, float cell, int nx, int nz,
                                Diagonals diagonals)
{
	Random r = {7};
	for (int i = 0; i < nx; i++)
		for (int j = 0; j < nz; j++) {
			Vec3 v[4];
			for (int k = 0; k < 4; k++) {
				float x = x0 + cell * (float)(i + (k & 1)), z = z0 + cell * (float)(j + (k >> 1));
				v[k] = V3(x, height(x, z), z);
			}
			bool other = diagonals == DIAGONAL_B || (diagonals == DIAGONAL_MIXED && Random_Below(&r, 2));
			if (other) {
				Mesh_Add(mesh, v[0], v[2], v[3]);
				Mesh_Add(mesh, v[0], v[3], v[1]);
			} else {
				Mesh_Add(mesh, v[0], v[2], v[1]);
				Mesh_Add(mesh, v[1], v[2], v[3]);
			}
		}
}

static inline Vec3 Mesh_Between(const Vec3 *points, const int *corners, int i, int j, int n)
{
	/* i/n of the way to corner 1, j/n to corner 2; on a border the same bits from both sides */
	int weight[3] = {n - i - j, i, j}, order[3] = {0, 1, 2};
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 2; b++)
			if (corners[order[b]] > corners[order[b + 1]]) {
				int swap = order[b];
				order[b] = order[b + 1];
				order[b + 1] = swap;
			}
	P3 p = {0, 0, 0};
	for (int k = 0; k < 3; k++)
		p = P3Add(p, (double)weight[order[k]] / n, P3Of(points[corners[order[k]]]));
	return V3((float)p.x, (float)p.y, (float)p.z);
}

/* The surface of a box or hull in its own frame, each triangle cut into n * n. */
static inline void Mesh_AddSolid(Mesh *mesh, const Shape *shape, int n)
{
	static Twin twin;
	static Vec3 points[HULL_VERTEX_LIMIT];
	Twin_OfShape(&twin, shape, XformIdentity());
	for (int i = 0; i < twin.vertex_count; i++)
		points[i] = V3((float)twin.v[i].x, (float)twin.v[i].y, (float)twin.v[i].z);
	for (int t = 0; t < twin.triangle_count; t++)
		for (int i = 0; i < n; i++)
			for (int j = 0; i + j < n; j++) {
				const int *c = twin.triangle[t];
				Vec3 a = Mesh_Between(points, c, i, j, n), b = Mesh_Between(points, c, i + 1, j, n);
				Vec3 d = Mesh_Between(points, c, i, j + 1, n);
				Mesh_Add(mesh, a, b, d);
				if (i + j + 1 < n)
					Mesh_Add(mesh, b, Mesh_Between(points, c, i + 1, j + 1, n), d);
			}
}

static inline void Mesh_Shift(Mesh *mesh, Vec3 by)
{
	for (int i = 0; i < mesh->count; i++)
		for (int k = 0; k < 3; k++)
			mesh->triangles[i].v[k] = Add(mesh->triangles[i].v[k], by);
}

/* Heights at random, up to `roughness`, the same for the same place. */
static float roughness;

static inline float Rough(float x, float z)
{
	Random r = {(uint64_t)(int64_t)FloorToInt(1000.0 * (double)x) * 7919u +
	            (uint64_t)(int64_t)FloorToInt(1000.0 * (double)z)};
	Random_U64(&r);
	return roughness * (float)Random_Range(&r, -1, 1);
}

typedef int CellFn(int x, int z);

static inline void Mesh_AddCells(Mesh *mesh, CellFn *height, int n)
{
	for (int x = -n; x < n; x++)
		for (int z = -n; z < n; z++) {
			float x0 = (float)x, x1 = x0 + 1, z0 = (float)z, z1 = z0 + 1;
			int h = height(x, z);
			Vec3 v[4] = {V3(x0, (float)h, z0), V3(x1, (float)h, z0), V3(x0, (float)h, z1), V3(x1, (float)h, z1)};
			Mesh_Add(mesh, v[0], v[2], v[3]);
			Mesh_Add(mesh, v[0], v[3], v[1]);
			for (int side = 0; side < 4; side++) {
				int dx = side == 0 ? 1 : side == 1 ? -1 : 0, dz = side == 2 ? 1 : side == 3 ? -1 : 0;
				int other = x + dx < -n || x + dx >= n || z + dz < -n || z + dz >= n ? h : height(x + dx, z + dz);
				for (int y = other; y < h; y++) {
					/* seen from outside: left and right corner of the wall */
					Vec3 l = side == 0   ? V3(x1, 0, z1)
					         : side == 1 ? V3(x0, 0, z0)
					         : side == 2 ? V3(x0, 0, z1)
					                     : V3(x1, 0, z0);
					Vec3 r = side == 0   ? V3(x1, 0, z0)
					         : side == 1 ? V3(x0, 0, z1)
					         : side == 2 ? V3(x1, 0, z1)
					                     : V3(x0, 0, z0);
					Vec3 lo = V3(0, (float)y, 0), hi = V3(0, (float)(y + 1), 0);
					Mesh_Add(mesh, Add(l, lo), Add(r, lo), Add(r, hi));
					Mesh_Add(mesh, Add(l, lo), Add(r, hi), Add(l, hi));
				}
			}
		}
	Mesh_SetEdges(mesh);
}

static inline int Pit(int x, int z)
{
	return x == 0 && (z == 0 || z == 1) ? -2 : 0;
}

static inline int Stairs(int x, int z)
{
	(void)z;
	return x < 0 ? 0 : x < 1 ? 1 : 2;
}

static inline int Pillars(int x, int z)
{
	return (x + 8) % 2 == 0 && (z + 8) % 2 == 0 ? 1 : 0;
}

#endif
