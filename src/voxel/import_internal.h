/* Private to the .vox importer: what one pass over the chunks collects and what the scene graph makes of it. */
#ifndef SCREE_VOXEL_IMPORT_INTERNAL_H
#define SCREE_VOXEL_IMPORT_INTERNAL_H

#include "voxel/voxel.h"

/* A .vox model has at most 256 cells along an axis, since its voxels' coordinates are bytes. */
#define VOX_SIZE_LIMIT 256
/* Nested groups may name the same child again and again, so a small file can ask for a number of placements that is
 * exponential in its size. These two caps are far above what any editor writes. */
#define VOX_VISIT_LIMIT (1 << 20)
#define VOX_VOXEL_LIMIT ((int64_t)1 << 26)

/* Little-endian bytes with an end. Reading past it gives zeros and sets `failed`, which is looked at once per chunk. */
typedef struct VoxReader {
	const uint8_t *at, *end;
	bool failed;
} VoxReader;

/* A string of a DICT; it lies in the file's bytes and has no closing zero. */
typedef struct VoxText {
	const char *at, *end;
} VoxText;

uint32_t VoxReader_U32(VoxReader *reader);
VoxText VoxReader_Text(VoxReader *reader);

/* One SIZE + XYZI pair. */
typedef struct VoxPiece {
	int32_t size[3];
	int32_t lo[3], hi[3];  /* bounds of the valid voxels */
	int32_t stored;        /* voxels in the file */
	int32_t valid;         /* of them, those inside the size and of a colour other than 0 */
	const uint8_t *voxels; /* stored x 4 bytes: x, y, z, colour; in the file's bytes */
} VoxPiece;

static inline bool VoxPiece_Holds(const VoxPiece *piece, const uint8_t voxel[4])
{
	return voxel[0] < piece->size[0] && voxel[1] < piece->size[1] && voxel[2] < piece->size[2] && voxel[3] != 0;
}

/* A signed permutation and a shift: v goes to (sign[r] * v[axis[r]] + shift[r]) for r = x, y, z. */
typedef struct VoxTurn {
	int8_t axis[3], sign[3];
	int64_t shift[3];
} VoxTurn;

typedef enum VoxNodeKind { VOX_TRANSFORM, VOX_GROUP, VOX_SHAPE } VoxNodeKind;

typedef struct VoxNode {
	VoxTurn turn; /* transforms only */
	int32_t id;
	int32_t layer; /* id of a layer; transforms only */
	VoxNodeKind kind;
	int first, count; /* children, in VoxFile.links; a shape has none */
	int piece;        /* shapes only */
	bool hidden;      /* by its own attribute */
	bool named;       /* is some node's child */
	bool on_path;     /* of the walk */
} VoxNode;

/* One model placed in the scene. */
typedef struct VoxInstance {
	VoxTurn turn;
	int piece;
} VoxInstance;

typedef struct VoxFile {
	Memory *memory;
	bool with_hidden;
	const uint8_t *data; /* the whole file, for offsets in messages */
	ARRAY(VoxPiece) pieces;
	ARRAY(VoxNode) nodes;   /* in the file's order */
	ARRAY(int32_t) links;   /* children: node ids while reading, node indices after Scene_Link */
	KeyMap node_by_id;      /* (uint32_t)id -> index */
	KeyMap layer_is_hidden; /* (uint32_t)id -> 0 or 1 */
	ARRAY(VoxInstance) instances;
	int seen;         /* instances in the scene, hidden ones too */
	int hidden;       /* of them */
	int64_t dropped;  /* voxels that lie outside their SIZE or have colour 0 */
	int64_t placed;   /* valid voxels of the instances to be shown */
	int64_t work;     /* all voxels of them */
	bool has_pack;    /* PACK: the models are frames of an animation */
	bool has_palette; /* RGBA was there */
	uint32_t palette[256];
} VoxFile;

/* import_vox_scene.c. Each reads one chunk's content; `offset` is where the chunk stands in the file. */
int Scene_ReadTransform(VoxFile *file, VoxReader *reader, size_t offset, Error *error);
int Scene_ReadGroup(VoxFile *file, VoxReader *reader, size_t offset, Error *error);
int Scene_ReadShape(VoxFile *file, VoxReader *reader, size_t offset, Error *error);
int Scene_ReadLayer(VoxFile *file, VoxReader *reader, size_t offset, Error *error);
/* Fills `instances`, `seen`, `hidden` and `placed` from the nodes, or from the models when there are no nodes. */
int Scene_Place(VoxFile *file, Error *error);

/* import_vox_cells.c. Gives the model the cells of all instances, its bounds and its overlaps. */
int Vox_FillCells(const VoxFile *file, VoxModel *model, Error *error);

#endif
