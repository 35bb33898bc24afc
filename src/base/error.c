/* Error texts. */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>

int Error_Set(Error *error, ErrorCode code, const char *format, ...)
{
	if (!error)
		return code;
	error->code = code;
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(error->text, sizeof error->text, format, arguments);
	va_end(arguments);
	if (length < 0)
		error->text[0] = '\0';
	else if ((size_t)length >= sizeof error->text)
		memcpy(error->text + sizeof error->text - 4, "...", 4); /* a cut text shows that it is cut */
	return code;
}

int Error_OutOfMemory(Error *error)
{
	return Error_Set(error, ERROR_MEMORY, "out of memory");
}
