/* Every C test suite, once: SUITE(name) stands for `Suite *suite_name(void)` in test_name.c. */
SUITE(base)
SUITE(tasks)
SUITE(files)
SUITE(math)
