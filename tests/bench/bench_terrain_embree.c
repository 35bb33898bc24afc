/* Embree (libembree-dev): the whole surface as one static scene of medium quality, one ray a call. */
#include "bench_terrain.h"

#include <embree3/rtcore.h>
#include <pmmintrin.h>
#include <stdlib.h>
#include <xmmintrin.h>

typedef struct Embree {
	RTCDevice device;
	RTCScene scene;
	float *vertices; /* one more than given: Embree reads 16 bytes a vertex */
	ssize_t bytes;
} Embree;

static bool Count(void *user, ssize_t bytes, bool after)
{
	(void)after;
	*(ssize_t *)user += bytes;
	return true;
}

static bool Open(Contender *self, const BenchMesh *mesh)
{
	Embree *e = calloc(1, sizeof *e);
	if (!e)
		return false;
	self->data = e;
	e->device = rtcNewDevice("threads=1,user_threads=0,set_affinity=0");
	rtcSetDeviceMemoryMonitorFunction(e->device, Count, &e->bytes);
	double started = Bench_Seconds();
	RTCGeometry geometry = rtcNewGeometry(e->device, RTC_GEOMETRY_TYPE_TRIANGLE);
	rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, mesh->vertices, 0, 12,
	                           (size_t)mesh->vertex_count);
	rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh->triangles, 0, 12,
	                           (size_t)mesh->triangle_count);
	rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_MEDIUM);
	rtcCommitGeometry(geometry);
	e->scene = rtcNewScene(e->device);
	rtcSetSceneBuildQuality(e->scene, RTC_BUILD_QUALITY_MEDIUM);
	rtcAttachGeometry(e->scene, geometry);
	rtcReleaseGeometry(geometry);
	rtcCommitScene(e->scene);
	self->build_seconds = Bench_Seconds() - started;
	self->bytes = (double)e->bytes + 12.0 * mesh->vertex_count + 12.0 * mesh->triangle_count;
	return rtcGetDeviceError(e->device) == RTC_ERROR_NONE;
}

static void Close(Contender *self)
{
	Embree *e = self->data;
	rtcReleaseScene(e->scene);
	rtcReleaseDevice(e->device);
	free(e);
}

static void Rays(Contender *self, const float *rays, int count, float length, float *t)
{
	const Embree *e = self->data;
	/* What Embree's manual asks of its callers. */
	unsigned mode = _mm_getcsr();
	_MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
	_MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
	for (int i = 0; i < count; i++) {
		const float *ray = rays + 6 * (size_t)i;
		struct RTCIntersectContext context;
		rtcInitIntersectContext(&context);
		struct RTCRayHit h = {.ray = {.org_x = ray[0],
		                              .org_y = ray[1],
		                              .org_z = ray[2],
		                              .dir_x = ray[3],
		                              .dir_y = ray[4],
		                              .dir_z = ray[5],
		                              .tfar = length,
		                              .mask = ~0u},
		                      .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
		rtcIntersect1(e->scene, &context, &h);
		t[i] = h.hit.geomID == RTC_INVALID_GEOMETRY_ID ? -1.0f : h.ray.tfar;
	}
	_mm_setcsr(mode);
}

Contender bench_embree = {.name = "Embree, whole, medium", .open = Open, .close = Close, .rays = Rays};
