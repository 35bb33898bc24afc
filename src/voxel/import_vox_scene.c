/* The scene graph of a .vox file: nodes, layers, and the walk that places the models. After "MagicaVoxel .vox File
 * Format" and its extension by ephtracy, the editor's author.
 *
 * Transforms (nTRN) have one child, groups (nGRP) any number, shapes (nSHP) name a model. The walk keeps its own stack,
 * so depth costs heap and not the call stack. A child may be named by several parents; a node that is its own ancestor
 * is an error. */
#include "voxel/import_internal.h"

static const VoxTurn no_turn = {{0, 1, 2}, {1, 1, 1}, {0, 0, 0}};

/* ---- attributes -------------------------------------------------------------------------------------------- */

static bool Text_Is(VoxText text, const char *word)
{
	size_t length = strlen(word);
	return (size_t)(text.end - text.at) == length && memcmp(text.at, word, length) == 0;
}

/* Takes one decimal int32 and the blanks around it off the front. False when there is none or it does not fit. */
static bool Text_TakeInt(VoxText *text, int32_t *value)
{
	while (text->at < text->end && *text->at == ' ')
		text->at++;
	bool negative = text->at < text->end && *text->at == '-';
	if (negative || (text->at < text->end && *text->at == '+'))
		text->at++;
	int64_t magnitude = 0;
	int digits = 0;
	for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++, digits++) {
		magnitude = magnitude * 10 + (*text->at - '0');
		if (magnitude > (int64_t)INT32_MAX + 1)
			return false;
	}
	while (text->at < text->end && *text->at == ' ')
		text->at++;
	if (digits == 0 || (!negative && magnitude > INT32_MAX))
		return false;
	*value = (int32_t)(negative ? -magnitude : magnitude);
	return true;
}

#define SHOWN_SIZE 48

/* The text's start, for a message: other than plain characters show as '?'. */
static const char *Text_Show(VoxText text, char shown[SHOWN_SIZE])
{
	int length = 0;
	for (; text.at < text.end && length < SHOWN_SIZE - 1; text.at++)
		shown[length++] = *text.at >= ' ' && *text.at <= '~' ? *text.at : '?';
	shown[length] = '\0';
	return shown;
}

/* Reads a DICT and gives the values of the asked keys; an absent key leaves its value's `at` NULL. The last of equal
 * keys counts. */
static void ReadDict(VoxReader *reader, int keys, const char *const *key, VoxText *value)
{
	for (int k = 0; k < keys; k++)
		value[k] = (VoxText){NULL, NULL};
	uint32_t pairs = VoxReader_U32(reader);
	for (uint32_t i = 0; i < pairs && !reader->failed; i++) {
		VoxText name = VoxReader_Text(reader);
		VoxText text = VoxReader_Text(reader);
		for (int k = 0; k < keys && !reader->failed; k++)
			if (Text_Is(name, key[k]))
				value[k] = text;
	}
}

static void SkipDict(VoxReader *reader)
{
	ReadDict(reader, 0, NULL, NULL);
}

static bool ReadHidden(VoxReader *reader)
{
	static const char *const keys[] = {"_hidden"};
	VoxText hidden;
	ReadDict(reader, 1, keys, &hidden);
	return hidden.at && Text_Is(hidden, "1");
}

/* The packed rotation: bits 0-1 and 2-3 say which input axis the first and the second row take (the third row takes
 * the one that is left), bits 4-6 the rows' signs. */
static bool Turn_Unpack(VoxTurn *turn, int32_t packed)
{
	int first = packed & 3, second = packed >> 2 & 3;
	if (packed < 0 || packed > 127 || first == 3 || second == 3 || first == second)
		return false;
	turn->axis[0] = (int8_t)first;
	turn->axis[1] = (int8_t)second;
	turn->axis[2] = (int8_t)(3 - first - second);
	for (int r = 0; r < 3; r++)
		turn->sign[r] = (packed >> (4 + r) & 1) ? -1 : 1;
	return true;
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

static int Scene_Cut(const char *chunk, size_t offset, Error *error)
{
	return Error_Set(error, ERROR_FILE, ".vox: the chunk %s at byte %zu is shorter than what it announces", chunk,
	                 offset);
}

static int Scene_AddNode(VoxFile *file, VoxNode *node, size_t offset, Error *error)
{
	if (KeyMap_Find(&file->node_by_id, (uint32_t)node->id) >= 0)
		return Error_Set(error, ERROR_FILE, ".vox: the node at byte %zu has the id %d, which is taken", offset,
		                 node->id);
	if (!KeyMap_Put(&file->node_by_id, file->memory, (uint32_t)node->id, file->nodes.count) ||
	    !Array_Push(file->memory, file->nodes, *node))
		return Error_OutOfMemory(error);
	return ERROR_NONE;
}

/* The first frame of a transform. */
static int Scene_ReadFrame(VoxNode *node, VoxReader *reader, size_t offset, Error *error)
{
	static const char *const keys[] = {"_r", "_t"};
	VoxText value[2];
	ReadDict(reader, 2, keys, value);
	if (reader->failed)
		return Scene_Cut("nTRN", offset, error);
	int32_t number[3];
	char shown[SHOWN_SIZE];
	if (value[0].at) {
		VoxText text = value[0];
		if (!Text_TakeInt(&text, &number[0]) || text.at != text.end || !Turn_Unpack(&node->turn, number[0]))
			return Error_Set(error, ERROR_FILE, ".vox: node %d at byte %zu has the rotation \"%s\", which is none",
			                 node->id, offset, Text_Show(value[0], shown));
	}
	if (value[1].at) {
		VoxText text = value[1];
		bool good = Text_TakeInt(&text, &number[0]) && Text_TakeInt(&text, &number[1]) &&
		            Text_TakeInt(&text, &number[2]) && text.at == text.end;
		if (!good)
			return Error_Set(error, ERROR_FILE,
			                 ".vox: node %d at byte %zu has the translation \"%s\", which is not three whole numbers",
			                 node->id, offset, Text_Show(value[1], shown));
		for (int a = 0; a < 3; a++)
			node->turn.shift[a] = number[a];
	}
	return ERROR_NONE;
}

int Scene_ReadTransform(VoxFile *file, VoxReader *reader, size_t offset, Error *error)
{
	VoxNode node = {.kind = VOX_TRANSFORM, .turn = no_turn, .first = file->links.count, .count = 1};
	node.id = (int32_t)VoxReader_U32(reader);
	node.hidden = ReadHidden(reader);
	int32_t child = (int32_t)VoxReader_U32(reader);
	VoxReader_U32(reader); /* reserved */
	node.layer = (int32_t)VoxReader_U32(reader);
	uint32_t frames = VoxReader_U32(reader);
	if (reader->failed)
		return Scene_Cut("nTRN", offset, error);
	if (frames > 0) {
		int code = Scene_ReadFrame(&node, reader, offset, error);
		if (code)
			return code;
	}
	for (uint32_t f = 1; f < frames && !reader->failed; f++)
		SkipDict(reader);
	if (reader->failed)
		return Scene_Cut("nTRN", offset, error);
	if (!Array_Push(file->memory, file->links, child))
		return Error_OutOfMemory(error);
	return Scene_AddNode(file, &node, offset, error);
}

int Scene_ReadGroup(VoxFile *file, VoxReader *reader, size_t offset, Error *error)
{
	VoxNode node = {.kind = VOX_GROUP, .turn = no_turn, .first = file->links.count};
	node.id = (int32_t)VoxReader_U32(reader);
	node.hidden = ReadHidden(reader);
	uint32_t count = VoxReader_U32(reader);
	if (reader->failed || count > (size_t)(reader->end - reader->at) / 4)
		return Scene_Cut("nGRP", offset, error);
	node.count = (int)count;
	if (!Array_Reserve(file->memory, file->links, file->links.count + node.count))
		return Error_OutOfMemory(error);
	for (uint32_t i = 0; i < count; i++)
		file->links.data[file->links.count++] = (int32_t)VoxReader_U32(reader);
	return Scene_AddNode(file, &node, offset, error);
}

/* A shape may name one model a frame; the first is the one we take. Whether it exists is known after all chunks. */
int Scene_ReadShape(VoxFile *file, VoxReader *reader, size_t offset, Error *error)
{
	VoxNode node = {.kind = VOX_SHAPE, .turn = no_turn};
	node.id = (int32_t)VoxReader_U32(reader);
	node.hidden = ReadHidden(reader);
	uint32_t models = VoxReader_U32(reader);
	node.piece = -1;
	for (uint32_t m = 0; m < models && !reader->failed; m++) {
		int32_t piece = (int32_t)VoxReader_U32(reader);
		SkipDict(reader);
		if (m == 0)
			node.piece = piece;
	}
	if (reader->failed)
		return Scene_Cut("nSHP", offset, error);
	return Scene_AddNode(file, &node, offset, error);
}

int Scene_ReadLayer(VoxFile *file, VoxReader *reader, size_t offset, Error *error)
{
	int32_t id = (int32_t)VoxReader_U32(reader);
	bool hidden = ReadHidden(reader);
	if (reader->failed)
		return Scene_Cut("LAYR", offset, error);
	if (!KeyMap_Put(&file->layer_is_hidden, file->memory, (uint32_t)id, hidden))
		return Error_OutOfMemory(error);
	return ERROR_NONE;
}

/* ---- the walk ---------------------------------------------------------------------------------------------- */

/* Turns ids into indices, and marks the nodes that are somebody's child. */
static int Scene_Link(VoxFile *file, Error *error)
{
	for (int n = 0; n < file->nodes.count; n++) {
		const VoxNode *node = &file->nodes.data[n];
		for (int i = 0; i < node->count; i++) {
			int32_t *link = &file->links.data[node->first + i];
			int child = KeyMap_Find(&file->node_by_id, (uint32_t)*link);
			if (child < 0)
				return Error_Set(error, ERROR_FILE, ".vox: node %d has the child %d, which does not exist", node->id,
				                 *link);
			*link = child;
			file->nodes.data[child].named = true;
		}
		if (node->kind == VOX_SHAPE && (node->piece < 0 || node->piece >= file->pieces.count))
			return Error_Set(error, ERROR_FILE, ".vox: the shape node %d has the model %d; the file has %d", node->id,
			                 node->piece, file->pieces.count);
		if (node->kind != VOX_TRANSFORM)
			continue;
		if (KeyMap_Find(&file->layer_is_hidden, (uint32_t)node->layer) == 1)
			file->nodes.data[n].hidden = true;
	}
	return ERROR_NONE;
}

/* First `inner`, then `outer`. A path has fewer than 2^26 nodes, so shifts below 2^32 cannot pass 64 bits. */
static VoxTurn Turn_Then(const VoxTurn *inner, const VoxTurn *outer)
{
	VoxTurn turn;
	for (int r = 0; r < 3; r++) {
		int a = outer->axis[r];
		turn.axis[r] = inner->axis[a];
		turn.sign[r] = (int8_t)(outer->sign[r] * inner->sign[a]);
		turn.shift[r] = outer->sign[r] * inner->shift[a] + outer->shift[r];
	}
	return turn;
}

static int Scene_AddInstance(VoxFile *file, int piece, const VoxTurn *turn, bool hidden, Error *error)
{
	file->seen++;
	file->hidden += hidden;
	if (hidden && !file->with_hidden)
		return ERROR_NONE;
	for (int a = 0; a < 3; a++)
		if (turn->shift[a] > CELL_LIMIT - VOX_SIZE_LIMIT || turn->shift[a] < VOX_SIZE_LIMIT - CELL_LIMIT)
			return Error_Set(error, ERROR_FILE, ".vox: instance %d lies at (%lld, %lld, %lld), beyond +-%d", file->seen,
			                 (long long)turn->shift[0], (long long)turn->shift[1], (long long)turn->shift[2],
			                 CELL_LIMIT);
	const VoxPiece *shown = &file->pieces.data[piece];
	file->placed += shown->valid;
	file->work += shown->stored;
	if (file->work > VOX_VOXEL_LIMIT)
		return Error_Set(error, ERROR_LIMIT, ".vox: the scene has more than %lld voxels", (long long)VOX_VOXEL_LIMIT);
	if (shown->valid == 0)
		return ERROR_NONE;
	VoxInstance instance = {*turn, piece};
	if (!Array_Push(file->memory, file->instances, instance))
		return Error_OutOfMemory(error);
	return ERROR_NONE;
}

typedef struct WalkStep {
	VoxTurn turn; /* of all nodes from the root to this one */
	int node, next;
	bool hidden; /* this node or one above it */
} WalkStep;

typedef struct Walk {
	VoxFile *file;
	ARRAY(WalkStep) steps;
	int visits;
} Walk;

/* Comes to a node from the one above it (NULL: it is a root). Shapes are placed; others go on the stack. */
static int Walk_Enter(Walk *walk, int index, const WalkStep *above, Error *error)
{
	VoxFile *file = walk->file;
	VoxNode *node = &file->nodes.data[index];
	if (node->on_path)
		return Error_Set(error, ERROR_FILE, ".vox: the scene graph runs in a circle through node %d", node->id);
	if (++walk->visits > VOX_VISIT_LIMIT)
		return Error_Set(error, ERROR_LIMIT, ".vox: the scene graph unfolds to more than %d nodes", VOX_VISIT_LIMIT);
	WalkStep step = {.turn = node->turn, .node = index, .hidden = node->hidden};
	if (above) {
		step.turn = Turn_Then(&node->turn, &above->turn);
		step.hidden = node->hidden || above->hidden;
	}
	if (node->kind == VOX_SHAPE)
		return Scene_AddInstance(file, node->piece, &step.turn, step.hidden, error);
	if (!Array_Push(file->memory, walk->steps, step))
		return Error_OutOfMemory(error);
	node->on_path = true;
	return ERROR_NONE;
}

static int Walk_From(Walk *walk, int root, Error *error)
{
	int code = Walk_Enter(walk, root, NULL, error);
	while (!code && walk->steps.count > 0) {
		WalkStep *top = &walk->steps.data[walk->steps.count - 1];
		VoxNode *node = &walk->file->nodes.data[top->node];
		if (top->next < node->count) {
			WalkStep above = *top; /* the stack may move */
			int child = walk->file->links.data[node->first + top->next++];
			code = Walk_Enter(walk, child, &above, error);
		} else {
			node->on_path = false;
			walk->steps.count--;
		}
	}
	return code;
}

/* Every node that no other names is a root; editors write one, the node 0. */
static int Scene_Walk(VoxFile *file, Error *error)
{
	Walk walk = {.file = file};
	int code = ERROR_NONE, roots = 0;
	for (int n = 0; n < file->nodes.count && !code; n++) {
		if (file->nodes.data[n].named)
			continue;
		roots++;
		code = Walk_From(&walk, n, error);
	}
	Array_Free(file->memory, walk.steps);
	if (!code && roots == 0)
		code = Error_Set(error, ERROR_FILE, ".vox: the scene graph runs in a circle and has no root");
	return code;
}

/* A model of a file without nodes keeps the cells' coordinates as they stand in the file. */
static int Scene_PlaceRaw(VoxFile *file, Error *error)
{
	int code = ERROR_NONE;
	int shown = file->has_pack ? 1 : file->pieces.count;
	for (int i = 0; i < shown && !code; i++) {
		VoxTurn turn = no_turn;
		for (int a = 0; a < 3; a++)
			turn.shift[a] = file->pieces.data[i].size[a] / 2;
		code = Scene_AddInstance(file, i, &turn, false, error);
	}
	return code;
}

int Scene_Place(VoxFile *file, Error *error)
{
	if (file->nodes.count == 0)
		return Scene_PlaceRaw(file, error);
	int code = Scene_Link(file, error);
	return code ? code : Scene_Walk(file, error);
}
