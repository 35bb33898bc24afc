/* Runs all Check suites, or those named on the command line. Check's closing line counts them. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUITE(name) Suite *suite_##name(void);
#include "suites.h"
#undef SUITE

static bool Wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc <= 1;
}

int main(int argc, char **argv)
{
	SRunner *runner = srunner_create(NULL);
#define SUITE(name)                                                                                                    \
	if (Wanted(#name, argc, argv))                                                                                     \
		srunner_add_suite(runner, suite_##name());
#include "suites.h"
#undef SUITE
	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	int run = srunner_ntests_run(runner);
	srunner_free(runner);
	return failed == 0 && run > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
