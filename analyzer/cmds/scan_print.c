/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the results of `hipgrain scan`: both formats say the same. */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/cmds/scan.h"

/* ---- JSON ---- */

void scan_json_origin(struct json_stream *json, const struct isa_origin *origin)
{
	json_stream_begin(json, "origin", '{');
	json_stream_text(json, "kind", isa_origin_name(origin->kind));
	json_stream_begin(json, "kernarg", '[');
	for (size_t i = 0; i < origin->kernarg_count; i++)
		json_stream_number(json, NULL, origin->kernarg[i]);
	json_stream_end(json, ']');
	json_stream_text(json, "symbol", origin->symbol);
	json_stream_text(json, "why", origin->why);
	scan_json_paths(json, &origin->paths);
	json_stream_end(json, '}');
}

/* Returns true if the options leave the atomic in. */
static bool listed_atomic(const struct scan *scan, const struct isa_atomic *atomic)
{
	return scan->runtime || !atomic->runtime;
}

/* Returns the number of the kernel's atomics that the options leave out. */
static size_t left_out(const struct scan *scan, const struct isa_kernel *kernel)
{
	size_t count = 0;

	for (size_t i = 0; i < kernel->atomic_count; i++)
		count += !listed_atomic(scan, &kernel->atomics[i]);
	return count;
}

static void json_atomic(struct json_stream *json, const struct isa_atomic *atomic)
{
	json_stream_begin(json, NULL, '{');
	json_stream_text(json, "mnemonic", atomic->mnemonic);
	json_stream_number(json, "offset", (int64_t)atomic->offset);
	json_stream_number(json, "kernel_offset", atomic->kernel_offset);
	json_stream_text(json, "function", atomic->function);
	json_stream_text(json, "op", isa_op_name(atomic->cas_loop ? atomic->loop_op : atomic->op));
	json_stream_text(json, "type", isa_type_name(atomic->type));
	json_stream_bool(json, "lock", atomic->lock);
	json_stream_bool(json, "returns", atomic->returns);
	json_stream_bool(json, "system_scope", atomic->system_scope);
	json_stream_bool(json, "native", atomic->native);
	json_stream_bool(json, "cas_loop", atomic->cas_loop);
	json_stream_text(json, "loop_unknown", atomic->loop_why);
	json_stream_bool(json, "fp", atomic->fp);
	json_stream_text(json, "space", isa_space_name(atomic->space));
	scan_json_origin(json, &atomic->origin);
	json_stream_bool(json, "runtime", atomic->runtime);
	scan_json_place(json, "source", atomic->file, atomic->line);
	scan_json_atomic_facts(json, atomic);
	json_stream_end(json, '}');
}

static void json_arguments(struct json_stream *json, const struct isa_kernel *kernel)
{
	json_stream_begin(json, "arguments", '[');
	for (size_t i = 0; i < kernel->arg_count; i++) {
		const struct isa_arg *arg = &kernel->args[i];

		json_stream_begin(json, NULL, '{');
		json_stream_number(json, "offset", arg->offset);
		json_stream_number(json, "size", arg->size);
		json_stream_bool(json, "pointer", arg->pointer);
		json_stream_text(json, "name", arg->name);
		json_stream_text(json, "type", arg->type_name);
		json_stream_end(json, '}');
	}
	json_stream_end(json, ']');
}

void scan_json_access(struct json_stream *json, unsigned access, bool certain)
{
	json_stream_bool(json, "read", access & ISA_READ);
	json_stream_bool(json, "write", access & ISA_WRITE);
	json_stream_bool(json, "atomic", access & ISA_ATOMIC);
	json_stream_bool(json, "certain", certain);
}

static void json_uses(struct json_stream *json, const struct isa_kernel *kernel)
{
	if (kernel->skipped) {
		json_stream_null(json, "uses");
		return;
	}
	json_stream_begin(json, "uses", '[');
	for (size_t i = 0; i < kernel->use_count; i++) {
		const struct isa_use *use = &kernel->uses[i];

		json_stream_begin(json, NULL, '{');
		json_stream_number(json, "kernarg", use->kernarg);
		scan_json_access(json, use->access, use->certain);
		json_stream_end(json, '}');
	}
	json_stream_end(json, ']');
}

static void json_hidden(struct json_stream *json, const struct isa_kernel *kernel)
{
	json_stream_begin(json, "hidden_arguments", '[');
	for (size_t i = 0; i < kernel->hidden_count; i++) {
		json_stream_begin(json, NULL, '{');
		json_stream_number(json, "offset", kernel->hidden[i].offset);
		json_stream_number(json, "size", kernel->hidden[i].size);
		json_stream_text(json, "kind", kernel->hidden[i].name);
		json_stream_end(json, '}');
	}
	json_stream_end(json, ']');
}

static void json_kernel(const struct scan *scan, struct json_stream *json,
			const struct isa_kernel *kernel)
{
	json_stream_begin(json, NULL, '{');
	json_stream_text(json, "name", kernel->name);
	json_stream_text(json, "symbol", kernel->symbol);
	json_stream_begin(json, "atomics", '[');
	for (size_t i = 0; i < kernel->atomic_count; i++)
		if (listed_atomic(scan, &kernel->atomics[i]))
			json_atomic(json, &kernel->atomics[i]);
	json_stream_end(json, ']');
	json_stream_number(json, "runtime_atomics", (int64_t)left_out(scan, kernel));
	json_arguments(json, kernel);
	json_hidden(json, kernel);
	json_uses(json, kernel);
	json_stream_bool(json, "uses_complete", kernel->uses_complete);
	scan_json_path_uses(json, kernel);
	json_stream_text(json, "incomplete", kernel->incomplete);
	scan_json_place(json, "incomplete_source", kernel->incomplete_at.file,
			kernel->incomplete_at.line);
	json_stream_bool(json, "atomics_complete", !kernel->unvisited);
	scan_json_kernel_facts(json, kernel);
	json_stream_end(json, '}');
}

void scan_print_json(struct scan *scan, const struct isa_code_object *object, const void *elf,
		     size_t size)
{
	struct json_stream *json = &scan->stream;
	size_t i;

	(void)elf;
	(void)size;
	json_stream_begin(json, NULL, '{');
	json_stream_text(json, "target", object->target);
	json_stream_begin(json, "disagreements", '[');
	for (i = 0; i < scan->disagreement_count; i++)
		json_stream_text(json, NULL, scan->disagreement[i]);
	json_stream_end(json, ']');
	json_stream_text(json, "sha256", object->sha256);
	json_stream_begin(json, "kernels", '[');
	for (i = 0; i < object->kernel_count; i++)
		if (scan_wanted(scan, &object->kernels[i]))
			json_kernel(scan, json, &object->kernels[i]);
	json_stream_end(json, ']');
	json_stream_end(json, '}');
}

/* ---- text ---- */

/* Prints "argument 2 'out' (byte 16)", or the struct member's place; "hidden_hostcall_buffer (byte
 * 40)". */
void scan_print_argument(FILE *out, const struct isa_kernel *kernel, uint32_t offset)
{
	size_t i;

	for (i = 0; i < kernel->arg_count; i++) {
		const struct isa_arg *arg = &kernel->args[i];

		if (offset < arg->offset || offset - arg->offset >= arg->size)
			continue;
		fprintf(out, "argument %zu", i);
		if (arg->name)
			fprintf(out, " '%s'", arg->name);
		if (offset != arg->offset || !arg->pointer)
			fprintf(out, " + %u", offset - arg->offset);
		fprintf(out, " (byte %u)", offset);
		return;
	}
	for (i = 0; i < kernel->hidden_count; i++) {
		const struct isa_hidden *hidden = &kernel->hidden[i];

		if (!hidden->name || offset < hidden->offset ||
		    offset - hidden->offset >= hidden->size)
			continue;
		fprintf(out, "%s", hidden->name);
		if (offset != hidden->offset)
			fprintf(out, " + %u", offset - hidden->offset);
		fprintf(out, " (byte %u)", offset);
		return;
	}
	if (offset >= kernel->kernarg_size)
		fprintf(out, "byte %u (beyond the kernel arguments)", offset);
	else
		fprintf(out, "byte %u of the kernel arguments", offset);
}

void scan_print_origin(FILE *out, const struct isa_kernel *kernel, const struct isa_origin *origin)
{
	size_t i;

	switch (origin->kind) {
	case ISA_ORIGIN_SET:
		fprintf(out, "one of: ");
		break;
	case ISA_ORIGIN_INDIRECT:
		fprintf(out, "pointer loaded through ");
		break;
	case ISA_ORIGIN_GLOBAL:
		fprintf(out, "device variable ");
		break;
	case ISA_ORIGIN_LDS:
		fprintf(out, "LDS");
		break;
	case ISA_ORIGIN_CONSTANT:
		fprintf(out, "a fixed address");
		break;
	case ISA_ORIGIN_UNKNOWN:
		fprintf(out, "unknown");
		break;
	case ISA_ORIGIN_DIRECT:
		break;
	}
	for (i = 0; i < origin->paths.count; i++) {
		fprintf(out, "%s", i ? "; " : "");
		scan_print_path(out, kernel, &origin->paths.path[i]);
	}
	if (origin->paths.count)
		return;
	for (i = 0; i < origin->kernarg_count; i++) {
		fprintf(out, "%s", i ? ", " : "");
		scan_print_argument(out, kernel, origin->kernarg[i]);
	}
	if (origin->symbol)
		fprintf(out, "%s%s", origin->kernarg_count ? ", " : "", origin->symbol);
	if (origin->why)
		fprintf(out, " (%s)", origin->why);
}

static const char *manner(const struct isa_atomic *atomic)
{
	if (atomic->lock)
		return "spin lock";
	if (atomic->loop_why)
		return "compare-and-swap";
	return atomic->cas_loop ? "CAS loop" : "native";
}

static void print_incomplete(FILE *out, const char *why, const struct isa_line *at)
{
	fprintf(out, "      incomplete: %s", why);
	if (at->file)
		fprintf(out, " (%s:%u)", at->file, at->line);
}

static void print_access(FILE *out, unsigned access, bool certain)
{
	fprintf(out, ":%s%s%s%s\n", access & ISA_READ ? " read" : "",
		access & ISA_WRITE ? " write" : "", access & ISA_ATOMIC ? " atomic" : "",
		certain ? "" : " (possibly)");
}

static void print_kernel(const struct scan *scan, const struct isa_kernel *kernel)
{
	FILE *out = scan->out;
	size_t i;

	fprintf(out, "    %s\n", kernel->name);
	for (i = 0; i < kernel->atomic_count; i++) {
		const struct isa_atomic *atomic = &kernel->atomics[i];

		if (!listed_atomic(scan, atomic))
			continue;
		fprintf(out, "      +0x%llx %s  %s", (unsigned long long)atomic->offset,
			atomic->mnemonic, manner(atomic));
		if (atomic->cas_loop)
			fprintf(out, " %s", isa_op_name(atomic->loop_op));
		fprintf(out, " %s  ", isa_type_name(atomic->type));
		scan_print_origin(out, kernel, &atomic->origin);
		if (atomic->loop_why)
			fprintf(out, "  (unknown whether it is part of an update loop: %s)",
				atomic->loop_why);
		if (atomic->function)
			fprintf(out, "  in %s", atomic->function);
		if (atomic->file)
			fprintf(out, "  at %s:%u", atomic->file, atomic->line);
		putc('\n', out);
		if (scan->all)
			scan_print_frames(out, atomic);
	}
	if (kernel->unvisited) {
		print_incomplete(out, kernel->unvisited, &kernel->unvisited_at);
		fputs(": there may be more atomics\n", out);
	}
	if (!scan->all)
		return;
	for (i = 0; i < kernel->use_count; i++) {
		const struct isa_use *use = &kernel->uses[i];

		fprintf(out, "      uses ");
		scan_print_argument(out, kernel, use->kernarg);
		print_access(out, use->access, use->certain);
	}
	for (i = 0; i < kernel->path_use_count; i++) {
		const struct isa_path_use *use = &kernel->path_uses[i];

		fprintf(out, "      uses ");
		scan_print_path(out, kernel, &use->path);
		print_access(out, use->access, use->certain);
	}
	scan_print_facts(out, kernel);
	if (kernel->incomplete && !kernel->unvisited) {
		print_incomplete(out, kernel->incomplete, &kernel->incomplete_at);
		putc('\n', out);
	}
}

static const struct isa_kernel *listed; /* the kernel whose code is being printed */

static void print_line(void *user, int64_t offset, const char *text,
		       const struct isa_atomic *atomic)
{
	FILE *out = user;

	if (offset == INT64_MIN) {
		fprintf(out, "    %s:\n", text);
		return;
	}
	fprintf(out, "      %c0x%04llx %s", offset < 0 ? '-' : '+',
		(unsigned long long)(offset < 0 ? -offset : offset), text + (*text == '\t'));
	if (atomic) {
		fprintf(out, "    ; %s %s: ", manner(atomic), isa_type_name(atomic->type));
		scan_print_origin(out, listed, &atomic->origin);
		if (atomic->file)
			fprintf(out, "  at %s:%u", atomic->file, atomic->line);
	}
	putc('\n', out);
}

static void print_listing(struct scan *scan, const struct isa_kernel *kernel, const void *elf,
			  size_t size)
{
	char *error = NULL;

	listed = kernel;
	if (isa_disassemble(elf, size, kernel, print_line, scan->out, &error))
		scan_bad(scan, error ? error : "out of memory");
	free(error);
}

void scan_print_text(struct scan *scan, const struct isa_code_object *object, const void *elf,
		     size_t size)
{
	size_t atomics = 0, kernels = 0, i;
	FILE *out = scan->out;

	fprintf(out, "  %s  %.12s  %zu kernel%s\n", object->target, object->sha256,
		object->kernel_count, object->kernel_count == 1 ? "" : "s");
	for (i = 0; i < object->kernel_count; i++) {
		const struct isa_kernel *kernel = &object->kernels[i];
		size_t unlisted = left_out(scan, kernel);

		if (!scan_wanted(scan, kernel))
			continue;
		if (scan->disassemble) {
			print_listing(scan, kernel, elf, size);
			continue;
		}
		if (scan->all || kernel->atomic_count > unlisted || kernel->unvisited)
			print_kernel(scan, kernel);
		atomics += unlisted;
		kernels += unlisted > 0;
	}
	if (atomics)
		fprintf(
		    out,
		    "    not listed: %zu atomic%s of the runtime's services (printf, malloc) in "
		    "%zu "
		    "kernel%s; --runtime lists them\n",
		    atomics, atomics == 1 ? "" : "s", kernels, kernels == 1 ? "" : "s");
}
