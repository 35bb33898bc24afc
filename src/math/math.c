/* The matrix functions that are too long for the header. They work in double: a determinant of floats keeps all its
 * digits there, and inertia tensors of pebbles do not underflow. */
#include "math/math.h"

#define JACOBI_SWEEPS 16 /* 3x3 matrices are diagonal to the last bit after about five */

static void ColumnCross(const double a[3], const double b[3], double out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

static double ColumnDot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void ToColumn(Vec3 v, double out[3])
{
	out[0] = (double)v.x;
	out[1] = (double)v.y;
	out[2] = (double)v.z;
}

static Vec3 FromColumn(const double v[3], double factor)
{
	return V3((float)(v[0] * factor), (float)(v[1] * factor), (float)(v[2] * factor));
}

/* The rows of the adjugate of m, and its determinant. */
static double Adjugate(Mat3 m, double rows[3][3])
{
	double x[3], y[3], z[3];
	ToColumn(m.cx, x);
	ToColumn(m.cy, y);
	ToColumn(m.cz, z);
	ColumnCross(y, z, rows[0]);
	ColumnCross(z, x, rows[1]);
	ColumnCross(x, y, rows[2]);
	return ColumnDot(x, rows[0]);
}

static bool IsFiniteV(Vec3 v)
{
	return IsFinite((double)v.x) && IsFinite((double)v.y) && IsFinite((double)v.z);
}

Mat3 MatInverse(Mat3 m)
{
	double rows[3][3];
	double det = Adjugate(m, rows);
	Mat3 zero = MatDiag(0.0f, 0.0f, 0.0f);
	if (det == 0.0)
		return zero;
	double factor = 1.0 / det;
	Mat3 inverse = {FromColumn(rows[0], factor), FromColumn(rows[1], factor), FromColumn(rows[2], factor)};
	/* Singular but for rounding, or not a matrix of numbers at all. */
	if (!IsFiniteV(inverse.cx) || !IsFiniteV(inverse.cy) || !IsFiniteV(inverse.cz))
		return zero;
	return MatTranspose(inverse);
}

Vec3 MatSolve(Mat3 m, Vec3 b)
{
	double rows[3][3], v[3];
	double det = Adjugate(m, rows);
	if (det == 0.0)
		return V3(0.0f, 0.0f, 0.0f);
	ToColumn(b, v);
	double x[3] = {ColumnDot(rows[0], v), ColumnDot(rows[1], v), ColumnDot(rows[2], v)};
	Vec3 solution = FromColumn(x, 1.0 / det);
	return IsFiniteV(solution) ? solution : V3(0.0f, 0.0f, 0.0f);
}

/* S. W. Shepperd, "Quaternion from Rotation Matrix" (1978): divide by the largest component, which is never small. */
Quat MatToQuat(Mat3 m)
{
	float xx = m.cx.x, yy = m.cy.y, zz = m.cz.z;
	float trace = xx + yy + zz;
	Quat q;
	if (trace >= xx && trace >= yy && trace >= zz)
		q = (Quat){m.cy.z - m.cz.y, m.cz.x - m.cx.z, m.cx.y - m.cy.x, 1.0f + trace};
	else if (xx >= yy && xx >= zz)
		q = (Quat){1.0f + xx - yy - zz, m.cx.y + m.cy.x, m.cx.z + m.cz.x, m.cy.z - m.cz.y};
	else if (yy >= zz)
		q = (Quat){m.cx.y + m.cy.x, 1.0f - xx + yy - zz, m.cy.z + m.cz.y, m.cz.x - m.cx.z};
	else
		q = (Quat){m.cx.z + m.cz.x, m.cy.z + m.cz.y, 1.0f - xx - yy + zz, m.cx.y - m.cy.x};
	return QuatNormalize(q);
}

/* One Jacobi rotation in the plane of axes p and q, which makes a[p][q] zero; `axes` has the axes in its columns. */
static void JacobiRotate(double a[3][3], double axes[3][3], int p, int q)
{
	if (a[p][q] == 0.0)
		return;
	double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
	/* The smaller root of t^2 + 2 theta t - 1, so that no rotation passes 45 degrees. For a huge theta, whose square
	 * is infinite, it is zero, as it should be. */
	double t = 1.0 / (AbsD(theta) + sqrt(theta * theta + 1.0));
	if (theta < 0.0)
		t = -t;
	double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
	int r = 3 - p - q;
	double apq = a[p][q], apr = a[p][r], aqr = a[q][r];
	a[p][p] -= t * apq;
	a[q][q] += t * apq;
	a[p][q] = a[q][p] = 0.0;
	a[p][r] = a[r][p] = c * apr - s * aqr;
	a[q][r] = a[r][q] = s * apr + c * aqr;
	for (int i = 0; i < 3; i++) {
		double u = axes[i][p], v = axes[i][q];
		axes[i][p] = c * u - s * v;
		axes[i][q] = s * u + c * v;
	}
}

/* Cyclic Jacobi (Golub and Van Loan, Matrix Computations, 8.5) in a fixed order. A diagonal matrix keeps its axes. The
 * upper triangle of m is read. */
Quat MatDiagonalize(Mat3 m, Vec3 *values)
{
	double a[3][3] = {{(double)m.cx.x, (double)m.cy.x, (double)m.cz.x},
	                  {(double)m.cy.x, (double)m.cy.y, (double)m.cz.y},
	                  {(double)m.cz.x, (double)m.cz.y, (double)m.cz.z}};
	double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	for (int sweep = 0; sweep < JACOBI_SWEEPS; sweep++) {
		double off = AbsD(a[0][1]) + AbsD(a[0][2]) + AbsD(a[1][2]);
		double scale = AbsD(a[0][0]) + AbsD(a[1][1]) + AbsD(a[2][2]);
		/* Also ends for NaN. */
		if (!(off > 1e-16 * scale))
			break;
		JacobiRotate(a, axes, 0, 1);
		JacobiRotate(a, axes, 0, 2);
		JacobiRotate(a, axes, 1, 2);
	}
	*values = V3((float)a[0][0], (float)a[1][1], (float)a[2][2]);
	Mat3 turn = {V3((float)axes[0][0], (float)axes[1][0], (float)axes[2][0]),
	             V3((float)axes[0][1], (float)axes[1][1], (float)axes[2][1]),
	             V3((float)axes[0][2], (float)axes[1][2], (float)axes[2][2])};
	return MatToQuat(turn);
}
