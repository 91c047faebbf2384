/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This parses the text in which the kernel's driver reports page faults and migrations: lines that
 * AMDKFD_IOC_SMI_EVENTS's descriptor gives (kfd_smi_events.c, kfd_ioctl.h;
 * docs/memory-model.md#driver-events). It is independent of the rest of the preload library.
 */
#ifndef HIPGRAIN_PRELOAD_MIGRATION_SMI_TEXT_H
#define HIPGRAIN_PRELOAD_MIGRATION_SMI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* enum kfd_smi_event */
enum hg_smi_kind {
	HG_SMI_VM_FAULT = 1,
	HG_SMI_MIGRATE_START = 5,
	HG_SMI_MIGRATE_END = 6,
	HG_SMI_FAULT_START = 7,
	HG_SMI_FAULT_END = 8,
	HG_SMI_QUEUE_EVICTION = 9,
	HG_SMI_QUEUE_RESTORE = 10,
	HG_SMI_UNMAP = 11,
	HG_SMI_DROPPED = 14,
};

/* Writing this mask to the descriptor requests these events. */
#define HG_SMI_BIT(kind) (UINT64_C(1) << ((kind)-1))
#define HG_SMI_MASK                                                         \
	(HG_SMI_BIT(HG_SMI_VM_FAULT) | HG_SMI_BIT(HG_SMI_MIGRATE_START) |   \
	 HG_SMI_BIT(HG_SMI_MIGRATE_END) | HG_SMI_BIT(HG_SMI_FAULT_START) |  \
	 HG_SMI_BIT(HG_SMI_FAULT_END) | HG_SMI_BIT(HG_SMI_QUEUE_EVICTION) | \
	 HG_SMI_BIT(HG_SMI_QUEUE_RESTORE) | HG_SMI_BIT(HG_SMI_UNMAP) | HG_SMI_BIT(HG_SMI_DROPPED))

/* Longer lines are not looked at; the driver's have at most 96 bytes. */
#define HG_SMI_LINE 256

struct hg_smi_line {
	unsigned kind;        /* enum hg_smi_kind; others are of no interest */
	int64_t ns;           /* CLOCK_BOOTTIME; 0: the line has no time */
	int64_t pid;          /* 0: the line has none */
	uint64_t start, size; /* bytes; faults: the page */
	uint64_t from, to;    /* GPU ids of the driver, 0 is host memory; others: `from` the GPU */
	uint64_t prefetched, preferred;
	int64_t trigger; /* of enum KFD_MIGRATE_TRIGGERS and so on; -1: not stated */
	int64_t error;   /* of a migration that ended; 0 where it isn't stated */
	char letter;     /* faults: R W, M U; restore: R; 0 without */
	uint64_t count;  /* DROPPED: events that were lost */
};

enum hg_smi_result {
	HG_SMI_EVENT,     /* *line is filled */
	HG_SMI_UNWANTED,  /* an event that was not requested, or of a later driver */
	HG_SMI_MALFORMED, /* not a line of the driver's, or not all of one */
};

/*
 * Parses one line of `length` bytes, without its newline; no NUL is needed. Fields that a later
 * driver may add at the end are passed over, those that an older one lacks there are 0.
 */
enum hg_smi_result hg_smi_parse(const char *text, size_t length, struct hg_smi_line *line);

/* This cuts a stream of text into lines. It is all 0 at first. */
struct hg_smi_cutter {
	char text[HG_SMI_LINE];
	size_t used;
	bool overlong; /* the bytes up to the next newline belong to a line that is too long */
};

/*
 * Takes `size` bytes as they came. Calls `take` for each complete line; `whole` is false for what
 * was left of one that is too long.
 */
void hg_smi_cut(struct hg_smi_cutter *cutter, const char *bytes, size_t size,
		void (*take)(void *data, const char *text, size_t length, bool whole), void *data);

#endif
