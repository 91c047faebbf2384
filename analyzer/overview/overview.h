/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The overview of a recording: totals of memory by where it was allocated and what kind it is,
 * allocations over time, and what was done when. Memory use is bounded whatever the length of the
 * trace: small allocations and short gaps are left out, or merged, as it grows; the totals are
 * exact all the same. mmap is not counted: allocators on top of it are.
 */
#ifndef HIPGRAIN_OVERVIEW_H
#define HIPGRAIN_OVERVIEW_H

#include <glib.h>
#include <stdint.h>

#include "analyzer/model/model.h"
#include "analyzer/replay/replay.h"

#define OVERVIEW_BARS    20000 /* at most so many allocations are kept for the map */
#define OVERVIEW_SPANS   40000 /* at most so many stretches of time are kept */

#define OVERVIEW_RANGES  40000 /* at most so many beginnings of ranges, and their ends */

#define OVERVIEW_CLASSES 64

/* The allocations of one process, call, call stack and kind of memory. */
struct memory_site {
	struct process *process; /* borrowed */
	/* in which it allocated; NULL: in none, or not asked for (overview_part_by_range()) */
	const struct range_path *range;
	uint16_t api;
	uint32_t stack_id;
	enum layer layer;
	int32_t device;
	uint64_t flags;
	bool totals; /* of blocks below the threshold: counted in the program, without an event each
		      */
	enum granularity granularity; /* set at the end; advice may have changed pages */
	enum location location;
	enum memory_kind kind;           /* likewise */
	uint64_t count, bytes;           /* ever */
	uint64_t live_count, live_bytes; /* now; at the end: what was never freed */
	uint64_t peak_bytes; /* high-water of live_bytes; of totals, as they were written */
	uint64_t at_peak;    /* live when all memory of the process was at its high-water mark */
	uint64_t peak_known; /* private: the mark, by number, for which at_peak is known */
	uint64_t largest;
	/* bytes of allocations that some launch got a pointer into, or reached by pointers in
	 * memory */
	uint64_t used_bytes;
	int64_t lifetime_ns; /* of those that ended, sum */
};

/* High-water marks over all sites of a process, bytes. */
struct memory_peaks {
	struct process *process;
	uint64_t device_live, device_peak; /* in the GPUs' memory */
	uint64_t pinned_live, pinned_peak; /* host memory that is pinned */
	/* All of it; registered memory is that of another allocation and not counted twice. */
	uint64_t live, peak;
	uint64_t peak_number; /* private: how often the mark was raised */
	int64_t peak_ns;
};

/* The life of an allocation on the placement map. */
struct memory_bar {
	const struct memory_site *site;
	uint64_t address, size;
	int64_t start_ns, end_ns; /* end: INT64_MAX while it lives */
	bool left_out;            /* too small for the map by now */
	struct living *living;    /* private: the allocation, while it lives */
};

enum span_kind {
	SPAN_LAUNCH,
	SPAN_COPY,
	SPAN_FILL,
	SPAN_PREFETCH,
	SPAN_SYNC,
	SPAN_GPU, /* measured on the GPU (--gpu-time): a kernel, or a copy */
	SPAN_KINDS,
};

/* Calls close together on one lane. */
struct span {
	int64_t start_ns, end_ns; /* of the host calls; what the GPU does meanwhile is not seen */
	uint64_t count;
	uint64_t bytes; /* moved or filled */
	uint32_t name;  /* kernel id, or HG_API_NAME; OVERVIEW_MIXED: several */
	/*
	 * The time when the host had waited for the stream, so that all launches were complete. It
	 * is an upper bound, as the end of a kernel is not recorded. 0: no such wait was seen.
	 */
	int64_t done_ns;
	/* The memory that is written and read; NULL: of no known allocation, or not just this one.
	 */
	const struct memory_site *to, *from;
};
#define OVERVIEW_MIXED UINT32_MAX

/* Calls of one kind on a stream of a device, or by a host thread that waits. */
struct lane {
	struct process *process;
	int32_t device;       /* -1: a thread, or engines of an unknown GPU */
	uint64_t stream;      /* or thread id; SPAN_GPU: the queue, 0: of engines */
	unsigned first, last; /* numbers of the streams that had this handle (stream_names.h) */
	enum span_kind kind;
	GArray *spans; /* struct span, in order of time */
	unsigned open; /* private: the first launch without done_ns */
	bool waiting;  /* private: it is among overview->waiting */
};

/* A range of the program begins or ends, or there is a mark (event `range`). */
struct range_step {
	struct process *process;
	const char *name;
	uint64_t id;
	int64_t ns;
	int32_t tid;
	uint8_t kind, source; /* enum hg_range_kind, enum hg_range_source */
};

/* A range of the program, or a mark, which ends where it begins. */
struct range_span {
	struct process *process;
	const char *name;
	int64_t start_ns, end_ns; /* end: INT64_MAX where none was recorded */
	int32_t tid;              /* RANGE_OF_PROCESS: it was started, and is no thread's */
	unsigned level;           /* below RANGE_LEVELS; spans of a level do not overlap */
};
#define RANGE_OF_PROCESS (-1)
#define RANGE_LEVELS     32u

/* Returns "GPU 0, stream 2", "thread 12 waits" or the like, the same in all formats; the caller
 * frees it. */
char *lane_name(const struct lane *lane);

struct kernel_total {
	struct process *process;
	uint32_t kernel_id;
	uint64_t launches, work_items;
	int64_t first_ns; /* the first launch */
};

struct overview {
	GPtrArray *sites;   /* struct memory_site */
	GPtrArray *peaks;   /* struct memory_peaks */
	GArray *bars;       /* struct memory_bar */
	GPtrArray *lanes;   /* struct lane */
	GPtrArray *kernels; /* struct kernel_total */
	GArray *ranges;     /* struct range_step, in order of time */
	uint64_t ranges_left_out;
	/* Class i counts values of 2^i to below 2^(i+1); 0 is in class 0. Bytes, nanoseconds. */
	uint64_t size_histogram[OVERVIEW_CLASSES];
	uint64_t lifetime_histogram[OVERVIEW_CLASSES];
	uint64_t transfer_histogram[OVERVIEW_CLASSES];
	uint64_t bars_left_out;    /* allocations smaller than bar_minimum */
	uint64_t bar_minimum;      /* bytes */
	int64_t merge_gap_ns;      /* spans closer than this are one; 0: none were merged */
	int64_t first_ns, last_ns; /* INT64_MAX and INT64_MIN without events */

	/* private */
	GHashTable *site_index, *live, *lane_index, *kernel_index, *peak_index, *scanned;
	GHashTable *range_open;
	GStringChunk *range_names;
	GPtrArray *waiting; /* struct lane: of launches, of which some may have no done_ns */
	uint64_t span_count;
	unsigned most_bars, most_spans, most_ranges;
	struct space_observer observer;
};

/*
 * Overviews that are made from now on are for a report of `parts` recordings: each has a share of
 * what one may show. 1: all of it.
 */
void overview_share(unsigned parts);

/*
 * Overviews that are made from now on have the allocations of the ranges that
 * finding_ranges_select() selected, and no totals of small blocks, which are of no range.
 */
void overview_select_ranges(void);

/* Overviews that are made from now on have a site for each range that it allocated in. */
void overview_part_by_range(void);

/* Never NULL; NULL is allowed for overview_free(). */
struct overview *overview_new(void);
void overview_free(struct overview *overview);

/* To be set into the replay before the first event. The overview must outlive the replay's last
 * event. */
void overview_observe(struct overview *overview, struct replay *replay);

/* To be called for each event after the replay has applied it. */
void overview_event(struct overview *overview, struct process *process,
		    const struct hg_event *event);

/*
 * Returns the nanoseconds from the first event to that time: 0 for a time before it and for a trace
 * without events, INT64_MAX for a longer time.
 */
int64_t overview_moment(const struct overview *overview, int64_t ns);

/* Returns the nanoseconds from the first event to the last; 0 without events. */
int64_t overview_duration(const struct overview *overview);

/* Returns the ranges as struct range_span, in order of their beginnings. The caller frees it; names
 * are the overview's. */
GArray *overview_range_spans(const struct overview *overview);

/* Sorts after the last event, and sets each site's kind of memory. */
void overview_finish(struct overview *overview);

/* Returns "malloc" or "malloc of small blocks", for example. The caller frees it. */
char *memory_site_call(const struct memory_site *site);

/* The high-water marks of a process, or NULL if it allocated nothing. */
const struct memory_peaks *overview_peaks(const struct overview *overview,
					  const struct process *process);

#endif
