/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that a process records before it has LTTng-UST, or without ever having it.
 *
 * To load LTTng-UST and to register with its daemon takes a process several milliseconds, longer
 * than most programs run that a build or a script executes. So a process that the command of
 * `record` executed stores its events in a file of the bundle first: DIR/early-events/<pid>-
 * <hexadecimal number>, one for each program image and each forked process. Only a process that
 * records more, runs longer, or makes a thread loads LTTng-UST (preload/trace/early_events.c); what
 * the file has is earlier than all that the trace has of it.
 *
 * The file: struct hg_early_file, then entries in the order in which they were made, each struct
 * hg_early_entry with the event's fields in the order of events.def behind it, and zeros up to the
 * next multiple of 8 bytes. Integers are little-endian, of the field's type, and not aligned; a
 * text is its bytes and a NUL; a sequence is its length in elements (uint32_t) and its elements.
 *
 * Numbers of types, and fields, change from version to version. DIR/early-events/layout, which the
 * recorder writes, describes those of its version: a line for each type, of its number, its name
 * and for each field `TYPE:NAME`, where TYPE is that of events.def, `text`, or `TYPE[]`.
 */
#ifndef HIPGRAIN_TRACER_EARLY_EVENTS_H
#define HIPGRAIN_TRACER_EARLY_EVENTS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/utsname.h>

#define HG_EARLY        "early-events"
#define HG_EARLY_LAYOUT "layout"
#define HG_EARLY_MAGIC  UINT64_C(0x31796c7261656768)

/*
 * Such processes gather records in one file, which the recorder makes in the directory of batches
 * that are not written yet (batch_events.h); so many of them at a time. The others, and those that
 * have LTTng-UST, make files of their own. So do those that a launcher started on another machine:
 * a mapped file is not the same memory there. The name has a hash of the machine's and its
 * kernel's.
 */
#define HG_EARLY_BATCHES       "early-"
#define HG_EARLY_BATCHES_NAME  24u
#define HG_EARLY_BATCHES_PAGES 64u

static inline void hg_early_batches(char name[HG_EARLY_BATCHES_NAME])
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	struct utsname machine;

	if (!uname(&machine)) {
		const char *const parts[] = { machine.nodename, machine.release, machine.version };

		for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
			for (const char *at = parts[i]; *at; at++)
				hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	}
	snprintf(name, HG_EARLY_BATCHES_NAME, HG_EARLY_BATCHES "%016llx", (unsigned long long)hash);
}

/* Bytes of a file at most; from HG_EARLY_ENOUGH on the process loads LTTng-UST. */
#define HG_EARLY_MOST   (1u << 20)
#define HG_EARLY_ENOUGH (1u << 18)

struct hg_early_file {
	uint64_t magic;
	int32_t pid;
	uint32_t zero;
	uint64_t used;   /* atomic: bytes of whole entries behind this */
	uint64_t origin; /* ns of CLOCK_REALTIME less those of CLOCK_MONOTONIC */
};

struct hg_early_entry {
	uint32_t size; /* bytes with this, a multiple of 8 */
	uint16_t type;
	uint16_t zero;
	int32_t thread;
	uint32_t zero_too;
	uint64_t ns; /* CLOCK_MONOTONIC */
};
_Static_assert(sizeof(struct hg_early_file) == 32 && sizeof(struct hg_early_entry) == 24,
	       "no gaps");

/* The recorder's: make the directory in the bundle and its layout. 0 or -errno. */
int early_events_make(int bundle);
/* Remove both, if there is nothing else in it. */
void early_events_remove(int bundle);

#endif
