/* SPDX-License-Identifier: Apache-2.0 */
/* What `hipgrain scan` prints: both formats say the same. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/cmds/scan.h"

/* ---- JSON ---- */

struct json_object *scan_string_or_null(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

struct json_object *scan_json_origin(const struct isa_origin *origin)
{
	struct json_object *object = json_object_new_object();
	struct json_object *kernarg = json_object_new_array();

	for (size_t i = 0; i < origin->kernarg_count; i++)
		json_object_array_add(kernarg, json_object_new_int64(origin->kernarg[i]));
	json_object_object_add(object, "kind",
			       json_object_new_string(isa_origin_name(origin->kind)));
	json_object_object_add(object, "kernarg", kernarg);
	json_object_object_add(object, "symbol", scan_string_or_null(origin->symbol));
	json_object_object_add(object, "why", scan_string_or_null(origin->why));
	return object;
}

static struct json_object *json_atomic(const struct isa_atomic *atomic)
{
	struct json_object *object = json_object_new_object();
	char source[4096];

	json_object_object_add(object, "mnemonic", json_object_new_string(atomic->mnemonic));
	json_object_object_add(object, "offset", json_object_new_int64((int64_t)atomic->offset));
	json_object_object_add(object, "kernel_offset",
			       json_object_new_int64(atomic->kernel_offset));
	json_object_object_add(object, "function", scan_string_or_null(atomic->function));
	json_object_object_add(
	    object, "op",
	    json_object_new_string(isa_op_name(atomic->cas_loop ? atomic->loop_op : atomic->op)));
	json_object_object_add(object, "type", json_object_new_string(isa_type_name(atomic->type)));
	json_object_object_add(object, "lock", json_object_new_boolean(atomic->lock));
	json_object_object_add(object, "returns", json_object_new_boolean(atomic->returns));
	json_object_object_add(object, "system_scope",
			       json_object_new_boolean(atomic->system_scope));
	json_object_object_add(object, "native", json_object_new_boolean(atomic->native));
	json_object_object_add(object, "cas_loop", json_object_new_boolean(atomic->cas_loop));
	json_object_object_add(object, "fp", json_object_new_boolean(atomic->fp));
	json_object_object_add(object, "space",
			       json_object_new_string(isa_space_name(atomic->space)));
	json_object_object_add(object, "origin", scan_json_origin(&atomic->origin));
	snprintf(source, sizeof(source), "%s:%u", atomic->file ? atomic->file : "", atomic->line);
	json_object_object_add(object, "source", scan_string_or_null(atomic->file ? source : NULL));
	scan_json_atomic_facts(object, atomic);
	return object;
}

static struct json_object *json_arguments(const struct isa_kernel *kernel)
{
	struct json_object *arguments = json_object_new_array();

	for (size_t i = 0; i < kernel->arg_count; i++) {
		const struct isa_arg *arg = &kernel->args[i];
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "offset", json_object_new_int64(arg->offset));
		json_object_object_add(one, "size", json_object_new_int64(arg->size));
		json_object_object_add(one, "pointer", json_object_new_boolean(arg->pointer));
		json_object_object_add(one, "name", scan_string_or_null(arg->name));
		json_object_object_add(one, "type", scan_string_or_null(arg->type_name));
		json_object_array_add(arguments, one);
	}
	return arguments;
}

static struct json_object *json_uses(const struct isa_kernel *kernel)
{
	struct json_object *uses = json_object_new_array();

	for (size_t i = 0; i < kernel->use_count; i++) {
		const struct isa_use *use = &kernel->uses[i];
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "kernarg", json_object_new_int64(use->kernarg));
		json_object_object_add(one, "read",
				       json_object_new_boolean(use->access & ISA_READ));
		json_object_object_add(one, "write",
				       json_object_new_boolean(use->access & ISA_WRITE));
		json_object_object_add(one, "atomic",
				       json_object_new_boolean(use->access & ISA_ATOMIC));
		json_object_object_add(one, "certain", json_object_new_boolean(use->certain));
		json_object_array_add(uses, one);
	}
	return uses;
}

void scan_print_json(struct scan *scan, const struct isa_code_object *object, const void *elf,
		     size_t size)
{
	struct json_object *to = json_object_new_object();
	struct json_object *kernels = json_object_new_array();
	size_t i, k;

	(void)elf;
	(void)size;
	for (i = 0; i < object->kernel_count; i++) {
		const struct isa_kernel *kernel = &object->kernels[i];
		struct json_object *one, *atomics;

		if (!scan_wanted(scan, kernel))
			continue;
		one = json_object_new_object();
		atomics = json_object_new_array();
		for (k = 0; k < kernel->atomic_count; k++)
			json_object_array_add(atomics, json_atomic(&kernel->atomics[k]));
		json_object_object_add(one, "name", json_object_new_string(kernel->name));
		json_object_object_add(one, "symbol", json_object_new_string(kernel->symbol));
		json_object_object_add(one, "atomics", atomics);
		json_object_object_add(one, "arguments", json_arguments(kernel));
		json_object_object_add(one, "uses", kernel->skipped ? NULL : json_uses(kernel));
		json_object_object_add(one, "uses_complete",
				       json_object_new_boolean(kernel->uses_complete));
		json_object_object_add(one, "incomplete", scan_string_or_null(kernel->incomplete));
		scan_json_kernel_facts(one, kernel);
		json_object_array_add(kernels, one);
	}
	json_object_object_add(to, "target", json_object_new_string(object->target));
	json_object_object_add(to, "disagreements", json_object_get(scan->disagreements));
	json_object_object_add(to, "sha256", json_object_new_string(object->sha256));
	json_object_object_add(to, "kernels", kernels);
	json_object_array_add(scan->code_objects, to);
}

/* ---- text ---- */

/* "argument 2 'out' (byte 16)", or the struct member's place. */
static void print_argument(const struct isa_kernel *kernel, uint32_t offset)
{
	size_t i;

	for (i = 0; i < kernel->arg_count; i++) {
		const struct isa_arg *arg = &kernel->args[i];

		if (offset < arg->offset || offset - arg->offset >= arg->size)
			continue;
		printf("argument %zu", i);
		if (arg->name)
			printf(" '%s'", arg->name);
		if (offset != arg->offset || !arg->pointer)
			printf(" + %u", offset - arg->offset);
		printf(" (byte %u)", offset);
		return;
	}
	printf("byte %u of the kernel arguments", offset);
}

void scan_print_origin(const struct isa_kernel *kernel, const struct isa_origin *origin)
{
	size_t i;

	switch (origin->kind) {
	case ISA_ORIGIN_SET:
		printf("one of: ");
		break;
	case ISA_ORIGIN_INDIRECT:
		printf("pointer loaded through ");
		break;
	case ISA_ORIGIN_GLOBAL:
		printf("device variable ");
		break;
	case ISA_ORIGIN_LDS:
		printf("LDS");
		break;
	case ISA_ORIGIN_CONSTANT:
		printf("a fixed address");
		break;
	case ISA_ORIGIN_UNKNOWN:
		printf("unknown");
		break;
	case ISA_ORIGIN_DIRECT:
		break;
	}
	for (i = 0; i < origin->kernarg_count; i++) {
		printf("%s", i ? ", " : "");
		print_argument(kernel, origin->kernarg[i]);
	}
	if (origin->symbol)
		printf("%s%s", origin->kernarg_count ? ", " : "", origin->symbol);
	if (origin->why)
		printf(" (%s)", origin->why);
}

static const char *manner(const struct isa_atomic *atomic)
{
	if (atomic->lock)
		return "spin lock";
	return atomic->cas_loop ? "CAS loop" : "native";
}

static void print_kernel(const struct scan *scan, const struct isa_kernel *kernel)
{
	size_t i;

	printf("    %s\n", kernel->name);
	for (i = 0; i < kernel->atomic_count; i++) {
		const struct isa_atomic *atomic = &kernel->atomics[i];

		printf("      +0x%llx %s  %s", (unsigned long long)atomic->offset, atomic->mnemonic,
		       manner(atomic));
		if (atomic->cas_loop)
			printf(" %s", isa_op_name(atomic->loop_op));
		printf(" %s  ", isa_type_name(atomic->type));
		scan_print_origin(kernel, &atomic->origin);
		if (atomic->function)
			printf("  in %s", atomic->function);
		if (atomic->file)
			printf("  at %s:%u", atomic->file, atomic->line);
		putchar('\n');
		if (scan->all)
			scan_print_frames(atomic);
	}
	if (!scan->all)
		return;
	for (i = 0; i < kernel->use_count; i++) {
		const struct isa_use *use = &kernel->uses[i];

		printf("      uses ");
		print_argument(kernel, use->kernarg);
		printf(":%s%s%s%s\n", use->access & ISA_READ ? " read" : "",
		       use->access & ISA_WRITE ? " write" : "",
		       use->access & ISA_ATOMIC ? " atomic" : "",
		       use->certain ? "" : " (possibly)");
	}
	scan_print_facts(kernel);
	if (kernel->incomplete)
		printf("      incomplete: %s\n", kernel->incomplete);
}

static const struct isa_kernel *listed; /* whose code is being printed */

static void print_line(void *user, int64_t offset, const char *text,
		       const struct isa_atomic *atomic)
{
	(void)user;
	if (offset == INT64_MIN) {
		printf("    %s:\n", text);
		return;
	}
	printf("      %c0x%04llx %s", offset < 0 ? '-' : '+',
	       (unsigned long long)(offset < 0 ? -offset : offset), text + (*text == '\t'));
	if (atomic) {
		printf("    ; %s %s: ", manner(atomic), isa_type_name(atomic->type));
		scan_print_origin(listed, &atomic->origin);
		if (atomic->file)
			printf("  at %s:%u", atomic->file, atomic->line);
	}
	putchar('\n');
}

static void print_listing(struct scan *scan, const struct isa_kernel *kernel, const void *elf,
			  size_t size)
{
	char *error = NULL;

	listed = kernel;
	if (isa_disassemble(elf, size, kernel, print_line, NULL, &error))
		scan_bad(scan, error ? error : "out of memory");
	free(error);
}

void scan_print_text(struct scan *scan, const struct isa_code_object *object, const void *elf,
		     size_t size)
{
	size_t i;

	printf("  %s  %.12s  %zu kernel%s\n", object->target, object->sha256, object->kernel_count,
	       object->kernel_count == 1 ? "" : "s");
	for (i = 0; i < object->kernel_count; i++) {
		const struct isa_kernel *kernel = &object->kernels[i];

		if (!scan_wanted(scan, kernel))
			continue;
		if (scan->disassemble)
			print_listing(scan, kernel, elf, size);
		else if (scan->all || kernel->atomic_count)
			print_kernel(scan, kernel);
	}
}
