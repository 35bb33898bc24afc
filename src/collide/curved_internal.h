/* Cylinders and cones, placed: what a direction meets of them. Shared by the tests for pairs and for triangles. */
#ifndef SCREE_COLLIDE_CURVED_INTERNAL_H
#define SCREE_COLLIDE_CURVED_INTERNAL_H

#include "collide/collide_internal.h"

#define RING_POINTS 16
#define LINE_SLOPE 0.05f /* a line within 2.9 degrees of level counts as level */

/* Round about its axis: a flat end at -half, and at +half another (cylinder) or the tip (cone). */
typedef struct Curved {
	Vec3 center, axis, e1, e2; /* unit vectors of its frame; center: the middle of its height */
	float radius, half;
	bool tip;
	float side_out, side_up; /* the side's normal: side_out * (away from the axis) + side_up * axis */
} Curved;

static inline bool Shape_IsCurved(const Shape *shape)
{
	return shape->kind == SHAPE_CYLINDER || shape->kind == SHAPE_CONE;
}

Curved Curved_Of(const Shape *shape, Xform t);
/* Unit, at right angles to the axis, nearest to `direction`; along the axis: a fixed one. */
Vec3 Curved_Outward(const Curved *c, Vec3 direction);
Vec3 Curved_Support(const Curved *c, Vec3 direction); /* unit */
float Curved_Lowest(const Curved *c, Vec3 direction); /* least dot(direction, p) */
/* Does a flat end look along `direction` more than the side does? *end: -1 or 1. */
bool Curved_EndFaces(const Curved *c, Vec3 direction, int *end);
/* The line of the side that is farthest along `direction`: from the lower end's rim to the upper one's, or the tip. */
void Curved_Line(const Curved *c, Vec3 direction, Vec3 q[2]);
/* Points of an end's rim, fixed to the shape, as a polygon; the one nearest to the farthest point along `direction`
 * stands for that, exactly, unless the end is level. Returns its number, or -1. */
int Curved_Ring(const Curved *c, int end, Vec3 direction, ClipPolygon *polygon);
/* Name of a corner of that polygon among points of the shape: equal from step to step for what is farthest. */
static inline uint32_t Ring_Name(int end, int corner, int farthest)
{
	return (uint32_t)((end > 0 ? 32 : 0) + (corner == farthest ? RING_POINTS : corner));
}

/* A plane that bounds the shape, as a point sees it: unit normal out of the shape, height of the point over it. */
typedef struct PointAxis {
	Vec3 normal;
	float height;
} PointAxis;

/* Outside: the one plane through the nearest point, at its distance. Inside: one for each of the flat ends and the
 * side. Returns how many. */
int Curved_PointAxes(const Curved *c, Vec3 p, PointAxis axes[3]);

#endif
