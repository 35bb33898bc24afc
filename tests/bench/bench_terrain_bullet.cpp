// Bullet (libbullet-dev): a static body for each block, as a world that can be edited has to keep them.
#include "bench_terrain.h"

#include <btBulletDynamicsCommon.h>
#include <cstdlib>
#include <vector>

namespace
{

size_t allocated;

void *Allocate(size_t size)
{
	size_t *block = static_cast<size_t *>(std::malloc(size + 16));
	block[0] = size;
	allocated += size;
	return block + 2;
}

void Release(void *memory)
{
	if (!memory)
		return;
	size_t *block = static_cast<size_t *>(memory) - 2;
	allocated -= block[0];
	std::free(block);
}

struct Chunk {
	btTriangleIndexVertexArray *arrays;
	btBvhTriangleMeshShape *shape;
	btCollisionObject *object;
};

struct World {
	btDefaultCollisionConfiguration configuration;
	btCollisionDispatcher dispatcher;
	btDbvtBroadphase broadphase;
	btCollisionWorld world;
	std::vector<Chunk> chunks;
	World() : dispatcher(&configuration), world(&dispatcher, &broadphase, &configuration) {}
};

bool Open(Contender *self, const BenchMesh *mesh, bool quantised)
{
	btAlignedAllocSetCustom(Allocate, Release);
	size_t before = allocated;
	World *w = new World;
	self->data = w;
	w->chunks.reserve(mesh->chunk_count);
	double started = Bench_Seconds();
	for (int i = 0; i < mesh->chunk_count; i++) {
		const BenchChunk &c = mesh->chunks[i];
		Chunk made;
		made.arrays = new btTriangleIndexVertexArray(
		    c.triangles, reinterpret_cast<int *>(mesh->chunk_triangles + 3 * size_t(c.triangle)), 12, c.vertices,
		    mesh->chunk_vertices + 3 * size_t(c.vertex), 12);
		made.shape = new btBvhTriangleMeshShape(made.arrays, quantised, true);
		made.object = new btCollisionObject;
		made.object->setCollisionShape(made.shape);
		w->world.addCollisionObject(made.object, btBroadphaseProxy::StaticFilter);
		w->chunks.push_back(made);
	}
	w->broadphase.optimize();
	self->build_seconds = Bench_Seconds() - started;
	self->bytes = double(allocated - before) + 12.0 * mesh->chunk_vertex_count + 12.0 * mesh->triangle_count;
	return true;
}

bool OpenPlain(Contender *self, const BenchMesh *mesh)
{
	return Open(self, mesh, false);
}

bool OpenQuantised(Contender *self, const BenchMesh *mesh)
{
	return Open(self, mesh, true);
}

void Close(Contender *self)
{
	World *w = static_cast<World *>(self->data);
	for (Chunk &c : w->chunks) {
		w->world.removeCollisionObject(c.object);
		delete c.object;
		delete c.shape;
		delete c.arrays;
	}
	delete w;
}

void Rays(Contender *self, const float *rays, int count, float length, float *t)
{
	World *w = static_cast<World *>(self->data);
	for (int i = 0; i < count; i++) {
		const float *r = rays + 6 * size_t(i);
		btVector3 from(r[0], r[1], r[2]), to = from + btVector3(r[3], r[4], r[5]) * length;
		btCollisionWorld::ClosestRayResultCallback nearest(from, to);
		w->world.rayTest(from, to, nearest);
		t[i] = nearest.hasHit() ? nearest.m_closestHitFraction * length : -1.0f;
	}
}

/* The tree gives leaves; the question is for triangles whose own box meets the asked one. */
struct CountTriangles : btTriangleCallback {
	btVector3 lo, hi;
	int64_t count = 0;
	void processTriangle(btVector3 *v, int, int) override
	{
		btVector3 a = v[0], b = v[0];
		a.setMin(v[1]);
		a.setMin(v[2]);
		b.setMax(v[1]);
		b.setMax(v[2]);
		count += TestAabbAgainstAabb2(a, b, lo, hi);
	}
};

struct InBox : btBroadphaseAabbCallback {
	CountTriangles triangles;
	bool process(const btBroadphaseProxy *proxy) override
	{
		btCollisionObject *object = static_cast<btCollisionObject *>(proxy->m_clientObject);
		static_cast<btBvhTriangleMeshShape *>(object->getCollisionShape())
		    ->processAllTriangles(&triangles, triangles.lo, triangles.hi);
		return true;
	}
};

int64_t Boxes(Contender *self, const float *centres, int count, float side)
{
	World *w = static_cast<World *>(self->data);
	InBox query;
	btVector3 half(side / 2, side / 2, side / 2);
	for (int i = 0; i < count; i++) {
		btVector3 centre(centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]);
		query.triangles.lo = centre - half;
		query.triangles.hi = centre + half;
		w->broadphase.aabbTest(query.triangles.lo, query.triangles.hi, query);
	}
	return query.triangles.count;
}

} // namespace

extern "C" {
Contender bench_bullet = {"Bullet, plain BVH", true, OpenPlain, Close, Rays, Boxes, 0, 0, nullptr};
Contender bench_bullet_quantised = {"Bullet, quantised BVH", true, OpenQuantised, Close, Rays, Boxes, 0, 0, nullptr};
}
