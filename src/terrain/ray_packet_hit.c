/* Triangles that rays of a packet meet, four rays at a time: the operations of Cast_Triangle in the same order. Rays of
 * a view often meet the same one: what there is to say of it is found once. */
#include "terrain/ray_packet_internal.h"

#if SCREE_X86

SIMD_FUNCTION static inline __m256d Magnitudes(__m256d v)
{
	return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v);
}

/* The first of three numbers times others, plus the second, plus the third. */
SIMD_FUNCTION static inline __m256d DotFour(const double n[3], const __m256d v[3])
{
	__m256d x = _mm256_mul_pd(_mm256_set1_pd(n[0]), v[0]), y = _mm256_mul_pd(_mm256_set1_pd(n[1]), v[1]);
	return _mm256_add_pd(_mm256_add_pd(x, y), _mm256_mul_pd(_mm256_set1_pd(n[2]), v[2]));
}

/* The place of a triangle among the hits: the last one, or a new one. -1: there is no room. */
static int HitPlace(Packet *packet, const Crossing *crossing, int *place)
{
	if (*place >= 0)
		return *place;
	if (packet->hit_count == PACKET_HITS)
		return -1;
	*place = packet->hit_count++;
	packet->hits[*place].crossing = *crossing;
	packet->hits[*place].is_told = false;
	return *place;
}

/* The exact test for one ray, as if it were alone. */
static bool MeetAlone(Packet *packet, const PacketOwner *owner, int quad, int i)
{
	Ray ray;
	Cast cast;
	ColliderAt at;
	int source = Int_Min(i, packet->count - 1); /* those beyond the last are copies of it, which nobody handed in */
	if (!Ray_SetFast(&ray, packet->terrain, packet->from[source], packet->to[source]))
		return false;
	ray.end = packet->end[i];
	Cast_Begin(&cast, packet->terrain, &ray, CAST_NEAREST);
	cast.sides = packet->sides;
	cast.limit = packet->limit[i];
	cast.found = packet->found >> i & 1;
	if (cast.found) {
		cast.nearest = packet->hits[packet->hit[i]].crossing;
		cast.nearest.s = cast.limit;
	}
	cast.back = packet->back[i];
	ColliderAt_Set(&at, &ray, owner->collider, owner->block);
	Cast_Quad(&cast, &at, quad);
	packet->back[i] = cast.back;
	packet->unclear |= packet->sides ? 1u << i : 0; /* see EDGE_SLACK in ray_fast_quads.c */
	if (cast.count == 0)
		return true;
	int place = -1;
	if (HitPlace(packet, &cast.nearest, &place) < 0)
		return false;
	packet->found |= 1u << i;
	packet->limit[i] = cast.limit;
	packet->hit[i] = (uint8_t)place;
	return true;
}

/* rays: bits of those that surely meet it. */
SIMD_FUNCTION static bool MeetTriangle(Packet *packet, const PacketOwner *owner, int quad, int half, unsigned rays)
{
	QuadCorners corner;
	Crossing crossing = {
	    .collider = owner->collider, .block = owner->block, .quad = (uint16_t)quad, .half = (uint8_t)half};
	Collider_Quad(owner->collider, quad, corner);
	const uint16_t *a = corner[0], *b = corner[1 + half], *c = corner[2 + half];
	int ab[3], ac[3], place = -1;
	double *n = crossing.normal, at[3];
	for (int i = 0; i < 3; i++) {
		ab[i] = b[i] - a[i];
		ac[i] = c[i] - a[i];
		at[i] = a[i] + ((double)(At(owner->block, i) - At(packet->frame, i)) * BLOCK_UNITS - SURFACE_UNIT);
	}
	n[0] = ab[1] * ac[2] - ab[2] * ac[1];
	n[1] = ab[2] * ac[0] - ab[0] * ac[2];
	n[2] = ab[0] * ac[1] - ab[1] * ac[0];
	const __m256d zero = _mm256_setzero_pd();
	const __m256d flat = _mm256_set1_pd((AbsD(n[0]) + AbsD(n[1]) + AbsD(n[2])) * FLAT_CROSSING);
	for (int i = 0; i < PACKET_RAYS; i += 4) {
		const unsigned four = rays >> i & 15;
		if (four == 0)
			continue;
		const __m256d dir[3] = {_mm256_loadu_pd(packet->dir[0] + i), _mm256_loadu_pd(packet->dir[1] + i),
		                        _mm256_loadu_pd(packet->dir[2] + i)};
		__m256d from[3];
		for (int k = 0; k < 3; k++)
			from[k] = _mm256_sub_pd(_mm256_set1_pd(at[k]), _mm256_loadu_pd(packet->origin[k] + i));
		__m256d along = DotFour(n, dir), s = _mm256_div_pd(DotFour(n, from), along);
		unsigned front = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(along, zero, _CMP_LT_OQ)) & four;
		if (packet->sides) {
			__m256d clear = _mm256_and_pd(_mm256_cmp_pd(Magnitudes(along), flat, _CMP_GT_OQ),
			                              _mm256_cmp_pd(Magnitudes(s), _mm256_set1_pd(CLEAR_UNITS), _CMP_GT_OQ));
			packet->unclear |= (~(unsigned)_mm256_movemask_pd(clear) & four) << i;
			unsigned behind = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(s, zero, _CMP_GT_OQ)) & four & ~front;
			if (behind) {
				double at_s[4];
				_mm256_storeu_pd(at_s, s);
				for (; behind; behind &= behind - 1) {
					int ray = __builtin_ctz(behind);
					packet->back[i + ray] = MinD(packet->back[i + ray], at_s[ray]);
				}
			}
		}
		__m256d limit = _mm256_loadu_pd(packet->limit + i);
		__m256d within = _mm256_and_pd(_mm256_cmp_pd(s, zero, _CMP_GE_OQ), _mm256_cmp_pd(s, limit, _CMP_LE_OQ));
		unsigned met = (unsigned)_mm256_movemask_pd(within) & front;
		if (met == 0)
			continue;
		double at_s[4];
		_mm256_storeu_pd(at_s, s);
		for (; met; met &= met - 1) {
			const int ray = i + __builtin_ctz(met);
			crossing.s = at_s[ray - i];
			if ((packet->found >> ray & 1) && crossing.s == packet->limit[ray] &&
			    !Crossing_Before(&crossing, &packet->hits[packet->hit[ray]].crossing))
				continue;
			if (HitPlace(packet, &crossing, &place) < 0)
				return false;
			packet->found |= 1u << ray;
			packet->limit[ray] = crossing.s;
			packet->hit[ray] = (uint8_t)place;
		}
	}
	return true;
}

bool Packet_Meet(Packet *packet, const PacketOwner *owner, int quad, unsigned first, unsigned second, unsigned open)
{
	for (unsigned left = open; left; left &= left - 1)
		if (!MeetAlone(packet, owner, quad, __builtin_ctz(left)))
			return false;
	return (!(first & ~open) || MeetTriangle(packet, owner, quad, 0, first & ~open)) &&
	       (!(second & ~open) || MeetTriangle(packet, owner, quad, 1, second & ~open));
}

/* As Cast_StartsOutside. */
static bool StartsOutside(const Packet *packet, int i)
{
	if (packet->unclear >> i & 1)
		return false;
	return packet->found >> i & 1 ? packet->back[i] > packet->limit[i] + CLEAR_UNITS
	                              : (packet->left_all >> i & 1) && packet->back[i] == DBL_MAX;
}

/* It has to be seen where it starts. */
static int TellInDoubt(Packet *packet, int i, TerrainHit *hit)
{
	Segment segment;
	Cast cast;
	if (Segment_From(packet->terrain, packet->from[i], packet->to[i], packet->options.limit, &segment, NULL) <= 0)
		return 0;
	Cast_Begin(&cast, packet->terrain, &segment.ray, CAST_NEAREST);
	cast.sides = cast.unclear = true;
	cast.found = packet->found >> i & 1;
	if (cast.found) {
		cast.nearest = packet->hits[packet->hit[i]].crossing;
		cast.nearest.s = cast.limit = packet->limit[i];
	}
	return Segment_Conclude(packet->terrain, &segment, packet->options, &cast, hit);
}

int Packet_Tell(Packet *packet, int i, TerrainHit *hit)
{
	if (packet->sides && !StartsOutside(packet, i))
		return TellInDoubt(packet, i, hit);
	if (!(packet->found >> i & 1))
		return 0;
	PacketHit *met = &packet->hits[packet->hit[i]];
	if (!met->is_told) {
		met->told = Crossing_Hit(&met->crossing);
		met->is_told = true;
	}
	*hit = met->told;
	hit->fraction = MinD((0.0 + packet->limit[i]) / packet->length[i], 1.0);
	return 1;
}

#endif
