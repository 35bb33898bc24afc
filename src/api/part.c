/* Parts from outside: shapes checked and made. */
#include "api/api_internal.h"

#include <stdio.h>

#define SIZE_LIMIT 1e5  /* m: larger parts lose their float precision */
#define SIZE_LEAST 1e-3 /* m */

void scree_part_defaults(ScreePart *part)
{
	*part = (ScreePart){.shape = SCREE_BALL,
	                    .material = 6, /* rock */
	                    .size = {1.0, 1.0, 1.0},
	                    .radius = 0.5,
	                    .length = 1.0,
	                    .collides_with = 4294967295.0,
	                    .rotation = {0.0, 0.0, 0.0, 1.0},
	                    .scale = {1.0, 1.0, 1.0},
	                    .density = -1.0,
	                    .friction = -1.0,
	                    .restitution = -1.0,
	                    .rolling = -1.0};
}

static const char *Name(char *buffer, size_t size, const char *prefix, const char *field)
{
	snprintf(buffer, size, "%s%s", prefix, field);
	return buffer;
}

static bool CheckLength(ScreeWorld *w, const char *prefix, const char *field, double value)
{
	char name[80];
	Name(name, sizeof name, prefix, field);
	return Check_Positive(w, name, value) && Check_Number(w, name, value, SIZE_LEAST, SIZE_LIMIT);
}

static bool CheckSize(ScreeWorld *w, const char *prefix, const double *size)
{
	return CheckLength(w, prefix, "size[1]", size[0]) && CheckLength(w, prefix, "size[2]", size[1]) &&
	       CheckLength(w, prefix, "size[3]", size[2]);
}

static int MakeHull(ScreeWorld *w, const char *prefix, const ScreePart *part, Shape *shape)
{
	char name[80];
	if (part->point_count < 0 || (part->point_count > 0 && !part->points))
		return Api_Fail(w, ERROR_ARGUMENT, "%spoints must hold point_count triples, got %d", prefix, part->point_count);
	for (int64_t i = 0; i < 3 * (int64_t)part->point_count; i++) {
		snprintf(name, sizeof name, "%spoints[%lld][%d]", prefix, (long long)(i / 3 + 1), (int)(i % 3 + 1));
		if (!Check_Number(w, name, part->points[i], -SIZE_LIMIT, SIZE_LIMIT))
			return ERROR_ARGUMENT;
	}
	Error inner;
	Hull *hull = Hull_Create(World_Memory(w->world), part->points, part->point_count, NULL, &inner);
	if (!hull)
		return Api_Fail(w, inner.code, "%spoints: %s", prefix, inner.text);
	*shape = (Shape){.kind = SHAPE_HULL, .hull = hull};
	return ERROR_NONE;
}

static int MakeShape(ScreeWorld *w, const char *prefix, const ScreePart *part, Shape *shape)
{
	Vec3 half = V3(0.5f * (float)part->size[0], 0.5f * (float)part->size[1], 0.5f * (float)part->size[2]);
	switch (part->shape) {
	case SCREE_BALL:
		*shape = (Shape){.kind = SHAPE_BALL, .radius = (float)part->radius};
		return CheckLength(w, prefix, "radius", part->radius) ? ERROR_NONE : ERROR_ARGUMENT;
	case SCREE_CAPSULE:
	case SCREE_CYLINDER:
	case SCREE_CONE:
		*shape = (Shape){.kind = part->shape == SCREE_CAPSULE    ? SHAPE_CAPSULE
		                         : part->shape == SCREE_CYLINDER ? SHAPE_CYLINDER
		                                                         : SHAPE_CONE,
		                 .radius = (float)part->radius,
		                 .half_length = 0.5f * (float)part->length};
		return CheckLength(w, prefix, "radius", part->radius) && CheckLength(w, prefix, "length", part->length)
		           ? ERROR_NONE
		           : ERROR_ARGUMENT;
	case SCREE_BOX:
		*shape = (Shape){.kind = SHAPE_BOX, .half = half};
		return CheckSize(w, prefix, part->size) ? ERROR_NONE : ERROR_ARGUMENT;
	case SCREE_WEDGE:
		if (!CheckSize(w, prefix, part->size))
			return ERROR_ARGUMENT;
		*shape = (Shape){.kind = SHAPE_HULL, .hull = Hull_CreateWedge(World_Memory(w->world), half)};
		return shape->hull ? ERROR_NONE : Api_OutOfMemory(w);
	case SCREE_HULL:
		return MakeHull(w, prefix, part, shape);
	case SCREE_MESH:
		return Api_MakeMesh(w, prefix, part, shape);
	default:
		return Api_Fail(w, ERROR_ARGUMENT, "%sshape must be a ScreeShape, got %d", prefix, part->shape);
	}
}

/* A surface property: the part's own, or the material's when negative. */
static bool Resolve(ScreeWorld *w, const char *prefix, const char *field, double own, float of_material, double lo,
                    double hi, float *out)
{
	char name[80];
	if (own < 0.0) {
		*out = of_material;
		return true;
	}
	*out = (float)own;
	return Check_Number(w, Name(name, sizeof name, prefix, field), own, lo, hi);
}

static bool ResolveSurface(ScreeWorld *w, const char *prefix, const ScreePart *part, PartDef *def)
{
	const Material *m = &World_Materials(w->world)->items[part->material];
	return Resolve(w, prefix, "density", part->density, m->density, 1e-6, 1e9, &def->density) &&
	       Resolve(w, prefix, "friction", part->friction, m->friction, 0.0, 1e6, &def->friction) &&
	       Resolve(w, prefix, "restitution", part->restitution, m->restitution, 0.0, 1.0, &def->restitution) &&
	       Resolve(w, prefix, "rolling", part->rolling, m->rolling, 0.0, 1e6, &def->rolling);
}

int Api_MakeSurface(ScreeWorld *w, const char *prefix, const ScreePart *part, PartDef *def)
{
	char name[80];
	if (!Check_Material(w, Name(name, sizeof name, prefix, "material"), part->material))
		return ERROR_ARGUMENT;
	if (part->material == MATERIAL_AIR || part->material == MATERIAL_WATER)
		return Api_Fail(w, ERROR_ARGUMENT, "%smaterial must be solid, got %s", prefix,
		                World_Materials(w->world)->items[part->material].name);
	if (!Check_Index(w, Name(name, sizeof name, prefix, "group"), part->group, 32) ||
	    !Check_Number(w, Name(name, sizeof name, prefix, "collides_with"), part->collides_with, 0.0, 4294967295.0) ||
	    !ResolveSurface(w, prefix, part, def))
		return ERROR_ARGUMENT;
	def->material = (uint8_t)part->material;
	def->group = (uint8_t)part->group;
	def->mask = (uint32_t)part->collides_with;
	return ERROR_NONE;
}

int Api_MakePart(ScreeWorld *w, const char *prefix, const ScreePart *part, PartDef *def)
{
	char name[80];
	*def = (PartDef){.source = part->shape};
	int result = Api_MakeSurface(w, prefix, part, def);
	if (result != ERROR_NONE)
		return result;
	if (!Check_Vector(w, Name(name, sizeof name, prefix, "position"), part->position, SIZE_LIMIT) ||
	    !Check_Rotation(w, Name(name, sizeof name, prefix, "rotation"), part->rotation, &def->placement.q))
		return ERROR_ARGUMENT;
	def->placement.p = ToVec3(part->position);
	return MakeShape(w, prefix, part, &def->shape);
}
