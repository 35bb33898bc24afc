/* Convex parts on their way: their corners, what they are held to, whether a hull around them fits. */
#include "pieces/carve_internal.h"

void PartList_Clear(PartList *list)
{
	list->parts.count = list->corners.count = list->samples.count = list->sample_runs.count = 0;
}

void PartList_Free(PartList *list, Memory *memory)
{
	Array_Free(memory, list->parts);
	Array_Free(memory, list->corners);
	Array_Free(memory, list->samples);
	Array_Free(memory, list->sample_runs);
}

int PartList_AddPart(PartList *list, Memory *memory, const LatticeHull *hull)
{
	int count = LatticeHull_CornerCount(hull);
	if (!Array_Reserve(memory, list->parts, list->parts.count + 1) ||
	    !Array_Reserve(memory, list->corners, list->corners.count + count))
		return NONE;
	CarvePart *part = &list->parts.data[list->parts.count];
	*part = (CarvePart){
	    .corner = list->corners.count, .corner_count = count, .sample = NONE, .last_sample = NONE, .next = NONE};
	for (int i = 0; i < count; i++)
		list->corners.data[list->corners.count++] = LatticeHull_Corner(hull, i);
	return list->parts.count++;
}

bool PartList_AddSample(PartList *list, Memory *memory, int part, Cell at, SampleKind kind)
{
	CarvePart *p = &list->parts.data[part];
	if (!Array_Push(memory, list->samples, at))
		return false;
	if (p->last_sample != NONE && list->sample_runs.data[p->last_sample].kind == kind) {
		list->sample_runs.data[p->last_sample].count++;
		return true;
	}
	int run = list->sample_runs.count;
	if (!Array_Push(memory, list->sample_runs, ((SampleRun){list->samples.count - 1, 1, NONE, kind})))
		return false;
	if (p->last_sample != NONE)
		list->sample_runs.data[p->last_sample].next = run;
	else
		p->sample = run;
	p->last_sample = run;
	return true;
}

void PartList_Join(PartList *list, int a, int b, int count)
{
	CarvePart *pa = &list->parts.data[a], *pb = &list->parts.data[b];
	pa->corner = list->corners.count - count;
	pa->corner_count = count;
	if (pa->sample == NONE)
		pa->sample = pb->sample;
	else
		list->sample_runs.data[pa->last_sample].next = pb->sample;
	if (pb->sample != NONE)
		pa->last_sample = pb->last_sample;
	pb->corner_count = 0;
}

static int Moved(int index, int from, int to)
{
	return index == NONE ? NONE : index - from + to;
}

bool PartList_Move(PartList *list, Memory *memory, const PartList *from, const CarveShare *share, CarveNode *node)
{
	int part = list->parts.count, corner = list->corners.count, sample = list->samples.count;
	int run = list->sample_runs.count;
	if (!Array_Resize(memory, list->parts, part + share->parts) ||
	    !Array_Resize(memory, list->corners, corner + share->corners) ||
	    !Array_Resize(memory, list->samples, sample + share->samples) ||
	    !Array_Resize(memory, list->sample_runs, run + share->runs))
		return false;
	for (int i = 0; i < share->corners; i++)
		list->corners.data[corner + i] = from->corners.data[share->corner + i];
	for (int i = 0; i < share->samples; i++)
		list->samples.data[sample + i] = from->samples.data[share->sample + i];
	for (int i = 0; i < share->runs; i++) {
		SampleRun r = from->sample_runs.data[share->run + i];
		list->sample_runs.data[run + i] =
		    (SampleRun){Moved(r.first, share->sample, sample), r.count, Moved(r.next, share->run, run), r.kind};
	}
	for (int i = 0; i < share->parts; i++) {
		CarvePart p = from->parts.data[share->part + i];
		p.corner = Moved(p.corner, share->corner, corner);
		p.sample = Moved(p.sample, share->run, run);
		p.last_sample = Moved(p.last_sample, share->run, run);
		p.next = Moved(p.next, share->part, part);
		list->parts.data[part + i] = p;
	}
	node->part = Moved(share->head, share->part, part);
	node->count = share->count;
	return true;
}

/* ---- does a hull fit? -------------------------------------------------------------------------------------------- */

bool Worker_FitsOwn(const CarveWorker *w, const PartList *list, int part)
{
	for (int i = list->parts.data[part].sample; i != NONE; i = list->sample_runs.data[i].next) {
		SampleRun run = list->sample_runs.data[i];
		if (run.kind != SAMPLE_CORNER &&
		    LatticeHull_AnyDeep(w->hull, list->samples.data + run.first, run.count, w->over[run.kind]))
			return false;
	}
	return true;
}

static bool Fits(const CarveWorker *w, const PartList *list, int part)
{
	const double under = (CARVE_UNDER - 1.4 * SPLIT_SLACK) * PATCH_UNIT; /* at a right angle, the slack of both faces */
	if (!Worker_FitsOwn(w, list, part))
		return false;
	for (int i = list->parts.data[part].sample; i != NONE; i = list->sample_runs.data[i].next) {
		SampleRun run = list->sample_runs.data[i];
		if (run.kind == SAMPLE_CORNER &&
		    LatticeHull_AnyOutside(w->hull, list->samples.data + run.first, run.count, under))
			return false;
	}
	return true;
}

static bool AddCornersOf(CarveWorker *w, const PartList *list, int part)
{
	const CarvePart *p = &list->parts.data[part];
	if (!Array_Reserve(w->memory, w->points, w->points.count + p->corner_count))
		return false;
	for (int i = 0; i < p->corner_count; i++)
		w->points.data[w->points.count++] = list->corners.data[p->corner + i];
	return true;
}

int Worker_TryJoin(CarveWorker *w, const PartList *list, int a, int b, CarveFitsFn *fits)
{
	static const double slacks[] = {0.03, 0.055}; /* cells */
	w->points.count = 0;
	if (!AddCornersOf(w, list, a) || !AddCornersOf(w, list, b))
		return ERROR_MEMORY;
	int built = 0;
	for (int i = 0; i < COUNT_OF(slacks) && built == 0; i++) /* coarser where it would have too many corners */
		built = LatticeHull_Build(w->hull, w->points.data, w->points.count, slacks[i] * PATCH_UNIT);
	if (built != 1)
		return built;
	return (!fits || fits(w)) && Fits(w, list, a) && Fits(w, list, b);
}
