/* REQUIRE(condition, format, ...): like ck_assert_msg, but costs nothing while it holds. Check writes down the place of
 * every ck_assert that is passed, which is far too slow for the insides of loops. */
#ifndef TESTS_REQUIRE_H
#define TESTS_REQUIRE_H

#include <check.h>

#define REQUIRE(condition, ...)                                                                                        \
	do {                                                                                                               \
		if (!(condition))                                                                                              \
			ck_abort_msg(__VA_ARGS__);                                                                                 \
	} while (0)

#endif
