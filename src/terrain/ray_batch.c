/* Many rays at once. */
#include "terrain/cast_internal.h"

/* One by one. */
static int RayAlone(Terrain *terrain, Pos from, Pos to, TerrainRayOptions options, TerrainHit *hit, uint8_t *met,
                    Error *error)
{
	int result = Terrain_Ray(terrain, from, to, options, hit, error);
	*met = result > 0;
	return Int_Min(result, ERROR_NONE);
}

int Terrain_Rays(Terrain *terrain, int count, const Pos *from, const Pos *to, TerrainRayOptions options,
                 TerrainHit *hits, uint8_t *met, Error *error)
{
	int result = ERROR_NONE;
	for (int i = 0; result == ERROR_NONE && i < count; i++)
		result = RayAlone(terrain, from[i], to[i], options, &hits[i], &met[i], error);
	return result;
}
