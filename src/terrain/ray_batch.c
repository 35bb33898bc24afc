/* Many rays at once: eight by eight where they go together, else one by one. */
#include "terrain/cast_internal.h"

typedef struct RayBatch {
	Terrain *terrain;
	TerrainRayOptions options;
	const Pos *from, *to;
	TerrainHit *hits;
	uint8_t *met;
	Error *error;
} RayBatch;

static int CastAlone(const RayBatch *batch, int i)
{
	int result =
	    Terrain_Ray(batch->terrain, batch->from[i], batch->to[i], batch->options, &batch->hits[i], batch->error);
	batch->met[i] = result > 0;
	return Int_Min(result, ERROR_NONE);
}

#if SCREE_X86
/* Rays i..i+7. 1: done, 0: they do not go together, or an error. */
static int CastTogether(const RayBatch *batch, int i)
{
	Terrain *terrain = batch->terrain;
	TerrainRayOptions options = batch->options;
	Segment segments[PACKET_RAYS];
	Cast casts[PACKET_RAYS];
	bool known[PACKET_RAYS];
	for (int k = 0; k < PACKET_RAYS; k++)
		if (Segment_From(terrain, batch->from[i + k], batch->to[i + k], options.limit, &segments[k], NULL) <= 0)
			return 0;
	if (!Packet_Cast(terrain, segments, options.inside, casts, known))
		return 0;
	for (int k = 0; k < PACKET_RAYS; k++) {
		TerrainHit *hit = &batch->hits[i + k];
		int result = known[k] ? Segment_Conclude(terrain, &segments[k], options, &casts[k], hit)
		                      : Segment_Ask(terrain, &segments[k], options, hit);
		if (result < 0)
			return Error_OutOfMemory(batch->error);
		batch->met[i + k] = result > 0;
	}
	return 1;
}
#endif

int Terrain_Rays(Terrain *terrain, int count, const Pos *from, const Pos *to, TerrainRayOptions options,
                 TerrainHit *hits, uint8_t *met, Error *error)
{
	const RayBatch batch = {terrain, options, from, to, hits, met, error};
	int result = ERROR_NONE, i = 0;
#if SCREE_X86
	for (; terrain->simd && !options.water && i + PACKET_RAYS <= count; i += PACKET_RAYS) {
		int together = CastTogether(&batch, i);
		if (together < 0)
			return together;
		for (int k = 0; !together && k < PACKET_RAYS; k++) {
			result = CastAlone(&batch, i + k);
			if (result != ERROR_NONE)
				return result;
		}
	}
#endif
	for (; result == ERROR_NONE && i < count; i++)
		result = CastAlone(&batch, i);
	return result;
}
