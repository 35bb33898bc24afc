/* What the files of sleep share: sleep.c (falling asleep), wake.c, watch.c and struck.c (the state "checking"). */
#ifndef SCREE_DYNAMICS_SLEEP_INTERNAL_H
#define SCREE_DYNAMICS_SLEEP_INTERNAL_H

#include "dynamics/dynamics_internal.h"

#define BLOW_SPEED 0.28f    /* m/s: closing faster, a touch wakes */
#define DRIVEN_SPEED 0.001f /* m/s: slower, what moves by itself does not wake what it touches */
#define WATCH_CHANGE 0.1f   /* m/s2: a load that changes by more of a body's mass is news to it */
#define LONE_REST 3.0f      /* sleep times: what stays in place for so long is at rest if it touches nothing movable */
#define SHARED_REST 4.0f    /* ... no less than so long, where it touches other things, */
#define LONG_REST 6.0f      /* ... or for so long, whatever it touches, */
#define LONGEST_REST 8.0f   /* ... or so long, where it is held from the side and trembles */
#define LONG_REACH 0.02f    /* m: in place, at most */
#define TREMBLING 2.0f      /* times the speeds that are slow: what trembles in its place may be so fast */
#define CALM_REACH 0.0004f  /* m: what goes no farther in either half of its window hardly moves */
#define CALM_GROWTH 1.2f    /* ... nor so many times as far in the second half as in the first, */
#define CALM_NOISE 0.00003f /* m: ... beyond this, */
#define FIRM_CALM_NOISE 0.0001f /* or, where it stands firmly, this */
#define FIRM_UPRIGHT 0.9f       /* what bears such a body: square of the cosine between its normal and gravity */
#define STEADY_SHARE 0.01f      /* of the squares of loads: what changes by more in half a window may give way, */
#define FIRM_STEADY_SHARE 0.03f /* or, where it stands firmly, by more than this; */
#define LEAST_LOAD 0.005f       /* of the weight: what a point bears beyond this counts */
#define ROOTS_TO_SQUARES 4.0f   /* a share of the squares of loads is so many times that of the roots */
#define STEADY_NOISE 0.003f     /* ... less is no change */
#define FADING_LIMIT 3          /* half windows in which a load changed the same way: so it goes on */
#define YIELD_REST 12.0f        /* sleep times: after so long in one place that counts no longer */
#define START_SPEED 0.02f       /* m/s: what is faster, */
#define START_GROWTH 4.0f       /* ... and so many times as fast as it was in its place of late, begins to leave it */
#define SLOWER 0.5f             /* ... and what is so many times as fast, or less, does not */
#define BUSTLE_MEAN 4.0f        /* sleep times: that is of late */
#define DRIFT_MEAN 0.5f         /* s, over which the drift of what is watched is averaged */
#define DRIFT_SPEED 0.001f      /* m/s: ... and the mean that wakes it */
#define GIVE_LIMIT 0.003f       /* m: a sleeper that has given way by more wakes */
#define WHOLE_REST 6.0f         /* sleep times: a group that has been in place for so long sleeps, though it trembles */
#define KEPT_REST 3.0f    /* sleep times of these, at most, that a sleeper which its neighbours shook awake has left */
#define LEAVE_REST 2.0f   /* sleep times: ... and what has been slow for so long may sleep beside what moves */
#define QUIET_REST 10.0f  /* sleep times: ... or has stayed in place for so long, calm and under steady loads, */
#define STAY_REST 16.0f   /* ... or for so long, though it trembles, */
#define JOINED_REST 24.0f /* and for so long, where joints hold it */

/* What the neighbour of the walk does to the other side of what ties them, N: on the neighbour, as of the last step in
 * which either was simulated. */
Vec3 Neighbour_Force(const Dynamics *d, const NeighbourWalk *walk);

/* ---- sleep.c ----------------------------------------------------------------------------------------------------- */

float Sleep_Balance(const Dynamics *d, const Body *body); /* m/s2: more is a net force on it */

/* ---- wake.c ------------------------------------------------------------------------------------------------------ */

/* A body has moved: the separations of its contacts follow, until they are worked out anew. `turn`: small, as a
 * rotation vector. */
void Sleep_MoveContacts(Dynamics *d, int slot, Vec3 shift, Vec3 turn);
bool Sleep_CanWake(const Dynamics *d, int slot);
/* Of what was woken from this place of the awake list on, everything that is tied to it by joints. They share what
 * strains them: a member that was held fast would take on other loads, and be out of balance when it wakes later. What
 * was watched goes on with the velocity that was found for it. */
bool Sleep_WakeJoined(Dynamics *d, int first, bool welds_only, const char *reason);

/* ---- watch.c ----------------------------------------------------------------------------------------------------- */

/* Who is watched in this step; its velocities are solved for with those of the awake. */
bool Watch_Update(Dynamics *d, float dt);
bool Watch_Add(Dynamics *d, int slot);
bool Watch_AddStruck(Dynamics *d, float dt); /* what a blow is passed on to (struck.c) */
/* Wakes those that began to move. Room for an event each must be there. */
bool Watch_WakeMoving(Dynamics *d);
void Watch_Remember(Dynamics *d, int slot);             /* the forces that it falls asleep in balance with */
float Watch_Limit(const Dynamics *d, const Body *body); /* m/s: the drift that wakes it */

#endif
