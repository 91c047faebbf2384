/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and source lines of a kernel's results: what debug information and symbols say of them,
 * after everything that follows from the code alone.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis.h"
#include "services.h"
#include "codeobj/text.h"

static char *copy(const char *text)
{
	return text ? text_one_line(text) : NULL;
}

int kernel_name_arguments(const struct isa_analysis *analysis, const struct codeobj_kernel *from,
			  struct isa_kernel *kernel)
{
	const char **name = calloc(kernel->arg_count + 1, sizeof(*name));

	if (!name)
		return -ENOMEM;
	if (analysis->lines)
		lines_parameters(analysis->lines, from->name, name, kernel->arg_count);
	for (size_t i = 0; i < kernel->arg_count; i++)
		if (!kernel->args[i].name)
			kernel->args[i].name = copy(name[i]);
	free(name);
	return 0;
}

/* Names of the members on a path that starts from an argument. 0 or -ENOMEM. */
static int name_members(struct isa_analysis *analysis, const struct isa_kernel *kernel,
			struct isa_path *path)
{
	for (size_t i = 0; analysis->lines && !path->symbol && i < kernel->arg_count; i++) {
		const struct isa_arg *arg = &kernel->args[i];

		if (path->kernarg >= arg->offset && path->kernarg - arg->offset < arg->size &&
		    lines_members(analysis->lines, kernel->symbol, i, path->kernarg - arg->offset,
				  path))
			return -ENOMEM;
	}
	return 0;
}

static int name_paths(struct isa_analysis *analysis, const struct isa_kernel *kernel,
		      const struct isa_paths *paths)
{
	int status = 0;

	for (size_t k = 0; !status && k < paths->count; k++)
		status = name_members(analysis, kernel, &paths->path[k]);
	return status;
}

int names_paths(struct isa_analysis *analysis, const struct codeobj_kernel *from,
		const struct isa_paths *paths)
{
	struct isa_kernel kernel = { .symbol = from->name };
	int status;

	if (!paths->count)
		return 0;
	analysis_open_lines(analysis);
	kernel.args = calloc(from->arg_count + 1, sizeof(*kernel.args));
	if (!kernel.args)
		return -ENOMEM;
	for (size_t i = 0; i < from->explicit_count && i < from->arg_count; i++)
		kernel.args[kernel.arg_count++] =
		    (struct isa_arg){ .offset = from->args[i].offset, .size = from->args[i].size };
	status = name_paths(analysis, &kernel, paths);
	free(kernel.args);
	return status;
}

static int name_all_members(struct isa_analysis *analysis, struct isa_kernel *kernel)
{
	int status = 0;

	for (size_t i = 0; !status && i < kernel->path_use_count; i++)
		status = name_members(analysis, kernel, &kernel->path_uses[i].path);
	for (size_t i = 0; !status && i < kernel->read_count; i++)
		status = name_members(analysis, kernel, &kernel->reads[i].path);
	for (size_t i = 0; !status && i < kernel->atomic_count; i++) {
		const struct isa_atomic *atomic = &kernel->atomics[i];

		status = name_paths(analysis, kernel, &atomic->origin.paths);
		for (size_t k = 0; !status && k < atomic->choice_count; k++)
			status = name_paths(analysis, kernel, &atomic->choices[k].origin.paths);
	}
	return status;
}

static void add_frame(const char *function, const char *file, unsigned line, void *user)
{
	struct isa_atomic *atomic = user;
	struct isa_frame *frame, *grown;

	grown = reallocarray(atomic->frames, atomic->frame_count + 1, sizeof(*grown));
	if (!grown)
		return;
	atomic->frames = grown;
	frame = &grown[atomic->frame_count++];
	frame->function = function ? isa_demangle(function) : NULL;
	frame->file = text_one_line(file);
	frame->line = line;
}

/* The calls that led to the instruction at `pc` first; `flow` NULL: there are none. */
static const struct access *callers_of(const struct flow *flow, uint64_t pc)
{
	for (size_t i = 0; flow && i < flow->access_count; i++)
		if (flow->access[i].insn->pc == pc)
			return flow->access[i].caller_count ? &flow->access[i] : NULL;
	return NULL;
}

/*
 * Returns the file of the instruction at `pc`, or of a call that led to it, if that one is rather
 * the program's own, and its line; NULL: it is not known.
 */
static const char *find_place(struct lines *lines, uint64_t pc, const struct access *called,
			      unsigned *line)
{
	const char *file = lines ? lines_find(lines, pc, line) : NULL;

	for (unsigned i = 0; file && called && i < called->caller_count; i++) {
		unsigned at;
		const char *caller = lines_find(lines, called->caller[i], &at);

		if (lines_owner(file) == LINES_PROGRAM || !caller)
			break;
		if (lines_preferred(caller, file)) {
			file = caller;
			*line = at;
		}
	}
	return file;
}

static int name_atomic(struct isa_analysis *analysis, const struct flow *flow,
		       const struct flow_entry *entry, const struct isa_kernel *kernel,
		       struct isa_atomic *atomic)
{
	uint64_t pc = entry->start + (uint64_t)atomic->kernel_offset;
	const struct access *called = callers_of(flow, pc);
	const char *file = find_place(analysis->lines, pc, called, &atomic->line);

	if (file) {
		lines_frames(analysis->lines, pc, add_frame, atomic);
		atomic->file = text_one_line(file);
		if (!atomic->file)
			return -ENOMEM;
	}
	atomic->runtime = services_runtime(&analysis->image, kernel, pc, called, atomic);
	return 0;
}

/* Finds the source line of the instruction at `pc`. Returns 0 or -ENOMEM. */
static int find_line(struct isa_analysis *analysis, uint64_t pc, char **file, unsigned *line)
{
	const char *found = analysis->lines ? lines_find(analysis->lines, pc, line) : NULL;

	*file = copy(found);
	return found && !*file ? -ENOMEM : 0;
}

static int name_party(struct isa_analysis *analysis, const struct flow *flow,
		      const struct flow_entry *entry, struct isa_party *party)
{
	uint64_t pc = entry->start + (uint64_t)party->kernel_offset;
	const struct access *called = callers_of(flow, pc);
	const char *file = find_place(analysis->lines, pc, called, &party->line);

	party->file = copy(file);
	return file && !party->file ? -ENOMEM : 0;
}

int names_find(struct isa_analysis *analysis, const struct flow *flow,
	       const struct flow_entry *entry, uint64_t incomplete_pc, struct isa_kernel *kernel)
{
	int status = 0;

	for (size_t i = 0; !status && i < kernel->atomic_count; i++)
		status = name_atomic(analysis, flow, entry, kernel, &kernel->atomics[i]);
	if (!status)
		status = name_all_members(analysis, kernel);
	if (!status && incomplete_pc)
		status = find_line(analysis, incomplete_pc, &kernel->incomplete_at.file,
				   &kernel->incomplete_at.line);
	if (!status && flow && flow->unvisited_pc)
		status = find_line(analysis, flow->unvisited_pc, &kernel->unvisited_at.file,
				   &kernel->unvisited_at.line);
	for (size_t i = 0; !status && i < kernel->spin_count; i++) {
		struct isa_spin *spin = &kernel->spins[i];

		status = find_line(analysis, entry->start + (uint64_t)spin->kernel_offset,
				   &spin->file, &spin->line);
	}
	for (size_t i = 0; !status && i < kernel->read_count; i++) {
		struct isa_read *read = &kernel->reads[i];

		status = find_line(analysis, entry->start + (uint64_t)read->kernel_offset,
				   &read->file, &read->line);
	}
	for (size_t i = 0; !status && i < kernel->handover_count; i++) {
		status = name_party(analysis, flow, entry, &kernel->handovers[i].flag);
		if (!status)
			status = name_party(analysis, flow, entry, &kernel->handovers[i].data);
	}
	return status;
}
