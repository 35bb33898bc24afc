/* How far cells are from a mesh, by measuring every triangle: the slow twin of laying meshes into cells. */
#ifndef TESTS_VOXELISE_TWIN_H
#define TESTS_VOXELISE_TWIN_H

#include "mesh_samples.h"
#include "voxel/voxel.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

static inline double SegmentSq(const double *p, const double *a, const double *b)
{
	double ab[3], ap[3], t = 0.0, n = 0.0, sum = 0.0;
	for (int i = 0; i < 3; i++) {
		ab[i] = b[i] - a[i];
		ap[i] = p[i] - a[i];
		t += ab[i] * ap[i];
		n += ab[i] * ab[i];
	}
	t = n > 0.0 ? ClampD(t / n, 0.0, 1.0) : 0.0;
	for (int i = 0; i < 3; i++)
		sum += (ap[i] - t * ab[i]) * (ap[i] - t * ab[i]);
	return sum;
}

/* The foot of p on the plane in barycentric coordinates, by Gram's matrix; unlike the code under test. */
static inline double TriangleSq(const double *p, const double *a, const double *b, const double *c)
{
	double u[3], v[3], w[3], uu = 0, uv = 0, vv = 0, uw = 0, vw = 0;
	for (int i = 0; i < 3; i++) {
		u[i] = b[i] - a[i], v[i] = c[i] - a[i], w[i] = p[i] - a[i];
		uu += u[i] * u[i], uv += u[i] * v[i], vv += v[i] * v[i], uw += u[i] * w[i], vw += v[i] * w[i];
	}
	double det = uu * vv - uv * uv, best = MinD(SegmentSq(p, a, b), MinD(SegmentSq(p, b, c), SegmentSq(p, c, a)));
	if (det <= 1e-18)
		return best;
	double s = (vv * uw - uv * vw) / det, t = (uu * vw - uv * uw) / det, sum = 0.0;
	if (s < 0.0 || t < 0.0 || s + t > 1.0)
		return best;
	for (int i = 0; i < 3; i++)
		sum += (w[i] - s * u[i] - t * v[i]) * (w[i] - s * u[i] - t * v[i]);
	return MinD(sum, best);
}

/* Distance, and the winding number by the solid angles of the triangles (Van Oosterom and Strackee, 1983). */
static inline double TwinDistance(const Mesh *mesh, const double *p, double *winding)
{
	double best = DBL_MAX, angle = 0.0;
	for (int t = 0; t < mesh->indices.count; t += 3) {
		const double *k[3];
		double r[3][3], n[3];
		for (int i = 0; i < 3; i++) {
			k[i] = mesh->positions.data + 3 * mesh->indices.data[t + i];
			for (int j = 0; j < 3; j++)
				r[i][j] = k[i][j] - p[j];
			n[i] = sqrt(r[i][0] * r[i][0] + r[i][1] * r[i][1] + r[i][2] * r[i][2]);
		}
		best = MinD(best, TriangleSq(p, k[0], k[1], k[2]));
		double volume = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) +
		                r[0][1] * (r[1][2] * r[2][0] - r[1][0] * r[2][2]) +
		                r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
		double dots[3];
		for (int i = 0; i < 3; i++) {
			const double *a = r[i], *b = r[(i + 1) % 3];
			dots[i] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
		}
		angle += 2.0 * Trig_Atan2(volume, n[0] * n[1] * n[2] + dots[0] * n[2] + dots[1] * n[0] + dots[2] * n[1]);
	}
	*winding = angle / (4.0 * PI);
	return sqrt(best);
}

/* Signed distances of a box of cells. */
typedef struct TwinField {
	int32_t lo[3], size[3];
	double *d;
	bool *inside;
} TwinField;

static inline int TwinField_Index(const TwinField *field, int x, int y, int z)
{
	return (x - field->lo[0]) + field->size[0] * ((z - field->lo[2]) + field->size[2] * (y - field->lo[1]));
}

static inline TwinField TwinField_Make(Memory *counted, const Mesh *mesh, MeshRule rule)
{
	TwinField field;
	MeshSurvey survey;
	Error error;
	ck_assert_int_eq(Mesh_Survey(counted, mesh, &survey, &error), 0);
	for (int i = 0; i < 3; i++) {
		field.lo[i] = FloorToInt(survey.lo[i]) - 3;
		field.size[i] = FloorToInt(survey.hi[i]) + 4 - field.lo[i];
	}
	size_t cells = (size_t)(field.size[0] * field.size[1] * field.size[2]);
	field.d = malloc(cells * sizeof *field.d);
	field.inside = malloc(cells * sizeof *field.inside);
	size_t i = 0;
	for (int y = 0; y < field.size[1]; y++)
		for (int z = 0; z < field.size[2]; z++)
			for (int x = 0; x < field.size[0]; x++, i++) {
				double p[3] = {field.lo[0] + x + 0.5, field.lo[1] + y + 0.5, field.lo[2] + z + 0.5}, winding;
				double d = TwinDistance(mesh, p, &winding), w = AbsD(winding);
				field.inside[i] = rule == MESH_PARITY ? (int)(w + 0.5) % 2 == 1 : w > 0.5;
				field.d[i] = field.inside[i] ? d : -d;
			}
	return field;
}

/* What curvature takes is given back: a sixth of the Laplacian, in full where the slope is that of a smooth surface. */
static inline double TwinField_Bent(const TwinField *field, int i)
{
	const int steps[3] = {1, field->size[0], field->size[0] * field->size[2]};
	double laplacian = 0.0, slope = 0.0, d = field->d[i];
	for (int k = 0; k < 3; k++) {
		double a = field->d[i - steps[k]], b = field->d[i + steps[k]];
		if (AbsD(a) >= 2.25 || AbsD(b) >= 2.25)
			return d;
		laplacian += a + b - 2.0 * d;
		slope += (b - a) * (b - a) / 4.0;
	}
	return AbsD(laplacian) > 0.75 ? d : d - laplacian / 6.0 * ClampD((slope - 0.91) / 0.05, 0.0, 1.0);
}

#endif
