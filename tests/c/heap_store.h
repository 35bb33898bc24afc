/* A store on a counted heap, and a table of materials: the set-up of several tests. */
#ifndef TESTS_HEAP_STORE_H
#define TESTS_HEAP_STORE_H

#include "require.h"
#include "voxel/voxel.h"

#include <check.h>
#include <stdlib.h>

static Memory heap;
static MaterialTable *table;
static Store *store;

static inline void Setup(void)
{
	Memory_Init(&heap, NULL, NULL);
	table = malloc(sizeof *table);
	MaterialTable_Init(table);
	store = Store_Create(&heap);
}

/* The store must be sound and give back every byte. */
static inline void Teardown(void)
{
	char why[200] = "";
	REQUIRE(Store_Validate(store, why, sizeof why), "%s", why);
	Store_Destroy(store);
	free(table);
	ck_assert_uint_eq(heap.bytes, 0);
}

#endif
