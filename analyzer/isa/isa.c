/* SPDX-License-Identifier: Apache-2.0 */
/* From a code object to the tree of isa.h. */
#include "isa.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "casloop.h"
#include "disasm.h"
#include "filter.h"
#include "flow.h"
#include "image.h"
#include "insn.h"
#include "lines.h"
#include "origin.h"
#include "tracer/codeobj/codeobj.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Processors whose instructions the tables describe: GCN with 64 lanes and gfx9 mnemonics
 * [LUG, "Processors"].
 */
static const char *const processors[] = {
	"gfx900", "gfx902", "gfx904", "gfx906", "gfx908", "gfx909",
	"gfx90a", "gfx90c", "gfx940", "gfx941", "gfx942",
};

/* Everything that is open while one code object is being analysed. */
struct analysis {
	struct isa_image image;
	struct isa_disasm *disasm;
	struct program program;
	struct lines *lines;
	struct codeobj_metadata *metadata;
	bool has_image, has_program, lines_tried;
};

static int fail(char **error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(char **error, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (error && !*error && vasprintf(error, format, args) < 0)
		*error = NULL;
	va_end(args);
	return status;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* ---- kernel descriptor ---- */

static uint32_t get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Registers at entry (code-objects.md C.6). */
static int read_descriptor(const struct isa_image *image, const char *symbol,
			   struct flow_entry *entry, char **error)
{
	const struct isa_symbol *descriptor = isa_image_symbol(image, symbol);
	uint8_t bytes[64];
	uint32_t properties, preload;
	int64_t code;
	int next = 0;

	if (!descriptor)
		return fail(error, -EINVAL, "no kernel descriptor %s", symbol);
	if (isa_image_read(image, descriptor->address, bytes, sizeof(bytes)) != sizeof(bytes))
		return fail(error, -EINVAL, "kernel descriptor %s lies outside of the file",
			    symbol);
	memcpy(&code, bytes + 16, sizeof(code));
	entry->pc = descriptor->address + (uint64_t)code;
	properties = get32(bytes + 56) & 0xffff;
	preload = get32(bytes + 56) >> 16;
	entry->wave_size = properties & 1u << 10 ? 32 : 64;
	entry->scratch_rsrc = entry->dispatch_ptr = entry->queue_ptr = entry->kernarg_ptr = -1;
	if (properties & 1u << 0) {
		entry->scratch_rsrc = next;
		next += 4;
	}
	if (properties & 1u << 1) {
		entry->dispatch_ptr = next;
		next += 2;
	}
	if (properties & 1u << 2) {
		entry->queue_ptr = next;
		next += 2;
	}
	if (properties & 1u << 3) {
		entry->kernarg_ptr = next;
		next += 2;
	}
	next += properties & 1u << 4 ? 2 : 0; /* dispatch id */
	next += properties & 1u << 5 ? 2 : 0; /* flat scratch */
	next += properties & 1u << 6 ? 1 : 0; /* private segment size */
	entry->preload = next;
	entry->preload_count = preload & 0x7f;
	entry->preload_offset = preload >> 7;
	if (entry->preload_count > 16)
		return fail(error, -EINVAL, "kernel descriptor %s preloads %u registers", symbol,
			    entry->preload_count);
	entry->user_count = (unsigned)next + entry->preload_count;
	/* The first 256 bytes then serve firmware that cannot preload. */
	if (entry->preload_count)
		entry->pc += 256;
	return 0;
}

/* ---- results of one kernel ---- */

static int fill_atomic(struct analysis *analysis, struct flow *flow, const struct access *access,
		       uint64_t entry, struct isa_atomic *atomic)
{
	static const uint8_t spaces[] = {
		[MEM_SCALAR] = ISA_SPACE_GLOBAL,   [MEM_SCALAR_BUFFER] = ISA_SPACE_BUFFER,
		[MEM_GLOBAL] = ISA_SPACE_GLOBAL,   [MEM_FLAT] = ISA_SPACE_FLAT,
		[MEM_SCRATCH] = ISA_SPACE_SCRATCH, [MEM_BUFFER] = ISA_SPACE_BUFFER,
		[MEM_DS] = ISA_SPACE_LDS,          [MEM_IMAGE] = ISA_SPACE_GLOBAL,
	};
	const struct insn *insn = access->insn;
	const struct isa_symbol *function = isa_image_symbol_at(&analysis->image, insn->pc, true);
	uint64_t start = function ? function->address : access->function->entry;
	const char *file;
	unsigned i;
	int status;

	atomic->mnemonic = strdup(insn->mnemonic);
	if (!atomic->mnemonic)
		return -ENOMEM;
	if (access->function->entry != entry) {
		atomic->function = isa_demangle(function ? function->name : "?");
		if (!atomic->function)
			return -ENOMEM;
	} else {
		start = entry;
	}
	atomic->offset = insn->pc - start;
	atomic->kernel_offset = (int64_t)(insn->pc - entry);
	atomic->space = spaces[insn->family];
	atomic->op = (enum isa_op)insn->atomic_op;
	atomic->type = (enum isa_type)insn->atomic_type;
	atomic->fp = insn->fp;
	atomic->native = true;
	atomic->returns = insn->returns;
	atomic->system_scope = insn->system_scope;
	if (insn->atomic_op == ISA_OP_CMPSWAP) {
		struct casloop loop;

		status = casloop_classify(access->function, insn, &loop);
		if (status)
			return status;
		if (loop.computes) {
			atomic->cas_loop = true;
			atomic->native = false;
			atomic->loop_op = loop.op;
			atomic->type = loop.type;
			atomic->fp = loop.fp;
		}
		atomic->lock = loop.lock;
	}
	file = analysis->lines ? lines_find(analysis->lines, insn->pc, &atomic->line) : NULL;
	for (i = 0; file && lines_foreign(file) && i < access->caller_count; i++) {
		unsigned line;
		const char *caller = lines_find(analysis->lines, access->caller[i], &line);

		if (!caller)
			break;
		file = caller;
		atomic->line = line;
	}
	if (file) {
		atomic->file = strdup(file);
		if (!atomic->file)
			return -ENOMEM;
	}
	return origin_resolve(flow, access, &atomic->origin);
}

/* The kernel's own atomics first, then those of its callees by address. */
struct order {
	const struct access *access;
	bool callee;
};

static int by_place(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->callee != y->callee)
		return x->callee ? 1 : -1;
	return x->access->insn->pc < y->access->insn->pc
		   ? -1
		   : x->access->insn->pc > y->access->insn->pc;
}

static int fill_atomics(struct analysis *analysis, struct flow *flow, uint64_t entry,
			struct isa_kernel *kernel)
{
	struct order *order = calloc(flow->access_count + 1, sizeof(*order));
	size_t count = 0, i;
	int status = -ENOMEM;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < flow->access_count; i++) {
		if (!flow->access[i].insn->atomic)
			continue;
		order[count].access = &flow->access[i];
		order[count++].callee = flow->access[i].function->entry != entry;
	}
	qsort(order, count, sizeof(*order), by_place);
	kernel->atomics = calloc(count + 1, sizeof(*kernel->atomics));
	if (!kernel->atomics)
		goto out;
	for (status = 0, i = 0; !status && i < count; i++) {
		kernel->atomic_count = i + 1;
		status = fill_atomic(analysis, flow, order[i].access, entry, &kernel->atomics[i]);
	}
out:
	free(order);
	return status;
}

static int fill_args(struct analysis *analysis, const struct codeobj_kernel *from,
		     struct isa_kernel *kernel, struct flow_arg *flow_args, size_t *flow_count)
{
	size_t i;

	kernel->args = calloc(from->arg_count + 1, sizeof(*kernel->args));
	if (!kernel->args)
		return -ENOMEM;
	*flow_count = 0;
	for (i = 0; i < from->arg_count; i++) {
		const struct codeobj_arg *arg = &from->args[i];
		struct isa_arg *to = &kernel->args[kernel->arg_count];
		const char *name = arg->name;

		flow_args[*flow_count].offset = arg->offset;
		flow_args[*flow_count].size = arg->size;
		flow_args[(*flow_count)++].pointer = arg->kind == CODEOBJ_ARG_GLOBAL_BUFFER;
		if (arg->kind == CODEOBJ_ARG_HIDDEN)
			continue;
		to->offset = arg->offset;
		to->size = arg->size;
		to->pointer = arg->kind == CODEOBJ_ARG_GLOBAL_BUFFER;
		if (!name && analysis->lines)
			name = lines_parameter(analysis->lines, from->name,
					       (unsigned)kernel->arg_count);
		to->name = copy(name);
		to->type_name = copy(arg->type_name);
		kernel->arg_count++;
	}
	return 0;
}

/* Nothing in the code of this kernel is an atomic or leads to other code. */
static bool boring(const struct analysis *analysis, uint64_t entry)
{
	const struct isa_image *image = &analysis->image;
	const struct isa_symbol *symbol = isa_image_symbol_at(image, entry, true);
	const struct isa_section *section = isa_image_section(image, entry);
	uint64_t end;

	if (!symbol || !section || !section->bits || entry < symbol->address)
		return false;
	end = symbol->address + symbol->size;
	if (end < entry || end - section->address > section->size ||
	    section->offset > image->size || section->size > image->size - section->offset)
		return false;
	/* Code without an end runs on into what follows. */
	return end > entry &&
	       !filter_interesting(image->data + section->offset + (entry - section->address),
				   (size_t)(end - entry));
}

static int analyse_kernel(struct analysis *analysis, const struct codeobj_kernel *from,
			  const struct isa_options *options, struct isa_kernel *kernel,
			  char **error)
{
	struct flow_entry entry = { 0 };
	struct flow_arg *args = NULL;
	struct flow flow = { 0 };
	size_t arg_count = 0;
	int status;

	kernel->symbol = strdup(from->name);
	kernel->name = isa_demangle(from->name);
	kernel->kernarg_size = from->kernarg_size;
	args = calloc(from->arg_count + 1, sizeof(*args));
	status = -ENOMEM;
	if (!kernel->symbol || !kernel->name || !args)
		goto out;
	status = read_descriptor(&analysis->image, from->symbol, &entry, error);
	if (status)
		goto out;
	kernel->skipped = options && options->atomics_only && boring(analysis, entry.pc);
	/* Line tables take long to open and serve atomics above all. */
	if (!kernel->skipped && !analysis->lines_tried) {
		analysis->lines = lines_open(analysis->image.data, analysis->image.size);
		analysis->lines_tried = true;
	}
	status = fill_args(analysis, from, kernel, args, &arg_count);
	if (status || kernel->skipped)
		goto out;
	status = flow_init(&flow, &analysis->program, args, arg_count);
	if (!status)
		status = flow_run(&flow, &entry);
	if (!status)
		status = fill_atomics(analysis, &flow, entry.pc, kernel);
	if (!status)
		status = origin_uses(&flow, kernel);
	kernel->uses_lds = flow.uses_lds;
	kernel->has_barrier = flow.has_barrier;
	flow_free(&flow);
out:
	free(args);
	return status;
}

/* ---- code object ---- */

static bool known_processor(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(processors); i++)
		if (!strcmp(processors[i], name))
			return true;
	return false;
}

static int open_all(struct analysis *analysis, const void *elf, size_t size,
		    struct isa_code_object *object, char **error)
{
	struct codeobj_target target;
	struct codeobj_error problem = { "" };
	char text[128];
	int status;

	status = isa_image_open(&analysis->image, elf, size, text, sizeof(text));
	if (status)
		return fail(error, status, "code object: %s", text);
	analysis->has_image = true;
	status = codeobj_elf_target(elf, size, &target, &problem);
	if (status)
		return fail(error, status, "code object: %s", problem.text);
	codeobj_target_format(&target, text);
	object->target = strdup(text);
	object->arch = strdup(target.processor);
	if (!object->target || !object->arch)
		return -ENOMEM;
	if (!known_processor(target.processor))
		return fail(error, -ENOTSUP, "code object: instructions of %s are not known",
			    target.processor);
	status = codeobj_metadata_read(elf, size, &analysis->metadata, &problem);
	if (status)
		return fail(error, status, "code object: %s", problem.text);
	analysis->disasm = isa_disasm_create(target.processor);
	if (!analysis->disasm)
		return fail(error, -ENOTSUP, "code object: the disassembler does not know %s",
			    target.processor);
	status = program_init(&analysis->program, &analysis->image, analysis->disasm);
	analysis->has_program = !status;
	return status;
}

static void close_all(struct analysis *analysis)
{
	if (analysis->has_program)
		program_free(&analysis->program);
	lines_close(analysis->lines);
	isa_disasm_destroy(analysis->disasm);
	codeobj_metadata_free(analysis->metadata);
	if (analysis->has_image)
		isa_image_close(&analysis->image);
}

/* What several threads work on: kernels are handed out one by one. */
struct work {
	const void *elf;
	size_t size;
	const struct isa_options *options;
	struct isa_code_object *object;
	const struct codeobj_kernel **from; /* as many as the object has kernels */
	pthread_mutex_t lock;
	size_t next;
	int status; /* of the first that failed */
	char *error;
};

static void work_on(struct work *work, struct analysis *analysis)
{
	pthread_mutex_lock(&work->lock);
	while (!work->status && work->next < work->object->kernel_count) {
		size_t i = work->next++;
		char *error = NULL;
		int status;

		pthread_mutex_unlock(&work->lock);
		status = analyse_kernel(analysis, work->from[i], work->options,
					&work->object->kernels[i], &error);
		pthread_mutex_lock(&work->lock);
		if (status && !work->status) {
			work->status = status;
			work->error = error;
		} else {
			free(error);
		}
	}
	pthread_mutex_unlock(&work->lock);
}

/* A thread of its own: everything that caches is opened anew. */
static void *worker(void *data)
{
	struct isa_code_object scratch = { 0 };
	struct analysis analysis = { 0 };
	struct work *work = data;

	/* Should it fail, the others do its share. */
	if (!open_all(&analysis, work->elf, work->size, &scratch, NULL))
		work_on(work, &analysis);
	close_all(&analysis);
	free(scratch.target);
	free(scratch.arch);
	return NULL;
}

static int run_work(struct work *work, struct analysis *analysis)
{
	enum { MAX_THREADS = 255 };
	size_t wanted = work->options && work->options->jobs > 1 ? work->options->jobs - 1 : 0;
	pthread_t thread[MAX_THREADS];
	size_t count = 0;

	if (wanted > MAX_THREADS)
		wanted = MAX_THREADS;
	/* Fewer kernels than this are not worth a thread. */
	if (wanted > work->object->kernel_count / 4)
		wanted = work->object->kernel_count / 4;
	while (count < wanted && !pthread_create(&thread[count], NULL, worker, work))
		count++;
	work_on(work, analysis);
	while (count)
		pthread_join(thread[--count], NULL);
	return work->status;
}

int isa_analyze(const void *elf, size_t size, const struct isa_options *options,
		struct isa_code_object **out, char **error)
{
	struct isa_code_object *object = calloc(1, sizeof(*object));
	struct analysis analysis = { 0 };
	struct work work = { elf, size, options, object, .lock = PTHREAD_MUTEX_INITIALIZER };
	size_t i;
	int status = -ENOMEM;

	*out = NULL;
	if (error)
		*error = NULL;
	if (!object)
		goto out;
	status = open_all(&analysis, elf, size, object, error);
	if (status)
		goto out;
	codeobj_sha256(elf, size, object->sha256);
	object->kernels = calloc(analysis.metadata->kernel_count + 1, sizeof(*object->kernels));
	work.from = calloc(analysis.metadata->kernel_count + 1, sizeof(*work.from));
	status = object->kernels && work.from ? 0 : -ENOMEM;
	for (i = 0; !status && i < analysis.metadata->kernel_count; i++) {
		const struct codeobj_kernel *kernel = &analysis.metadata->kernels[i];

		if (!kernel->name || !kernel->symbol)
			status = fail(error, -EINVAL,
				      "code object: the metadata has a kernel without a name");
		else if (!options || !options->only_symbol ||
			 !strcmp(options->only_symbol, kernel->name))
			work.from[object->kernel_count++] = kernel;
	}
	if (!status)
		status = run_work(&work, &analysis);
	if (work.error)
		fail(error, status, "%s", work.error);
out:
	close_all(&analysis);
	free(work.from);
	free(work.error);
	if (status) {
		fail(error, status, "code object: %s", strerror(-status));
		isa_code_object_free(object);
		return status;
	}
	*out = object;
	return 0;
}

/* ---- listing ---- */

static void list_function(struct analysis *analysis, uint64_t entry, uint64_t pc,
			  const struct isa_kernel *kernel,
			  void (*line)(void *, int64_t, const char *, const struct isa_atomic *),
			  void *user)
{
	const struct isa_symbol *symbol = isa_image_symbol_at(&analysis->image, pc, true);
	uint64_t end = symbol ? symbol->address + symbol->size : pc;
	uint8_t bytes[32];
	char text[256];

	if (symbol) {
		char *name = isa_demangle(symbol->name);

		pc = symbol->address;
		line(user, INT64_MIN, name ? name : symbol->name, NULL);
		free(name);
	}
	while (pc < end) {
		const struct isa_atomic *atomic = NULL;
		size_t length = isa_image_read(&analysis->image, pc, bytes, sizeof(bytes));

		if (length < 4)
			break;
		length = isa_disasm_one(analysis->disasm, bytes, length, text, sizeof(text));
		for (size_t i = 0; i < kernel->atomic_count && !atomic; i++)
			if (kernel->atomics[i].kernel_offset == (int64_t)(pc - entry))
				atomic = &kernel->atomics[i];
		line(user, (int64_t)(pc - entry), length ? text : "\t(no instruction)", atomic);
		pc += length ? length : 4;
	}
}

int isa_disassemble(const void *elf, size_t size, const struct isa_kernel *kernel,
		    void (*line)(void *, int64_t, const char *, const struct isa_atomic *),
		    void *user, char **error)
{
	struct isa_code_object scratch = { 0 };
	struct analysis analysis = { 0 };
	struct flow_entry entry = { 0 };
	char descriptor[4096];
	int status;

	if (error)
		*error = NULL;
	status = open_all(&analysis, elf, size, &scratch, error);
	if (!status && snprintf(descriptor, sizeof(descriptor), "%s.kd", kernel->symbol) >=
			   (int)sizeof(descriptor))
		status = fail(error, -EINVAL, "code object: the name of a kernel is too long");
	if (!status)
		status = read_descriptor(&analysis.image, descriptor, &entry, error);
	if (!status)
		list_function(&analysis, entry.pc, entry.pc, kernel, line, user);
	for (size_t i = 0; !status && i < kernel->atomic_count; i++) {
		const struct isa_atomic *atomic = &kernel->atomics[i];
		uint64_t start = entry.pc + (uint64_t)atomic->kernel_offset - atomic->offset;
		size_t k = 0;

		while (k < i && (!kernel->atomics[k].function ||
				 entry.pc + (uint64_t)kernel->atomics[k].kernel_offset -
					 kernel->atomics[k].offset !=
				     start))
			k++;
		if (atomic->function && k == i)
			list_function(&analysis, entry.pc, start, kernel, line, user);
	}
	close_all(&analysis);
	free(scratch.target);
	free(scratch.arch);
	return status;
}

static void free_kernel(struct isa_kernel *kernel)
{
	size_t i;

	for (i = 0; i < kernel->arg_count; i++) {
		free(kernel->args[i].name);
		free(kernel->args[i].type_name);
	}
	for (i = 0; i < kernel->atomic_count; i++) {
		struct isa_atomic *atomic = &kernel->atomics[i];

		free(atomic->mnemonic);
		free(atomic->function);
		free(atomic->file);
		free(atomic->origin.kernarg);
		free(atomic->origin.symbol);
		free(atomic->origin.why);
	}
	free(kernel->args);
	free(kernel->atomics);
	free(kernel->uses);
	free(kernel->symbol);
	free(kernel->name);
	free(kernel->incomplete);
}

void isa_code_object_free(struct isa_code_object *object)
{
	size_t i;

	if (!object)
		return;
	for (i = 0; i < object->kernel_count; i++)
		free_kernel(&object->kernels[i]);
	free(object->kernels);
	free(object->target);
	free(object->arch);
	free(object);
}

const struct isa_kernel *isa_find_kernel(const struct isa_code_object *object, const char *symbol)
{
	size_t i;

	for (i = 0; i < object->kernel_count; i++)
		if (!strcmp(object->kernels[i].symbol, symbol))
			return &object->kernels[i];
	return NULL;
}

/* ---- names ---- */

const char *isa_op_name(enum isa_op op)
{
	static const char *const names[] = {
		[ISA_OP_ADD] = "add",   [ISA_OP_SUB] = "sub",         [ISA_OP_MIN] = "min",
		[ISA_OP_MAX] = "max",   [ISA_OP_AND] = "and",         [ISA_OP_OR] = "or",
		[ISA_OP_XOR] = "xor",   [ISA_OP_INC] = "inc",         [ISA_OP_DEC] = "dec",
		[ISA_OP_SWAP] = "swap", [ISA_OP_CMPSWAP] = "cmpswap", [ISA_OP_OTHER] = "other",
	};

	return (size_t)op < ARRAY_SIZE(names) ? names[op] : "?";
}

const char *isa_type_name(enum isa_type type)
{
	static const char *const names[] = {
		[ISA_TYPE_I32] = "i32",       [ISA_TYPE_I64] = "i64",
		[ISA_TYPE_F32] = "f32",       [ISA_TYPE_F64] = "f64",
		[ISA_TYPE_PK_F16] = "pk_f16", [ISA_TYPE_PK_BF16] = "pk_bf16",
	};

	return (size_t)type < ARRAY_SIZE(names) ? names[type] : "?";
}

const char *isa_space_name(enum isa_space space)
{
	static const char *const names[] = {
		[ISA_SPACE_GLOBAL] = "global",   [ISA_SPACE_FLAT] = "flat",
		[ISA_SPACE_BUFFER] = "buffer",   [ISA_SPACE_LDS] = "lds",
		[ISA_SPACE_SCRATCH] = "scratch",
	};

	return (size_t)space < ARRAY_SIZE(names) ? names[space] : "?";
}

const char *isa_origin_name(enum isa_origin_kind kind)
{
	static const char *const names[] = {
		[ISA_ORIGIN_DIRECT] = "direct",     [ISA_ORIGIN_SET] = "set",
		[ISA_ORIGIN_INDIRECT] = "indirect", [ISA_ORIGIN_LDS] = "lds",
		[ISA_ORIGIN_GLOBAL] = "global",     [ISA_ORIGIN_CONSTANT] = "constant",
		[ISA_ORIGIN_UNKNOWN] = "unknown",
	};

	return (size_t)kind < ARRAY_SIZE(names) ? names[kind] : "?";
}
