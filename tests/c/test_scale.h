/* LESS(n): how often a long test does what it does n times in a plain build. With sanitizers, which take ten times as
 * long, a fifth has to do; who counts through combinations goes in steps of TEST_STEP, which shares no divisor
 * with their numbers. */
#ifndef TESTS_TEST_SCALE_H
#define TESTS_TEST_SCALE_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SCREE_TEST_SCALE 5
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SCREE_TEST_SCALE 5
#endif
#endif
#ifndef SCREE_TEST_SCALE
#define SCREE_TEST_SCALE 1
#endif

#define TEST_STEP (SCREE_TEST_SCALE > 1 ? 7 : 1)
#define LESS(n) (((n) + SCREE_TEST_SCALE - 1) / SCREE_TEST_SCALE)

#endif
