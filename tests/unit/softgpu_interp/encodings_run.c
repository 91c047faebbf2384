/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: encodings_run gfx90a|gfx942|gfx950: each line of stdin is an instruction as hexadecimal
 * dwords, separated by blanks. It is decoded and executed on one wave, and a line tells the
 * outcome:
 *
 *   done | fault | trap | endless | refused MESSAGE | none MESSAGE | crash
 *
 * "none": not an instruction of that processor. A child process does it, so that a crash ends no
 * more than one line. The encoder is `encodings`.
 *
 * Even registers hold the address of memory in the lowest 4 GiB and odd ones 0, so that aligned
 * pairs, and sums of two of them, are addresses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#define DATA       0x10000000u
#define DATA_SIZE  0x20100000u
#define SLOT       64 /* bytes for one instruction and what leads to it */
#define SLOTS      1024
#define BUDGET     20000
#define WORDS      4
#define S_ENDPGM   0xbf810000u
#define REGISTERS  256
#define SCALARS    102
#define DESCRIPTOR 64 /* bytes */

static uint32_t *code_area;  /* preparation, then the slots */
static uint32_t preparation; /* its dwords */
static uint8_t *descriptor;
static hsa_kernel_dispatch_packet_t *packet;

/* Set all registers and jump to what VCC says. */
static void make_preparation(void)
{
	uint32_t *at = code_area, n;

	for (n = 0; n < SCALARS; n++) {
		*at++ = 0xbe8000ffu | n << 16; /* s_mov_b32 */
		*at++ = n % 2 ? 0 : DATA;
	}
	for (n = 0; n < REGISTERS; n++)
		*at++ = 0x7e000200u | n << 17 | n % 2; /* v_mov_b32 vN, s0 or s1 */
	*at++ = 0xbe801d6au;                           /* s_setpc_b64 vcc */
	preparation = (uint32_t)(at - code_area);
}

/* Where instruction number `slot` of the code area starts, after what leads to it. */
static uint32_t *make_slot(unsigned slot)
{
	uint32_t *start = code_area + preparation + slot * (SLOT / 4), *at = start;

	*at++ = 0xbeea1c00u; /* s_getpc_b64 vcc */
	*at++ = 0x806a886au; /* s_add_u32 vcc_lo, vcc_lo, 8 */
	*at = 0xbf820000u | ((uint32_t)(code_area - (at + 1)) & 0xffff); /* s_branch */
	at++;
	while (at < start + SLOT / 4)
		*at++ = S_ENDPGM;
	return start + 3;
}

static void prepare(void)
{
	size_t size = (SCALARS * 2 + REGISTERS + 1) * 4 + SLOTS * SLOT + 64;
	void *data = mmap((void *)(uintptr_t)DATA, DATA_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (data == MAP_FAILED) {
		perror("memory for instructions");
		exit(99);
	}
	gpu_set_state(data, DATA_SIZE, SOFTGPU_PAGE_MAPPED);
	code_area = gpu_alloc(size, 0);
	descriptor = gpu_alloc(4096, 0);
	packet = gpu_alloc(4096, 0);
	make_preparation();
	packet->workgroup_size_x = 64;
	packet->grid_size_x = 64;
	packet->workgroup_size_y = packet->workgroup_size_z = 1;
	packet->grid_size_y = packet->grid_size_z = 1;
	packet->group_segment_size = 4096;
	packet->private_segment_size = 4096;
	packet->kernel_object = (uint64_t)(uintptr_t)descriptor;
	softgpu_config.threads = 1;
}

static void execute(unsigned slot, const uint32_t *words, unsigned n)
{
	uint32_t *at = make_slot(slot);
	int64_t entry = (uint8_t *)(at - 3) - descriptor;
	/* 512 vector registers, of which the last 508 would be for accumulation. */
	uint32_t rsrc1 = 63 | 0xf0u << 12 /* denormals are kept */;
	struct softgpu_dispatch d = { .packet = *packet,
				      .packet_address = (uint64_t)(uintptr_t)packet,
				      .kernel_name = "one" };
	struct softgpu_run *run;
	enum softgpu_status status;

	memcpy(at, words, n * sizeof(*words));
	/* Offsets by the descriptor of LLVM's AMDGPUUsage. */
	memset(descriptor, 0, DESCRIPTOR);
	memcpy(descriptor + 16, &entry, 8);
	memcpy(descriptor + 48, &rsrc1, 4);
	run = softgpu_run_create(&d);
	status = run ? softgpu_run_step(run, BUDGET) : SOFTGPU_UNSUPPORTED;
	switch (status) {
	case SOFTGPU_DONE:
		printf("done\n");
		break;
	case SOFTGPU_FAULT:
		printf("fault\n");
		break;
	case SOFTGPU_TRAP:
		printf("trap\n");
		break;
	case SOFTGPU_RUNNING:
		printf("endless\n");
		break;
	default:
		printf("%s %s\n",
		       run && strstr(softgpu_run_message(run), "not an instruction") ? "none"
										     : "refused",
		       run ? softgpu_run_message(run) : "out of memory");
	}
	fflush(stdout);
	softgpu_run_destroy(run);
}

/* Everything from line `first` on; the parent knows by the lines it gets how far it came. */
static void child(char **line, unsigned first, unsigned lines, int to)
{
	unsigned i, slot = 0;

	if (dup2(to, STDOUT_FILENO) < 0)
		exit(99);
	for (i = first; i < lines; i++) {
		uint32_t words[WORDS] = { 0 };
		char *at = line[i], *end;
		unsigned n = 0;

		for (; n < WORDS; at = end) {
			words[n] = (uint32_t)strtoul(at, &end, 16);
			if (end == at)
				break;
			n++;
		}
		if (slot == SLOTS) {
			softgpu_code_invalidate((uint64_t)(uintptr_t)(code_area + preparation),
						SLOTS * SLOT);
			slot = 0;
		}
		execute(slot++, words, n);
	}
	exit(0);
}

/* Copy the child's lines; returns how many. */
static unsigned copy_lines(int from)
{
	FILE *f = fdopen(from, "r");
	char *text = NULL;
	size_t size = 0;
	unsigned n = 0;

	while (f && getline(&text, &size, f) > 0 && strchr(text, '\n')) {
		fputs(text, stdout);
		n++;
	}
	free(text);
	if (f)
		fclose(f);
	return n;
}

static char **read_lines(unsigned *count)
{
	char **line = NULL, *text = NULL;
	size_t size = 0;

	*count = 0;
	while (getline(&text, &size, stdin) > 0) {
		if (*count % 1024 == 0)
			line = realloc(line, (*count + 1024) * sizeof(*line));
		if (!line || !(line[*count] = strdup(text)))
			exit(99);
		++*count;
	}
	free(text);
	return line;
}

static bool choose(const char *name)
{
	static const char *const names[] = { "gfx90a", "gfx942", "gfx950" };
	unsigned i;

	for (i = 0; i < 3; i++)
		if (!strcmp(name, names[i])) {
			softgpu_config.processor = (enum softgpu_processor)i;
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	unsigned lines, done = 0;
	char **line;

	if (argc != 2 || !choose(argv[1])) {
		fprintf(stderr, "usage: %s gfx90a|gfx942|gfx950\n", argv[0]);
		return 2;
	}
	prepare();
	line = read_lines(&lines);
	while (done < lines) {
		int pipes[2], status;
		pid_t pid;

		fflush(stdout);
		if (pipe(pipes) || (pid = fork()) < 0)
			return 99;
		if (!pid) {
			close(pipes[0]);
			child(line, done, lines, pipes[1]);
		}
		close(pipes[1]);
		done += copy_lines(pipes[0]);
		waitpid(pid, &status, 0);
		if (done < lines) {
			printf("crash\n");
			done++;
		}
	}
	return 0;
}
