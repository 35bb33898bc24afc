/* Support functions of every kind of shape in double, and the best separating direction of two by plain search. */
#ifndef TESTS_CURVED_TWINS_H
#define TESTS_CURVED_TWINS_H

#include "collide_twins.h"

static inline P3 TwinUnturn(Quat q, P3 v)
{
	return TwinTurn((Quat){-q.x, -q.y, -q.z, q.w}, v);
}

/* How far the placed shape reaches along n (unit). */
static inline double Twin_Reach(const Shape *s, Xform at, P3 n)
{
	P3 d = TwinUnturn(at.q, n);
	double across = sqrt(d.x * d.x + d.z * d.z), r = s->radius, h = s->half_length, best = -DBL_MAX;
	switch (s->kind) {
	case SHAPE_BALL:
		best = r;
		break;
	case SHAPE_CAPSULE:
		best = r + h * fabs(d.y);
		break;
	case SHAPE_BOX:
		best = s->half.x * fabs(d.x) + s->half.y * fabs(d.y) + s->half.z * fabs(d.z);
		break;
	case SHAPE_CYLINDER:
		best = r * across + h * fabs(d.y);
		break;
	case SHAPE_CONE:
		best = fmax(h * d.y, r * across - h * d.y);
		break;
	default:
		for (int i = 0; i < s->hull->vertex_count; i++)
			best = fmax(best, P3Dot(d, P3Of(s->hull->vertices[i])));
	}
	return best + P3Dot(n, P3Of(at.p));
}

typedef struct TwinPair {
	const Shape *a, *b;
	Xform ta, tb;
} TwinPair;

/* Of B from A along n. */
static inline double TwinPair_Along(const TwinPair *pair, P3 n)
{
	P3 back = {-n.x, -n.y, -n.z};
	return -Twin_Reach(pair->b, pair->tb, back) - Twin_Reach(pair->a, pair->ta, n);
}

/* Climbs from n by ever smaller steps, each round in other directions, so that a sharp ridge does not hold it up. */
static inline double TwinPair_Climb(const TwinPair *pair, P3 *n, double step)
{
	double best = TwinPair_Along(pair, *n), spin = 0.0;
	while (step > 1e-8) {
		P3 e = fabs(n->x) < 0.6 ? (P3){1, 0, 0} : (P3){0, 1, 0};
		P3 u = P3Unit(P3Cross(*n, e)), v = P3Cross(*n, u);
		bool better = false;
		spin += 0.618033988749895;
		for (int i = 0; i < 12 && !better; i++) {
			double angle = (i + spin) * PI / 6.0;
			P3 m = P3Unit(P3Add(P3Add(*n, step * cos(angle), u), step * sin(angle), v));
			double s = TwinPair_Along(pair, m);
			if (s > best) {
				best = s;
				*n = m;
				better = true;
			}
		}
		step *= better ? 1.5 : 0.8;
	}
	return best;
}

#define TWIN_DIRECTIONS 300
#define TWIN_CLIMBS 8

/* The best of many starts; and from some directions that are known to matter. */
static inline double TwinPair_Separation(const TwinPair *pair, const P3 *hints, int hint_count, P3 *normal)
{
	P3 start[TWIN_CLIMBS];
	double value[TWIN_CLIMBS];
	int count = 0;
	for (int i = 0; i < TWIN_DIRECTIONS + hint_count; i++) {
		double y = 1.0 - (2.0 * i + 1.0) / TWIN_DIRECTIONS, a = i * PI * (3.0 - sqrt(5.0)), s = sqrt(fabs(1.0 - y * y));
		P3 n = i < TWIN_DIRECTIONS ? (P3){s * cos(a), y, s * sin(a)} : hints[i - TWIN_DIRECTIONS];
		double along = TwinPair_Along(pair, n);
		int at = count < TWIN_CLIMBS ? count++ : TWIN_CLIMBS - 1;
		if (at == TWIN_CLIMBS - 1 && count == TWIN_CLIMBS && along <= value[at] && i >= TWIN_CLIMBS)
			continue;
		while (at > 0 && value[at - 1] < along) {
			value[at] = value[at - 1];
			start[at] = start[at - 1];
			at--;
		}
		value[at] = along;
		start[at] = n;
	}
	double best = -DBL_MAX;
	for (int i = 0; i < count; i++) {
		double s = TwinPair_Climb(pair, &start[i], 0.05);
		if (s > best) {
			best = s;
			*normal = start[i];
		}
	}
	return best;
}

#endif
