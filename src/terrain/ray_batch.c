/* Many rays at once: in packets where they go together, else one by one. */
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

int Terrain_Rays(Terrain *terrain, int count, const Pos *from, const Pos *to, TerrainRayOptions options,
                 TerrainHit *hits, uint8_t *met, Error *error)
{
	const RayBatch batch = {terrain, options, from, to, hits, met, error};
	int result = ERROR_NONE;
	for (int i = 0; i < count && result == ERROR_NONE;) {
#if SCREE_X86
		if (terrain->simd && !options.water && count - i >= PACKET_LEAST) {
			int some = Int_Min(count - i, PACKET_RAYS);
			int cast = Packet_Cast(terrain, some, from + i, to + i, options, hits + i, met + i);
			if (cast < 0)
				return Error_OutOfMemory(error);
			if (cast >= PACKET_LEAST) {
				i += cast;
				continue;
			}
		}
#endif
		result = CastAlone(&batch, i++);
	}
	return result;
}
