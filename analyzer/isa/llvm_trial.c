/* SPDX-License-Identifier: Apache-2.0 */
/* This finds out by trying what one of LLVM's libraries can do. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch.h"
#include "disasm_llvm.h"

#define SECONDS 10

/* Instructions that the analysis reads, as LLVM 19 prints them, of each generation [PROBE19]. */
static const struct {
	enum arch_generation generation;
	uint8_t bytes[12];
	uint8_t length;
	const char *text;
} samples[] = {
	{ ARCH_GFX9,
	  { 0, 0, 0x85, 0xdd, 2, 4, 0, 0 },
	  8,
	  "flat_atomic_cmpswap_x2 v[0:1], v[2:3], v[4:7] glc" },
	{ ARCH_GFX9,
	  { 0x10, 0x80, 0x5c, 0xdc, 0, 0, 2, 4 },
	  8,
	  "global_load_dwordx4 v[4:7], v0, s[2:3] offset:16" },
	{ ARCH_GFX9, { 0x70, 0, 0x8c, 0xbf }, 4, "s_waitcnt vmcnt(0) lgkmcnt(0)" },
	{ ARCH_GFX9, { 0x6a, 0x20, 0x82, 0xbe }, 4, "s_and_saveexec_b64 s[2:3], vcc" },
	{ ARCH_GFX9, { 0x10, 0, 0x88, 0xbf }, 4, "s_cbranch_execz 16" },
	{ ARCH_GFX10,
	  { 0, 0, 0x45, 0xdd, 2, 4, 0x7d, 0 },
	  8,
	  "flat_atomic_cmpswap_x2 v[0:1], v[2:3], v[4:7] glc" },
	{ ARCH_GFX10,
	  { 0x10, 0x80, 0x38, 0xdc, 0, 0, 2, 4 },
	  8,
	  "global_load_dwordx4 v[4:7], v0, s[2:3] offset:16" },
	{ ARCH_GFX10, { 0x70, 0, 0x8c, 0xbf }, 4, "s_waitcnt vmcnt(0) lgkmcnt(0)" },
	{ ARCH_GFX10, { 0x6a, 0x3c, 0x82, 0xbe }, 4, "s_and_saveexec_b32 s2, vcc_lo" },
	{ ARCH_GFX11,
	  { 0, 0x40, 8, 0xdd, 2, 4, 0x7c, 0 },
	  8,
	  "flat_atomic_cmpswap_b64 v[0:1], v[2:3], v[4:7] glc" },
	{ ARCH_GFX11,
	  { 0x10, 0, 0x5e, 0xdc, 0, 0, 2, 4 },
	  8,
	  "global_load_b128 v[4:7], v0, s[2:3] offset:16" },
	{ ARCH_GFX11, { 7, 0, 0x89, 0xbf }, 4, "s_waitcnt vmcnt(0) lgkmcnt(0)" },
	{ ARCH_GFX11, { 0x10, 0, 0xa5, 0xbf }, 4, "s_cbranch_execz 16" },
	{ ARCH_GFX12,
	  { 0x7c, 0x80, 0x10, 0xec, 0, 0, 0x10, 2, 2, 0, 0, 0 },
	  12,
	  "flat_atomic_cmpswap_b64 v[0:1], v[2:3], v[4:7] th:TH_ATOMIC_RETURN" },
	{ ARCH_GFX12,
	  { 2, 0xc0, 5, 0xee, 4, 0, 0, 0, 0, 0x10, 0, 0 },
	  12,
	  "global_load_b128 v[4:7], v0, s[2:3] offset:16" },
	{ ARCH_GFX12, { 0, 0, 0xc0, 0xbf }, 4, "s_wait_loadcnt 0x0" },
	{ ARCH_GFX12, { 0x10, 0, 0xa5, 0xbf }, 4, "s_cbranch_execz 16" },
	{ ARCH_GFX12_5,
	  { 0x7c, 0x80, 0x10, 0xec, 0, 0, 0x10, 2, 2, 0, 0, 0 },
	  12,
	  "flat_atomic_cmpswap_b64 v[0:1], v[2:3], v[4:7] th:TH_ATOMIC_RETURN" },
	{ ARCH_GFX12_5,
	  { 2, 0xc0, 5, 0xee, 4, 0, 0, 0, 0, 0x10, 0, 0 },
	  12,
	  "global_load_b128 v[4:7], v0, s[2:3] offset:16" },
	{ ARCH_GFX12_5, { 0, 0, 0xc0, 0xbf }, 4, "s_wait_loadcnt 0x0" },
	{ ARCH_GFX12_5, { 0x10, 0, 0xa5, 0xbf }, 4, "s_cbranch_execz 16" },
};

enum result { PASSED, UNTRIED, UNKNOWN, DIFFERENT };

/* Returns true if both are alike, as far as white space goes. */
static bool is_alike(const char *printed, const char *expected)
{
	for (;;) {
		printed += strspn(printed, " \t");
		expected += strspn(expected, " ");
		if (*printed != *expected)
			return false;
		if (!*printed)
			return true;
		printed++;
		expected++;
	}
}

static enum result try_samples(const struct llvm_functions *functions, const struct arch *arch,
			       const char *processor)
{
	void *context = functions->create("amdgcn-amd-amdhsa", processor, "", NULL, 0, NULL, NULL);
	uint8_t bytes[32];
	char text[256];

	if (!context)
		return UNKNOWN;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		if (samples[i].generation != arch->generation)
			continue;
		memset(bytes, 0, sizeof(bytes));
		memcpy(bytes, samples[i].bytes, sizeof(samples[i].bytes));
		if (functions->one(context, bytes, sizeof(bytes), 0, text, sizeof(text)) !=
			samples[i].length ||
		    !is_alike(text, samples[i].text))
			return DIFFERENT;
	}
	return PASSED;
}

static enum result try_apart(const struct llvm_functions *functions, const struct arch *arch,
			     const char *processor)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		/* Its words about an unknown processor are not for the user. */
		signal(SIGABRT, SIG_DFL);
		close(STDOUT_FILENO);
		close(STDERR_FILENO);
		alarm(SECONDS);
		_exit((int)try_samples(functions, arch, processor));
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return UNTRIED;
	return WIFEXITED(status) && WEXITSTATUS(status) <= DIFFERENT
		   ? (enum result)WEXITSTATUS(status)
		   : UNKNOWN;
}

/* ---- results so far ---- */

#define RESULTS 128

static struct {
	const struct llvm_candidate *candidate;
	const struct arch *arch;
	enum result result;
} results[RESULTS];
static size_t result_count;

static enum result result_of(const struct llvm_candidate *candidate, const struct arch *arch,
			     const char *processor)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	enum result result;
	size_t i = 0;

	pthread_mutex_lock(&lock);
	while (i < result_count && (results[i].candidate != candidate || results[i].arch != arch))
		i++;
	if (i < result_count) {
		result = results[i].result;
	} else {
		result = try_apart(&candidate->functions, arch, processor);
		if (i < RESULTS) {
			results[i].candidate = candidate;
			results[i].arch = arch;
			results[i].result = result;
			result_count++;
		}
	}
	pthread_mutex_unlock(&lock);
	return result;
}

bool llvm_passes(const struct llvm_candidate *candidate, const char *processor, const char **why)
{
	static const char *const texts[] = {
		[PASSED] = NULL,
		[UNTRIED] = "it could not be tried",
		[UNKNOWN] = "it does not know it",
		[DIFFERENT] = "it prints instructions in another way",
	};
	const struct arch *arch = arch_find(processor);
	enum result result = arch ? result_of(candidate, arch, processor) : UNKNOWN;

	if (why)
		*why = texts[result];
	return result == PASSED;
}
