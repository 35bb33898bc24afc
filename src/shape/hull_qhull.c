/* The convex hull of points by qhull (Barber, Dobkin and Huhdanpaa, "The Quickhull algorithm for convex hulls", 1996),
 * reduced to lists of point numbers. Its memory is its own (C heap) and is all given back here; its messages go to a
 * buffer; its errors come back by longjmp and become ours. */
#include "shape/shape.h"
#include "shape/shape_internal.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>

void QhullFacets_Free(QhullFacets *facets, Memory *memory)
{
	Array_Free(memory, facets->index);
	Array_Free(memory, facets->first);
}

typedef struct QhullJob {
	qhT *qh;
	Memory *memory;
	QhullFacets *facets;
	bool out_of_memory; /* ours; qhull's own comes back as its exit code */
} QhullJob;

READS_FOREIGN_STRUCTURES static bool PushFacet(QhullJob *job, setT *vertices)
{
	QhullFacets *facets = job->facets;
	vertexT *vertex, **vertexp;
	FOREACHvertex_(vertices)
	{
		if (!Array_Push(job->memory, facets->index, qh_pointid(job->qh, vertex->point)))
			return false;
	}
	return Array_Push(job->memory, facets->first, facets->index.count);
}

/* May leave by longjmp. */
READS_FOREIGN_STRUCTURES static void ReadFacets(QhullJob *job)
{
	qhT *qh = job->qh; /* the name that FORALLfacets expects */
	facetT *facet;
	FORALLfacets
	{
		setT *vertices = qh_facet3vertex(qh, facet);
		bool pushed = PushFacet(job, vertices);
		qh_settempfree(qh, &vertices);
		if (!pushed) {
			job->out_of_memory = true;
			return;
		}
	}
}

static int ReadFacetsGuarded(QhullJob *job)
{
	int code = setjmp(job->qh->errexit);
	if (code == 0) {
		job->qh->NOerrexit = False;
		ReadFacets(job);
	}
	job->qh->NOerrexit = True;
	return code;
}

/* qhull's first message, without what follows it. */
static int QhullError(Error *error, int code, const char *text)
{
	if (code == qh_ERRmem)
		return Error_OutOfMemory(error);
	const char *start = strstr(text, "QH");
	if (!start)
		start = text;
	int length = (int)strcspn(start, "\r\n");
	return Error_Set(error, ERROR_ARGUMENT, "hull: no sound hull of these points (qhull says: %.*s)",
	                 Int_Min(length, 150), start);
}

/* Everything between the opening and the closing of the sink. */
static int RunInto(QhullJob *job, FILE *sink, const double *points, int count, bool joggled)
{
	char joggle[] = "qhull QJ Pp", merge[] = "qhull Pp";
	qh_zero(job->qh, sink);
	/* The points are only read: neither scaling nor rotation is asked for, and joggling copies them. */
	int code =
	    qh_new_qhull(job->qh, 3, count, (coordT *)(uintptr_t)points, False, joggled ? joggle : merge, NULL, sink);
	if (code == 0)
		code = ReadFacetsGuarded(job);
	int long_bytes, long_blocks;
	qh_freeqhull(job->qh, !qh_ALL);
	qh_memfreeshort(job->qh, &long_blocks, &long_bytes);
	return code;
}

int Qhull_Run(Memory *memory, const double *points, int count, bool joggled, QhullFacets *facets, Error *error)
{
	char text[2048] = "";
	QhullJob job = {Memory_AllocZero(memory, sizeof(qhT)), memory, facets, false};
	FILE *sink = job.qh ? fmemopen(text, sizeof(text) - 1, "w") : NULL;
	facets->index.count = facets->first.count = 0;
	if (!sink || !Array_Push(memory, facets->first, 0)) {
		if (sink)
			fclose(sink);
		Memory_Free(memory, job.qh, sizeof(qhT));
		return Error_OutOfMemory(error);
	}
	int code = RunInto(&job, sink, points, count, joggled);
	fclose(sink);
	Memory_Free(memory, job.qh, sizeof(qhT));
	if (job.out_of_memory)
		return Error_OutOfMemory(error);
	return code == 0 ? ERROR_NONE : QhullError(error, code, text);
}
