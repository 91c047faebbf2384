/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of kernels/programs/handover.hip with many seeds and 8 XCDs, each seed in a process
 * of its own. Usage: seeds CODE [SEEDS [FIRST]]; CODE is for gfx942, SEEDS 20. Without release and
 * acquire a kernel ends wrongly with some seed, and stale reads are seen; with them neither
 * happens. TAP on stdout; the figures of 1000 seeds are in docs/gfx90a-gfx942.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#define GROUPS 8u
#define ITEMS  64u

/* What a run in a child says in its exit status. */
enum { WRONG = 1, STALE = 2, FAILED = 4 };

static bool stale;

static void see(const struct softgpu_stale_read *read, void *data)
{
	(void)read;
	(void)data;
	stale = true;
}

/* Kernels by name; the words, and three that they synchronise with; what is right, and where. */
static const struct kernel {
	const char *symbol, *name;
	bool mended;
	unsigned at; /* of the result: a word of flags, or the first of words */
	uint32_t right;
} kernels[] = {
	{ "_Z7messageIL5order0EEvPjS1_S1_S1_", "message", false, 2, (GROUPS - 1) * ITEMS },
	{ "_Z4sumsIL5order0EEvPjS1_S1_", "sums", false, 1, GROUPS *(GROUPS + 1) / 2 },
	{ "_Z4lockIL5order0EEvPjS1_", "lock", false, 3, GROUPS *(GROUPS + 1) / 2 },
	{ "_Z7messageIL5order1EEvPjS1_S1_S1_", "message_fenced", true, 2, (GROUPS - 1) * ITEMS },
	{ "_Z7messageIL5order2EEvPjS1_S1_S1_", "message_ordered", true, 2, (GROUPS - 1) * ITEMS },
	{ "_Z4sumsIL5order1EEvPjS1_S1_", "sums_fenced", true, 1, GROUPS *(GROUPS + 1) / 2 },
	{ "_Z4lockIL5order1EEvPjS1_", "lock_fenced", true, 3, GROUPS *(GROUPS + 1) / 2 },
};
#define KERNELS (sizeof(kernels) / sizeof(kernels[0]))

static int run(const struct code *code, const struct kernel *kernel, uint64_t seed)
{
	uint32_t *words = gpu_alloc(4096, 0), *flags = gpu_alloc(4096, 0);
	uint64_t arguments[] = { (uintptr_t)words, (uintptr_t)flags, (uintptr_t)(flags + 1),
				 (uintptr_t)(flags + 2) };
	static struct launch l = { .grid = { GROUPS * ITEMS, 1, 1 }, .group = { ITEMS, 1, 1 } };
	int result;

	softgpu_config.seed = seed;
	softgpu_watch_stale_reads(see, NULL);
	if (launch(code, kernel->symbol, &l, arguments, 4) != SOFTGPU_DONE) {
		fprintf(stderr, "%s: %s\n", kernel->name, l.message);
		return FAILED;
	}
	result = (kernel->at == 3 ? words[0] : flags[kernel->at]) == kernel->right ? 0 : WRONG;
	return result | (stale ? STALE : 0);
}

int main(int argc, char **argv)
{
	unsigned long seeds = argc > 2 ? strtoul(argv[2], NULL, 10) : 20;
	unsigned long first = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
	struct code code;
	int failed = 0;

	if (argc < 2 || load_code(argv[1], &code))
		return 99;
	softgpu_config.xcds = 8;
	softgpu_config.threads = 1;
	printf("1..%zu\n", KERNELS);
	for (size_t i = 0; i < KERNELS; i++) {
		const struct kernel *kernel = &kernels[i];
		unsigned wrong = 0, seen = 0;
		bool good = true;

		fflush(stdout);
		for (unsigned long seed = first; seed < first + seeds; seed++) {
			pid_t child = fork();
			int status = 0;

			if (child == 0)
				_exit(run(&code, kernel, seed));
			good &= child > 0 && waitpid(child, &status, 0) == child &&
				WIFEXITED(status) && !(WEXITSTATUS(status) & FAILED);
			wrong += WEXITSTATUS(status) & WRONG;
			seen += (WEXITSTATUS(status) & STALE) != 0;
			/* Whatever is wrong is wrong because something stale was read. */
			good &= !(WEXITSTATUS(status) & WRONG) || WEXITSTATUS(status) & STALE;
		}
		good &= kernel->mended ? !wrong && !seen : wrong > 0;
		failed += !good;
		printf("%s %zu - %s: wrong with %u of %lu seeds, stale reads with %u\n",
		       good ? "ok" : "not ok", i + 1, kernel->name, wrong, seeds, seen);
	}
	return failed > 0;
}
