/* What whole files and files made piece by piece share. Private to the room. */
#ifndef SCREE_BASE_FILE_INTERNAL_H
#define SCREE_BASE_FILE_INTERNAL_H

#include "base/base.h"

#define FILE_PATH_LIMIT 4096

int File_FailWith(Error *error, const char *action, const char *path, int number);
/* Makes a temporary beside `path`; `temporary` has FILE_PATH_LIMIT bytes. */
int File_Create(const char *path, char *temporary, int *fd, Error *error);
int File_WriteAll(int fd, const char *data, size_t size); /* 0 or an errno value */
/* Closes the temporary and, unless `number` is an errno value, puts it in the place of `path`. Removes it on failure.
 */
int File_Replace(const char *path, char *temporary, int fd, int number, Error *error);

#endif
