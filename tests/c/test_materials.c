/* The table of materials. */
#include "store_twin.h"

#include <stdio.h>

START_TEST(test_materials)
{
	static const char *names[] = {"air",    "water", "grass",     "ground",    "sand",     "mud",   "rock",
	                              "basalt", "slate", "sandstone", "limestone", "concrete", "brick", "wood",
	                              "ice",    "snow",  "glacier",   "asphalt",   "salt",     "metal"};
	static MaterialTable table;
	Error error;
	MaterialTable_Init(&table);
	ck_assert_int_eq(table.count, COUNT_OF(names));
	for (int i = 0; i < COUNT_OF(names); i++) {
		ck_assert_int_eq(MaterialTable_Find(&table, names[i]), i);
		/* All but air pass their own checks. */
		ck_assert_int_eq(MaterialTable_Put(&table, &(Material){.name = ""}, &error), ERROR_ARGUMENT);
		if (i != MATERIAL_AIR) {
			Material same = table.items[i];
			ck_assert_int_eq(MaterialTable_Put(&table, &same, &error), i);
		}
	}
	ck_assert_int_eq(MaterialTable_Find(&table, "cheese"), -1);
	ck_assert_int_eq(MaterialTable_Find(&table, NULL), -1);
	Material m = {.name = "Gold_2", .density = 19300, .friction = 0.4f, .restitution = 0.2f, .color = 0xFFD700};
	uint32_t version = table.version;
	ck_assert_int_eq(MaterialTable_Put(&table, &m, &error), COUNT_OF(names));
	ck_assert_uint_eq(table.version, version + 1);
	m.density = 19000;
	ck_assert_int_eq(MaterialTable_Put(&table, &m, &error), COUNT_OF(names));
	ck_assert(table.items[COUNT_OF(names)].density == 19000);

#define REFUSED(field, value, part)                                                                                    \
	do {                                                                                                               \
		Material bad = m;                                                                                              \
		bad.field = value;                                                                                             \
		version = table.version;                                                                                       \
		ck_assert_int_eq(MaterialTable_Put(&table, &bad, &error), ERROR_ARGUMENT);                                     \
		REQUIRE(strstr(error.text, part), "%s", error.text);                                                           \
		ck_assert_uint_eq(table.version, version);                                                                     \
	} while (0)

	REFUSED(density, 0.0f, "density is 0");
	REFUSED(density, (float)NAN, "density");
	REFUSED(density, (float)INFINITY, "density");
	REFUSED(friction, -0.5f, "friction is -0.5");
	REFUSED(restitution, 1.5f, "restitution is 1.5");
	REFUSED(rolling, -1.0f, "rolling");
	REFUSED(hardness, (float)NAN, "hardness");
	REFUSED(blockiness, 2.0f, "blockiness is 2");
	REFUSED(color, 0x1000000, "color");
	REFUSED(name[0], '9', "9old_2");
	REFUSED(name[4], '-', "Gold-2");
	Material air = table.items[0];
	ck_assert_int_eq(MaterialTable_Put(&table, &air, &error), ERROR_ARGUMENT);
	memset(m.name, 'a', sizeof(m.name));
	ck_assert_int_eq(MaterialTable_Put(&table, &m, &error), ERROR_ARGUMENT);
	Material water = table.items[1];
	water.density = 1025;
	ck_assert_int_eq(MaterialTable_Put(&table, &water, &error), MATERIAL_WATER);
	for (int i = table.count; i < MATERIAL_LIMIT; i++) {
		snprintf(m.name, sizeof(m.name), "m%d", i);
		ck_assert_int_eq(MaterialTable_Put(&table, &m, &error), i);
	}
	snprintf(m.name, sizeof(m.name), "one_more");
	ck_assert_int_eq(MaterialTable_Put(&table, &m, &error), ERROR_LIMIT);
	ck_assert_int_eq(MaterialTable_Find(&table, "m255"), 255);
}
END_TEST

Suite *suite_materials(void);
Suite *suite_materials(void)
{
	Suite *suite = suite_create("materials");
	TCase *tests = tcase_create("materials");
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, test_materials);
	suite_add_tcase(suite, tests);
	return suite;
}
