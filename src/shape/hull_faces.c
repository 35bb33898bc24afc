/* Hulls from corners and faces that were a hull before: saved worlds. */
#include "shape/shape_internal.h"

static bool FacesAreListed(const uint16_t *first, int face_count, int vertex_count)
{
	if (vertex_count < 4 || vertex_count > HULL_VERTEX_LIMIT || face_count < 4 || face_count > HULL_FACE_LIMIT ||
	    first[0] != 0 || first[face_count] > HULL_INDEX_LIMIT)
		return false;
	for (int f = 0; f < face_count; f++)
		if (first[f + 1] < first[f] + 3)
			return false;
	return true;
}

Hull *Hull_CreateFaces(Memory *memory, const Vec3 *vertices, int vertex_count, const uint16_t *face_first,
                       const uint8_t *face_index, int face_count, Error *error)
{
	HullFaces faces = {.face_count = face_count};
	if (!FacesAreListed(face_first, face_count, vertex_count)) {
		Error_Set(error, ERROR_ARGUMENT, "hull: a list of its faces is damaged");
		return NULL;
	}
	memcpy(faces.first, face_first, sizeof(uint16_t) * ((size_t)face_count + 1u));
	memcpy(faces.index, face_index, face_first[face_count]);
	Hull *hull = Hull_Assemble(memory, Cpu_Simd(), vertices, vertex_count, &faces, error);
	char why[160];
	if (hull && !Hull_Validate(hull, why, sizeof why)) {
		Error_Set(error, ERROR_ARGUMENT, "hull: %s", why);
		Hull_Destroy(memory, hull);
		return NULL;
	}
	return hull;
}
