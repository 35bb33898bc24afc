/* XXH3, 64 bits, from the xxHash library (Yann Collet). Its state is laid into the caller's Hasher, so hashing never
 * allocates; the layout has been fixed since xxHash 0.8.0. */
#include "base/base.h"

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= sizeof(((Hasher *)0)->state), "Hasher.state must hold xxHash's state");
_Static_assert(_Alignof(Hasher) >= _Alignof(XXH3_state_t), "Hasher must be aligned as xxHash's state");

void Hasher_Init(Hasher *hasher)
{
	/* The library's reset leaves its buffer as it is; zero makes copies of a Hasher the same bytes everywhere. */
	memset(hasher->state, 0, sizeof hasher->state);
	XXH3_64bits_reset((XXH3_state_t *)(void *)hasher->state);
}

void Hasher_Bytes(Hasher *hasher, const void *data, size_t size)
{
	READ_ELSEWHERE(data, size);
	if (size > 0)
		XXH3_64bits_update((XXH3_state_t *)(void *)hasher->state, data, size);
}

uint64_t Hasher_Value(const Hasher *hasher)
{
	return XXH3_64bits_digest((const XXH3_state_t *)(const void *)hasher->state);
}

uint64_t Hash_Bytes(const void *data, size_t size)
{
	READ_ELSEWHERE(data, size);
	return XXH3_64bits(size > 0 ? data : "", size);
}
