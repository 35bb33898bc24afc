/* What the archive of the dynamics room is made of. One function describes a thing both ways; when reading, all that
 * is wrong is found here: numbers beyond their limits, indices of what is not there, lists that do not close. */
#ifndef SCREE_DYNAMICS_ARCHIVE_INTERNAL_H
#define SCREE_DYNAMICS_ARCHIVE_INTERNAL_H

#include "dynamics/dynamics_internal.h"

#define SIZE_LIMIT 1e6f /* m: of parts, and from the middle of a body */

static inline void Archive_Vec3(Archive *ar, Vec3 *v)
{
	Archive_F32s(ar, &v->x, 3);
}
static inline void Archive_Vec3D(Archive *ar, Vec3D *v)
{
	Archive_F64s(ar, &v->x, 3);
}
static inline void Archive_Mat3(Archive *ar, Mat3 *m)
{
	Archive_Vec3(ar, &m->cx);
	Archive_Vec3(ar, &m->cy);
	Archive_Vec3(ar, &m->cz);
}
/* A unit quaternion; the zero one where reading has failed is made the identity. */
void Archive_Quat(Archive *ar, Quat *q);
static inline void Archive_Pos(Archive *ar, Pos *p)
{
	Archive_F64s(ar, &p->x, 3);
}
static inline void Archive_Xform(Archive *ar, Xform *x)
{
	Archive_Vec3(ar, &x->p);
	Archive_Quat(ar, &x->q);
}
static inline void Archive_Pose(Archive *ar, Pose *x)
{
	Archive_Pos(ar, &x->p);
	Archive_Quat(ar, &x->q);
}
static inline void Archive_Byte(Archive *ar, uint8_t *value, int limit)
{
	int number = *value;
	Archive_Int(ar, &number, 0, limit - 1);
	*value = (uint8_t)number;
}

/* A list of different numbers in [0, limit): slots. */
typedef ARRAY(int) IntList;
bool Archive_Slots(Archive *ar, Memory *memory, IntList *list, int limit);

void Archive_Shape(Archive *ar, Memory *memory, Shape *shape); /* a hull is made anew */
bool Archive_Ids(IdPool *ids, Memory *memory, Archive *ar);
bool Archive_Joints(Dynamics *d, Archive *ar);                      /* after the bodies */
void Archive_Reason(Dynamics *d, Archive *ar, const char **reason); /* a text that lives on */
bool Archive_Bodies(Dynamics *d, Archive *ar);
bool Archive_Contacts(Dynamics *d, Archive *ar);
bool Archive_Grounds(Dynamics *d, Archive *ar);
bool Archive_Events(Dynamics *d, Archive *ar);

#endif
