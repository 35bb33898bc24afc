/* What the two files of the target `calls` share: a play, and its acts (calls_acts.c). */
#ifndef TESTS_FUZZ_PLAY_H
#define TESTS_FUZZ_PLAY_H

#include "fuzz.h"

#include "api/api_internal.h"

#define CEILING ((size_t)512 << 20)
#define MOST_CALLS 160
#define MOST_BODIES 24
#define MOST_JOINTS 16
#define MOST_STEPS 60
#define MOST_LISTED 4096

typedef struct Play {
	Input in;
	ScreeWorld *world;
	ScreeId bodies[MOST_BODIES], joints[MOST_JOINTS]; /* made so far, destroyed ones too */
	int body_count, joint_count, steps;
	const void *snapshot; /* a copy */
	double snapshot_size;
	bool is_step; /* the last call: it may stop half-way */
} Play;

/* Each makes one call, or a few, with arguments from the play's bytes, and gives its result. `which`: any number below
 * the count. */
#define CHANGE_COUNT 23
#define EDIT_COUNT 15
#define BREAK_COUNT 11
#define ASK_COUNT 14
int32_t Play_Spawn(Play *play);
int32_t Play_Join(Play *play);
int32_t Play_SetJoint(Play *play);
int32_t Play_Change(Play *play, int which);
int32_t Play_Edit(Play *play, int which);
int32_t Play_Break(Play *play, int which);
void Play_Ask(Play *play, int which); /* changes nothing */

#endif
