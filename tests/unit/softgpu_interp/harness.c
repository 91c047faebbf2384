/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for the runtime in the interpreter's tests: states of pages, code objects, launches. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

/* ---- pages ---- */

#define RANGES 1024

static struct range {
	uint64_t first, last;
	unsigned state;
} ranges[RANGES];
static unsigned nranges;

volatile uint64_t softgpu_memory_generation = 1;
struct softgpu_config softgpu_config = { .drop_fine_fp_atomics = true, .pcie_atomics = true };

unsigned softgpu_page_state(unsigned gpu, uint64_t address)
{
	unsigned i;

	(void)gpu;
	for (i = nranges; i-- > 0;)
		if (address >= ranges[i].first && address < ranges[i].last)
			return ranges[i].state;
	return 0;
}

/* What is cheap to say here is the page. */
unsigned softgpu_page_span(unsigned gpu, uint64_t address, bool write, uint64_t *first,
			   uint64_t *last)
{
	(void)write;
	*first = address & ~(uint64_t)(SOFTGPU_PAGE_SIZE - 1);
	*last = *first + SOFTGPU_PAGE_SIZE;
	return softgpu_page_state(gpu, address);
}

bool softgpu_memory_range(uint64_t address, uint64_t *first, uint64_t *last)
{
	unsigned i;

	for (i = nranges; i-- > 0;) {
		if (address < ranges[i].first || address >= ranges[i].last)
			continue;
		*first = ranges[i].first;
		*last = ranges[i].last;
		return true;
	}
	return false;
}

void *softgpu_host_pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

void gpu_set_state(void *p, size_t size, unsigned state)
{
	uint64_t first = (uint64_t)(uintptr_t)p;
	unsigned i;

	softgpu_memory_generation++;
	for (i = 0; i < nranges; i++)
		if (ranges[i].first == first) {
			ranges[i].state = state;
			return;
		}
	if (nranges == RANGES) {
		fprintf(stderr, "too many allocations\n");
		exit(99);
	}
	ranges[nranges].first = first;
	ranges[nranges].last = first + ((size + 4095) & ~(size_t)4095);
	ranges[nranges++].state = state;
}

void *gpu_alloc(size_t size, unsigned state)
{
	/* What follows stays without a state, so that accesses beyond the end are faults. */
	void *p =
	    mmap(NULL, size + 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(99);
	gpu_set_state(p, size, SOFTGPU_PAGE_MAPPED | state);
	return p;
}

void gpu_free(void *p, size_t size)
{
	unsigned i;

	for (i = 0; i < nranges; i++)
		if (ranges[i].first == (uint64_t)(uintptr_t)p)
			break;
	if (i < nranges)
		memmove(&ranges[i], &ranges[i + 1], (--nranges - i) * sizeof(ranges[0]));
	softgpu_memory_generation++;
	munmap(p, size + 65536);
}

/* ---- code objects ---- */

static const uint8_t *find_elf(const uint8_t *file, size_t size)
{
	size_t at;

	for (at = 0; at + sizeof(Elf64_Ehdr) <= size; at += 256) {
		const Elf64_Ehdr *e = (const Elf64_Ehdr *)(const void *)(file + at);

		if (!memcmp(e->e_ident, ELFMAG, SELFMAG) && e->e_machine == 224)
			return file + at;
	}
	return NULL;
}

/* EF_AMDGPU_MACH (LLVM AMDGPUUsage, "ELF Header"); gfx940 is gfx942 to the interpreter. */
static enum softgpu_processor processor_of(const Elf64_Ehdr *e)
{
	switch (e->e_flags & 0xff) {
	case 0x40: /* gfx940 */
	case 0x4c: /* gfx942 */
		return SOFTGPU_GFX942;
	default:
		return SOFTGPU_GFX90A;
	}
}

int load_code(const char *path, struct code *code)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	const uint8_t *file;
	const Elf64_Ehdr *e;
	const Elf64_Phdr *p;
	unsigned i;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return -1;
	code->elf = find_elf(file, (size_t)st.st_size);
	if (!code->elf)
		return -1;
	e = (const Elf64_Ehdr *)(const void *)code->elf;
	softgpu_config.processor = processor_of(e);
	p = (const Elf64_Phdr *)(const void *)(code->elf + e->e_phoff);
	code->size = 0;
	for (i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_vaddr + p[i].p_memsz > code->size)
			code->size = p[i].p_vaddr + p[i].p_memsz;
	code->base = gpu_alloc(code->size, 0);
	for (i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD)
			memcpy(code->base + p[i].p_vaddr, code->elf + p[i].p_offset, p[i].p_filesz);
	return 0;
}

uint64_t find_kernel(const struct code *code, const char *name)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)(const void *)code->elf;
	const Elf64_Shdr *s = (const Elf64_Shdr *)(const void *)(code->elf + e->e_shoff);
	char wanted[200];
	unsigned i;
	size_t k;

	snprintf(wanted, sizeof(wanted), "%s.kd", name);
	for (i = 0; i < e->e_shnum; i++) {
		const Elf64_Sym *sym =
		    (const Elf64_Sym *)(const void *)(code->elf + s[i].sh_offset);
		const char *strings;

		if (s[i].sh_type != SHT_DYNSYM)
			continue;
		strings = (const char *)code->elf + s[s[i].sh_link].sh_offset;
		for (k = 0; k < s[i].sh_size / sizeof(*sym); k++)
			if (!strcmp(strings + sym[k].st_name, wanted))
				return (uint64_t)(uintptr_t)code->base + sym[k].st_value;
	}
	return 0;
}

/* ---- launches ---- */

/* e_ident[EI_ABIVERSION] (LLVM AMDGPUUsage, "ELF Header"): 3 and later are versions 5 and later. */
#define ABI_V5 3
/* kernel_code_properties, at byte 56 of the descriptor (LLVM AMDGPUUsage). */
#define PROPERTIES_BYTE    56
#define USES_DYNAMIC_STACK (1u << 11)
/* A stack whose size the compiler does not know: what versions before 5 assume. */
#define DYNAMIC_STACK 16384u

static uint32_t at_least_one(uint32_t x)
{
	return x ? x : 1;
}

/* The first hidden arguments of version 5 (LLVM AMDGPUUsage, "Kernarg"); earlier ones get none. */
static void set_hidden(void *hidden, const hsa_kernel_dispatch_packet_t *packet)
{
	const uint32_t grid[] = { packet->grid_size_x, packet->grid_size_y, packet->grid_size_z };
	const uint16_t group[] = { packet->workgroup_size_x, packet->workgroup_size_y,
				   packet->workgroup_size_z };
	struct {
		uint32_t block_count[3];
		uint16_t group_size[3], remainder[3];
	} values;
	unsigned i;

	for (i = 0; i < 3; i++) {
		values.block_count[i] = grid[i] / group[i];
		values.group_size[i] = group[i];
		values.remainder[i] = (uint16_t)(grid[i] % group[i]);
	}
	memcpy(hidden, &values, sizeof(values));
}

enum softgpu_status launch(const struct code *code, const char *name, struct launch *l,
			   const uint64_t *arguments, unsigned words)
{
	static hsa_kernel_dispatch_packet_t *packet;
	static uint64_t *kernarg;
	struct softgpu_dispatch d;
	struct softgpu_run *run;
	enum softgpu_status status;
	uint32_t *descriptor;

	l->steps = l->fault = 0;
	snprintf(l->message, sizeof(l->message), "no kernel %s", name);
	if (!packet) {
		packet = gpu_alloc(4096, 0);
		kernarg = gpu_alloc(4096, 0);
	}
	memset(packet, 0, sizeof(*packet));
	memset(kernarg, 0, 4096);
	memcpy(kernarg, arguments, words * sizeof(*arguments));
	packet->workgroup_size_x = (uint16_t)at_least_one(l->group[0]);
	packet->workgroup_size_y = (uint16_t)at_least_one(l->group[1]);
	packet->workgroup_size_z = (uint16_t)at_least_one(l->group[2]);
	packet->grid_size_x = at_least_one(l->grid[0]);
	packet->grid_size_y = at_least_one(l->grid[1]);
	packet->grid_size_z = at_least_one(l->grid[2]);
	packet->kernel_object = find_kernel(code, name);
	packet->kernarg_address = kernarg;
	if (!packet->kernel_object)
		return SOFTGPU_UNSUPPORTED;
	if (code->elf[EI_ABIVERSION] >= ABI_V5)
		set_hidden(kernarg + words, packet);
	descriptor = (uint32_t *)(uintptr_t)packet->kernel_object;
	packet->group_segment_size = descriptor[0];
	packet->private_segment_size = descriptor[1];
	if (descriptor[PROPERTIES_BYTE / 4] & USES_DYNAMIC_STACK)
		packet->private_segment_size += DYNAMIC_STACK;
	memset(&d, 0, sizeof(d));
	d.packet = *packet;
	d.packet_address = (uint64_t)(uintptr_t)packet;
	d.cooperative = l->cooperative;
	d.kernel_name = l->shown_name ? l->shown_name : name;
	d.code_base = (uint64_t)(uintptr_t)code->base;
	d.code_size = code->size;
	run = softgpu_run_create(&d);
	if (!run)
		return SOFTGPU_UNSUPPORTED;
	do {
		status = softgpu_run_step(run, l->budget ? l->budget : 1000000000);
		l->steps++;
	} while (status == SOFTGPU_RUNNING && l->steps < 10000000);
	l->fault = softgpu_run_fault_address(run);
	snprintf(l->message, sizeof(l->message), "%s", softgpu_run_message(run));
	softgpu_run_destroy(run);
	return status;
}
