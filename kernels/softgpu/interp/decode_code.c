/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoded code: one entry per instruction address, made on first use from the text that amd_comgr
 * prints. Text is exact (it is the vendor's own decoder) and spares a second opcode table.
 */
#include <stdlib.h>

#include AMD_COMGR_HEADER

#include "check.h"
#include "interp.h"
#include "parse.h"

#define SLOTS   SG_CODE_SLOTS
#define BUCKETS 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sg_code_page *bucket[BUCKETS];
static struct sg_code_page *retired; /* invalidated while somebody may still execute them */
static unsigned active;
/* They are made on first use. By enum softgpu_processor: amd_comgr knows at least one of the names.
 */
static struct {
	const char *names[2];
	bool made;
	amd_comgr_disassembly_info_t info;
} disassemblers[] = {
#define SOFTGPU_PROCESSOR(constant, name, runs, also, since) { .names = { name, also } },
#include "kernels/softgpu/processor.def"
};

struct disassembly {
	char text[512];
	uint64_t pc;
	uint32_t first; /* the word at pc that the disassembler gets */
};

static uint64_t read_code(uint64_t from, char *to, uint64_t size, void *data)
{
	uint64_t done = 0;

	(void)data;
	while (done < size) {
		uint64_t at = from + done;
		uint64_t n = SOFTGPU_PAGE_SIZE - (at & (SOFTGPU_PAGE_SIZE - 1));

		if (!(softgpu_page_state(SOFTGPU_ANY_GPU, at) & SOFTGPU_PAGE_MAPPED))
			break;
		if (n > size - done)
			n = size - done;
		memcpy(to + done, softgpu_host_pointer(at), n);
		done += n;
	}
	return done;
}

static uint64_t read_for_text(uint64_t from, char *to, uint64_t size, void *data)
{
	const struct disassembly *d = data;
	uint64_t done = read_code(from, to, size, NULL);

	if (from == d->pc && done >= sizeof(d->first))
		memcpy(to, &d->first, sizeof(d->first));
	return done;
}

static void take_text(const char *text, void *data)
{
	struct disassembly *d = data;

	while (*text == ' ' || *text == '\t')
		text++;
	snprintf(d->text, sizeof(d->text), "%s", text);
}

static void ignore_address(uint64_t address, void *data)
{
	(void)address;
	(void)data;
}

static void exec_unknown(struct sg_wave *wave, const struct sg_insn *in)
{
	sg_unsupported(wave, in, in->problem ? in->problem : "unsupported instruction");
}

static void exec_illegal(struct sg_wave *wave, const struct sg_insn *in)
{
	sg_illegal(wave, in);
}

/* The plain name: with features 5.2.3's decoder prints complaints and works less. */
static bool make_disassembler(enum softgpu_processor processor)
{
	unsigned i;

	for (i = 0; i < 2 && !disassemblers[processor].made; i++) {
		const char *short_name = disassemblers[processor].names[i];
		char name[64];

		snprintf(name, sizeof(name), "amdgcn-amd-amdhsa--%s", short_name ? short_name : "");
		disassemblers[processor].made =
		    short_name && amd_comgr_create_disassembly_info(
				      name, read_for_text, take_text, ignore_address,
				      &disassemblers[processor].info) == AMD_COMGR_STATUS_SUCCESS;
	}
	return disassemblers[processor].made;
}

/*
 * Returns true for code on which LLVM's decoders crash (seen: 21 and 22): a literal constant in
 * VOP3, which gfx9 does not have, and a constant or scalar register as A or B of V_MFMA_*_F8F6F4.
 */
static bool crashes_decoder(const uint32_t *raw, enum softgpu_processor processor)
{
	unsigned at =
	    processor == SOFTGPU_GFX950 && raw[0] >> 16 == 0xd3ac ? 2 : 0; /* behind scales */
	uint32_t op = raw[at] >> 16, sources = raw[at + 1];

	if (raw[0] >> 26 != 0x34)
		return false;
	if ((sources & 0x1ff) == 0xff || (sources >> 9 & 0x1ff) == 0xff ||
	    (sources >> 18 & 0x1ff) == 0xff)
		return true;
	return processor == SOFTGPU_GFX950 && (op == 0xd3ad || op == 0xd3ae) &&
	       (~sources & 0x20100u);
}

/*
 * Returns the first word of the V_CMP with the operands of a V_CMPX in VOP3, 0 for all others.
 * Opcodes as in "AMD Instinct MI200 Instruction Set Architecture", VOPC: classes are odd, others
 * have bit 4.
 */
static uint32_t plain_compare(uint32_t first)
{
	uint32_t op = first >> 16 & 0x3ff;

	if (first >> 26 != 0x34)
		return 0;
	if (op == 0x11 || op == 0x13 || op == 0x15)
		return first & ~(UINT32_C(1) << 16);
	return op >= 0x30 && op < 0x100 && (op & 0x10) ? first & ~(UINT32_C(0x10) << 16) : 0;
}

static bool disassemble(struct disassembly *d, uint64_t *size)
{
	return amd_comgr_disassemble_instruction(disassemblers[softgpu_config.processor].info,
						 d->pc, d, size) == AMD_COMGR_STATUS_SUCCESS;
}

/*
 * amd_comgr refuses what LLVM's decoder calls a soft failure: for LLVM 21 that is a V_CMPX in VOP3
 * that writes other scalar registers than EXEC, which gfx9 has and assemblers write. Its V_CMP has
 * the same operands.
 */
static bool disassemble_softly(struct disassembly *d, uint64_t *size)
{
	static const char compare[] = "v_cmp";
	const size_t length = sizeof(compare) - 1;
	size_t rest;

	d->first = plain_compare(d->first);
	if (!d->first || !disassemble(d, size) || strncmp(d->text, compare, length) != 0)
		return false;
	rest = strlen(d->text + length);
	if (length + 1 + rest >= sizeof(d->text))
		return false;
	memmove(d->text + length + 1, d->text + length, rest + 1);
	d->text[length] = 'x';
	return true;
}

static struct sg_insn *decode(uint64_t pc)
{
	enum softgpu_processor processor = softgpu_config.processor;
	struct disassembly d = { .pc = pc };
	struct sg_insn *in = aligned_alloc(_Alignof(struct sg_insn), sizeof(*in));
	uint64_t size = 0;

	if (!in)
		return NULL;
	memset(in, 0, sizeof(*in));
	in->pc = pc;
	in->exec = exec_unknown;
	in->size = 4;
	if (!make_disassembler(processor)) {
		in->problem = "amd_comgr cannot disassemble for this processor";
		return in;
	}
	if (read_code(pc, (char *)in->raw, sizeof(in->raw), NULL) < 4)
		in->problem = "code is not mapped";
	d.first = in->raw[0];
	if (!in->problem && (crashes_decoder(in->raw, processor) ||
			     (!disassemble(&d, &size) && !disassemble_softly(&d, &size)))) {
		in->exec = exec_illegal;
		in->problem = "not an instruction";
	}
	if (in->problem) {
		snprintf(d.text, sizeof(d.text), ".long 0x%08x", in->raw[0]);
	} else {
		in->size = (uint8_t)size;
		in->problem = sg_parse(d.text, in);
		if (in->problem || !in->op)
			in->exec = exec_unknown;
		else {
			sg_native_prepare(in);
			sg_check_prepare(in);
		}
	}
	in->text = strdup(d.text);
	return in;
}

static struct sg_code_page *find_page(uint64_t page)
{
	struct sg_code_page *p;

	for (p = bucket[page % BUCKETS]; p; p = p->next)
		if (p->page == page)
			return p;
	return NULL;
}

const struct sg_insn *sg_fetch_slow(struct sg_wave *wave, uint64_t pc, uint64_t *fault)
{
	struct sg_code_page *p;
	struct sg_insn *in;

	if (!(softgpu_page_state(wave->run->dispatch.gpu, pc) & SOFTGPU_PAGE_MAPPED)) {
		*fault = pc;
		return NULL;
	}
	pthread_mutex_lock(&lock);
	p = find_page(pc >> SOFTGPU_PAGE_SHIFT);
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (p) {
			p->page = pc >> SOFTGPU_PAGE_SHIFT;
			p->next = bucket[p->page % BUCKETS];
			bucket[p->page % BUCKETS] = p;
		}
	}
	in = NULL;
	if (p) {
		in = p->slot[(pc / 4) % SLOTS];
		if (!in) {
			in = decode(pc);
			__atomic_store_n(&p->slot[(pc / 4) % SLOTS], in, __ATOMIC_RELEASE);
		}
	}
	wave->code = p;
	pthread_mutex_unlock(&lock);
	if (!in)
		*fault = pc;
	return in;
}

static void free_page(struct sg_code_page *p)
{
	unsigned i;

	for (i = 0; i < SLOTS; i++) {
		if (p->slot[i]) {
			free(p->slot[i]->text);
			sg_native_free(p->slot[i]->run);
		}
		free(p->slot[i]);
	}
	free(p);
}

static void free_retired(void)
{
	while (retired) {
		struct sg_code_page *p = retired;

		retired = p->next;
		free_page(p);
	}
}

void sg_code_enter(void)
{
	pthread_mutex_lock(&lock);
	active++;
	pthread_mutex_unlock(&lock);
}

void sg_code_leave(void)
{
	pthread_mutex_lock(&lock);
	if (--active == 0)
		free_retired();
	pthread_mutex_unlock(&lock);
}

/* Counts invalidations: waves drop their page pointer when it moved while they were suspended. */
uint64_t sg_code_generation;

void softgpu_code_invalidate(uint64_t base, uint64_t size)
{
	uint64_t first = base >> SOFTGPU_PAGE_SHIFT;
	uint64_t last = (base + size + SOFTGPU_PAGE_SIZE - 1) >> SOFTGPU_PAGE_SHIFT;
	unsigned i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < BUCKETS; i++) {
		struct sg_code_page **at = &bucket[i];

		while (*at) {
			struct sg_code_page *p = *at;

			if (p->page < first || p->page >= last) {
				at = &p->next;
				continue;
			}
			*at = p->next;
			p->next = retired;
			retired = p;
		}
	}
	if (!active)
		free_retired();
	__atomic_add_fetch(&sg_code_generation, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}
