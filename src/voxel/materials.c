/* The table of materials and what is in it from the start. */
#include "voxel/voxel.h"

/* Densities and colours after common engineering tables; friction for rough dry surfaces against each other. */
static const Material builtin[] = {
    /* name, density, friction, restitution, rolling, hardness, blockiness, color */
    {"air", 1.2f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0xFFFFFF},
    {"water", 1000.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0x2F6FA8},
    {"grass", 1300.0f, 0.60f, 0.05f, 0.080f, 0.3f, 0.0f, 0x5B8C3A},
    {"ground", 1500.0f, 0.70f, 0.05f, 0.070f, 0.5f, 0.0f, 0x6B4F35},
    {"sand", 1600.0f, 0.65f, 0.02f, 0.120f, 0.2f, 0.0f, 0xD8C48C},
    {"mud", 1730.0f, 0.35f, 0.01f, 0.180f, 0.1f, 0.0f, 0x5A4632},
    {"rock", 2600.0f, 0.75f, 0.15f, 0.015f, 5.0f, 0.0f, 0x7D7B78},
    {"basalt", 3000.0f, 0.75f, 0.15f, 0.015f, 7.0f, 0.0f, 0x3E3D40},
    {"slate", 2750.0f, 0.60f, 0.12f, 0.015f, 4.0f, 0.0f, 0x54595F},
    {"sandstone", 2300.0f, 0.75f, 0.12f, 0.015f, 3.0f, 0.0f, 0xC2A36C},
    {"limestone", 2500.0f, 0.75f, 0.12f, 0.015f, 3.5f, 0.0f, 0xCFC8B4},
    {"concrete", 2400.0f, 0.80f, 0.15f, 0.010f, 6.0f, 0.0f, 0x9C9A94},
    {"brick", 1900.0f, 0.80f, 0.15f, 0.010f, 4.0f, 1.0f, 0x9C4A36},
    {"wood", 650.0f, 0.55f, 0.25f, 0.015f, 1.5f, 0.0f, 0x8F6B41},
    {"ice", 917.0f, 0.08f, 0.10f, 0.002f, 2.0f, 0.0f, 0xBFE0EE},
    {"snow", 350.0f, 0.30f, 0.01f, 0.100f, 0.1f, 0.0f, 0xF2F6F8},
    {"glacier", 880.0f, 0.12f, 0.08f, 0.004f, 1.8f, 0.0f, 0xA9CFE3},
    {"asphalt", 2350.0f, 0.85f, 0.10f, 0.010f, 3.0f, 0.0f, 0x3A3A3C},
    {"salt", 2160.0f, 0.55f, 0.05f, 0.030f, 1.0f, 0.0f, 0xE9E4DC},
    {"metal", 7850.0f, 0.45f, 0.30f, 0.003f, 10.0f, 0.0f, 0xA6A9AD},
};

void MaterialTable_Init(MaterialTable *table)
{
	*table = (MaterialTable){.count = COUNT_OF(builtin)};
	memcpy(table->items, builtin, sizeof(builtin));
}

int MaterialTable_Find(const MaterialTable *table, const char *name)
{
	for (int i = 0; name && i < table->count; i++)
		if (strncmp(table->items[i].name, name, MATERIAL_NAME_SIZE) == 0)
			return i;
	return -1;
}

/* ---- checks ------------------------------------------------------------------------------------------------- */

static bool IsLetter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int Material_CheckName(const char name[MATERIAL_NAME_SIZE], Error *error)
{
	if (!memchr(name, 0, MATERIAL_NAME_SIZE))
		return Error_Set(error, ERROR_ARGUMENT, "material name: longer than %d characters", MATERIAL_NAME_SIZE - 1);
	bool good = IsLetter(name[0]);
	for (const char *c = name; *c; c++)
		good = good && (IsLetter(*c) || (*c >= '0' && *c <= '9') || *c == '_');
	if (!good)
		return Error_Set(error, ERROR_ARGUMENT, "material name \"%s\": must be a letter, then letters, digits or _",
		                 name);
	return ERROR_NONE;
}

static int Material_CheckNumber(const char *material, const char *field, float value, float lo, float hi, Error *error)
{
	if (IsFinite(value) && value >= lo && value <= hi)
		return ERROR_NONE;
	if (hi < FLT_MAX)
		return Error_Set(error, ERROR_ARGUMENT, "material %s: %s is %g, must be %g to %g", material, field, value, lo,
		                 hi);
	return Error_Set(error, ERROR_ARGUMENT, "material %s: %s is %g, must be at least %g and finite", material, field,
	                 value, lo);
}

static int Material_Check(const Material *m, Error *error)
{
	int code = Material_CheckName(m->name, error);
	if (!code && !(m->density > 0.0f && IsFinite(m->density)))
		code = Error_Set(error, ERROR_ARGUMENT, "material %s: density is %g, must be above 0 and finite", m->name,
		                 m->density);
	if (!code)
		code = Material_CheckNumber(m->name, "friction", m->friction, 0.0f, FLT_MAX, error);
	if (!code)
		code = Material_CheckNumber(m->name, "restitution", m->restitution, 0.0f, 1.0f, error);
	if (!code)
		code = Material_CheckNumber(m->name, "rolling", m->rolling, 0.0f, FLT_MAX, error);
	if (!code)
		code = Material_CheckNumber(m->name, "hardness", m->hardness, 0.0f, FLT_MAX, error);
	if (!code)
		code = Material_CheckNumber(m->name, "blockiness", m->blockiness, 0.0f, 1.0f, error);
	if (!code && m->color > 0xFFFFFF)
		code = Error_Set(error, ERROR_ARGUMENT, "material %s: color is 0x%X, must be 0xRRGGBB", m->name, m->color);
	return code;
}

int MaterialTable_Put(MaterialTable *table, const Material *material, Error *error)
{
	int code = Material_Check(material, error);
	if (code)
		return code;
	int index = MaterialTable_Find(table, material->name);
	if (index == MATERIAL_AIR)
		return Error_Set(error, ERROR_ARGUMENT, "material air: cannot be changed");
	if (index < 0 && table->count == MATERIAL_LIMIT)
		return Error_Set(error, ERROR_LIMIT, "material %s: the table is full (%d materials)", material->name,
		                 MATERIAL_LIMIT);
	if (index < 0)
		index = table->count++;
	Material *item = &table->items[index];
	*item = *material;
	/* Nothing left over behind the name. */
	size_t length = strlen(item->name);
	memset(item->name + length, 0, MATERIAL_NAME_SIZE - length);
	if (index == MATERIAL_WATER)
		item->blockiness = 0.0f;
	table->version++;
	return index;
}
