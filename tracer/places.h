/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIR/places, which the recorder makes, recorded processes map and the recorder removes at the end:
 * which words of memory the kernels that were launched load pointers from. A process asks for a
 * kernel at its first launch and looks for the answer at later ones; it never waits. The answers
 * come from a process of the recorder's that analyses the kernel's machine code.
 *
 * Both sides take what stands in the table for input: a process may have overwritten it.
 */
#ifndef HIPGRAIN_TRACER_PLACES_H
#define HIPGRAIN_TRACER_PLACES_H

#include <stdint.h>
#include <sys/types.h>

#define HG_PLACES           "places"
#define HG_PLACES_MAGIC     UINT64_C(0x7365636c6c706768)
#define HG_PLACES_KERNELS   2048u /* a power of 2 */
#define HG_PLACES_PATHS     4096u
#define HG_PLACES_OF_KERNEL 64u
#define HG_PLACES_STEPS     8u
#define HG_PLACES_PROBES    16u        /* rows that a kernel may be in */
#define HG_PLACES_VARIABLE  UINT32_MAX /* in place of an offset in the arguments */

enum hg_place_state {
	HG_PLACE_FREE,
	HG_PLACE_TAKEN,
	HG_PLACE_ASKED,
	/* Answers: */
	HG_PLACE_NONE,     /* it loads no pointer from memory */
	HG_PLACE_LISTED,   /* all that it loads, are by these paths */
	HG_PLACE_SOME,     /* it loads pointers by these paths, and others may be anywhere */
	HG_PLACE_ANYWHERE, /* that is not known: they may be anywhere */
};

/* Flags of a step. */
#define HG_PLACE_CHOSEN  1u /* the offset is chosen at run time */
#define HG_PLACE_REPEATS 2u

/* A word that holds a pointer: so many bytes from where the pointer leads that was reached. */
struct hg_place_step {
	int32_t offset;
	uint32_t flags;
};

/* Each step loads another pointer, from the one at a byte of the arguments, or from a device
 * symbol, on. */
struct hg_place_path {
	uint64_t variable; /* hg_places_symbol() of its name, with HG_PLACES_VARIABLE; else 0 */
	uint32_t kernarg;
	uint32_t step_count; /* at least 1 */
	struct hg_place_step step[HG_PLACES_STEPS];
};

struct hg_place_kernel {
	uint32_t state;        /* atomic; enum hg_place_state */
	uint32_t first, count; /* paths, of HG_PLACE_LISTED and HG_PLACE_SOME */
	uint32_t zero[3];
	uint64_t symbol;  /* hg_places_symbol() of its mangled name */
	uint8_t code[32]; /* SHA-256 of its code object */
};

struct hg_places_table {
	uint64_t magic;
	uint32_t asked; /* atomic, a futex: changes with each question */
	uint32_t zero[13];
	struct hg_place_kernel kernels[HG_PLACES_KERNELS];
	struct hg_place_path paths[HG_PLACES_PATHS];
};
_Static_assert(sizeof(struct hg_place_kernel) == 64 && sizeof(struct hg_place_path) == 80,
	       "no padding");

/* Returns FNV-1a of the name. */
static inline uint64_t hg_places_symbol(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash;
}

/*
 * Returns which words the kernel of that hash loads pointers from, in the code object `name` in
 * directory `folder`: an answer, and at most HG_PLACES_OF_KERNEL paths, the most important first.
 */
typedef enum hg_place_state places_finder(int folder, const char *name, uint64_t symbol,
					  struct hg_place_path *paths, unsigned *count);

/*
 * The recorder calls these. places_begin() makes the table in a bundle and starts the process that
 * answers by calling `find`. It returns its pid, or -1 without either: processes then search memory
 * without answers. places_end() ends it.
 */
pid_t places_begin(int bundle, places_finder *find);
void places_end(int bundle, pid_t helper);

#endif
