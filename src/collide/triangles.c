/* Contact of a shape with triangles: gathers those near it, has them met by shape, chooses, clusters. */
#include "collide/triangles_internal.h"

#define COPLANAR_COSINE 0.9999995f /* 0.06 degrees */

/* ---- candidates -------------------------------------------------------------------------------------------------- */

uint32_t Touch_Id(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t h = a * 0x9E3779B1u;
	h = (h ^ (h >> 15) ^ b) * 0x85EBCA77u;
	h = (h ^ (h >> 13) ^ c) * 0xC2B2AE3Du;
	return h ^ (h >> 16);
}

Candidate *Test_Add(TriangleTest *test, CandidateKind kind, int face, int other, Vec3 normal, float separation,
                    const TouchPoint *points, int count)
{
	Candidate *c = Arena_Alloc(test->arena, sizeof(Candidate));
	TouchPoint *copy = Arena_Array(test->arena, TouchPoint, count);
	if (!c || !copy) {
		test->failed = true;
		return NULL;
	}
	memcpy(copy, points, sizeof(TouchPoint) * (size_t)count);
	*c = (Candidate){.kind = kind,
	                 .face = face,
	                 .other = other,
	                 .normal = normal,
	                 .separation = separation,
	                 .count = count,
	                 .points = copy,
	                 .deepest = FLT_MAX};
	for (int i = 0; i < count; i++)
		if (copy[i].separation < c->deepest) {
			c->deepest = copy[i].separation;
			c->offset = Dot(normal, copy[i].ground);
		}
	if (kind == CANDIDATE_FACE) {
		c->offset = test->faces[face].offset;
		test->faces[face].touched = true;
	}
	if (test->last)
		test->last->next = c;
	else
		test->first = c;
	test->last = c;
	test->candidate_count++;
	return c;
}

bool Candidate_SamePlane(const TriangleTest *test, const Candidate *a, const Candidate *b)
{
	float slack = Min(1e-3f, 0.02f * test->size);
	return Dot(a->normal, b->normal) > COPLANAR_COSINE && Abs(a->offset - b->offset) < slack;
}

/* ---- the test ---------------------------------------------------------------------------------------------------- */

static Box BoundsOf(const Poly *poly)
{
	Box box = BoxEmpty();
	for (int i = 0; i < poly->vertex_count; i++)
		box = BoxAddPoint(box, poly->vertices[i]);
	return box;
}

static bool Begin(TriangleTest *test, int count)
{
	const Shape *shape = test->shape;
	Xform turn = test->turn;
	if (shape->kind != SHAPE_HULL)
		test->bounds = BoxGrow(Shape_Bounds(shape, turn), test->margin);
	test->size = Shape_InnerRadius(shape);
	test->reach = Shape_OuterRadius(shape);
	test->seam = 2e-6f * test->reach;
	test->last_incident = -1;
	test->faces = Arena_Array(test->arena, Face, count);
	if (shape->kind == SHAPE_BOX || shape->kind == SHAPE_HULL) {
		test->store = Arena_Alloc(test->arena, sizeof(PolyStore));
		if (!test->store)
			return false;
		Poly_Place(&test->poly, test->store, shape, turn);
		if (shape->kind == SHAPE_HULL)
			test->bounds = BoxGrow(BoundsOf(&test->poly), test->margin);
		if (!PolyFours_TakeFaces(test))
			return false;
	} else if (Shape_IsCurved(shape)) {
		test->curved = Curved_Of(shape, turn);
	} else {
		test->round = Round_Of(shape, turn);
	}
	return test->faces != NULL;
}

static void MarkTouched(const TriangleTest *test, const Triangle *triangles, int count, uint8_t *touched)
{
	memset(touched, 0, (size_t)count);
	for (const Candidate *c = test->first; c; c = c->next)
		if (!c->dropped && c->count > 0)
			touched[test->faces[c->face].triangle - triangles] = 1;
}

int Collide_Triangles(const Triangle *triangles, int count, const Shape *shape, Xform placement, float margin,
                      const ShapeMotion *motion, bool edge_filter, Arena *arena, Manifold *manifolds, int capacity,
                      uint8_t *touched)
{
	TriangleTest test = {.shape = shape,
	                     .turn = {V3(0.0f, 0.0f, 0.0f), placement.q},
	                     .margin = margin,
	                     .motion = motion,
	                     .edge_filter = edge_filter,
	                     .arena = arena};
	if (!Begin(&test, count))
		return -1;
	Triangles_Gather(&test, triangles, count, placement.p);
	if (shape->kind == SHAPE_BALL || (shape->kind == SHAPE_CAPSULE && shape->half_length <= 0.0f))
		Triangles_MeetBall(&test);
	else if (shape->kind == SHAPE_CAPSULE)
		Triangles_MeetCapsule(&test);
	else if (Shape_IsCurved(shape))
		Triangles_MeetCurved(&test);
	else
		Triangles_MeetPoly(&test);
	if (test.failed || !Candidates_Choose(&test))
		return -1;
	if (touched)
		MarkTouched(&test, triangles, count, touched);
	return Candidates_Cluster(&test, placement.p, manifolds, capacity);
}
