/* Meshes of triangles: making, sharing, boxes. */
#include "shape/trimesh_internal.h"

/* ---- making ------------------------------------------------------------------------------------------------------ */

static int CheckInput(int vertex_count, const uint32_t *indices, int triangle_count, Error *error)
{
	if (triangle_count < 1)
		return Error_Set(error, ERROR_ARGUMENT, "there is no triangle");
	if (triangle_count > TRIMESH_LIMIT)
		return Error_Set(error, ERROR_LIMIT, "%d triangles, more than %d", triangle_count, TRIMESH_LIMIT);
	for (size_t i = 0; i < 3 * (size_t)triangle_count; i++)
		if (indices[i] >= (uint32_t)vertex_count)
			return Error_Set(error, ERROR_ARGUMENT, "triangle %zu names vertex %u of %d", i / 3 + 1, indices[i] + 1u,
			                 vertex_count);
	return ERROR_NONE;
}

static void Describe(Trimesh *mesh, const TrimeshDraft *draft)
{
	Box all = mesh->branches[0].box;
	TrimeshInfo *info = &mesh->info;
	Pos o = draft->origin;
	info->triangle_count = mesh->triangle_count;
	info->vertex_count = draft->points.count;
	info->dropped = draft->dropped;
	info->closed = draft->closed && draft->volume > 0.0;
	info->volume = info->closed ? (float)draft->volume : 0.0f;
	info->lo = (Vec3D){o.x + (double)all.lo.x, o.y + (double)all.lo.y, o.z + (double)all.lo.z};
	info->hi = (Vec3D){o.x + (double)all.hi.x, o.y + (double)all.hi.y, o.z + (double)all.hi.z};
}

static uint64_t HashOf(const Trimesh *mesh)
{
	Hasher hasher;
	Hasher_Init(&hasher);
	Hasher_Bytes(&hasher, &mesh->origin, sizeof mesh->origin);
	Hasher_Bytes(&hasher, mesh->vertices, sizeof(Vec3) * (size_t)mesh->vertex_count);
	Hasher_Bytes(&hasher, mesh->corners, 3 * sizeof(uint16_t) * (size_t)mesh->triangle_count);
	Hasher_Bytes(&hasher, mesh->flags, (size_t)mesh->triangle_count);
	return Hasher_Value(&hasher);
}

Trimesh *Trimesh_Create(Memory *memory, const double *positions, int vertex_count, const uint32_t *indices,
                        int triangle_count, Error *error)
{
	TrimeshDraft draft = {.memory = memory};
	Trimesh *mesh = NULL;
	int code = CheckInput(vertex_count, indices, triangle_count, error);
	Progress_Begin(&draft.progress, "mesh");
	if (code == ERROR_NONE)
		code = Trimesh_Weld(&draft, positions, indices, triangle_count, error);
	Progress_Update(&draft.progress, 0.3);
	if (code == ERROR_NONE)
		code = Trimesh_FindEdges(&draft, error);
	Progress_Update(&draft.progress, 0.5);
	if (code == ERROR_NONE) {
		mesh = Trimesh_Cut(&draft);
		if (!mesh)
			Error_OutOfMemory(error);
	}
	if (mesh) {
		Describe(mesh, &draft);
		if (Trimesh_FindSeams(mesh, memory, draft.tolerance, error) != ERROR_NONE) {
			Trimesh_Release(memory, mesh);
			mesh = NULL;
		}
	}
	if (mesh)
		mesh->info.hash = HashOf(mesh);
	Progress_End(&draft.progress);
	TrimeshDraft_Free(&draft);
	return mesh;
}

const Trimesh *Trimesh_Share(const Trimesh *mesh)
{
	((Trimesh *)mesh)->owners++;
	return mesh;
}

void Trimesh_Release(Memory *memory, const Trimesh *shared)
{
	Trimesh *mesh = (Trimesh *)shared;
	if (mesh && --mesh->owners == 0)
		Memory_Free(memory, mesh, mesh->info.bytes);
}

const TrimeshInfo *Trimesh_Info(const Trimesh *mesh)
{
	return &mesh->info;
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

static bool VisitCluster(const Trimesh *mesh, const TrimeshCluster *cluster, Box box, TrimeshLocalFn *fn, void *context)
{
	uint16_t places[KD_QUAD_LIMIT];
	ClusterUnits units = Cluster_Units(cluster);
	int count = KdTree_Query(mesh->nodes + cluster->node_first, cluster->node_count, cluster->count,
	                         Cluster_UnitBox(&units, box), places);
	for (int k = 0; k < count; k++) {
		int triangle = cluster->first + places[k];
		Vec3 v[3];
		Trimesh_Corners(mesh, cluster, triangle, v);
		Box own = {MinV(v[0], MinV(v[1], v[2])), MaxV(v[0], MaxV(v[1], v[2]))};
		if (BoxOverlap(own, box) && !fn(context, cluster, triangle, v))
			return false;
	}
	return true;
}

bool Trimesh_VisitLocal(const Trimesh *mesh, Box box, TrimeshLocalFn *fn, void *context)
{
	int32_t stack[TRIMESH_DEPTH];
	int top = 0;
	stack[top++] = 0;
	while (top > 0) {
		const TrimeshBranch *branch = &mesh->branches[stack[--top]];
		if (!BoxOverlap(branch->box, box))
			continue;
		if (branch->child < 0) {
			if (!VisitCluster(mesh, &mesh->clusters[~branch->child], box, fn, context))
				return false;
			continue;
		}
		stack[top++] = branch->child + 1;
		stack[top++] = branch->child;
	}
	return true;
}

/* ---- placed ------------------------------------------------------------------------------------------------------ */

/* Where the mesh stands: in double, so that corners near the asker's origin are exact however large the mesh is. */
typedef struct MeshFrame {
	double turn[3][3];
	Vec3D shift;
} MeshFrame;

static Vec3D Frame_Turn(const MeshFrame *f, Vec3D v)
{
	return (Vec3D){f->turn[0][0] * v.x + f->turn[0][1] * v.y + f->turn[0][2] * v.z,
	               f->turn[1][0] * v.x + f->turn[1][1] * v.y + f->turn[1][2] * v.z,
	               f->turn[2][0] * v.x + f->turn[2][1] * v.y + f->turn[2][2] * v.z};
}

static Vec3D Frame_TurnBack(const MeshFrame *f, Vec3D v)
{
	return (Vec3D){f->turn[0][0] * v.x + f->turn[1][0] * v.y + f->turn[2][0] * v.z,
	               f->turn[0][1] * v.x + f->turn[1][1] * v.y + f->turn[2][1] * v.z,
	               f->turn[0][2] * v.x + f->turn[1][2] * v.y + f->turn[2][2] * v.z};
}

static MeshFrame Frame_Of(const Trimesh *mesh, Quat q, Vec3D shift)
{
	double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
	double s = 2.0 / (x * x + y * y + z * z + w * w);
	MeshFrame f = {.turn = {{1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
	                        {s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)},
	                        {s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)}}};
	f.shift = AddD(Frame_Turn(&f, (Vec3D){mesh->origin.x, mesh->origin.y, mesh->origin.z}), shift);
	return f;
}

static Vec3 Frame_Point(const MeshFrame *f, Vec3 v)
{
	return ToF(AddD(Frame_Turn(f, ToD(v)), f->shift));
}

/* The box about the mesh's origin that holds the box of the common frame, with room for rounding. */
static Box Frame_LocalBox(const MeshFrame *f, Box box)
{
	Vec3D lo = ToD(box.lo), hi = ToD(box.hi);
	Vec3D middle = Frame_TurnBack(f, SubD(ScaleD(0.5, AddD(lo, hi)), f->shift)), half = ScaleD(0.5, SubD(hi, lo));
	double size[3];
	for (int a = 0; a < 3; a++)
		size[a] = AbsD(f->turn[0][a]) * half.x + AbsD(f->turn[1][a]) * half.y + AbsD(f->turn[2][a]) * half.z;
	Vec3 m = ToF(middle), h = V3((float)size[0], (float)size[1], (float)size[2]);
	float room = 1e-6f * (Max(Abs(m.x), Max(Abs(m.y), Abs(m.z))) + Max(h.x, Max(h.y, h.z)));
	return BoxGrow((Box){Sub(m, h), Add(m, h)}, room);
}

typedef struct PlacedVisit {
	const Trimesh *mesh;
	MeshFrame frame;
	Box box;
	TrimeshFn *fn;
	void *context;
} PlacedVisit;

static bool VisitPlaced(void *context, const TrimeshCluster *cluster, int triangle, const Vec3 corner[3])
{
	PlacedVisit *visit = context;
	uint8_t flags = visit->mesh->flags[triangle];
	(void)cluster;
	if (flags & TRIMESH_THIN)
		return true;
	Triangle out = {.id = (uint32_t)triangle};
	for (int i = 0; i < 3; i++) {
		int kind = flags >> 2 * i & 3;
		out.v[i] = Frame_Point(&visit->frame, corner[i]);
		out.edge[i] = (uint8_t)(kind == TRIMESH_OPEN ? EDGE_CONVEX : kind);
	}
	Box own = {MinV(out.v[0], MinV(out.v[1], out.v[2])), MaxV(out.v[0], MaxV(out.v[1], out.v[2]))};
	return !BoxOverlap(own, visit->box) || visit->fn(visit->context, &out);
}

bool Trimesh_Visit(const Trimesh *mesh, Quat rotation, Vec3D shift, Box box, TrimeshFn *fn, void *context)
{
	PlacedVisit visit = {mesh, Frame_Of(mesh, rotation, shift), box, fn, context};
	return Trimesh_VisitLocal(mesh, Frame_LocalBox(&visit.frame, box), VisitPlaced, &visit);
}

typedef struct GatherVisit {
	Memory *memory;
	TriangleList *out;
} GatherVisit;

static bool Gather(void *context, const Triangle *triangle)
{
	GatherVisit *visit = context;
	return Array_Push(visit->memory, visit->out->items, *triangle);
}

bool Trimesh_Gather(const Trimesh *mesh, Pose pose, Pos origin, WorldBox box, Memory *memory, TriangleList *out)
{
	GatherVisit visit = {memory, out};
	Vec3D shift = {pose.p.x - origin.x, pose.p.y - origin.y, pose.p.z - origin.z};
	return Trimesh_Visit(mesh, pose.q, shift, (Box){PosSub(box.lo, origin), PosSub(box.hi, origin)}, Gather, &visit);
}

Box Trimesh_Bounds(const Trimesh *mesh, Xform placement)
{
	MeshFrame f = Frame_Of(mesh, placement.q, ToD(placement.p));
	Box all = mesh->branches[0].box;
	Vec3 middle = Frame_Point(&f, Scale(0.5f, Add(all.lo, all.hi)));
	Vec3 h = Scale(0.5f, Sub(all.hi, all.lo));
	float size[3];
	for (int a = 0; a < 3; a++)
		size[a] = (float)(AbsD(f.turn[a][0]) * (double)h.x + AbsD(f.turn[a][1]) * (double)h.y +
		                  AbsD(f.turn[a][2]) * (double)h.z);
	float room = 1e-6f * (Max(Abs(middle.x), Max(Abs(middle.y), Abs(middle.z))) + Max(h.x, Max(h.y, h.z)));
	Vec3 reach = V3(size[0] + room, size[1] + room, size[2] + room);
	return (Box){Sub(middle, reach), Add(middle, reach)};
}

float Trimesh_OuterRadius(const Trimesh *mesh)
{
	const TrimeshInfo *info = &mesh->info;
	Vec3D far = {MaxD(AbsD(info->lo.x), AbsD(info->hi.x)), MaxD(AbsD(info->lo.y), AbsD(info->hi.y)),
	             MaxD(AbsD(info->lo.z), AbsD(info->hi.z))};
	return (float)(LengthD(far) * (1.0 + 1e-6));
}

/* It never moves, so this only has to be some mass: a cubic metre in the middle of its bounds. */
MassProps Trimesh_Mass(const Trimesh *mesh, float density)
{
	Shape cube = {.kind = SHAPE_BOX, .half = V3(0.5f, 0.5f, 0.5f)};
	MassProps props = Shape_Mass(&cube, density);
	props.center = ToF(ScaleD(0.5, AddD(mesh->info.lo, mesh->info.hi)));
	return props;
}
