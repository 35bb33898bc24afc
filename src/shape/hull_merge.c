/* From qhull's facets to planar faces. Facets that lie within a tolerance of one plane become one face: regions grow
 * from the largest facet downwards, their outlines become the faces, vertices that only two faces meet (on a straight
 * edge) go. The outcome is checked as a whole, so a tolerance that bends the hull too much is refused. */
#include "shape/shape.h"
#include "shape/shape_internal.h"

/* ---- loading -------------------------------------------------------------------------------------------------- */

static double SignedVolume(const HullFaces *faces, const Vec3D *points)
{
	double sum = 0.0;
	for (int f = 0; f < faces->face_count; f++) {
		const uint8_t *corner = faces->index + faces->first[f];
		int count = faces->first[f + 1] - faces->first[f];
		Vec3D a = SubD(points[corner[0]], points[0]);
		for (int i = 2; i < count; i++) {
			Vec3D b = SubD(points[corner[i - 1]], points[0]), c = SubD(points[corner[i]], points[0]);
			sum += DotD(a, CrossD(b, c));
		}
	}
	return sum;
}

static void Reverse(uint8_t *items, int count)
{
	for (int i = 0; i < count / 2; i++) {
		uint8_t swap = items[i];
		items[i] = items[count - 1 - i];
		items[count - 1 - i] = swap;
	}
}

bool HullMerge_Load(HullMerge *merge, const QhullFacets *facets, const Vec3D *points, int count)
{
	int n = facets->first.count - 1;
	if (n < 4 || n > HULL_FACE_LIMIT || count > HULL_VERTEX_LIMIT || facets->index.count > HULL_INDEX_LIMIT)
		return false;
	HullFaces *into = &merge->facets;
	memset(into, 0, sizeof(*into));
	into->face_count = n;
	for (int i = 0; i < facets->index.count; i++) {
		if (facets->index.data[i] < 0 || facets->index.data[i] >= count)
			return false;
		into->index[i] = (uint8_t)facets->index.data[i];
	}
	for (int f = 0; f <= n; f++)
		into->first[f] = (uint16_t)facets->first.data[f];
	if (SignedVolume(into, points) < 0.0)
		for (int f = 0; f < n; f++)
			Reverse(into->index + into->first[f], into->first[f + 1] - into->first[f]);
	for (int f = 0; f < n; f++) {
		Vec3D normal = Polygon_Normal(points, into->index + into->first[f], into->first[f + 1] - into->first[f]);
		merge->area[f] = LengthD(normal);
		merge->normal[f] = merge->area[f] > 0.0 ? ScaleD(1.0 / merge->area[f], normal) : normal;
	}
	return HullSides_Fill(&merge->sides, into, count);
}

/* ---- regions -------------------------------------------------------------------------------------------------- */

/* Is the facet so narrow that its own normal says nothing? */
static bool IsSliver(const HullMerge *merge, const Vec3D *points, int f, double tolerance)
{
	const HullFaces *facets = &merge->facets;
	int first = facets->first[f], count = facets->first[f + 1] - first;
	double longest = 0.0;
	for (int i = 0; i < count; i++)
		for (int k = i + 1; k < count; k++)
			longest = MaxD(longest, LengthD(SubD(points[facets->index[first + i]], points[facets->index[first + k]])));
	return merge->area[f] <= tolerance * longest;
}

static bool LiesInPlane(const HullMerge *merge, const Vec3D *points, int f, int seed, double tolerance)
{
	const HullFaces *facets = &merge->facets;
	Vec3D n = merge->normal[seed], on = points[facets->index[facets->first[seed]]];
	for (int i = facets->first[f]; i < facets->first[f + 1]; i++)
		if (!(AbsD(DotD(n, SubD(points[facets->index[i]], on))) <= tolerance))
			return false;
	return DotD(merge->normal[f], n) > 0.0 || IsSliver(merge, points, f, tolerance);
}

static void GrowRegion(HullMerge *merge, const Vec3D *points, int seed, double tolerance)
{
	uint8_t stack[HULL_FACE_LIMIT]; /* each facet enters once */
	int top = 0;
	merge->region[seed] = merge->region_count;
	stack[top++] = (uint8_t)seed;
	while (top > 0) {
		int f = stack[--top], first = merge->facets.first[f], count = merge->facets.first[f + 1] - first;
		for (int i = 0; i < count; i++) {
			int a = merge->facets.index[first + i], b = merge->facets.index[first + (i + 1) % count];
			int next = merge->sides.face[b][a];
			if (merge->region[next] < 0 && LiesInPlane(merge, points, next, seed, tolerance)) {
				merge->region[next] = merge->region_count;
				stack[top++] = (uint8_t)next;
			}
		}
	}
	merge->region_count++;
}

/* Facets from the largest to the smallest; of equal ones the first is first. */
static void SortByArea(const HullMerge *merge, uint8_t order[HULL_FACE_LIMIT])
{
	for (int f = 0; f < merge->facets.face_count; f++) {
		int low = 0, high = f;
		while (low < high) {
			int middle = (low + high) / 2;
			if (merge->area[order[middle]] >= merge->area[f])
				low = middle + 1;
			else
				high = middle;
		}
		memmove(order + low + 1, order + low, (size_t)(f - low));
		order[low] = (uint8_t)f;
	}
}

static void FindRegions(HullMerge *merge, const Vec3D *points, double tolerance)
{
	uint8_t order[HULL_FACE_LIMIT];
	merge->region_count = 0;
	for (int f = 0; f < merge->facets.face_count; f++)
		merge->region[f] = -1;
	SortByArea(merge, order);
	for (int i = 0; i < merge->facets.face_count; i++) {
		int seed = order[i];
		if (merge->region[seed] >= 0)
			continue;
		if (tolerance > 0.0)
			GrowRegion(merge, points, seed, tolerance);
		else
			merge->region[seed] = merge->region_count++;
	}
}

static void ListRegions(HullMerge *merge)
{
	memset(merge->region_first, HULL_NO_FACE, sizeof(merge->region_first));
	for (int f = merge->facets.face_count - 1; f >= 0; f--) {
		int region = merge->region[f];
		merge->region_next[f] = merge->region_first[region];
		merge->region_first[region] = (uint8_t)f;
	}
}

/* ---- outlines ------------------------------------------------------------------------------------------------- */

/* Appends the outline of a region to the faces. False when it is not one simple loop. */
static bool AddOutline(HullMerge *merge, int region)
{
	const HullFaces *facets = &merge->facets;
	HullFaces *faces = &merge->faces;
	uint8_t next[HULL_VERTEX_LIMIT];
	int edges = 0, start = -1;
	memset(next, HULL_NO_FACE, sizeof(next));
	for (int f = merge->region_first[region]; f != HULL_NO_FACE; f = merge->region_next[f]) {
		int first = facets->first[f], count = facets->first[f + 1] - first;
		for (int i = 0; i < count; i++) {
			int a = facets->index[first + i], b = facets->index[first + (i + 1) % count];
			if (merge->region[merge->sides.face[b][a]] == region)
				continue;
			if (next[a] != HULL_NO_FACE)
				return false;
			next[a] = (uint8_t)b;
			start = start < 0 ? a : Int_Min(start, a);
			edges++;
		}
	}
	int at = faces->first[faces->face_count], length = 0, corner = start;
	if (edges < 3)
		return false;
	do {
		faces->index[at + length++] = (uint8_t)corner;
		corner = next[corner];
		if (corner == HULL_NO_FACE)
			return false;
	} while (corner != start && length < edges);
	faces->first[++faces->face_count] = (uint16_t)(at + length);
	return corner == start && length == edges;
}

/* Is corner i of a face within `slack` of the edge that is left once all vertices where only two faces meet are gone?
 */
static bool IsNearEdge(const Vec3D *points, const uint8_t *corner, int corners, const int *meeting, int i, double slack)
{
	int before = i, after = i;
	do
		before = (before + corners - 1) % corners;
	while (before != i && meeting[corner[before]] <= 2);
	do
		after = (after + 1) % corners;
	while (after != i && meeting[corner[after]] <= 2);
	return before != after &&
	       SegmentDistance(points[corner[i]], points[corner[before]], points[corner[after]]) <= slack;
}

/* Takes out vertices where only two faces meet. False when that changes the shape by more than `slack`. */
static bool DropStraightVertices(HullMerge *merge, const Vec3D *points, int count, double slack)
{
	HullFaces *faces = &merge->faces;
	int meeting[HULL_VERTEX_LIMIT] = {0};
	for (int i = 0; i < faces->first[faces->face_count]; i++)
		meeting[faces->index[i]]++;
	for (int f = 0; f < faces->face_count; f++) {
		const uint8_t *corner = faces->index + faces->first[f];
		int corners = faces->first[f + 1] - faces->first[f];
		for (int i = 0; i < corners; i++)
			if (meeting[corner[i]] <= 2 && !IsNearEdge(points, corner, corners, meeting, i, slack))
				return false;
	}
	int kept = 0, from = 0;
	for (int f = 0; f < faces->face_count; f++) {
		int end = faces->first[f + 1];
		for (; from < end; from++)
			if (meeting[faces->index[from]] > 2)
				faces->index[kept++] = faces->index[from];
		faces->first[f + 1] = (uint16_t)kept;
		if (kept - faces->first[f] < 3)
			return false;
	}
	for (int i = 0; i < count; i++)
		merge->used[i] = meeting[i] > 2;
	return true;
}

/* ---- check and order ------------------------------------------------------------------------------------------ */

/* Are all corners on the inner side of every edge, up to `slack`? Stricter than a look at the turn of each corner: a
 * short edge must not point across the face either, for faces are clipped by their edges. */
static bool IsConvexOutline(const Vec3D *points, const uint8_t *corner, int corners, Vec3D n, double slack)
{
	for (int i = 0; i < corners; i++) {
		Vec3D a = points[corner[i]], inward = CrossD(n, SubD(points[corner[(i + 1) % corners]], a));
		double length = LengthD(inward);
		for (int k = 0; k < corners; k++)
			if (!(DotD(inward, SubD(points[corner[k]], a)) >= -slack * length))
				return false;
	}
	return true;
}

/* Does the face's plane hold all points up to `slack`, with its corners on it and a convex outline? */
static bool IsSoundFace(const HullMerge *merge, bool simd, const Vec3D *points, const PointLanes *lanes, int count,
                        int f, double slack)
{
	const uint8_t *corner = merge->faces.index + merge->faces.first[f];
	int corners = merge->faces.first[f + 1] - merge->faces.first[f];
	Vec3D n = Polygon_Normal(points, corner, corners), on = points[corner[0]];
	double area = LengthD(n), lowest = DBL_MAX;
	if (!(area > 0.0))
		return false;
	n = ScaleD(1.0 / area, n);
	for (int i = 0; i < corners; i++)
		lowest = MinD(lowest, DotD(n, SubD(points[corner[i]], on)));
	if (!(simd ? Lanes_HoldFast(lanes, count, n, on, lowest + slack)
	           : Lanes_HoldPlain(lanes, count, n, on, lowest + slack)))
		return false;
	return IsConvexOutline(points, corner, corners, n, slack);
}

/* Of faces that start with the same corner. */
static bool FaceBefore(const HullFaces *faces, int f, int g)
{
	int nf = faces->first[f + 1] - faces->first[f], ng = faces->first[g + 1] - faces->first[g];
	int order = memcmp(faces->index + faces->first[f], faces->index + faces->first[g], (size_t)Int_Min(nf, ng));
	return order != 0 ? order < 0 : nf < ng;
}

/* Faces by their first corners, then by all of them. */
static void SortFaces(const HullFaces *faces, uint8_t order[HULL_FACE_LIMIT])
{
	uint8_t end[HULL_VERTEX_LIMIT + 1] = {0}; /* where the faces end that start with a corner or one before it */
	for (int f = 0; f < faces->face_count; f++)
		end[faces->index[faces->first[f]] + 1]++;
	for (int i = 1; i <= HULL_VERTEX_LIMIT; i++)
		end[i] = (uint8_t)(end[i] + end[i - 1]);
	uint8_t begin[HULL_VERTEX_LIMIT];
	memcpy(begin, end, sizeof(begin));
	for (int f = 0; f < faces->face_count; f++) {
		int corner = faces->index[faces->first[f]], place = end[corner]++;
		for (; place > begin[corner] && FaceBefore(faces, f, order[place - 1]); place--)
			order[place] = order[place - 1];
		order[place] = (uint8_t)f;
	}
}

/* Faces start at their lowest corner and stand in the order of their corners, whatever order qhull found them in. */
static void OrderFaces(HullFaces *faces)
{
	HullFaces from = *faces;
	uint8_t order[HULL_FACE_LIMIT];
	for (int f = 0; f < from.face_count; f++) {
		int first = from.first[f], count = from.first[f + 1] - first, low = 0;
		for (int i = 1; i < count; i++)
			if (from.index[first + i] < from.index[first + low])
				low = i;
		for (int i = 0, k = low; i < count; i++, k = k + 1 < count ? k + 1 : 0)
			from.index[first + i] = faces->index[first + k];
	}
	SortFaces(&from, order);
	for (int f = 0; f < from.face_count; f++) {
		int first = from.first[order[f]], count = from.first[order[f] + 1] - first;
		memcpy(faces->index + faces->first[f], from.index + first, (size_t)count);
		faces->first[f + 1] = (uint16_t)(faces->first[f] + count);
	}
}

bool HullMerge_Run(HullMerge *merge, bool simd, const Vec3D *points, int count, double tolerance)
{
	HullSides sides;
	PointLanes lanes;
	double slack = MaxD(3.0 * tolerance, 1e-9);
	FindRegions(merge, points, tolerance);
	ListRegions(merge);
	memset(&merge->faces, 0, sizeof(merge->faces));
	for (int region = 0; region < merge->region_count; region++)
		if (!AddOutline(merge, region))
			return false;
	if (merge->faces.face_count < 4 || !DropStraightVertices(merge, points, count, slack))
		return false;
	Lanes_Load(&lanes, points, count);
	for (int f = 0; f < merge->faces.face_count; f++)
		if (!IsSoundFace(merge, simd, points, &lanes, count, f, slack))
			return false;
	if (!HullSides_Fill(&sides, &merge->faces, count))
		return false;
	OrderFaces(&merge->faces);
	return true;
}
