/* What can be said of a mesh as a whole: is it closed, and how large is it? */
#include "mesh/mesh_internal.h"

typedef struct EdgeUse {
	int32_t forward, backward; /* from the lower point to the higher one, and back */
} EdgeUse;

typedef struct Surveyor {
	Memory *memory;
	const Mesh *mesh;
	uint32_t *point; /* per vertex: the first vertex at the same position that a triangle used */
	uint32_t *table; /* of those vertices + 1, by the hash of the position; 0: free */
	uint64_t capacity;
	KeyMap edges; /* lower point << 32 | higher -> index into `uses` */
	ARRAY(EdgeUse) uses;
} Surveyor;

#define NO_POINT UINT32_MAX

/* ---- points ------------------------------------------------------------------------------------------------------ */

static bool SamePlace(const double *a, const double *b)
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static uint64_t PlaceHash(const double *p)
{
	const double plain[3] = {p[0] + 0.0, p[1] + 0.0, p[2] + 0.0}; /* -0 becomes 0 */
	return Hash_Bytes(plain, sizeof plain);
}

static uint32_t Surveyor_Point(Surveyor *s, uint32_t vertex, MeshSurvey *survey)
{
	if (s->point[vertex] != NO_POINT)
		return s->point[vertex];
	const double *positions = s->mesh->positions.data, *p = positions + 3 * (size_t)vertex;
	uint64_t slot = PlaceHash(p) & (s->capacity - 1);
	while (s->table[slot] != 0 && !SamePlace(positions + 3 * (size_t)(s->table[slot] - 1), p))
		slot = (slot + 1) & (s->capacity - 1);
	if (s->table[slot] == 0) {
		s->table[slot] = vertex + 1;
		survey->points++;
		for (int i = 0; i < 3; i++) {
			survey->lo[i] = MinD(survey->lo[i], p[i]);
			survey->hi[i] = MaxD(survey->hi[i], p[i]);
		}
	}
	s->point[vertex] = s->table[slot] - 1;
	return s->point[vertex];
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static bool Surveyor_Edge(Surveyor *s, uint32_t a, uint32_t b)
{
	uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	int index = KeyMap_Find(&s->edges, key);
	if (index < 0) {
		index = s->uses.count;
		EdgeUse none = {0};
		if (!Array_Push(s->memory, s->uses, none) || !KeyMap_Put(&s->edges, s->memory, key, index))
			return false;
	}
	if (a < b)
		s->uses.data[index].forward++;
	else
		s->uses.data[index].backward++;
	return true;
}

static void CountEdges(const Surveyor *s, MeshSurvey *survey)
{
	survey->even = survey->balanced = survey->points > 0;
	for (int i = 0; i < s->uses.count; i++) {
		const EdgeUse *use = &s->uses.data[i];
		int64_t all = (int64_t)use->forward + use->backward;
		survey->open_edges += all == 1;
		survey->crowded_edges += all > 2;
		survey->uneven_edges += all > 1 && use->forward != use->backward;
		survey->even = survey->even && all % 2 == 0;
		survey->balanced = survey->balanced && use->forward == use->backward;
	}
}

/* ---- size -------------------------------------------------------------------------------------------------------- */

/* Relative to the first vertex used, so that a small mesh far away keeps its digits. */
static void Measure(const double *origin, const double *const p[3], MeshSurvey *survey)
{
	double a[3], b[3], c[3];
	for (int i = 0; i < 3; i++) {
		a[i] = p[0][i] - origin[i];
		b[i] = p[1][i] - p[0][i];
		c[i] = p[2][i] - p[0][i];
	}
	const double n[3] = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]};
	survey->area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
	survey->volume += (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6.0;
}

static bool Surveyor_Run(Surveyor *s, MeshSurvey *survey)
{
	const Mesh *mesh = s->mesh;
	const double *positions = mesh->positions.data, *origin = positions + 3 * (size_t)mesh->indices.data[0];
	for (int t = 0; t < mesh->indices.count; t += 3) {
		uint32_t point[3];
		const double *p[3];
		for (int i = 0; i < 3; i++) {
			point[i] = Surveyor_Point(s, mesh->indices.data[t + i], survey);
			p[i] = positions + 3 * (size_t)point[i];
		}
		Measure(origin, p, survey);
		if (point[0] == point[1] || point[1] == point[2] || point[2] == point[0]) {
			survey->degenerate++;
			continue;
		}
		for (int i = 0; i < 3; i++)
			if (!Surveyor_Edge(s, point[i], point[(i + 1) % 3]))
				return false;
	}
	CountEdges(s, survey);
	return true;
}

int Mesh_Survey(Memory *memory, const Mesh *mesh, MeshSurvey *survey, Error *error)
{
	*survey = (MeshSurvey){.lo = {DBL_MAX, DBL_MAX, DBL_MAX}, .hi = {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
	if (mesh->indices.count == 0)
		return ERROR_NONE;
	Surveyor s = {.memory = memory, .mesh = mesh, .capacity = 16};
	size_t vertices = (size_t)Mesh_VertexCount(mesh);
	while (s.capacity < 2 * vertices)
		s.capacity *= 2;
	s.point = Memory_Alloc(memory, vertices * sizeof *s.point);
	s.table = Memory_AllocZero(memory, s.capacity * sizeof *s.table);
	bool done = s.point && s.table;
	if (done) {
		memset(s.point, 0xFF, vertices * sizeof *s.point); /* NO_POINT */
		done = Surveyor_Run(&s, survey);
	}
	Memory_Free(memory, s.point, vertices * sizeof *s.point);
	Memory_Free(memory, s.table, s.capacity * sizeof *s.table);
	Array_Free(memory, s.uses);
	KeyMap_Free(&s.edges, memory);
	return done ? ERROR_NONE : Error_OutOfMemory(error);
}
