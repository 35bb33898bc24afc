/* What the blocks of block games are to the ground. */
#include "voxel/blocks_internal.h"

#include <stdlib.h>

/* The first words that fit decide: `name` whole, or as its end where it begins with '_', or as its start where it ends
 * with '_'. */
typedef struct BlockRule {
	const char *name, *material;
} BlockRule;

static const BlockRule rules[] = {
    {"air", "air"},
    {"cave_air", "air"},
    {"void_air", "air"},
    {"structure_void", "air"},
    {"ignore", "air"},
    {"barrier", "air"},
    {"light", "air"},
    {"water", "water"},
    {"flowing_water", "water"},
    {"water_source", "water"},
    {"water_flowing", "water"},
    {"river_water_source", "water"},
    {"river_water_flowing", "water"},
    {"bubble_column", "water"},
    {"_leaves", NULL},
    {"leaves", NULL},
    {"_sapling", NULL},
    {"grass_block", "grass"},
    {"grass", "grass"},
    {"mycelium", "grass"},
    {"dirt_with_", "grass"},
    {"dirt", "ground"},
    {"_dirt", "ground"},
    {"dirt_", "ground"},
    {"podzol", "ground"},
    {"farmland", "ground"},
    {"grass_path", "ground"},
    {"gravel", "ground"},
    {"soul_soil", "ground"},
    {"sand", "sand"},
    {"_sand", "sand"},
    {"mud", "mud"},
    {"clay", "mud"},
    {"sandstone", "sandstone"},
    {"_sandstone", "sandstone"},
    {"sandstone_", "sandstone"},
    {"desert_stone", "sandstone"},
    {"bricks", "brick"},
    {"brick", "brick"},
    {"brick_block", "brick"},
    {"brick_", "brick"},
    {"stone_bricks", "rock"},
    {"stonebrick", "rock"},
    {"_stone_bricks", "rock"},
    {"deepslate", "slate"},
    {"_deepslate", "slate"},
    {"deepslate_", "slate"},
    {"tuff", "slate"},
    {"basalt", "basalt"},
    {"_basalt", "basalt"},
    {"blackstone", "basalt"},
    {"_blackstone", "basalt"},
    {"obsidian", "basalt"},
    {"_obsidian", "basalt"},
    {"calcite", "limestone"},
    {"end_stone", "limestone"},
    {"dripstone_block", "limestone"},
    {"bone_block", "limestone"},
    {"redstone_block", NULL},
    {"glowstone", NULL},
    {"sea_lantern", NULL},
    {"stone", "rock"},
    {"_stone", "rock"},
    {"cobble", "rock"},
    {"cobblestone", "rock"},
    {"_cobblestone", "rock"},
    {"cobblestone_", "rock"},
    {"stone_", "rock"},
    {"mossycobble", "rock"},
    {"granite", "rock"},
    {"_granite", "rock"},
    {"andesite", "rock"},
    {"_andesite", "rock"},
    {"diorite", "rock"},
    {"_diorite", "rock"},
    {"bedrock", "rock"},
    {"netherrack", "rock"},
    {"_ore", "rock"},
    {"double_stone_slab", "rock"},
    {"monster_egg", "rock"},
    {"infested_", "rock"},
    {"_planks", "wood"},
    {"planks", "wood"},
    {"_log", "wood"},
    {"log", "wood"},
    {"log2", "wood"},
    {"_wood", "wood"},
    {"wood", "wood"},
    {"junglewood", "wood"},
    {"tree", "wood"},
    {"_tree", "wood"},
    {"jungletree", "wood"},
    {"_stem", "wood"},
    {"_hyphae", "wood"},
    {"bookshelf", "wood"},
    {"crafting_table", "wood"},
    {"oak_", "wood"},
    {"spruce_", "wood"},
    {"birch_", "wood"},
    {"jungle_", "wood"},
    {"acacia_", "wood"},
    {"dark_oak_", "wood"},
    {"mangrove_", "wood"},
    {"cherry_", "wood"},
    {"wooden_", "wood"},
    {"fence", "wood"},
    {"fence_gate", "wood"},
    {"_fence", "wood"},
    {"double_wooden_slab", "wood"},
    {"trapdoor", "wood"},
    {"chest", "wood"},
    {"barrel", "wood"},
    {"packed_ice", "glacier"},
    {"blue_ice", "glacier"},
    {"ice", "ice"},
    {"_ice", "ice"},
    {"snow", "snow"},
    {"snow_block", "snow"},
    {"snow_layer", "snow"},
    {"snowblock", "snow"},
    {"powder_snow", "snow"},
    {"iron_block", "metal"},
    {"gold_block", "metal"},
    {"copper_block", "metal"},
    {"netherite_block", "metal"},
    {"steelblock", "metal"},
    {"goldblock", "metal"},
    {"copperblock", "metal"},
    {"bronzeblock", "metal"},
    {"tinblock", "metal"},
    {"anvil", "metal"},
    {"iron_bars", "metal"},
    {"iron_door", "metal"},
    {"concrete", "concrete"},
    {"salt_block", "salt"},
};

/* The classic numbers, by the game's own names from before its version 1.13. */
static const char *const numbers[] = {"air",
                                      "stone",
                                      "grass",
                                      "dirt",
                                      "cobblestone",
                                      "planks",
                                      "sapling",
                                      "bedrock",
                                      "flowing_water",
                                      "water",
                                      "flowing_lava",
                                      "lava",
                                      "sand",
                                      "gravel",
                                      "gold_ore",
                                      "iron_ore",
                                      "coal_ore",
                                      "log",
                                      "leaves",
                                      "sponge",
                                      "glass",
                                      "lapis_ore",
                                      "lapis_block",
                                      "dispenser",
                                      "sandstone",
                                      "noteblock",
                                      "bed",
                                      "golden_rail",
                                      "detector_rail",
                                      "sticky_piston",
                                      "web",
                                      "tallgrass",
                                      "deadbush",
                                      "piston",
                                      "piston_head",
                                      "wool",
                                      "piston_extension",
                                      "yellow_flower",
                                      "red_flower",
                                      "brown_mushroom",
                                      "red_mushroom",
                                      "gold_block",
                                      "iron_block",
                                      "double_stone_slab",
                                      "stone_slab",
                                      "brick_block",
                                      "tnt",
                                      "bookshelf",
                                      "mossy_cobblestone",
                                      "obsidian",
                                      "torch",
                                      "fire",
                                      "mob_spawner",
                                      "oak_stairs",
                                      "chest",
                                      "redstone_wire",
                                      "diamond_ore",
                                      "diamond_block",
                                      "crafting_table",
                                      "wheat",
                                      "farmland",
                                      "furnace",
                                      "lit_furnace",
                                      "standing_sign",
                                      "wooden_door",
                                      "ladder",
                                      "rail",
                                      "stone_stairs",
                                      "wall_sign",
                                      "lever",
                                      "stone_pressure_plate",
                                      "iron_door",
                                      "wooden_pressure_plate",
                                      "redstone_ore",
                                      "lit_redstone_ore",
                                      "unlit_redstone_torch",
                                      "redstone_torch",
                                      "stone_button",
                                      "snow_layer",
                                      "ice",
                                      "snow",
                                      "cactus",
                                      "clay",
                                      "reeds",
                                      "jukebox",
                                      "fence",
                                      "pumpkin",
                                      "netherrack",
                                      "soul_sand",
                                      "glowstone",
                                      "portal",
                                      "lit_pumpkin",
                                      "cake",
                                      "unpowered_repeater",
                                      "powered_repeater",
                                      "stained_glass",
                                      "trapdoor",
                                      "monster_egg",
                                      "stonebrick",
                                      "brown_mushroom_block",
                                      "red_mushroom_block",
                                      "iron_bars",
                                      "glass_pane",
                                      "melon_block",
                                      "pumpkin_stem",
                                      "melon_stem",
                                      "vine",
                                      "fence_gate",
                                      "brick_stairs",
                                      "stone_brick_stairs",
                                      "mycelium",
                                      "waterlily",
                                      "nether_brick",
                                      "nether_brick_fence",
                                      "nether_brick_stairs",
                                      "nether_wart",
                                      "enchanting_table",
                                      "brewing_stand",
                                      "cauldron",
                                      "end_portal",
                                      "end_portal_frame",
                                      "end_stone",
                                      "dragon_egg",
                                      "redstone_lamp",
                                      "lit_redstone_lamp",
                                      "double_wooden_slab",
                                      "wooden_slab",
                                      "cocoa",
                                      "sandstone_stairs",
                                      "emerald_ore",
                                      "ender_chest",
                                      "tripwire_hook",
                                      "tripwire",
                                      "emerald_block",
                                      "spruce_stairs",
                                      "birch_stairs",
                                      "jungle_stairs",
                                      "command_block",
                                      "beacon",
                                      "cobblestone_wall",
                                      "flower_pot",
                                      "carrots",
                                      "potatoes",
                                      "wooden_button",
                                      "skull",
                                      "anvil",
                                      "trapped_chest",
                                      "light_weighted_pressure_plate",
                                      "heavy_weighted_pressure_plate",
                                      "unpowered_comparator",
                                      "powered_comparator",
                                      "daylight_detector",
                                      "redstone_block",
                                      "quartz_ore",
                                      "hopper",
                                      "quartz_block",
                                      "quartz_stairs",
                                      "activator_rail",
                                      "dropper",
                                      "stained_hardened_clay",
                                      "stained_glass_pane",
                                      "leaves2",
                                      "log2",
                                      "acacia_stairs",
                                      "dark_oak_stairs",
                                      "slime",
                                      "barrier",
                                      "iron_trapdoor",
                                      "prismarine",
                                      "sea_lantern",
                                      "hay_block",
                                      "carpet",
                                      "hardened_clay",
                                      "coal_block",
                                      "packed_ice",
                                      "double_plant",
                                      "standing_banner",
                                      "wall_banner",
                                      "daylight_detector_inverted",
                                      "red_sandstone",
                                      "red_sandstone_stairs",
                                      "double_stone_slab2",
                                      "stone_slab2",
                                      "spruce_fence_gate",
                                      "birch_fence_gate",
                                      "jungle_fence_gate",
                                      "dark_oak_fence_gate",
                                      "acacia_fence_gate",
                                      "spruce_fence",
                                      "birch_fence",
                                      "jungle_fence",
                                      "dark_oak_fence",
                                      "acacia_fence"};

static bool Rule_Fits(const char *rule, const char *name, size_t length)
{
	size_t n = strlen(rule);
	if (n > length)
		return false;
	if (rule[0] == '_')
		return memcmp(name + length - n, rule, n) == 0;
	if (rule[n - 1] == '_')
		return memcmp(name, rule, n) == 0;
	return n == length && memcmp(name, rule, n) == 0;
}

/* The name without namespace and state; a number's is the game's. */
const char *Block_Base(const char *block, size_t *length)
{
	if (strncmp(block, "id:", 3) == 0) {
		int id = atoi(block + 3);
		const char *name = id >= 0 && id < COUNT_OF(numbers) ? numbers[id] : block;
		*length = strlen(name);
		return name;
	}
	const char *colon = strchr(block, ':'), *name = colon ? colon + 1 : block;
	*length = strcspn(name, "[");
	return name;
}

static const char *Name_Material(const char *name, size_t length, bool *known)
{
	*known = true;
	for (int i = 0; i < COUNT_OF(rules); i++)
		if (Rule_Fits(rules[i].name, name, length))
			return rules[i].material;
	*known = false;
	return NULL;
}

/* ---- parts of blocks --------------------------------------------------------------------------------------------- */

/* Words at an end of a name that say how much of its cell the block fills, in eighths; the longer ones first. What is
 * left of the name is what the part is made of. */
static const struct {
	const char *word;
	int eighths;
} parts[] = {{"slab_", 4},        {"_slab", 4},  {"_slab2", 4},  {"stair_inner_", 7},
             {"stair_outer_", 5}, {"stair_", 6}, {"_stairs", 6}, {"snow_layer", 1}};

/* The state's value of a key, or NULL; it ends at a comma or bracket. */
static const char *Block_State(const char *block, const char *key)
{
	size_t n = strlen(key);
	for (const char *at = strchr(block, '['); at; at = strchr(at + 1, ','))
		if (strncmp(at + 1, key, n) == 0 && at[1 + n] == '=')
			return at + n + 2;
	return NULL;
}

static bool State_Is(const char *block, const char *key, const char *value)
{
	const char *state = Block_State(block, key);
	return state && strncmp(state, value, strlen(value)) == 0;
}

/* Which of `parts` the name has, or -1; the rest of it. */
static int Name_Part(const char *name, size_t length, const char **rest, size_t *rest_length)
{
	for (int i = 0; i < COUNT_OF(parts); i++) {
		size_t n = strlen(parts[i].word);
		if (!Rule_Fits(parts[i].word, name, length))
			continue;
		*rest = parts[i].word[0] == '_' ? name : name + n;
		*rest_length = length - n;
		return i;
	}
	return -1;
}

int Block_Eighths(const char *block)
{
	size_t length, rest_length;
	const char *name = Block_Base(block, &length), *rest, *layers = Block_State(block, "layers");
	if (layers && *layers >= '1' && *layers <= '8' && length == 4 && memcmp(name, "snow", 4) == 0)
		return *layers - '0';
	int part = Name_Part(name, length, &rest, &rest_length);
	if (part < 0 || State_Is(block, "type", "double") || (length > 7 && memcmp(name, "double_", 7) == 0))
		return 8;
	if (parts[part].eighths == 6 && State_Is(block, "shape", "inner"))
		return 7;
	if (parts[part].eighths == 6 && State_Is(block, "shape", "outer"))
		return 5;
	return parts[part].eighths;
}

bool Block_IsWet(const char *block)
{
	return State_Is(block, "waterlogged", "true");
}

const char *Block_Material(const char *block)
{
	size_t length, rest_length;
	bool known;
	const char *name = Block_Base(block, &length), *rest, *material = Name_Material(name, length, &known);
	if (!known && Name_Part(name, length, &rest, &rest_length) >= 0)
		material = Name_Material(rest, rest_length, &known);
	return material;
}
