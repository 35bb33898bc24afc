/* Shapes in an archive. */
#include "dynamics/archive_internal.h"

void Archive_Quat(Archive *ar, Quat *q)
{
	Archive_F32s(ar, &q->x, 4);
	if (!ar->reading)
		return;
	float length = q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w;
	if (!Archive_IsSound(ar, length > 0.99f && length < 1.01f, "a rotation is none"))
		*q = (Quat){0.0f, 0.0f, 0.0f, 1.0f};
}

static void WriteHull(Archive *ar, const Hull *hull)
{
	int counts[] = {hull->vertex_count, hull->face_count};
	for (int i = 0; i < COUNT_OF(counts); i++)
		Archive_Int(ar, &counts[i], 0, INT32_MAX);
	for (int i = 0; i < hull->vertex_count; i++) {
		Vec3 v = hull->vertices[i];
		Archive_Vec3(ar, &v);
	}
	for (int i = 1; i <= hull->face_count; i++) {
		int end = hull->face_first[i];
		Archive_Int(ar, &end, 0, UINT16_MAX);
	}
	for (int i = 0; i < hull->index_count; i++) {
		uint8_t corner = hull->face_index[i];
		Archive_U8(ar, &corner);
	}
}

static const Hull *ReadHull(Archive *ar, Memory *memory)
{
	Vec3 vertices[HULL_VERTEX_LIMIT];
	uint16_t first[HULL_FACE_LIMIT + 1] = {0};
	uint8_t index[6 * HULL_VERTEX_LIMIT];
	int vertex_count = 0, face_count = 0;
	Archive_Int(ar, &vertex_count, 4, HULL_VERTEX_LIMIT);
	Archive_Int(ar, &face_count, 4, HULL_FACE_LIMIT);
	for (int i = 0; i < vertex_count; i++)
		Archive_Vec3(ar, &vertices[i]);
	for (int i = 1; i <= face_count; i++) {
		int end = 0;
		Archive_Int(ar, &end, first[i - 1], COUNT_OF(index));
		first[i] = (uint16_t)end;
	}
	for (int i = 0; i < first[face_count]; i++)
		Archive_U8(ar, &index[i]);
	if (ar->failure != ERROR_NONE)
		return NULL;
	Error error;
	Hull *hull = Hull_CreateFaces(memory, vertices, vertex_count, first, index, face_count, &error);
	if (!hull && error.code == ERROR_MEMORY)
		ar->failure = ERROR_MEMORY;
	else if (!hull)
		Archive_Fail(ar, "a hull is not convex");
	return hull;
}

static bool IsLength(float value)
{
	return value > 0.0f && value <= SIZE_LIMIT;
}

static bool HasDimensions(const Shape *s)
{
	switch (s->kind) {
	case SHAPE_BALL:
		return IsLength(s->radius);
	case SHAPE_BOX:
		return IsLength(s->half.x) && IsLength(s->half.y) && IsLength(s->half.z);
	case SHAPE_HULL:
		return s->hull != NULL;
	case SHAPE_MESH:
		return s->mesh != NULL;
	default:
		return IsLength(s->radius) && IsLength(s->half_length);
	}
}

void Archive_Shape(Archive *ar, Memory *memory, Shape *shape)
{
	int kind = (int)shape->kind;
	Archive_Int(ar, &kind, 0, SHAPE_MESH);
	Archive_IsSound(ar, kind != SHAPE_KIND_COUNT, "there is no such shape");
	shape->kind = (ShapeKind)kind;
	Archive_F32(ar, &shape->radius);
	Archive_F32(ar, &shape->half_length);
	Archive_Vec3(ar, &shape->half);
	if (shape->kind == SHAPE_HULL && !ar->reading)
		WriteHull(ar, shape->hull);
	else if (ar->reading)
		shape->hull = shape->kind == SHAPE_HULL ? ReadHull(ar, memory) : NULL;
	if (ar->reading)
		shape->mesh = NULL;
	if (shape->kind == SHAPE_MESH)
		Trimesh_Archive(ar, memory, &shape->mesh);
	Archive_IsSound(ar, HasDimensions(shape), "a shape has no size");
}
