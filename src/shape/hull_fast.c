/* The kernels of hulls for processors with AVX2: the same operations, and so the same bits. */
#include "base/base.h"

#if SCREE_X86

#include <immintrin.h>

#define KERNEL SIMD_FUNCTION static inline __attribute__((always_inline))
#define BITS_GREATER(a, b) ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd((a), (b), _CMP_GT_OQ)))

#include "shape/hull_kernel_internal.h"

SIMD_FUNCTION bool Lattice_PickFast(const LatticeHull *h, int pick[4], double normal[3])
{
	return Pick(h, pick, normal);
}

SIMD_FUNCTION void Lattice_ShareFast(LatticeHull *h, int first, int but)
{
	Share(h, first, but);
}

SIMD_FUNCTION void Lattice_PlanesFast(LatticeHull *h)
{
	Planes(h);
}

SIMD_FUNCTION bool Lattice_AnyDeepFast(LatticeHull *h, const Cell *points, int count, double depth)
{
	return AnyDeep(h, points, count, depth);
}

SIMD_FUNCTION bool Lattice_AnyOutsideFast(const LatticeHull *h, const Cell *points, int count, double distance)
{
	return AnyOutside(h, points, count, distance);
}

SIMD_FUNCTION bool Lanes_HoldFast(const PointLanes *points, int count, Vec3D n, Vec3D on, double limit)
{
	return HoldsAll(points, count, n, on, limit);
}

SIMD_FUNCTION double Lanes_SupportFast(const PointLanes *points, int count, Vec3D n)
{
	return Support(points, count, n);
}

#else

#include "shape/lattice_internal.h"

bool Lattice_PickFast(const LatticeHull *h, int pick[4], double normal[3])
{
	return Lattice_PickPlain(h, pick, normal);
}

void Lattice_ShareFast(LatticeHull *h, int first, int but)
{
	Lattice_SharePlain(h, first, but);
}

void Lattice_PlanesFast(LatticeHull *h)
{
	Lattice_PlanesPlain(h);
}

bool Lattice_AnyDeepFast(LatticeHull *h, const Cell *points, int count, double depth)
{
	return Lattice_AnyDeepPlain(h, points, count, depth);
}

bool Lattice_AnyOutsideFast(const LatticeHull *h, const Cell *points, int count, double distance)
{
	return Lattice_AnyOutsidePlain(h, points, count, distance);
}

bool Lanes_HoldFast(const PointLanes *points, int count, Vec3D n, Vec3D on, double limit)
{
	return Lanes_HoldPlain(points, count, n, on, limit);
}

double Lanes_SupportFast(const PointLanes *points, int count, Vec3D n)
{
	return Lanes_SupportPlain(points, count, n);
}

#endif
