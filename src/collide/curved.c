/* Cylinders and cones: farthest points, lines and rims along a direction; the planes that a point sees. */
#include "collide/curved_internal.h"

/* cosine and sine of k * 22.5 degrees */
static const float RING[RING_POINTS][2] = {
    {1.0f, 0.0f},  {0.92387953f, 0.38268343f},   {0.70710678f, 0.70710678f},   {0.38268343f, 0.92387953f},
    {0.0f, 1.0f},  {-0.38268343f, 0.92387953f},  {-0.70710678f, 0.70710678f},  {-0.92387953f, 0.38268343f},
    {-1.0f, 0.0f}, {-0.92387953f, -0.38268343f}, {-0.70710678f, -0.70710678f}, {-0.38268343f, -0.92387953f},
    {0.0f, -1.0f}, {0.38268343f, -0.92387953f},  {0.70710678f, -0.70710678f},  {0.92387953f, -0.38268343f},
};

#define LEVEL_SINE 1e-3f /* ends tilted less are level: which point of the rim is lowest would be noise */

Curved Curved_Of(const Shape *shape, Xform t)
{
	Mat3 m = QuatToMat(t.q);
	Curved c = {.center = t.p,
	            .axis = m.cy,
	            .e1 = m.cx,
	            .e2 = m.cz,
	            .radius = shape->radius,
	            .half = shape->half_length,
	            .tip = shape->kind == SHAPE_CONE,
	            .side_out = 1.0f};
	if (c.tip) {
		double r = (double)c.radius, l = 2.0 * (double)c.half, slant = sqrt(r * r + l * l);
		c.side_out = (float)(l / slant);
		c.side_up = (float)(r / slant);
	}
	return c;
}

static Vec3 Across(const Curved *c, Vec3 direction)
{
	return MulSub(direction, Dot(direction, c->axis), c->axis);
}

Vec3 Curved_Outward(const Curved *c, Vec3 direction)
{
	Vec3 across = Across(c, direction);
	float length = Length(across);
	if (!(length > 1e-6f))
		return c->e1;
	/* a second time: near the axis little was left of the digits */
	across = Across(c, Scale(1.0f / length, across));
	return Normalize(across);
}

static Vec3 EndCenter(const Curved *c, int end)
{
	return MulAdd(c->center, end > 0 ? c->half : -c->half, c->axis);
}

Vec3 Curved_Support(const Curved *c, Vec3 direction)
{
	Vec3 out = Curved_Outward(c, direction);
	if (!c->tip)
		return MulAdd(EndCenter(c, Dot(direction, c->axis) >= 0.0f ? 1 : -1), c->radius, out);
	Vec3 tip = EndCenter(c, 1), rim = MulAdd(EndCenter(c, -1), c->radius, out);
	return Dot(direction, Sub(tip, rim)) >= 0.0f ? tip : rim;
}

float Curved_Lowest(const Curved *c, Vec3 direction)
{
	float along = Dot(direction, c->axis), at = Dot(direction, c->center);
	float across = c->radius * Length(Across(c, direction));
	if (!c->tip)
		return at - c->half * Abs(along) - across;
	return at + Min(c->half * along, -c->half * along - across);
}

bool Curved_EndFaces(const Curved *c, Vec3 direction, int *end)
{
	float along = Dot(direction, c->axis), across = Length(Across(c, direction));
	*end = c->tip || along < 0.0f ? -1 : 1;
	if (c->tip)
		return -along > c->side_out * across + c->side_up * along;
	return Abs(along) > across;
}

void Curved_Line(const Curved *c, Vec3 direction, Vec3 q[2])
{
	Vec3 out = Scale(c->radius, Curved_Outward(c, direction));
	q[0] = Add(EndCenter(c, -1), out);
	q[1] = c->tip ? EndCenter(c, 1) : Add(EndCenter(c, 1), out);
}

int Curved_Ring(const Curved *c, int end, Vec3 direction, ClipPolygon *polygon)
{
	Vec3 middle = EndCenter(c, end), x = Scale(c->radius, c->e1), y = Scale(c->radius, c->e2);
	Vec3 across = Across(c, direction);
	int farthest = -1;
	float most = -FLT_MAX;
	for (int k = 0; k < RING_POINTS; k++) {
		Vec3 arm = Add(Scale(RING[k][0], x), Scale(RING[k][1], y));
		polygon->corners[k] = (ClipCorner){Add(middle, arm), (uint16_t)(k > 0 ? k - 1 : RING_POINTS - 1), (uint16_t)k};
		float d = Dot(arm, across);
		if (d > most) {
			most = d;
			farthest = k;
		}
	}
	polygon->count = RING_POINTS;
	if (LengthSq(across) <= LEVEL_SINE * LEVEL_SINE)
		return -1;
	polygon->corners[farthest].p = MulAdd(middle, c->radius, Curved_Outward(c, direction));
	return farthest;
}

/* ---- points ---------------------------------------------------------------------------------------------------- */

/* In the half plane of the axis (up, from the middle) and the point (out, >= 0): heights over the bounding lines. */
static int PlaneAxes(const Curved *c, double out, double up, double axes[3][3])
{
	double r = (double)c->radius, h = (double)c->half, nx = (double)c->side_out, ny = (double)c->side_up;
	double side = nx * (out - r) + ny * (up + h), below = -h - up, above = up - h;
	bool tip = c->tip;
	if (side <= 0.0 && below <= 0.0 && (tip || above <= 0.0)) {
		int count = 0;
		axes[count][0] = nx, axes[count][1] = ny, axes[count++][2] = side;
		axes[count][0] = 0.0, axes[count][1] = -1.0, axes[count++][2] = below;
		if (!tip)
			axes[count][0] = 0.0, axes[count][1] = 1.0, axes[count++][2] = above;
		return count;
	}
	/* how far along the side from the rim, of its whole length */
	double length = tip ? sqrt(r * r + 4.0 * h * h) : 2.0 * h, t = -ny * (out - r) + nx * (up + h);
	double x = out, y = up; /* the nearest point */
	if (below >= 0.0 && out <= r)
		y = -h;
	else if (!tip && above >= 0.0 && out <= r)
		y = h;
	else if (t >= length)
		x = tip ? 0.0 : r, y = h;
	else if (t <= 0.0)
		x = r, y = -h;
	else
		x = out - side * nx, y = up - side * ny;
	double dx = out - x, dy = up - y, distance = sqrt(dx * dx + dy * dy);
	if (distance > 1e-9 * r) {
		axes[0][0] = dx / distance, axes[0][1] = dy / distance;
	} else { /* on the surface to rounding: the plane that is nearest */
		bool flat = below > side || (!tip && above > side);
		axes[0][0] = flat ? 0.0 : nx, axes[0][1] = flat ? (below > side ? -1.0 : 1.0) : ny;
	}
	axes[0][2] = distance;
	return 1;
}

int Curved_PointAxes(const Curved *c, Vec3 p, PointAxis axes[3])
{
	Vec3D d = ToD(Sub(p, c->center)), axis = ToD(c->axis);
	double up = DotD(d, axis), plane[3][3];
	Vec3D across = MulAddD(d, -up, axis);
	double out = LengthD(across);
	Vec3D away = out > 1e-9 * (double)c->radius ? ScaleD(1.0 / out, across) : ToD(c->e1);
	int count = PlaneAxes(c, out, up, plane);
	for (int i = 0; i < count; i++) {
		axes[i].normal = ToF(AddD(ScaleD(plane[i][0], away), ScaleD(plane[i][1], axis)));
		axes[i].height = (float)plane[i][2];
	}
	return count;
}
