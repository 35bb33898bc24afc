/* The loops of crossing edges of every cube pattern: what makes one vertex each.
 *
 * On a face with two crossing edges these are linked. A face with four is ambiguous: by default its links cut off the
 * inside corners. Links chain edges into loops (Nielson, "Dual marching cubes", 2004). Where both links of an ambiguous
 * face lie on one loop and the neighbour across that face has the same trouble, two mesh edges would coincide: both
 * cubes then take the face's other pairing, which splits the loop.
 */
#include "terrain/surface_cube_internal.h"

#include <pthread.h>

typedef struct EdgeLinks {
	uint8_t to[12][2];
	uint8_t count[12];
} EdgeLinks;

static int EdgeFromCorner(int low_corner, int axis)
{
	int u = (axis + 1) % 3, v = (axis + 2) % 3;
	return 4 * axis + (low_corner >> u & 1) + 2 * (low_corner >> v & 1);
}

/* The four corners of a face in turn, and edge k from corner k to corner k + 1. */
static void FaceRing(int face, int corner[4], int edge[4])
{
	static const uint8_t ring_u[4] = {0, 1, 1, 0}, ring_v[4] = {0, 0, 1, 1};
	int axis = face >> 1, side = face & 1, u = (axis + 1) % 3, v = (axis + 2) % 3;
	for (int k = 0; k < 4; k++)
		corner[k] = side << axis | ring_u[k] << u | ring_v[k] << v;
	for (int k = 0; k < 4; k++)
		edge[k] = EdgeFromCorner(corner[k] & corner[(k + 1) & 3], k & 1 ? v : u);
}

static void AddLink(EdgeLinks *links, int e, int f)
{
	links->to[e][links->count[e]++] = (uint8_t)f;
	links->to[f][links->count[f]++] = (uint8_t)e;
}

static void LinkFace(EdgeLinks *links, const SurfaceTables *tables, int pattern, int face, bool flipped)
{
	int corner[4], edge[4], crossing[4], count = 0;
	FaceRing(face, corner, edge);
	for (int k = 0; k < 4; k++)
		if (tables->crossing[pattern] >> edge[k] & 1)
			crossing[count++] = edge[k];
	if (count == 2)
		AddLink(links, crossing[0], crossing[1]);
	if (count != 4)
		return;
	for (int k = 0; k < 4; k++) {
		bool inside = pattern >> corner[k] & 1;
		if (inside != flipped)
			AddLink(links, edge[(k + 3) & 3], edge[k]);
	}
}

/* Follows the links into loops. flipped_face: FACE_NONE for the default pairing everywhere. */
static void TraceLoops(SurfaceTables *tables, int table, int pattern, int flipped_face)
{
	EdgeLinks links = {0};
	for (int face = 0; face < 6; face++)
		LinkFace(&links, tables, pattern, face, face == flipped_face);
	uint8_t *loop = tables->loop[table][pattern];
	memset(loop, LOOP_NONE, 12);
	int count = 0;
	for (int first = 0; first < 12; first++) {
		if (links.count[first] == 0 || loop[first] != LOOP_NONE)
			continue;
		int from = LOOP_NONE, at = first;
		do {
			loop[at] = (uint8_t)count;
			int next = links.to[at][0] != from ? links.to[at][0] : links.to[at][1];
			from = at;
			at = next;
		} while (at != first);
		count++;
	}
	SCREE_ASSERT(count <= LOOP_LIMIT);
	tables->loop_count[table][pattern] = (uint8_t)count;
}

static uint16_t CrossingEdges(int pattern)
{
	int crossing = 0;
	for (int axis = 0; axis < 3; axis++)
		for (int corner = 0; corner < 8; corner++)
			if (!(corner >> axis & 1) && ((pattern >> corner ^ pattern >> (corner | 1 << axis)) & 1))
				crossing |= 1 << EdgeFromCorner(corner, axis);
	return (uint16_t)crossing;
}

/* The face whose four edges all cross and lie on one loop. No pattern has two such faces. */
static int FlipFace(const SurfaceTables *tables, int pattern)
{
	const uint8_t *loop = tables->loop[0][pattern];
	for (int face = 0; face < 6; face++) {
		int corner[4], edge[4];
		FaceRing(face, corner, edge);
		int first = loop[edge[0]];
		if (first != LOOP_NONE && loop[edge[1]] == first && loop[edge[2]] == first && loop[edge[3]] == first)
			return face;
	}
	return FACE_NONE;
}

/* The loops of a pattern as words. */
static void MakeRules(SurfaceTables *tables, int table, int pattern)
{
	const uint8_t *loop = tables->loop[table][pattern];
	uint32_t *rule = tables->rule[table][pattern];
	for (int e = 0; e < 12; e++) {
		if (loop[e] == LOOP_NONE)
			continue;
		int axis = e >> 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
		rule[loop[e]] += 1u << e | 1u << RULE_COUNT;
		rule[loop[e]] += (uint32_t)(e & 1) << RULE_FAR(u);
		rule[loop[e]] += (uint32_t)(e >> 1 & 1) << RULE_FAR(v);
	}
	if (tables->loop_count[table][pattern] == 1 && tables->flip_face[pattern] == FACE_NONE)
		rule[0] |= RULE_PLAIN;
}

static SurfaceTables Tables;
static pthread_once_t TablesOnce = PTHREAD_ONCE_INIT;

static void MakeTables(void)
{
	for (int pattern = 0; pattern < 256; pattern++) {
		Tables.crossing[pattern] = CrossingEdges(pattern);
		TraceLoops(&Tables, 0, pattern, FACE_NONE);
		Tables.flip_face[pattern] = (uint8_t)FlipFace(&Tables, pattern);
		TraceLoops(&Tables, 1, pattern, Tables.flip_face[pattern]);
		MakeRules(&Tables, 0, pattern);
		MakeRules(&Tables, 1, pattern);
	}
}

const SurfaceTables *SurfaceTables_Get(void)
{
	pthread_once(&TablesOnce, MakeTables);
	return &Tables;
}
