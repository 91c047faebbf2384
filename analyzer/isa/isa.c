/* SPDX-License-Identifier: Apache-2.0 */
/* From a code object to the tree of isa.h. */
#include "isa.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "cached_analysis.h"
#include "analyzer/containers/containers.h"
#include "codeobj/text.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

int isa_fail(char **error, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (error && !*error && vasprintf(error, format, args) < 0)
		*error = NULL;
	va_end(args);
	return status;
}

int analysis_program(struct isa_analysis *analysis, unsigned wave_size, struct program **program,
		     const char **why)
{
	size_t index = wave_size == 64;
	int status;

	*program = &analysis->program[index];
	if (analysis->has_program[index])
		return 0;
	if (!analysis->decoder[index])
		analysis->decoder[index] =
		    decoder_get(analysis->arch, wave_size, analysis->backend, why);
	if (!analysis->decoder[index]) {
		analysis->mixed = true;
		return -ENOTSUP;
	}
	if (analysis->decoder[!index] &&
	    isa_disasm_library(decoder_disasm(analysis->decoder[index])) !=
		isa_disasm_library(decoder_disasm(analysis->decoder[!index])))
		analysis->mixed = true;
	status = program_init(*program, &analysis->image, analysis->decoder[index]);
	analysis->has_program[index] = !status;
	return status;
}

int analysis_open(struct isa_analysis *analysis, const void *elf, size_t size,
		  const struct isa_options *options, struct isa_code_object *object, char **error)
{
	struct program *program;
	const char *why = NULL;
	struct codeobj_target target;
	struct codeobj_error problem = { "" };
	char text[128];
	int status;

	switch (codeobj_identify(elf, size)) {
	case CODEOBJ_SPIRV:
		return isa_fail(error, -ENOTSUP,
				"code object: SPIR-V (amdgcnspirv), which the runtime compiles "
				"when it loads it: no machine code");
	case CODEOBJ_BITCODE:
		return isa_fail(error, -ENOTSUP,
				"code object: bitcode (-fgpu-rdc), which is compiled when it is "
				"linked: no machine code");
	default:
		break;
	}
	status = isa_image_open(&analysis->image, elf, size, text, sizeof(text));
	if (status)
		return isa_fail(error, status, "code object: %s", text);
	analysis->has_image = true;
	status = codeobj_elf_target(elf, size, &target, &problem);
	if (status)
		return isa_fail(error, status, "code object: %s", problem.text);
	codeobj_target_format(&target, text);
	object->target = text_one_line(text);
	object->arch = strdup(target.processor);
	if (!object->target || !object->arch)
		return -ENOMEM;
	analysis->arch = arch_find(target.processor);
	analysis->backend = options ? options->disassembler : NULL;
	if (!analysis->arch)
		return isa_fail(error, -ENOTSUP, "code object: unknown instruction set of %s",
				target.processor);
	status = codeobj_metadata_read(elf, size, &analysis->metadata, &problem);
	if (status)
		return isa_fail(error, status, "code object: %s", problem.text);
	if (analysis->metadata->target) {
		object->note = text_one_line(analysis->metadata->target);
		if (!object->note)
			return -ENOMEM;
	}
	status = analysis_program(analysis, analysis->arch->lanes, &program, &why);
	if (status == -ENOTSUP)
		return isa_fail(error, status, "code object: no disassembler for %s: %s",
				target.processor, why);
	return status;
}

void analysis_close(struct isa_analysis *analysis)
{
	for (size_t i = 0; i < ARRAY_SIZE(analysis->program); i++) {
		if (analysis->has_program[i])
			program_free(&analysis->program[i]);
		decoder_put(analysis->decoder[i]);
	}
	lines_close(analysis->lines);
	codeobj_metadata_free(analysis->metadata);
	if (analysis->has_image)
		isa_image_close(&analysis->image);
}

void analysis_open_lines(struct isa_analysis *analysis)
{
	struct isa_analysis_debug *debug = analysis->debug;

	if (analysis->lines_tried || !debug)
		return;
	analysis->lines_tried = true;
	pthread_mutex_lock(&debug->lock);
	if (!debug->tried &&
	    debug_image_open(&debug->image, analysis->image.data, analysis->image.size,
			     debug->problem, sizeof(debug->problem)))
		debug_image_close(&debug->image);
	debug->tried = true;
	pthread_mutex_unlock(&debug->lock);
	if (debug->image.data)
		analysis->lines = lines_open(debug->image.data, debug->image.size);
}

/* Several threads work on this: kernels are handed out one by one. */
struct work {
	const void *elf;
	size_t size;
	const struct isa_options *options;
	struct isa_analysis_debug *debug;
	struct isa_code_object *object;
	const struct codeobj_kernel **from; /* as many as the object has kernels */
	pthread_mutex_t lock;
	size_t next;
	int status; /* of the first that failed */
	char *error;
	bool mixed; /* as in struct isa_analysis, of any of the threads */
};

static void work_on(struct work *work, struct isa_analysis *analysis)
{
	pthread_mutex_lock(&work->lock);
	while (!work->status && work->next < work->object->kernel_count) {
		size_t i = work->next++;
		char *error = NULL;
		int status;

		pthread_mutex_unlock(&work->lock);
		status = kernel_analyse(analysis, work->from[i], work->options,
					&work->object->kernels[i], &error);
		pthread_mutex_lock(&work->lock);
		if (status && !work->status) {
			work->status = status;
			work->error = error;
		} else {
			free(error);
		}
	}
	work->mixed |= analysis->mixed;
	pthread_mutex_unlock(&work->lock);
}

/* Runs in a thread of its own: everything that caches is opened anew. */
static void *worker(void *data)
{
	struct isa_code_object scratch = { 0 };
	struct work *work = data;
	struct isa_analysis analysis = { .debug = work->debug };

	/* Should it fail, the others do its share. */
	if (!analysis_open(&analysis, work->elf, work->size, work->options, &scratch, NULL))
		work_on(work, &analysis);
	analysis_close(&analysis);
	free(scratch.target);
	free(scratch.arch);
	free(scratch.note);
	return NULL;
}

static int run_work(struct work *work, struct isa_analysis *analysis)
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

/*
 * Debug information is opened for kernels that are analysed. Where it was, the others have their
 * arguments' names from it, too, whichever thread they came to.
 */
static int name_skipped(const struct work *work, struct isa_analysis *analysis)
{
	struct isa_kernel *kernel = work->object->kernels;
	size_t count = work->object->kernel_count, analysed = 0;
	int status = 0;

	for (size_t i = 0; i < count; i++)
		analysed += !kernel[i].skipped;
	if (!analysed || analysed == count)
		return 0;
	analysis_open_lines(analysis);
	for (size_t i = 0; i < count && !status; i++)
		if (kernel[i].skipped)
			status = kernel_name_arguments(analysis, work->from[i], &kernel[i]);
	return status;
}

struct isa_session {
	const void *elf;
	size_t size;
	struct isa_options options; /* as it was opened */
	struct isa_analysis analysis;
	struct isa_analysis_debug debug;
	struct isa_code_object object; /* all but kernels and debug_problem, once it is ready */
	bool ready;
	struct kept kept;
};

/* Read what all kernels need. */
static int prepare(struct isa_session *session, char **error)
{
	int status;

	if (session->ready)
		return 0;
	session->analysis.debug = &session->debug;
	status = analysis_open(&session->analysis, session->elf, session->size, &session->options,
			       &session->object, error);
	if (status)
		return isa_fail(error, status, "code object: %s", strerror(-status));
	session->ready = true;
	return 0;
}

int isa_session_open(const void *elf, size_t size, const struct isa_options *options,
		     struct isa_session **out, char **error)
{
	struct isa_session *session = calloc(1, sizeof(*session));
	int status = -ENOMEM;

	*out = NULL;
	if (error)
		*error = NULL;
	if (session) {
		session->elf = elf;
		session->size = size;
		session->options.disassembler = options ? options->disassembler : NULL;
		pthread_mutex_init(&session->debug.lock, NULL);
		status = 0;
		if (!kept_begin(&session->kept, elf, size, &session->options))
			status = prepare(session, error);
		if (!status && options && options->sha256)
			snprintf(session->object.sha256, sizeof(session->object.sha256), "%s",
				 options->sha256);
		else if (!status)
			status = containers_sha256(elf, size, session->object.sha256);
		strcpy(session->kept.sha256, session->object.sha256);
	}
	if (status) {
		isa_fail(error, status, "code object: %s", strerror(-status));
		isa_session_close(session);
		return status;
	}
	*out = session;
	return 0;
}

void isa_session_close(struct isa_session *session)
{
	if (!session)
		return;
	analysis_close(&session->analysis);
	debug_image_close(&session->debug.image);
	pthread_mutex_destroy(&session->debug.lock);
	free(session->object.target);
	free(session->object.arch);
	free(session->object.note);
	free(session);
}

/* Returns what is known of the code object without its kernels; NULL without memory. */
static struct isa_code_object *new_object(const struct isa_session *session)
{
	struct isa_code_object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	object->target = strdup(session->object.target);
	object->arch = strdup(session->object.arch);
	if (session->object.note)
		object->note = strdup(session->object.note);
	memcpy(object->sha256, session->object.sha256, sizeof(object->sha256));
	if (object->target && object->arch && !object->note == !session->object.note)
		return object;
	isa_code_object_free(object);
	return NULL;
}

int isa_session_analyze(struct isa_session *session, const struct isa_options *options,
			struct isa_code_object **out, char **error)
{
	const struct codeobj_metadata *metadata;
	struct isa_code_object *object;
	struct work work = { .elf = session->elf,
			     .size = session->size,
			     .options = options,
			     .debug = &session->debug,
			     .lock = PTHREAD_MUTEX_INITIALIZER };
	size_t count = 0, i;
	int status;

	*out = NULL;
	if (error)
		*error = NULL;
	if (kept_find(&session->kept, options, out)) {
		(*out)->lasting = true;
		return 0;
	}
	status = prepare(session, error);
	if (status)
		return status;
	metadata = session->analysis.metadata;
	work.object = object = new_object(session);
	work.from = calloc(metadata->kernel_count + 1, sizeof(*work.from));
	status = object && work.from ? 0 : -ENOMEM;
	for (i = 0; !status && i < metadata->kernel_count; i++) {
		const struct codeobj_kernel *kernel = &metadata->kernels[i];

		if (!kernel->name || !kernel->symbol)
			status = isa_fail(error, -EINVAL,
					  "code object: the metadata has a kernel without a name");
		else if (!options || !options->only_symbol ||
			 !strcmp(options->only_symbol, kernel->name))
			work.from[count++] = kernel;
	}
	if (!status) {
		object->kernels = calloc(count + 1, sizeof(*object->kernels));
		object->kernel_count = object->kernels ? count : 0;
		status = object->kernels ? 0 : -ENOMEM;
	}
	if (!status)
		status = run_work(&work, &session->analysis);
	if (!status)
		status = name_skipped(&work, &session->analysis);
	if (work.error)
		isa_fail(error, status, "%s", work.error);
	if (!status && session->debug.problem[0]) {
		object->debug_problem = text_one_line(session->debug.problem);
		status = object->debug_problem ? 0 : -ENOMEM;
	}
	free(work.from);
	free(work.error);
	if (status) {
		isa_fail(error, status, "code object: %s", strerror(-status));
		isa_code_object_free(object);
		return status;
	}
	object->lasting = !work.mixed && session->kept.use;
	if (object->lasting)
		kept_add(&session->kept, options, object);
	*out = object;
	return 0;
}

int isa_session_evaluate(struct isa_session *session, const char *symbol,
			 const struct isa_launch *launch, struct isa_evaluation **out, char **error)
{
	const struct codeobj_kernel *kernel;
	int status;

	*out = NULL;
	if (error)
		*error = NULL;
	status = prepare(session, error);
	if (status)
		return status;
	kernel = codeobj_metadata_kernel(session->analysis.metadata, symbol);
	if (!kernel || !kernel->symbol)
		return isa_fail(error, -ENOENT, "code object: no kernel %s", symbol);
	return kernel_evaluate(&session->analysis, kernel, launch, out, error);
}

int isa_analyze(const void *elf, size_t size, const struct isa_options *options,
		struct isa_code_object **out, char **error)
{
	struct isa_session *session;
	int status = isa_session_open(elf, size, options, &session, error);

	*out = NULL;
	if (status)
		return status;
	status = isa_session_analyze(session, options, out, error);
	isa_session_close(session);
	return status;
}
