/* A store on an allocator that fails on command, and a table of materials: the set-up of several tests. */
#ifndef TESTS_FAILING_STORE_H
#define TESTS_FAILING_STORE_H

#include "failing_memory.h"
#include "voxel/voxel.h"

#include <check.h>

static FailingMemory memory;
static Store *store;
static MaterialTable table;

static inline void Setup(void)
{
	FailingMemory_Init(&memory, -1);
	store = Store_Create(&memory.memory);
	ck_assert_ptr_nonnull(store);
	MaterialTable_Init(&table);
}

/* The store must be sound and give back every byte. */
static inline void Teardown(void)
{
	char why[200] = "";
	ck_assert_msg(Store_Validate(store, why, sizeof why), "%s", why);
	Store_Destroy(store);
	ck_assert_uint_eq(memory.memory.bytes, 0);
}

#endif
