/* Mass, centre and inertia: closed forms for round shapes and boxes, sums over signed tetrahedra for hulls, parallel
 * axes for compounds. All in double, rounded once at the end. */
#include "shape/shape.h"
#include "shape/shape_internal.h"
#include "shape/trimesh_internal.h"

/* Symmetric 3x3 matrix. */
typedef struct Sym3 {
	double xx, yy, zz, xy, xz, yz;
} Sym3;

static Mat3 Sym3_ToMat(Sym3 s)
{
	float xy = (float)s.xy, xz = (float)s.xz, yz = (float)s.yz;
	return (Mat3){{(float)s.xx, xy, xz}, {xy, (float)s.yy, yz}, {xz, yz, (float)s.zz}};
}

static Sym3 Sym3_FromMat(Mat3 m)
{
	return (Sym3){(double)m.cx.x,
	              (double)m.cy.y,
	              (double)m.cz.z,
	              0.5 * ((double)m.cx.y + (double)m.cy.x),
	              0.5 * ((double)m.cx.z + (double)m.cz.x),
	              0.5 * ((double)m.cy.z + (double)m.cz.y)};
}

static Sym3 Sym3_Add(Sym3 a, Sym3 b)
{
	return (Sym3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

/* Inertia about the origin of a point mass at d. */
static Sym3 Sym3_PointMass(double mass, Vec3D d)
{
	return (Sym3){mass * (d.y * d.y + d.z * d.z),
	              mass * (d.x * d.x + d.z * d.z),
	              mass * (d.x * d.x + d.y * d.y),
	              -mass * d.x * d.y,
	              -mass * d.x * d.z,
	              -mass * d.y * d.z};
}

/* ---- hulls ---------------------------------------------------------------------------------------------------- */

/* Sums over tetrahedra from the origin: six times the volume, 24 times the first, 120 times the second moments. */
typedef struct Moments {
	double volume;
	Vec3D first;
	Sym3 second; /* of x x, y y, ... */
} Moments;

/* The integral of u v over a tetrahedron with one corner at the origin is det/120 (sum u sum v + sum of u v over the
 * corners): Blow and Binstock, "How to find the inertia tensor of a 3D solid body represented by a triangle mesh"
 * (2004). */
static void Moments_AddTetrahedron(Moments *m, Vec3D a, Vec3D b, Vec3D c)
{
	double det = DotD(a, CrossD(b, c));
	Vec3D s = AddD(a, AddD(b, c));
	m->volume += det;
	m->first = MulAddD(m->first, det, s);
	m->second.xx += det * (s.x * s.x + a.x * a.x + b.x * b.x + c.x * c.x);
	m->second.yy += det * (s.y * s.y + a.y * a.y + b.y * b.y + c.y * c.y);
	m->second.zz += det * (s.z * s.z + a.z * a.z + b.z * b.z + c.z * c.z);
	m->second.xy += det * (s.x * s.y + a.x * a.y + b.x * b.y + c.x * c.y);
	m->second.xz += det * (s.x * s.z + a.x * a.z + b.x * b.z + c.x * c.z);
	m->second.yz += det * (s.y * s.z + a.y * a.z + b.y * b.z + c.y * c.z);
}

static Moments Hull_Moments(const Hull *hull, Vec3D origin)
{
	Moments m = {0};
	for (int f = 0; f < hull->face_count; f++) {
		const uint8_t *corner = hull->face_index + hull->face_first[f];
		int count = hull->face_first[f + 1] - hull->face_first[f];
		Vec3D a = SubD(ToD(hull->vertices[corner[0]]), origin);
		for (int i = 2; i < count; i++) {
			Vec3D b = SubD(ToD(hull->vertices[corner[i - 1]]), origin);
			Vec3D c = SubD(ToD(hull->vertices[corner[i]]), origin);
			Moments_AddTetrahedron(&m, a, b, c);
		}
	}
	return m;
}

void Hull_ComputeMass(Hull *hull)
{
	/* The second pass, about the centre, has nothing large to subtract, however far off the hull's frame is. */
	Vec3D middle = ScaleD(0.5, AddD(ToD(hull->bounds.lo), ToD(hull->bounds.hi)));
	Moments m = Hull_Moments(hull, middle);
	Vec3D center = m.volume > 0.0 ? MulAddD(middle, 0.25 / m.volume, m.first) : middle;
	m = Hull_Moments(hull, center);
	double xx = m.second.xx / 120.0, yy = m.second.yy / 120.0, zz = m.second.zz / 120.0;
	hull->volume = (float)(m.volume / 6.0);
	hull->center = ToF(center);
	hull->inertia =
	    Sym3_ToMat((Sym3){yy + zz, xx + zz, xx + yy, -m.second.xy / 120.0, -m.second.xz / 120.0, -m.second.yz / 120.0});
}

/* ---- shapes --------------------------------------------------------------------------------------------------- */

static MassProps BallMass(double r, double density)
{
	double mass = density * (4.0 / 3.0) * PI * r * r * r;
	double i = 0.4 * mass * r * r;
	return (MassProps){(float)mass, V3(0.0f, 0.0f, 0.0f), Sym3_ToMat((Sym3){.xx = i, .yy = i, .zz = i})};
}

/* A cylinder and two half balls, whose own centres lie 3/8 r beyond the ends of the axis. */
static MassProps CapsuleMass(double r, double h, double density)
{
	double middle = density * 2.0 * PI * r * r * h;
	double ends = density * (4.0 / 3.0) * PI * r * r * r;
	double along = middle * 0.5 * r * r + ends * 0.4 * r * r;
	double across = middle * (0.25 * r * r + h * h / 3.0) + ends * (0.4 * r * r + h * h + 0.75 * h * r);
	return (MassProps){(float)(middle + ends), V3(0.0f, 0.0f, 0.0f),
	                   Sym3_ToMat((Sym3){.xx = across, .yy = along, .zz = across})};
}

static MassProps BoxMass(Vec3D h, double density)
{
	double mass = density * 8.0 * h.x * h.y * h.z;
	Sym3 inertia = {.xx = mass / 3.0 * (h.y * h.y + h.z * h.z),
	                .yy = mass / 3.0 * (h.x * h.x + h.z * h.z),
	                .zz = mass / 3.0 * (h.x * h.x + h.y * h.y)};
	return (MassProps){(float)mass, V3(0.0f, 0.0f, 0.0f), Sym3_ToMat(inertia)};
}

static MassProps CylinderMass(double r, double h, double density)
{
	double mass = density * 2.0 * PI * r * r * h;
	double along = 0.5 * mass * r * r, across = mass * (0.25 * r * r + h * h / 3.0);
	return (MassProps){(float)mass, V3(0.0f, 0.0f, 0.0f), Sym3_ToMat((Sym3){.xx = across, .yy = along, .zz = across})};
}

/* Its centre lies a quarter of the length above the base, half of h below the origin. */
static MassProps ConeMass(double r, double h, double density)
{
	double mass = density * (2.0 / 3.0) * PI * r * r * h;
	double along = 0.3 * mass * r * r, across = 0.15 * mass * (r * r + h * h);
	return (MassProps){(float)mass, V3(0.0f, (float)(-0.5 * h), 0.0f),
	                   Sym3_ToMat((Sym3){.xx = across, .yy = along, .zz = across})};
}

static MassProps HullMass(const Hull *hull, double density)
{
	Sym3 i = Sym3_FromMat(hull->inertia);
	Sym3 inertia = {density * i.xx, density * i.yy, density * i.zz, density * i.xy, density * i.xz, density * i.yz};
	return (MassProps){(float)(density * (double)hull->volume), hull->center, Sym3_ToMat(inertia)};
}

MassProps Shape_Mass(const Shape *shape, float density)
{
	double d = (double)density;
	switch (shape->kind) {
	case SHAPE_BALL:
		return BallMass((double)shape->radius, d);
	case SHAPE_CAPSULE:
		return CapsuleMass((double)shape->radius, (double)shape->half_length, d);
	case SHAPE_BOX:
		return BoxMass(ToD(shape->half), d);
	case SHAPE_HULL:
		return HullMass(shape->hull, d);
	case SHAPE_CYLINDER:
		return CylinderMass((double)shape->radius, (double)shape->half_length, d);
	case SHAPE_CONE:
		return ConeMass((double)shape->radius, (double)shape->half_length, d);
	case SHAPE_MESH:
		return Trimesh_Mass(shape->mesh, density);
	case SHAPE_KIND_COUNT:
		break;
	}
	SCREE_ASSERT(false);
	return (MassProps){0};
}

float Shape_Volume(const Shape *shape)
{
	return Shape_Mass(shape, 1.0f).mass;
}

/* ---- compounds ------------------------------------------------------------------------------------------------ */

/* Three columns of the rotation, of the quaternion made exactly unit. */
typedef struct Rotation {
	Vec3D x, y, z;
} Rotation;

static Rotation Rotation_From(Quat quat)
{
	double x = (double)quat.x, y = (double)quat.y, z = (double)quat.z, w = (double)quat.w;
	double s = 2.0 / (x * x + y * y + z * z + w * w);
	return (Rotation){{1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)},
	                  {s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)},
	                  {s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)}};
}

static Vec3D Rotation_Apply(const Rotation *r, Vec3D v)
{
	return MulAddD(MulAddD(ScaleD(v.x, r->x), v.y, r->y), v.z, r->z);
}

/* R S R^T */
static Sym3 Rotation_Turn(const Rotation *r, Sym3 s)
{
	/* Columns of R S. */
	Vec3D a = Rotation_Apply(r, (Vec3D){s.xx, s.xy, s.xz});
	Vec3D b = Rotation_Apply(r, (Vec3D){s.xy, s.yy, s.yz});
	Vec3D c = Rotation_Apply(r, (Vec3D){s.xz, s.yz, s.zz});
	return (Sym3){a.x * r->x.x + b.x * r->y.x + c.x * r->z.x, a.y * r->x.y + b.y * r->y.y + c.y * r->z.y,
	              a.z * r->x.z + b.z * r->y.z + c.z * r->z.z, a.x * r->x.y + b.x * r->y.y + c.x * r->z.y,
	              a.x * r->x.z + b.x * r->y.z + c.x * r->z.z, a.y * r->x.z + b.y * r->y.z + c.y * r->z.z};
}

static Vec3D PlacedCenter(const MassProps *part, const Xform *placement)
{
	Rotation r = Rotation_From(placement->q);
	return AddD(ToD(placement->p), Rotation_Apply(&r, ToD(part->center)));
}

MassProps Mass_Combine(const MassProps *parts, const Xform *placements, int count)
{
	double mass = 0.0;
	Vec3D first = {0.0, 0.0, 0.0};
	for (int i = 0; i < count; i++) {
		mass += (double)parts[i].mass;
		first = MulAddD(first, (double)parts[i].mass, PlacedCenter(&parts[i], &placements[i]));
	}
	Vec3D center = mass > 0.0 ? ScaleD(1.0 / mass, first) : (Vec3D){0.0, 0.0, 0.0};
	Sym3 sum = {0};
	for (int i = 0; i < count; i++) {
		Rotation r = Rotation_From(placements[i].q);
		Vec3D offset = SubD(PlacedCenter(&parts[i], &placements[i]), center);
		sum = Sym3_Add(sum, Rotation_Turn(&r, Sym3_FromMat(parts[i].inertia)));
		sum = Sym3_Add(sum, Sym3_PointMass((double)parts[i].mass, offset));
	}
	return (MassProps){(float)mass, ToF(center), Sym3_ToMat(sum)};
}
