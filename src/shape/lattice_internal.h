/* Shared inside shape/: the hull of lattice points while it grows, and its kernels, which are written once
 * (hull_kernel_internal.h) and compiled in two forms. */
#ifndef SCREE_LATTICE_INTERNAL_H
#define SCREE_LATTICE_INTERNAL_H

#include "shape/shape.h"
#include "shape/shape_internal.h"

#define NO_POINT (-1)
/* Where points lie so near each other, heights are sums of whole numbers under 2^53, which doubles hold exactly: a
 * normal has up to the square of it, and two times three products of that and a way are added. */
#define EXACT_SPAN 114000

typedef struct LatticeFace {
	int corner[3];            /* counter-clockwise from outside */
	int next[3];              /* faces over the edges corner[i], corner[i + 1] */
	double normal[3], offset; /* whole numbers; of its plane from h->base, times length */
	double length;            /* of the normal */
	double height;            /* of the point furthest off, times length; where it is exact in double */
	int64_t wide_height;      /* and where not */
	int outside, farthest;    /* list of points above it, and the one furthest off */
	int seen;                 /* the number of the last point that was held against it */
	bool alive, visible;
} LatticeFace;

/* Numbers of four faces or points, side by side. */
typedef double Lanes __attribute__((vector_size(32), aligned(8))); /* as memory is */

/* Unit normals and offsets. */
typedef struct FourPlanes {
	Lanes x, y, z, offset;
} FourPlanes;

/* Normals, offsets, and how high a point may stand over them, times their lengths. */
typedef struct FourFaces {
	Lanes x, y, z, offset, limit;
} FourFaces;

struct LatticeHull {
	Memory *memory;
	const Cell *points;
	int count;
	double slack;
	bool simd, exact; /* exact: heights are, in double */
	Cell base;        /* the first point */
	double *at;       /* x of all points from it, then y, then z; the lanes beyond the last are as the first */
	int at_capacity;
	ARRAY(LatticeFace) faces;
	ARRAY(int) next_point; /* list of points of a face; by point */
	ARRAY(int) starts;     /* by point: the new face whose edge at the horizon begins there */
	ARRAY(int) visible, fresh, corners;
	ARRAY(FourFaces) cone; /* the fresh faces again */
	int alive, round;      /* round: points that were added */
	/* Of the finished hull: */
	ARRAY(FourPlanes) planes; /* the last one again where the four are not full */
	Cell lo, hi;              /* its box */
	int last;                 /* the planes that answered the last question, where the next may be answered, too */
	QhullFacets triangles;
	HullMerge merge;
};

/* Gives a point to a face that it lies above. */
static inline void Lattice_Give(LatticeHull *h, LatticeFace *face, int point, double height)
{
	h->next_point.data[point] = face->outside;
	face->outside = point;
	if (face->farthest == NO_POINT || height > face->height || (height == face->height && point < face->farthest)) {
		face->farthest = point;
		face->height = height;
	}
}

static inline const double *Lattice_X(const LatticeHull *h)
{
	return h->at;
}
static inline const double *Lattice_Y(const LatticeHull *h)
{
	return h->at + h->at_capacity;
}
static inline const double *Lattice_Z(const LatticeHull *h)
{
	return h->at + 2 * (size_t)h->at_capacity;
}

/* Of four points that are not in one plane pick[0] is known; these find the one furthest from it, from their line, and
 * from their plane, with its normal: NO_POINT where all lie in it, and without meaning where heights are not exact.
 * False: all lie in a line. */
bool Lattice_PickPlain(const LatticeHull *h, int pick[4], double normal[3]);
bool Lattice_PickFast(const LatticeHull *h, int pick[4], double normal[3]);
/* Gives the points of a list (its first; they are linked by next_point), but for one, each to the first of the fresh
 * faces that it lies above by more than the slack. Heights must be exact. */
void Lattice_SharePlain(LatticeHull *h, int first, int but);
void Lattice_ShareFast(LatticeHull *h, int first, int but);
/* Planes of all faces that are alive. There is room for them. */
void Lattice_PlanesPlain(LatticeHull *h);
void Lattice_PlanesFast(LatticeHull *h);
/* Is one of the points deeper than `depth` under all planes? */
bool Lattice_AnyDeepPlain(LatticeHull *h, const Cell *points, int count, double depth);
bool Lattice_AnyDeepFast(LatticeHull *h, const Cell *points, int count, double depth);
/* Is one of the points further than `distance` beyond a plane? */
bool Lattice_AnyOutsidePlain(const LatticeHull *h, const Cell *points, int count, double distance);
bool Lattice_AnyOutsideFast(const LatticeHull *h, const Cell *points, int count, double distance);

#endif
