/* Triangles near a shape, four at a time: their planes, and which of them the shape reaches. */
#include "collide/four_internal.h"
#include "collide/triangles_internal.h"

typedef double Two __attribute__((vector_size(16)));
typedef int64_t TwoBits __attribute__((vector_size(16)));

typedef struct TwoVec {
	Two x, y, z;
} TwoVec;

/* ---- their planes ------------------------------------------------------------------------------------------------ */

/* Two of four lanes, from k on. */
static inline Two Two_Of(Four a, int k)
{
#if SCREE_X86
	return k == 0 ? _mm_cvtps_pd(a) : _mm_cvtps_pd(_mm_movehl_ps(a, a));
#else
	return (Two){a[k], a[k + 1]};
#endif
}
static inline Four Four_OfTwos(Two a, Two b)
{
#if SCREE_X86
	return _mm_movelh_ps(_mm_cvtpd_ps(a), _mm_cvtpd_ps(b));
#else
	return (Four){(float)a[0], (float)a[1], (float)b[0], (float)b[1]};
#endif
}
static inline TwoVec TwoVec_Of(const FourVec *a, int k)
{
	return (TwoVec){Two_Of(a->x, k), Two_Of(a->y, k), Two_Of(a->z, k)};
}
static inline TwoVec TwoVec_Sub(TwoVec a, TwoVec b)
{
	return (TwoVec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline Two TwoVec_Square(TwoVec a)
{
	return a.x * a.x + a.y * a.y + a.z * a.z;
}
static inline Two Two_Max(Two a, Two b)
{
	TwoBits more = a > b;
	return (Two)((more & (TwoBits)a) | (~more & (TwoBits)b));
}
static inline Two Two_Sqrt(Two a)
{
#if SCREE_X86
	return _mm_sqrt_pd(a);
#else
	return (Two){sqrt(a[0]), sqrt(a[1])};
#endif
}

/* Of two triangles, unless `fine` says that it has none. */
static inline TwoVec TwoNormals(const FourVec v[3], int k, TwoBits *fine)
{
	TwoVec a = TwoVec_Of(&v[0], k), b = TwoVec_Of(&v[1], k), c = TwoVec_Of(&v[2], k);
	TwoVec u = TwoVec_Sub(b, a), w = TwoVec_Sub(c, a), x = TwoVec_Sub(c, b);
	TwoVec n = {u.y * w.z - u.z * w.y, u.z * w.x - u.x * w.z, u.x * w.y - u.y * w.x};
	Two longest = Two_Max(TwoVec_Square(u), Two_Max(TwoVec_Square(w), TwoVec_Square(x)));
	Two length = Two_Sqrt(TwoVec_Square(n)), sliver = {SLIVER, SLIVER}, one = {1.0, 1.0}, most = {DBL_MAX, DBL_MAX};
	*fine = (length > sliver * longest) & (length <= most);
	Two scale = one / length;
	return (TwoVec){scale * n.x, scale * n.y, scale * n.z};
}

/* As Triangle_Normal does it one by one. Returns a bit for each that has a normal. */
static inline unsigned Normals(const FourVec v[3], FourVec *normals)
{
	TwoBits fine[2];
	TwoVec lo = TwoNormals(v, 0, &fine[0]), hi = TwoNormals(v, 2, &fine[1]);
	*normals = (FourVec){Four_OfTwos(lo.x, hi.x), Four_OfTwos(lo.y, hi.y), Four_OfTwos(lo.z, hi.z)};
	return (unsigned)((fine[0][0] & 1) | (fine[0][1] & 2) | (fine[1][0] & 4) | (fine[1][1] & 8));
}

/* ---- the shape --------------------------------------------------------------------------------------------------- */

/* Lowest and highest point of the shape along each normal. */
static inline void ShapeExtents(const TriangleTest *test, const FourVec *n, Four *lowest, Four *highest)
{
	if (test->shape->kind == SHAPE_BOX) {
		const Vec3 *axes = test->poly.normals;
		Vec3 h = test->shape->half;
		*highest = Four_Abs(FourVec_Dot(*n, axes[1])) * Four_Of(h.x) +
		           Four_Abs(FourVec_Dot(*n, axes[3])) * Four_Of(h.y) +
		           Four_Abs(FourVec_Dot(*n, axes[5])) * Four_Of(h.z);
		*lowest = -*highest;
	} else if (test->shape->kind == SHAPE_HULL) {
		*lowest = Four_Of(FLT_MAX);
		*highest = Four_Of(-FLT_MAX);
		for (int i = 0; i < test->poly.vertex_count; i++) {
			Four d = FourVec_Dot(*n, test->poly.vertices[i]);
			*lowest = Four_Min(*lowest, d);
			*highest = Four_Max(*highest, d);
		}
	} else if (Shape_IsCurved(test->shape)) {
		for (int k = 0; k < 4; k++) {
			Vec3 normal = FourVec_Lane(n, k);
			(*lowest)[k] = Curved_Lowest(&test->curved, normal);
			(*highest)[k] = -Curved_Lowest(&test->curved, Neg(normal));
		}
	} else {
		Four a = FourVec_Dot(*n, test->round.p0), b = FourVec_Dot(*n, test->round.p1), r = Four_Of(test->round.radius);
		*lowest = Four_Min(a, b) - r;
		*highest = Four_Max(a, b) + r;
	}
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static inline FourBits Overlaps(const FourVec v[3], Box box)
{
	Four lo_x = Four_Min(v[0].x, Four_Min(v[1].x, v[2].x)), hi_x = Four_Max(v[0].x, Four_Max(v[1].x, v[2].x));
	Four lo_y = Four_Min(v[0].y, Four_Min(v[1].y, v[2].y)), hi_y = Four_Max(v[0].y, Four_Max(v[1].y, v[2].y));
	Four lo_z = Four_Min(v[0].z, Four_Min(v[1].z, v[2].z)), hi_z = Four_Max(v[0].z, Four_Max(v[1].z, v[2].z));
	return (lo_x <= Four_Of(box.hi.x)) & (hi_x >= Four_Of(box.lo.x)) & (lo_y <= Four_Of(box.hi.y)) &
	       (hi_y >= Four_Of(box.lo.y)) & (lo_z <= Four_Of(box.hi.z)) & (hi_z >= Four_Of(box.lo.z));
}

/* `count` of them, 1 to 4. */
static void GatherFour(TriangleTest *test, const Triangle *triangles, int count, Vec3 origin)
{
	FourVec v[3], from = FourVec_Of(origin), normals;
	const Triangle *t[4];
	for (int k = 0; k < 4; k++)
		t[k] = &triangles[Int_Min(k, count - 1)];
	for (int i = 0; i < 3; i++) {
		v[i].x = (Four){t[0]->v[i].x, t[1]->v[i].x, t[2]->v[i].x, t[3]->v[i].x};
		v[i].y = (Four){t[0]->v[i].y, t[1]->v[i].y, t[2]->v[i].y, t[3]->v[i].y};
		v[i].z = (Four){t[0]->v[i].z, t[1]->v[i].z, t[2]->v[i].z, t[3]->v[i].z};
		v[i] = FourVec_Sub(v[i], from);
	}
	unsigned near = FourBits_Mask(Overlaps(v, test->bounds)) & ((1u << count) - 1);
	if (!near)
		return;
	near &= Normals(v, &normals);
	Four lowest, highest, offset = FourVec_DotBoth(normals, v[0]);
	ShapeExtents(test, &normals, &lowest, &highest);
	lowest -= offset;
	/* one-sided: what is wholly behind the plane is of no concern to it */
	unsigned reached = FourBits_Mask((lowest <= Four_Of(test->margin)) & (highest > offset));
	bool poly = test->shape->kind == SHAPE_BOX || test->shape->kind == SHAPE_HULL;
	for (; near; near &= near - 1) {
		int k = __builtin_ctz(near);
		Face *face = &test->faces[test->face_count];
		face->triangle = t[k];
		for (int i = 0; i < 3; i++)
			face->v[i] = Sub(t[k]->v[i], origin);
		face->normal = FourVec_Lane(&normals, k);
		face->offset = offset[k];
		face->lowest = lowest[k];
		face->active = (reached >> k & 1) && !(poly && PolyFours_AreBeyond(&test->fours, face->v, test->margin));
		face->touched = false;
		face->part = test->face_count++;
	}
}

void Triangles_Gather(TriangleTest *test, const Triangle *triangles, int count, Vec3 origin)
{
	for (int i = 0; i < count; i += 4)
		GatherFour(test, triangles + i, Int_Min(count - i, 4), origin);
}
