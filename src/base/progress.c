/* The clock, and a progress bar for work that a person waits for. */
#include "base/base.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_DELAY 0.5    /* seconds of work before the bar shows: short work stays silent */
#define PROGRESS_INTERVAL 0.1 /* seconds between drawings */
#define PROGRESS_CELLS 30
#define PROGRESS_LABEL 40 /* longest part of a label that is shown */

double Clock_Seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void Progress_Begin(Progress *progress, const char *label)
{
	*progress = (Progress){.label = label, .started = Clock_Seconds()};
}

static void Draw(const char *label, double fraction)
{
	char cells[PROGRESS_CELLS + 1];
	for (int i = 0; i < PROGRESS_CELLS; i++)
		cells[i] = i < (int)(fraction * PROGRESS_CELLS) ? '#' : '.';
	cells[PROGRESS_CELLS] = '\0';
	fprintf(stderr, "\r%-.*s [%s] %3d%%", PROGRESS_LABEL, label, cells, (int)(fraction * 100.0));
	fflush(stderr);
}

void Progress_Update(Progress *progress, double fraction)
{
	double now = Clock_Seconds();
	if (now - progress->started < PROGRESS_DELAY || now - progress->drawn < PROGRESS_INTERVAL)
		return;
	progress->drawn = now;
	if (!progress->shown && !isatty(STDERR_FILENO))
		return;
	progress->shown = true;
	Draw(progress->label, fraction > 0.0 ? fraction < 1.0 ? fraction : 1.0 : 0.0);
}

void Progress_End(Progress *progress)
{
	if (!progress->shown)
		return;
	/* Blanks over the widest line that Draw writes. */
	fprintf(stderr, "\r%*s\r", PROGRESS_LABEL + PROGRESS_CELLS + 8, "");
	fflush(stderr);
	progress->shown = false;
}
