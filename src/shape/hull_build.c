/* Hull_Create: the convex hull of any points.
 *
 * Points are rounded to float first, as the hull will hold them, and then moved and scaled (by a power of two, exactly)
 * to about unit size around zero, so that tolerances are plain numbers. qhull finds the extreme points of all of them.
 * From these, corners are picked until every extreme point lies within the tolerance of the hull of those picked, or no
 * more may be picked; this welds near-duplicates and simplifies in one go. The hull of the picked ones then gets planar
 * faces.
 */
#include "shape/shape.h"
#include "shape/shape_internal.h"

#define COORDINATE_LIMIT 1e6  /* metres: keeps inertia (length to the fifth power) far from float's end */
#define EXTENT_MIN 1e-5       /* metres */
#define DISTANCE_LIMIT 1000.0 /* extents away from the frame's origin: beyond, float keeps too little of the shape */
#define FLAT_LIMIT 1e-4       /* of the extent */
#define TOLERANCE 2e-6        /* of the extent: well over the rounding of float, which bends faces */
#define PICKS_PER_ROUND 64

typedef struct Builder {
	Memory *memory;
	Error error; /* handed on only when all ways have failed */
	const double *input;
	int input_count;
	Vec3D middle;           /* metres */
	double scale;           /* local = (metres - middle) * scale */
	double extent;          /* metres: longest side of the bounds */
	double rounding;        /* metres: farthest that float moved a point */
	double tolerance, flat; /* local */
	ARRAY(Vec3D) points;    /* distinct, local, in input order */
	ARRAY(int) source;      /* their input numbers */
	ARRAY(int) candidates;  /* extreme points */
	QhullFacets facets;
	int picked[HULL_VERTEX_LIMIT]; /* points, ascending */
	int picked_count;
	Vec3D corners[HULL_VERTEX_LIMIT]; /* the picked ones */
	HullMerge merge;
} Builder;

/* ---- input ---------------------------------------------------------------------------------------------------- */

static Vec3 RoundPoint(const double *p)
{
	/* + 0 turns -0 into 0, so that equal points have equal bits */
	return V3((float)p[0] + 0.0f, (float)p[1] + 0.0f, (float)p[2] + 0.0f);
}

static int CheckInput(Builder *b)
{
	if (b->input_count < 4)
		return Error_Set(&b->error, ERROR_ARGUMENT, "hull: needs at least 4 points, got %d", b->input_count);
	if (b->input_count > HULL_POINT_LIMIT)
		return Error_Set(&b->error, ERROR_LIMIT, "hull: takes at most %d points, got %d", HULL_POINT_LIMIT,
		                 b->input_count);
	for (int i = 0; i < b->input_count; i++) {
		const double *p = b->input + 3 * (size_t)i;
		for (int axis = 0; axis < 3; axis++) {
			if (!IsFinite(p[axis]))
				return Error_Set(&b->error, ERROR_ARGUMENT, "hull: point %d is not finite: (%g, %g, %g)", i, p[0], p[1],
				                 p[2]);
			if (AbsD(p[axis]) > COORDINATE_LIMIT)
				return Error_Set(&b->error, ERROR_ARGUMENT, "hull: point %d at (%g, %g, %g) is over %g m away", i, p[0],
				                 p[1], p[2], COORDINATE_LIMIT);
		}
	}
	return ERROR_NONE;
}

/* Bounds, scale and tolerances. */
static int Measure(Builder *b)
{
	Box box = BoxEmpty();
	for (int i = 0; i < b->input_count; i++) {
		const double *p = b->input + 3 * (size_t)i;
		Vec3 v = RoundPoint(p);
		box = BoxAddPoint(box, v);
		b->rounding = MaxD(b->rounding, LengthD(SubD(ToD(v), (Vec3D){p[0], p[1], p[2]})));
	}
	Vec3D lo = ToD(box.lo), hi = ToD(box.hi), size = SubD(hi, lo);
	b->middle = ScaleD(0.5, AddD(lo, hi));
	b->extent = MaxD(size.x, MaxD(size.y, size.z));
	if (b->extent < EXTENT_MIN)
		return Error_Set(&b->error, ERROR_ARGUMENT, "hull: all %d points lie within %g m of each other", b->input_count,
		                 EXTENT_MIN);
	double far = MaxD(MaxD(MaxD(-lo.x, hi.x), MaxD(-lo.y, hi.y)), MaxD(-lo.z, hi.z));
	if (far > DISTANCE_LIMIT * b->extent)
		return Error_Set(&b->error, ERROR_ARGUMENT,
		                 "hull: points span %g m but lie %g m from the frame's origin: move them nearer", b->extent,
		                 far);
	b->scale = 1.0;
	while (b->scale * b->extent > 1.0)
		b->scale *= 0.5;
	while (b->scale * b->extent <= 0.5)
		b->scale *= 2.0;
	double local = b->scale * b->extent;
	b->tolerance = MaxD(TOLERANCE * local, 2.0 * (double)FLT_EPSILON * far * b->scale);
	b->flat = MaxD(FLAT_LIMIT * local, 4.0 * b->tolerance);
	return ERROR_NONE;
}

static int32_t FloatBits(float value)
{
	int32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Distinct points, in the order of the input. */
static int Gather(Builder *b)
{
	CoordMap seen = {0};
	int result = ERROR_NONE;
	for (int i = 0; i < b->input_count && result == ERROR_NONE; i++) {
		Vec3 v = RoundPoint(b->input + 3 * (size_t)i);
		int32_t x = FloatBits(v.x), y = FloatBits(v.y), z = FloatBits(v.z);
		if (CoordMap_Find(&seen, x, y, z) >= 0)
			continue;
		if (!CoordMap_Put(&seen, b->memory, x, y, z, i) || !Array_Push(b->memory, b->source, i) ||
		    !Array_Push(b->memory, b->points, ScaleD(b->scale, SubD(ToD(v), b->middle))))
			result = Error_OutOfMemory(&b->error);
	}
	CoordMap_Free(&seen, b->memory);
	return result;
}

/* ---- the first four corners, or why there are none ------------------------------------------------------------ */

static int Farthest(const Builder *b, int from)
{
	int best = from;
	double far = -1.0;
	for (int i = 0; i < b->points.count; i++) {
		Vec3D d = SubD(b->points.data[i], b->points.data[from]);
		if (DotD(d, d) > far) {
			far = DotD(d, d);
			best = i;
		}
	}
	return best;
}

static int FarthestFromLine(const Builder *b, int p, int q, double *distance)
{
	Vec3D axis = SubD(b->points.data[q], b->points.data[p]);
	int best = p;
	double far = -1.0;
	for (int i = 0; i < b->points.count; i++) {
		Vec3D c = CrossD(axis, SubD(b->points.data[i], b->points.data[p]));
		if (DotD(c, c) > far) {
			far = DotD(c, c);
			best = i;
		}
	}
	*distance = sqrt(far) / LengthD(axis);
	return best;
}

static int FarthestFromPlane(const Builder *b, int p, int q, int r, double *thickness)
{
	const Vec3D *at = b->points.data;
	Vec3D n = CrossD(SubD(at[q], at[p]), SubD(at[r], at[p]));
	n = ScaleD(1.0 / LengthD(n), n);
	int best = p;
	double lo = 0.0, hi = 0.0, far = -1.0;
	for (int i = 0; i < b->points.count; i++) {
		double d = DotD(n, SubD(at[i], at[p]));
		lo = MinD(lo, d);
		hi = MaxD(hi, d);
		if (AbsD(d) > far) {
			far = AbsD(d);
			best = i;
		}
	}
	*thickness = hi - lo;
	return best;
}

static int FlatError(Builder *b, double thickness)
{
	return Error_Set(&b->error, ERROR_ARGUMENT, "hull: the points are flat: %g m thick across %g m (at least %g)",
	                 thickness / b->scale, b->extent, b->flat / b->scale);
}

/* Keeps `picked` ascending. */
static void Pick(Builder *b, int point)
{
	int at = b->picked_count++;
	for (; at > 0 && b->picked[at - 1] > point; at--)
		b->picked[at] = b->picked[at - 1];
	b->picked[at] = point;
}

static int PickSimplex(Builder *b)
{
	double distance, thickness;
	int p = Farthest(b, Farthest(b, 0)), q = Farthest(b, p);
	int r = FarthestFromLine(b, p, q, &distance);
	if (distance < b->flat)
		return Error_Set(&b->error, ERROR_ARGUMENT,
		                 "hull: the points lie on a line: at most %g m off it across %g m (at least %g)",
		                 distance / b->scale, b->extent, b->flat / b->scale);
	int s = FarthestFromPlane(b, p, q, r, &thickness);
	if (thickness < b->flat)
		return FlatError(b, thickness);
	Pick(b, p);
	Pick(b, q);
	Pick(b, r);
	Pick(b, s);
	return ERROR_NONE;
}

/* ---- corners -------------------------------------------------------------------------------------------------- */

static int RunQhull(Builder *b, const Vec3D *points, int count, bool joggled)
{
	_Static_assert(sizeof(Vec3D) == 3 * sizeof(double), "qhull takes plain coordinates");
	return Qhull_Run(b->memory, &points->x, count, joggled, &b->facets, &b->error);
}

/* Merged facets are the better answer; joggling is for points that defeat merging. */
static int RunQhullEither(Builder *b, const Vec3D *points, int count)
{
	int result = RunQhull(b, points, count, false);
	return result == ERROR_ARGUMENT ? RunQhull(b, points, count, true) : result;
}

static int FindCandidates(Builder *b)
{
	int result = RunQhullEither(b, b->points.data, b->points.count);
	if (result != ERROR_NONE)
		return result;
	unsigned char *extreme = Memory_AllocZero(b->memory, (size_t)b->points.count);
	if (!extreme)
		return Error_OutOfMemory(&b->error);
	for (int i = 0; i < b->facets.index.count; i++)
		extreme[b->facets.index.data[i]] = 1;
	for (int i = 0; i < b->points.count && result == ERROR_NONE; i++)
		if (extreme[i] && !Array_Push(b->memory, b->candidates, i))
			result = Error_OutOfMemory(&b->error);
	Memory_Free(b->memory, extreme, (size_t)b->points.count);
	return result;
}

/* Where the hull of the picked corners leaves out points: candidates still outside, and by how much. */
typedef struct Outside {
	int point, face;
	double distance;
	bool taken;  /* or out of the question in this round */
	bool picked; /* for good */
} Outside;

typedef struct Round {
	ARRAY(Outside) left;
	Vec3D normal[HULL_FACE_LIMIT];
	double offset[HULL_FACE_LIMIT];
	int face_count;
} Round;

static int HullOfPicked(Builder *b, bool joggled)
{
	for (int i = 0; i < b->picked_count; i++)
		b->corners[i] = b->points.data[b->picked[i]];
	int result =
	    joggled ? RunQhull(b, b->corners, b->picked_count, true) : RunQhullEither(b, b->corners, b->picked_count);
	if (result == ERROR_NONE && !HullMerge_Load(&b->merge, &b->facets, b->corners, b->picked_count))
		result = joggled ? Error_Set(&b->error, ERROR_ARGUMENT, "hull: no closed surface of these points")
		                 : HullOfPicked(b, true);
	return result;
}

static void LoadPlanes(const Builder *b, Round *round)
{
	const HullFaces *facets = &b->merge.facets;
	round->face_count = facets->face_count;
	for (int f = 0; f < facets->face_count; f++) {
		round->normal[f] = b->merge.normal[f];
		round->offset[f] = -DBL_MAX;
		for (int i = facets->first[f]; i < facets->first[f + 1]; i++)
			round->offset[f] = MaxD(round->offset[f], DotD(round->normal[f], b->corners[facets->index[i]]));
	}
}

/* How far a candidate is outside: over the plane that it is farthest beyond or, where that is next to nothing, from the
 * faces themselves (at a sharp edge a point may be far out and yet low over every plane). */
static void MeasureCandidate(const Builder *b, const Round *round, Outside *o)
{
	const HullFaces *facets = &b->merge.facets;
	Vec3D p = b->points.data[o->point];
	double height[HULL_FACE_LIMIT], least = DBL_MAX;
	o->taken = false;
	o->distance = -DBL_MAX;
	for (int f = 0; f < round->face_count; f++) {
		height[f] = DotD(round->normal[f], p) - round->offset[f];
		if (height[f] > o->distance) {
			o->distance = height[f];
			o->face = f;
		}
	}
	if (o->distance <= 0.0 || o->distance > b->tolerance)
		return;
	for (int f = 0; f < round->face_count; f++)
		if (height[f] > 0.0)
			least =
			    MinD(least, Polygon_Distance(b->corners, facets->index + facets->first[f],
			                                 facets->first[f + 1] - facets->first[f], round->normal[f], p, height[f]));
	o->distance = MaxD(o->distance, least);
}

/* Drops candidates that are within the tolerance: the hull only grows, so they stay so. Returns the largest
 * distance. */
static double MeasureOutside(const Builder *b, Round *round)
{
	double largest = 0.0;
	int kept = 0;
	for (int i = 0; i < round->left.count; i++) {
		Outside o = round->left.data[i];
		if (o.picked)
			continue;
		MeasureCandidate(b, round, &o);
		if (o.distance <= b->tolerance)
			continue;
		largest = MaxD(largest, o.distance);
		round->left.data[kept++] = o;
	}
	round->left.count = kept;
	return largest;
}

/* Picks the farthest point, then more that are at least half as far out, each over another face and away from those
 * picked before it. */
static void PickFarthest(Builder *b, Round *round, double largest)
{
	bool covered[HULL_FACE_LIMIT] = {false};
	for (int n = 0; n < PICKS_PER_ROUND && b->picked_count < HULL_VERTEX_LIMIT; n++) {
		int best = -1;
		double far = 0.5 * largest;
		for (int i = 0; i < round->left.count; i++) {
			const Outside *o = &round->left.data[i];
			if (!o->taken && !covered[o->face] && (best < 0 ? o->distance >= far : o->distance > far)) {
				best = i;
				far = o->distance;
			}
		}
		if (best < 0)
			return;
		Outside *pick = &round->left.data[best];
		Vec3D at = b->points.data[pick->point];
		covered[pick->face] = true;
		pick->taken = pick->picked = true;
		Pick(b, pick->point);
		for (int i = 0; i < round->left.count; i++) {
			Vec3D d = SubD(b->points.data[round->left.data[i].point], at);
			if (DotD(d, d) < b->flat * b->flat)
				round->left.data[i].taken = true;
		}
	}
}

static int PickCorners(Builder *b, Round *round)
{
	for (int i = 0; i < b->candidates.count; i++)
		if (!Array_Push(b->memory, round->left, ((Outside){.point = b->candidates.data[i]})))
			return Error_OutOfMemory(&b->error);
	for (;;) {
		int result = HullOfPicked(b, false);
		if (result != ERROR_NONE)
			return result;
		LoadPlanes(b, round);
		double largest = MeasureOutside(b, round);
		if (round->left.count == 0 || b->picked_count == HULL_VERTEX_LIMIT)
			return ERROR_NONE;
		PickFarthest(b, round, largest);
	}
}

/* ---- faces ---------------------------------------------------------------------------------------------------- */

/* A smaller tolerance where a larger one would bend the hull; at last the facets as they are. */
static bool MergeAnyhow(Builder *b)
{
	const double factors[] = {1.0, 1.0 / 4.0, 1.0 / 16.0, 1.0 / 64.0, 0.0};
	for (int i = 0; i < COUNT_OF(factors); i++)
		if (HullMerge_Run(&b->merge, Cpu_Simd(), b->corners, b->picked_count, factors[i] * b->tolerance))
			return true;
	return false;
}

static int MakeFaces(Builder *b)
{
	if (MergeAnyhow(b))
		return ERROR_NONE;
	int result = HullOfPicked(b, true);
	if (result == ERROR_NONE && !MergeAnyhow(b))
		result = Error_Set(&b->error, ERROR_ARGUMENT, "hull: no convex surface of these points");
	return result;
}

static Hull *MakeHull(Builder *b)
{
	Vec3 vertices[HULL_VERTEX_LIMIT];
	uint8_t renumber[HULL_VERTEX_LIMIT] = {0};
	HullFaces *faces = &b->merge.faces;
	int count = 0;
	for (int i = 0; i < b->picked_count; i++) {
		if (!b->merge.used[i])
			continue;
		renumber[i] = (uint8_t)count;
		vertices[count++] = RoundPoint(b->input + 3 * (size_t)b->source.data[b->picked[i]]);
	}
	for (int i = 0; i < faces->first[faces->face_count]; i++)
		faces->index[i] = renumber[faces->index[i]];
	return Hull_Assemble(b->memory, Cpu_Simd(), vertices, count, faces, &b->error);
}

/* Least over the faces of how far the hull reaches beneath them: its width, up to edge-edge pairs. */
static double Thickness(const Hull *hull)
{
	double least = DBL_MAX;
	for (int f = 0; f < hull->face_count; f++) {
		double deepest = 0.0;
		for (int i = 0; i < hull->vertex_count; i++)
			deepest = MaxD(deepest, -Hull_PlaneDistance(hull, f, ToD(hull->vertices[i])));
		least = MinD(least, deepest);
	}
	return least;
}

/* ---- deviation ------------------------------------------------------------------------------------------------ */

/* How far the farthest point lies outside; the extreme points speak for all. A face's corners may lie a little beneath
 * its plane, so what lies in that gap is outside too, though no plane says so. */
static double Deviation(const Builder *b, const Hull *hull)
{
	const double gap = 4.0 * b->tolerance / b->scale;
	double largest = 0.0;
	Vec3D vertices[HULL_VERTEX_LIMIT];
	for (int i = 0; i < hull->vertex_count; i++)
		vertices[i] = ToD(hull->vertices[i]);
	for (int i = 0; i < b->candidates.count; i++) {
		Vec3D p = ToD(RoundPoint(b->input + 3 * (size_t)b->source.data[b->candidates.data[i]]));
		double height[HULL_FACE_LIMIT], highest = -DBL_MAX, least = DBL_MAX;
		for (int f = 0; f < hull->face_count; f++) {
			height[f] = Hull_PlaneDistance(hull, f, p);
			highest = MaxD(highest, height[f]);
		}
		for (int f = 0; f < hull->face_count && highest > 0.0; f++)
			if (height[f] > -gap)
				least = MinD(least, Polygon_Distance(vertices, hull->face_index + hull->face_first[f],
				                                     hull->face_first[f + 1] - hull->face_first[f],
				                                     ToD(hull->normals[f]), p, height[f]));
		if (highest > 0.0)
			largest = MaxD(largest, MaxD(highest, least));
	}
	return largest + b->rounding;
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

static Hull *Build(Builder *b, Round *round)
{
	if (CheckInput(b) != ERROR_NONE || Measure(b) != ERROR_NONE || Gather(b) != ERROR_NONE)
		return NULL;
	if (PickSimplex(b) != ERROR_NONE || FindCandidates(b) != ERROR_NONE || PickCorners(b, round) != ERROR_NONE)
		return NULL;
	if (MakeFaces(b) != ERROR_NONE)
		return NULL;
	Hull *hull = MakeHull(b);
	if (hull && Thickness(hull) * b->scale < b->flat) {
		FlatError(b, Thickness(hull) * b->scale);
		Hull_Destroy(b->memory, hull);
		return NULL;
	}
	return hull;
}

Hull *Hull_Create(Memory *memory, const double *points, int count, float *deviation, Error *error)
{
	Builder *b = Memory_AllocZero(memory, sizeof(*b));
	Round *round = Memory_AllocZero(memory, sizeof(*round));
	Hull *hull = NULL;
	if (b && round) {
		b->memory = memory;
		b->input = points;
		b->input_count = count;
		hull = Build(b, round);
		if (hull && deviation)
			*deviation = RoundUp(Deviation(b, hull));
		if (!hull && error)
			*error = b->error;
		Array_Free(memory, b->points);
		Array_Free(memory, b->source);
		Array_Free(memory, b->candidates);
		QhullFacets_Free(&b->facets, memory);
		Array_Free(memory, round->left);
	} else {
		Error_OutOfMemory(error);
	}
	Memory_Free(memory, b, sizeof(*b));
	Memory_Free(memory, round, sizeof(*round));
	return hull;
}
