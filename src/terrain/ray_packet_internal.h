/* What the files of packets of rays share (ray_packet.c, ray_packet_set.c, ray_packet_hit.c). */
#ifndef SCREE_TERRAIN_RAY_PACKET_INTERNAL_H
#define SCREE_TERRAIN_RAY_PACKET_INTERNAL_H

#include "terrain/ray_fast_internal.h"

#if SCREE_X86

enum {
	PACKET_VECTORS = 2, /* of eight floats, one a ray */
	PACKET_QUADS = 4,   /* of four doubles, likewise */
	PACKET_HITS = 96
};

#define PACKET_CELLS 2048.0 /* longer rays go alone: a float places them no better than 1/4096 cell */

/* A triangle that some ray met. */
typedef struct PacketHit {
	Crossing crossing; /* without s */
	TerrainHit told;   /* without the fraction; when is_told */
	bool is_told;
} PacketHit;

/* Rays beyond the last one are copies of it, of which nothing is told. */
typedef struct Packet {
	/* By axis and ray, as in Ray. */
	double origin[3][PACKET_RAYS], dir[3][PACKET_RAYS];
	double length[PACKET_RAYS]; /* of the segment */
	double end[PACKET_RAYS];
	double limit[PACKET_RAYS], back[PACKET_RAYS]; /* as in Cast */
	double leaves[PACKET_RAYS];                   /* s where it leaves the box of all records */
	double slope_u[PACKET_RAYS], slope_v[PACKET_RAYS];
	double at_u[PACKET_RAYS], at_v[PACKET_RAYS]; /* u and v where k is 0, cells */
	/* By eight rays: the same rounded, and what the float test needs, see FastRay. */
	__m256 near_u[PACKET_VECTORS], near_v[PACKET_VECTORS], lean_u[PACKET_VECTORS], lean_v[PACKET_VECTORS];
	__m256 turned_u[PACKET_VECTORS], sign;
	Terrain *terrain;
	const Pos *from, *to;
	TerrainRayOptions options;
	int count;
	Cell frame;
	int k, u, v;
	bool up, sides;
	uint32_t found, unclear, left_all; /* a bit a ray, as in Cast */
	uint32_t known;                    /* those that are done */
	uint8_t hit[PACKET_RAYS];          /* place in `hits` of the nearest, when found */
	int hit_count;
	int least[3], most[3]; /* blocks with records lie within */
	__m128i frame_uv;      /* u, v, u, v of the frame */
	/* The part that is walked: which vectors, and the furthest k that any of them has to come to. */
	int first, vectors;
	float reach;
	PacketHit hits[PACKET_HITS];
} Packet;

/* A block whose quads are tested. */
typedef struct PacketOwner {
	const Collider *collider;
	Cell block;
	__m256 base_u[PACKET_VECTORS], base_v[PACKET_VECTORS];
} PacketOwner;

static inline int At(Cell cell, int axis)
{
	return axis == 0 ? cell.x : axis == 1 ? cell.y : cell.z;
}

/* The rays from `from` to `to`, as many of the first `count` as go together; sets all but the rest of the walk.
 * (ray_packet_set.c) */
int Packet_Set(Packet *packet, int count);
/* A quad that rays are sure to meet (bits of first, second: by triangle) or may meet (open). False: no room for another
 * hit. (ray_packet_hit.c) */
bool Packet_Meet(Packet *packet, const PacketOwner *owner, int quad, unsigned first, unsigned second, unsigned open);
/* What there is to say of a ray that is known: as Terrain_Ray. */
int Packet_Tell(Packet *packet, int ray, TerrainHit *hit);

#endif
#endif
