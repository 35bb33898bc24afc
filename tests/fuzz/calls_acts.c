/* The acts of the target `calls`: what is made, changed, broken and asked. */
#include "play.h"

static ScreeId AnyId(Play *p, const ScreeId *ids, int count)
{
	int choice = Input_Below(&p->in, 32);
	if (choice == 0)
		return Input_Number(&p->in);
	if (choice == 1 || count == 0)
		return 0.0;
	return ids[Input_Below(&p->in, count)];
}

/* Sometimes one that nobody spawned: pieces. */
static ScreeId AnyBody(Play *p)
{
	static ScreeId all[MOST_LISTED];
	if (Input_Below(&p->in, 4))
		return AnyId(p, p->bodies, p->body_count);
	int count = screeWorld_Assemblies(p->world, all, MOST_LISTED);
	REQUIRE(count >= 0);
	return AnyId(p, all, count < MOST_LISTED ? count : MOST_LISTED);
}

static ScreeId AnyJoint(Play *p)
{
	return AnyId(p, p->joints, p->joint_count);
}

static void AnyPoint(Play *p, double *out3)
{
	Input_Numbers(&p->in, out3, 3);
}

static void AnyRotation(Play *p, double *out4)
{
	static const double none[4] = {0, 0, 0, 1};
	if (Input_Below(&p->in, 3) == 0)
		memcpy(out4, none, sizeof none);
	else
		Input_Numbers(&p->in, out4, 4);
}

/* Seldom an edge of a cell box that makes a call long. */
static double AnyCell(Play *p)
{
	return Input_Below(&p->in, 40) == 0 ? Input_Number(&p->in) : (double)(Input_Byte(&p->in) % 48 - 24);
}

static void AnyCells(Play *p, double *min, double *max)
{
	for (int i = 0; i < 3; i++) {
		min[i] = AnyCell(p);
		max[i] = Input_Below(&p->in, 40) == 0 ? Input_Number(&p->in) : min[i] + Input_Byte(&p->in) % 16;
	}
}

/* ---- what can be made ---------------------------------------------------------------------------------------- */

static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0.5, -0.3, 0.4};
static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

static void AnyPart(Play *p, ScreePart *part)
{
	scree_part_defaults(part);
	part->shape = Input_Below(&p->in, 9);
	part->material = Input_Below(&p->in, 24) - 1;
	for (int i = 0; i < 3; i++)
		part->size[i] = Input_Below(&p->in, 8) == 0 ? Input_Number(&p->in) : 0.2 + Input_Byte(&p->in) / 128.0;
	part->radius = Input_Below(&p->in, 8) == 0 ? Input_Number(&p->in) : 0.1 + Input_Byte(&p->in) / 256.0;
	part->length = Input_Below(&p->in, 8) == 0 ? Input_Number(&p->in) : 0.1 + Input_Byte(&p->in) / 128.0;
	part->points = corners;
	part->point_count = Input_Below(&p->in, 7);
	part->indices = faces;
	part->triangle_count = Input_Below(&p->in, 5);
	part->group = Input_Below(&p->in, 4) == 0 ? Input_Byte(&p->in) - 4 : 0;
	if (Input_Below(&p->in, 4) == 0) {
		AnyPoint(p, part->position);
		AnyRotation(p, part->rotation);
		part->friction = Input_Number(&p->in);
		part->restitution = Input_Number(&p->in);
		part->density = Input_Number(&p->in);
	}
}

int32_t Play_Spawn(Play *p)
{
	ScreePart parts[3];
	ScreeAssemblyDef def;
	ScreeId id = 0;
	if (p->body_count == MOST_BODIES)
		return SCREE_OK;
	scree_assembly_defaults(&def);
	AnyPoint(p, def.position);
	AnyRotation(p, def.rotation);
	if (Input_Below(&p->in, 2) == 0)
		Input_Numbers(&p->in, def.velocity, 3);
	if (Input_Below(&p->in, 4) == 0)
		Input_Numbers(&p->in, def.angular_velocity, 3);
	def.motion = Input_Below(&p->in, 4) ? SCREE_DYNAMIC : Input_Below(&p->in, 4);
	def.bullet = Input_Below(&p->in, 2);
	def.part_count = Input_Below(&p->in, 8) == 0 ? Input_Below(&p->in, 4) : 1;
	for (int i = 0; i < def.part_count; i++)
		AnyPart(p, &parts[i]);
	def.parts = parts;
	if (Input_Below(&p->in, 8) == 0)
		def.mass = Input_Number(&p->in);
	int32_t code = screeAssembly_Create(p->world, &def, &id);
	if (code == SCREE_OK)
		p->bodies[p->body_count++] = id;
	return code;
}

static void AnySettings(Play *p, ScreeJointSettings *s)
{
	double *numbers[] = {&s->low,       &s->high,        &s->twist_low,   &s->twist_high,   &s->cone,
	                     &s->friction,  &s->motor_speed, &s->motor_max,   &s->motor_target, &s->length,
	                     &s->stiffness, &s->damping,     &s->break_force, &s->max_force,    &s->response};
	s->limited = Input_Below(&p->in, 2);
	s->twist_limited = Input_Below(&p->in, 2);
	s->motor = Input_Below(&p->in, 4);
	s->by_stiffness = Input_Below(&p->in, 2);
	for (int n = Input_Below(&p->in, 4); n > 0; n--)
		*numbers[Input_Below(&p->in, COUNT_OF(numbers))] = Input_Number(&p->in);
}

int32_t Play_Join(Play *p)
{
	ScreeJointDef def;
	ScreeId id = 0;
	if (p->joint_count == MOST_JOINTS)
		return SCREE_OK;
	scree_joint_defaults(&def);
	def.type = Input_Below(&p->in, 10);
	def.a = AnyBody(p);
	def.b = AnyBody(p);
	def.collide = Input_Below(&p->in, 2);
	def.has_at = Input_Below(&p->in, 2);
	if (def.has_at)
		AnyPoint(p, def.at);
	if (Input_Below(&p->in, 8) == 0)
		Input_Numbers(&p->in, def.axis, 3);
	else
		def.axis[Input_Below(&p->in, 3)] = 1.0;
	AnySettings(p, &def.settings);
	int32_t code = screeJoint_Create(p->world, &def, &id);
	if (code == SCREE_OK)
		p->joints[p->joint_count++] = id;
	return code;
}

/* ---- calls by kind ------------------------------------------------------------------------------------------- */

static int32_t ChangePart(Play *p, ScreeId id)
{
	ScreePart part;
	int32_t index = Input_Below(&p->in, 4) - 1;
	int32_t code = screeAssembly_GetPart(p->world, id, index, &part);
	if (code != SCREE_OK)
		return code;
	part.material = Input_Below(&p->in, 24) - 1;
	part.group = Input_Below(&p->in, 34) - 1;
	part.friction = Input_Number(&p->in);
	part.density = Input_Number(&p->in);
	part.restitution = Input_Number(&p->in);
	return screeAssembly_SetPart(p->world, id, index, &part);
}

static int32_t ChangeSleep(Play *p, const double v[4])
{
	ScreeSleep sleep = {Input_Below(&p->in, 8) != 0, Input_Below(&p->in, 3), v[0], v[1], v[2], v[3], v[0]};
	return screeWorld_SetSleep(p->world, &sleep);
}

int32_t Play_Change(Play *p, int which)
{
	double v[9];
	ScreeId id = AnyBody(p);
	Input_Numbers(&p->in, v, 4);
	switch (which) {
	case 0:
		return screeAssembly_SetPosition(p->world, id, v[0], v[1], v[2]);
	case 1:
		return screeAssembly_SetRotation(p->world, id, v[0], v[1], v[2], v[3]);
	case 2:
		return screeAssembly_SetVelocity(p->world, id, v[0], v[1], v[2]);
	case 3:
		return screeAssembly_SetAngularVelocity(p->world, id, v[0], v[1], v[2]);
	case 4:
		return screeAssembly_SetMotion(p->world, id, Input_Below(&p->in, 4));
	case 5:
		return screeAssembly_SetMass(p->world, id, v[0]);
	case 6:
		return screeAssembly_SetCenterOfMass(p->world, id, v[0], v[1], v[2]);
	case 7:
		Input_Numbers(&p->in, v, 9);
		return screeAssembly_SetInertia(p->world, id, v);
	case 8:
		return screeAssembly_SetCanSleep(p->world, id, Input_Below(&p->in, 2));
	case 9:
		return screeAssembly_SetGravityScale(p->world, id, v[0]);
	case 10:
		return screeAssembly_ApplyForce(p->world, id, v, Input_Below(&p->in, 2) ? v + 1 : NULL);
	case 11:
		return screeAssembly_ApplyImpulse(p->world, id, v, Input_Below(&p->in, 2) ? v + 1 : NULL);
	case 12:
		return screeAssembly_ApplyTorque(p->world, id, v);
	case 13:
		return screeAssembly_Sleep(p->world, id);
	case 14:
		return screeAssembly_Wake(p->world, id);
	case 15:
		return screeAssembly_MoveTo(p->world, id, v, NULL, v[3]);
	case 16:
		return screeAssembly_SetSleepLimits(p->world, id, v[0], v[1], v[2], v[3]);
	case 17:
		return screeAssembly_SetBullet(p->world, id, Input_Below(&p->in, 2));
	case 18:
		return screeAssembly_ApplyAngularImpulse(p->world, id, v);
	case 19:
		return ChangePart(p, id);
	case 20:
		return screeWorld_SetGravity(p->world, v[0], v[1], v[2]);
	case 21:
		return ChangeSleep(p, v);
	default:
		return screeAssembly_Destroy(p->world, id);
	}
}

static int32_t PaintOver(Play *p)
{
	ScreeMaterial material = {.name = "paint"};
	material.name[4] = (char)('a' + Input_Below(&p->in, 3));
	double *numbers[] = {&material.density,  &material.friction, &material.restitution,
	                     &material.hardness, &material.rolling,  &material.blockiness};
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		*numbers[i] = Input_Below(&p->in, 4) ? Input_Byte(&p->in) / 255.0 : Input_Number(&p->in);
	int32_t code = screeWorld_PutMaterial(p->world, &material);
	return code < 0 ? code : SCREE_OK;
}

/* A few cells of any bytes. */
static int32_t WriteCells(Play *p)
{
	uint8_t cells[3][64];
	double min[3], max[3];
	for (int i = 0; i < 3; i++) {
		min[i] = AnyCell(p);
		max[i] = min[i] + Input_Below(&p->in, 4);
	}
	for (int i = 0; i < 64; i++)
		for (int channel = 0; channel < 3; channel++)
			cells[channel][i] = channel == 0 ? (uint8_t)Input_Below(&p->in, 24) : Input_Byte(&p->in);
	int none = Input_Below(&p->in, 8);
	return screeTerrain_Write(p->world, min, max, none & 1 ? NULL : cells[0], none & 2 ? NULL : cells[1],
	                          none & 4 ? NULL : cells[2], NULL);
}

static int32_t FillHeights(Play *p)
{
	ScreeHeightmap map;
	double heights[16];
	scree_heightmap_defaults(&map);
	Input_Numbers(&p->in, heights, 16);
	map.heights = heights;
	map.width = map.depth = 4;
	map.mode = Input_Below(&p->in, 5);
	map.spacing = Input_Below(&p->in, 8) ? 2.0 : Input_Number(&p->in);
	map.bottom = Input_Below(&p->in, 8) ? 3.0 : Input_Number(&p->in);
	AnyPoint(p, map.position);
	return screeTerrain_FillHeightmap(p->world, &map);
}

int32_t Play_Edit(Play *p, int which)
{
	double min[3], max[3], center[3];
	ScreeFill fill = {.brush = Input_Below(&p->in, 5), .mode = Input_Below(&p->in, 5)};
	switch (which) {
	case 0:
	case 1:
	case 2:
		fill.material = Input_Below(&p->in, 24) - 1;
		AnyPoint(p, fill.position);
		AnyRotation(p, fill.rotation);
		for (int i = 0; i < 3; i++)
			fill.size[i] = Input_Below(&p->in, 16) == 0 ? Input_Number(&p->in) : Input_Byte(&p->in) / 8.0;
		fill.radius = Input_Below(&p->in, 16) == 0 ? Input_Number(&p->in) : Input_Byte(&p->in) / 16.0;
		fill.height = fill.size[1];
		return screeTerrain_Fill(p->world, &fill);
	case 3:
		AnyCells(p, min, max);
		return screeTerrain_Replace(p->world, min, max, Input_Below(&p->in, 24) - 1, Input_Below(&p->in, 24) - 1);
	case 4:
		AnyPoint(p, center);
		return screeTerrain_Smooth(p->world, center, Input_Byte(&p->in) / 32.0, Input_Number(&p->in));
	case 5:
		AnyPoint(p, center);
		return screeTerrain_Grow(p->world, center, Input_Byte(&p->in) / 32.0, Input_Number(&p->in),
		                         Input_Below(&p->in, 24) - 1);
	case 6:
		return screeTerrain_Set(p->world, AnyCell(p), AnyCell(p), AnyCell(p), Input_Below(&p->in, 24) - 1,
		                        Input_Byte(&p->in), Input_Byte(&p->in));
	case 7:
		return screeTerrain_BeginUndo(p->world, "group");
	case 8:
		return screeTerrain_Undo(p->world, (char[SCREE_UNDO_NAME]){0}) < 0 ? SCREE_OUT_OF_MEMORY : SCREE_OK;
	case 9:
		return screeTerrain_Redo(p->world, (char[SCREE_UNDO_NAME]){0}) < 0 ? SCREE_OUT_OF_MEMORY : SCREE_OK;
	case 10:
		return screeTerrain_SetUndoBudget(p->world, Input_Number(&p->in));
	case 11:
		return PaintOver(p);
	case 12:
		return WriteCells(p);
	case 13:
		return FillHeights(p);
	default:
		return Input_Below(&p->in, 8) ? SCREE_OK : screeTerrain_Clear(p->world);
	}
}

/* What breaks. */
int32_t Play_Break(Play *p, int which)
{
	double min[3], max[3], center[3];
	ScreeDetach detach;
	ScreeBlast blast;
	const ScreeId *ids;
	int32_t code;
	switch (which) {
	case 0:
	case 1:
		detach = (ScreeDetach){Input_Below(&p->in, 8) != 0, Input_Byte(&p->in) - 4, Input_Below(&p->in, 4) == 0};
		return screeTerrain_SetDetach(p->world, &detach);
	case 2:
		AnyCells(p, min, max);
		return screeTerrain_Anchor(p->world, min, max);
	case 3:
		screeTerrain_ClearAnchors(p->world);
		return SCREE_OK;
	case 4:
		code = screeTerrain_DetachAll(p->world, &ids);
		for (int i = 0; i < code; i++)
			REQUIRE(screeAssembly_Cells(p->world, ids[i], NULL, NULL) == 1);
		return code < 0 ? code : SCREE_OK;
	case 5:
	case 6:
		return screeAssembly_ToTerrain(p->world, AnyBody(p));
	case 7:
	case 8:
		AnyPoint(p, center);
		return screeTerrain_Dig(p->world, center, Input_Byte(&p->in) / 16.0, Input_Number(&p->in));
	default:
		AnyPoint(p, blast.position);
		blast.radius = Input_Byte(&p->in) / 16.0;
		blast.strength = Input_Number(&p->in);
		blast.impulse = Input_Below(&p->in, 2) ? Input_Number(&p->in) : 2000.0;
		code = screeWorld_Blast(p->world, &blast, &ids);
		for (int i = 0; i < code; i++)
			REQUIRE(screeAssembly_GetState(p->world, ids[i]) == SCREE_AWAKE);
		return code < 0 ? code : SCREE_OK;
	}
}

static void AskSurface(Play *p)
{
	ScreeMesh *mesh;
	double min[3], max[3];
	AnyCells(p, min, max);
	if (screeTerrain_Mesh(p->world, min, max, &mesh) != SCREE_OK)
		return;
	for (double i = 0; i < 3 * mesh->triangle_count; i++)
		REQUIRE(mesh->indices[(size_t)i] < mesh->vertex_count);
	screeMesh_Free(p->world, mesh);
}

static void AskBody(Play *p)
{
	ScreeId id = AnyBody(p);
	const ScreeId *joints;
	ScreeMesh *mesh;
	ScreePart part;
	double numbers[9], share = 0.0;
	screeAssembly_GetMass(p->world, id, numbers);
	screeAssembly_GetCenterOfMass(p->world, id, numbers);
	screeAssembly_GetInertia(p->world, id, numbers);
	screeAssembly_GetNetImpulse(p->world, id, numbers);
	screeAssembly_GetBounds(p->world, id, numbers);
	screeAssembly_GetSleepLimits(p->world, id, numbers);
	screeAssembly_GetSubmerged(p->world, id, &share);
	REQUIRE(share >= 0.0 && share <= 1.0001);
	screeAssembly_GetVelocityAt(p->world, id, numbers, numbers);
	screeAssembly_Joints(p->world, id, 1, &joints);
	for (int i = -1; i <= screeAssembly_PartCount(p->world, id) && i < 8; i++) {
		screeAssembly_GetPart(p->world, id, i, &part);
		if (screeAssembly_PartMesh(p->world, id, i, &mesh) == SCREE_OK)
			screeMesh_Free(p->world, mesh);
	}
}

void Play_Ask(Play *p, int which)
{
	double from[3], to[3], numbers[24], counts[256];
	ScreeHit hit;
	ScreePart part;
	ScreeStats stats;
	ScreeQuery query;
	const ScreeHit *hits;
	const ScreeId *ids;
	const ScreeContact *contacts;
	const ScreeEvent *events;
	const char *why;
	const double *transforms;
	int32_t terrain, water, code;
	AnyPoint(p, from);
	AnyPoint(p, to);
	scree_query_defaults(&query);
	query.water = Input_Below(&p->in, 2);
	query.inside = Input_Below(&p->in, 2);
	switch (which) {
	case 0:
		code = screeWorld_Raycast(p->world, from, to, &query, &hit);
		REQUIRE(code < 1 || (hit.fraction >= 0.0 && hit.fraction <= 1.0));
		break;
	case 1:
		code = screeWorld_RaycastAll(p->world, from, to, &query, &hits);
		for (int32_t i = 1; i < code; i++)
			REQUIRE(hits[i].fraction >= hits[i - 1].fraction);
		break;
	case 2:
		AnyPart(p, &part);
		code = screeWorld_Cast(p->world, &part, from, to, &query, &hit);
		REQUIRE(code < 1 || (hit.fraction >= 0.0 && hit.fraction <= 1.0));
		break;
	case 3:
		AnyPart(p, &part);
		screeWorld_Overlap(p->world, &part, from, &query, &ids, &terrain, &water);
		break;
	case 4:
		screeWorld_Stats(p->world, &stats);
		REQUIRE(stats.awake + stats.checking + stats.asleep <= stats.assemblies);
		break;
	case 5:
		screeAssembly_Contacts(p->world, AnyBody(p), &contacts);
		break;
	case 6:
		screeWorld_Events(p->world, &events);
		break;
	case 7:
		screeAssembly_WhyAwake(p->world, AnyBody(p), &why);
		break;
	case 8:
		AnyCells(p, from, to);
		screeTerrain_Count(p->world, from, to, counts, numbers);
		break;
	case 9:
		screeTerrain_IsInside(p->world, from, &water);
		break;
	case 10:
		screeAssembly_Mechanism(p->world, AnyBody(p), &ids);
		break;
	case 11:
		AskSurface(p);
		break;
	case 12:
		AskBody(p);
		break;
	default:
		code = screeWorld_TransformsBetween(p->world, Input_Number(&p->in), &transforms);
		REQUIRE(code < 0 || code <= screeWorld_Assemblies(p->world, NULL, 0));
	}
}

int32_t Play_SetJoint(Play *p)
{
	ScreeJointDef def;
	scree_joint_defaults(&def);
	AnySettings(p, &def.settings);
	return Input_Below(&p->in, 3) ? screeJoint_Set(p->world, AnyJoint(p), &def.settings)
	                              : screeJoint_Destroy(p->world, AnyJoint(p));
}
