/* The terrain benchmark: the same triangles and the same questions for the library and for its peers. */
#ifndef BENCH_TERRAIN_H
#define BENCH_TERRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The surface once as a whole and once block by block, cells as units, counter-clockwise from the air. */
typedef struct BenchChunk {
	int vertex, vertices, triangle, triangles; /* places in the chunks' arrays; indices count from `vertex` */
} BenchChunk;

typedef struct BenchMesh {
	int vertex_count, triangle_count, chunk_count, chunk_vertex_count;
	float *vertices, *chunk_vertices;
	uint32_t *triangles, *chunk_triangles; /* as many of both */
	BenchChunk *chunks;
} BenchMesh;

typedef struct Contender Contender;
struct Contender {
	const char *name;
	bool slow; /* gets fewer questions */
	/* Builds everything; build_seconds and bytes (geometry included) are to be set. */
	bool (*open)(Contender *self, const BenchMesh *mesh);
	void (*close)(Contender *self);
	/* Six floats a ray: origin, unit direction. t receives the distance, or -1. */
	void (*rays)(Contender *self, const float *rays, int count, float length, float *t);
	/* Triangles whose own box meets the box around each centre, counted. NULL: cannot. */
	int64_t (*boxes)(Contender *self, const float *centres, int count, float side);
	double build_seconds, bytes;
	void *data;
};

double Bench_Seconds(void); /* of this thread's processor time: others use the machine too */

extern Contender bench_embree, bench_bullet, bench_bullet_quantised;

#ifdef __cplusplus
}
#endif

#endif
