/* The kernels of hulls for every processor. */
#include "base/base.h"

#define KERNEL static inline __attribute__((always_inline))
#define BITS_GREATER(a, b) Bits((a) > (b))

typedef int64_t Truths __attribute__((vector_size(32), aligned(8)));
#define Bits(truths) BitsOf((const Truths[]){(Truths)(truths)})

static inline unsigned BitsOf(const Truths *t)
{
	return (unsigned)(((*t)[0] & 1) | ((*t)[1] & 2) | ((*t)[2] & 4) | ((*t)[3] & 8));
}

#include "shape/hull_kernel_internal.h"

bool Lattice_PickPlain(const LatticeHull *h, int pick[4], double normal[3])
{
	return Pick(h, pick, normal);
}

void Lattice_SharePlain(LatticeHull *h, int first, int but)
{
	Share(h, first, but);
}

void Lattice_PlanesPlain(LatticeHull *h)
{
	Planes(h);
}

bool Lattice_AnyDeepPlain(LatticeHull *h, const Cell *points, int count, double depth)
{
	return AnyDeep(h, points, count, depth);
}

bool Lattice_AnyOutsidePlain(const LatticeHull *h, const Cell *points, int count, double distance)
{
	return AnyOutside(h, points, count, distance);
}

bool Lanes_HoldPlain(const PointLanes *points, int count, Vec3D n, Vec3D on, double limit)
{
	return HoldsAll(points, count, n, on, limit);
}

double Lanes_SupportPlain(const PointLanes *points, int count, Vec3D n)
{
	return Support(points, count, n);
}
