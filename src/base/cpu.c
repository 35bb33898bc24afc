/* What the processor can do, for the rooms that have a fast form of their code beside the plain one. */
#include "base/base.h"

#include <stdlib.h>

bool Cpu_Simd(void)
{
	const char *wish = getenv("SCREE_SIMD");
	if (wish && wish[0] == '0' && !wish[1])
		return false;
#if SCREE_X86
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
	return false;
#endif
}
