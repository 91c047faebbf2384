/* SPDX-License-Identifier: Apache-2.0 */
/* Reads expectation files and compares analysis results with them. */
#include "tests/unit/isa/expect.h"

#include "analyzer/isa/disasm.h"

#include <fnmatch.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "*-O0@17", "*-O0@17-20", "*-O0@18-", "*-O0@-16": for these versions of clang only. */
static void read_compilers(struct expectation *e)
{
	char *range = strchr(e->variants, '@'), *dash;

	e->last = UINT_MAX;
	if (!range)
		return;
	*range++ = 0;
	dash = strchr(range, '-');
	e->first = dash == range ? 0 : (unsigned)strtoul(range, NULL, 10);
	if (!dash)
		e->last = e->first;
	else if (dash[1])
		e->last = (unsigned)strtoul(dash + 1, NULL, 10);
}

static bool applies(const struct expectation *e, const struct variant *variant)
{
	return !fnmatch(e->variants, variant->name, 0) && variant->clang >= e->first &&
	       variant->clang <= e->last;
}

void expect_read(struct expectations *expectations, const char *path)
{
	const char *base = strrchr(path, '/');
	size_t size;
	char *text = (char *)variant_read_file(path, &size), *line, *rest = text;
	unsigned number = 0;

	snprintf(expectations->source, sizeof(expectations->source), "%s", base ? base + 1 : path);
	while ((line = strsep(&rest, "\n"))) {
		struct expectation *e = &expectations->row[expectations->count];
		const char *spec;

		number++;
		if (strstr(line, "// @add_direct"))
			expectations->add_direct_line = number;
		if (strncmp(line, "//! ", 4) ||
		    sscanf(line, "//! %63s %63[^:]:", e->kernel, e->variants) != 2)
			continue;
		read_compilers(e);
		if (expectations->count + 1 == MAX_LINES)
			exit(99);
		spec = strchr(line, ':') + 1;
		while (*spec == ' ')
			spec++;
		e->optional = *spec == '?';
		snprintf(e->spec, sizeof(e->spec), "%s", spec + (e->optional ? 2 : 0));
		e->line = number;
		expectations->count++;
	}
	free(text);
}

struct set {
	char spec[MAX_SPECS][SPEC_SIZE];
	bool optional[MAX_SPECS], met[MAX_SPECS];
	unsigned count;
};

static void set_add(struct set *set, const char *spec, bool optional)
{
	unsigned i;

	/* What a row says of all compilers does not hold then. */
	if (set->count && !strcmp(set->spec[0], "miscompiled"))
		return;
	if (!strcmp(spec, "miscompiled"))
		set->count = 0;

	for (i = 0; i < set->count; i++) {
		if (!strcmp(set->spec[i], spec)) {
			set->optional[i] = set->optional[i] && optional;
			return;
		}
	}
	assert_true(set->count < MAX_SPECS);
	set->optional[set->count] = optional;
	snprintf(set->spec[set->count++], SPEC_SIZE, "%s", spec);
}

static void describe(const struct isa_atomic *atomic, char *spec)
{
	int at;
	size_t i;

	if (atomic->cas_loop)
		at = snprintf(spec, SPEC_SIZE, "cas-%s", isa_op_name(atomic->loop_op));
	else
		at = snprintf(spec, SPEC_SIZE, "%s",
			      atomic->lock       ? "lock"
			      : atomic->loop_why ? "swap"
						 : "native");
	at += snprintf(spec + at, SPEC_SIZE - (size_t)at, " %s %s", isa_type_name(atomic->type),
		       isa_origin_name(atomic->origin.kind));
	for (i = 0; i < atomic->origin.kernarg_count; i++)
		at += snprintf(spec + at, SPEC_SIZE - (size_t)at, "%s%u", i ? "," : " ",
			       atomic->origin.kernarg[i]);
	if (atomic->origin.symbol)
		snprintf(spec + at, SPEC_SIZE - (size_t)at, " %s", atomic->origin.symbol);
}

static void describe_uses(const struct isa_kernel *kernel, char *spec)
{
	int at = snprintf(spec, SPEC_SIZE, "uses");
	size_t i;

	for (i = 0; i < kernel->use_count; i++)
		at +=
		    snprintf(spec + at, SPEC_SIZE - (size_t)at, " %u:%s%s%s",
			     kernel->uses[i].kernarg, kernel->uses[i].access & ISA_READ ? "r" : "",
			     kernel->uses[i].access & ISA_WRITE ? "w" : "",
			     kernel->uses[i].access & ISA_ATOMIC ? "a" : "");
	if (!kernel->uses_complete)
		snprintf(spec + at, SPEC_SIZE - (size_t)at, " incomplete");
}

static int describe_path(const struct isa_path *path, bool ranges, char *spec, int at)
{
	if (path->symbol)
		at += snprintf(spec + at, SPEC_SIZE - (size_t)at, " %s", path->symbol);
	else
		at += snprintf(spec + at, SPEC_SIZE - (size_t)at, " %u", path->kernarg);
	for (unsigned k = 0; k < path->step_count; k++) {
		const struct isa_step *step = &path->step[k];

		if (step->exact)
			at += snprintf(spec + at, SPEC_SIZE - (size_t)at, ">%lld",
				       (long long)step->offset);
		else if (step->stride)
			at += snprintf(spec + at, SPEC_SIZE - (size_t)at, ">%lld/%u",
				       (long long)step->offset, step->stride);
		else
			at += snprintf(spec + at, SPEC_SIZE - (size_t)at, ">any");
		if (ranges && step->bounded)
			at += snprintf(spec + at, SPEC_SIZE - (size_t)at, "[%lld..%lld]",
				       (long long)step->first, (long long)step->last);
		at += snprintf(spec + at, SPEC_SIZE - (size_t)at, "%s%s", step->repeats ? "*" : "",
			       step->stored_before ? "!" : "");
	}
	assert_true(at < SPEC_SIZE);
	return at;
}

static void describe_paths(const struct isa_kernel *kernel, bool ranges, char *spec)
{
	int at = snprintf(spec, SPEC_SIZE, ranges ? "ranges" : "paths");

	for (size_t i = 0; i < kernel->path_use_count; i++) {
		const struct isa_path_use *use = &kernel->path_uses[i];

		at = describe_path(&use->path, ranges, spec, at);
		at += snprintf(
		    spec + at, SPEC_SIZE - (size_t)at, ":%s%s%s", use->access & ISA_READ ? "r" : "",
		    use->access & ISA_WRITE ? "w" : "", use->access & ISA_ATOMIC ? "a" : "");
		assert_true(at < SPEC_SIZE);
	}
	if (!kernel->paths_complete)
		snprintf(spec + at, SPEC_SIZE - (size_t)at, " incomplete");
}

/* The members that the steps of each path lead to, "-" where there is none. */
static void describe_members(const struct isa_kernel *kernel, char *spec)
{
	int at = snprintf(spec, SPEC_SIZE, "members");

	for (size_t i = 0; i < kernel->path_use_count; i++)
		for (unsigned k = 0; k < kernel->path_uses[i].path.step_count; k++) {
			const char *name = kernel->path_uses[i].path.member[k];

			at += snprintf(spec + at, SPEC_SIZE - (size_t)at, "%c%s", k ? '>' : ' ',
				       name ? name : "-");
			assert_true(at < SPEC_SIZE);
		}
}

/* Where it stores, and what: "stores PATH = VALUE ..., PATH = unknown"; ":=" if it is certain. */
static void describe_stores(const struct isa_kernel *kernel, char *spec)
{
	int at = snprintf(spec, SPEC_SIZE, "stores");

	for (size_t i = 0; i < kernel->store_count; i++) {
		const struct isa_store *store = &kernel->stores[i];

		at = describe_path(&store->path, false, spec, at);
		at += snprintf(spec + at, SPEC_SIZE - (size_t)at, " %s%s",
			       store->executes ? ":=" : "=", store->value_known ? "" : " unknown");
		for (size_t k = 0; store->value_known && k < store->value_count; k++)
			at = describe_path(&store->value[k], false, spec, at);
		at += snprintf(spec + at, SPEC_SIZE - (size_t)at, "%s",
			       i + 1 < kernel->store_count ? "," : "");
		assert_true(at < SPEC_SIZE);
	}
	if (!kernel->stores_complete)
		snprintf(spec + at, SPEC_SIZE - (size_t)at, " incomplete");
}

/* What is known to be so, one word each. */
static void describe_facts(const struct isa_kernel *kernel, char *spec)
{
	bool system = false, agent = false;
	size_t i;

	for (i = 0; i < kernel->atomic_count; i++) {
		system |= kernel->atomics[i].scope == ISA_SCOPE_SYSTEM;
		agent |= kernel->atomics[i].scope == ISA_SCOPE_AGENT;
	}
	snprintf(spec, SPEC_SIZE, "facts%s%s%s%s%s%s%s%s%s%s", kernel->lds_size ? " lds-size" : "",
		 kernel->uses_lds == ISA_YES ? " lds" : "",
		 kernel->has_barrier == ISA_YES ? " barrier" : "",
		 kernel->dynamic_stack == ISA_YES ? " dynamic-stack" : "",
		 kernel->hostcall == ISA_YES ? " hostcall" : "",
		 kernel->system_release == ISA_YES ? " release" : "",
		 kernel->system_acquire == ISA_YES ? " acquire" : "", system ? " system" : "",
		 agent ? " agent" : "", kernel->spin_count ? " spin" : "");
}

static const struct isa_kernel *kernel_by_name(const struct isa_code_object *object,
					       const char *name)
{
	size_t i, length = strlen(name);

	for (i = 0; i < object->kernel_count; i++) {
		const struct isa_kernel *kernel = &object->kernels[i];
		const char *base =
		    strncmp(kernel->name, "void ", 5) ? kernel->name : kernel->name + 5;

		if (!strncmp(base, name, length) &&
		    (!base[length] || base[length] == '<' || base[length] == '('))
			return kernel;
	}
	return NULL;
}

/* ---- code that a compiler made wrongly ---- */

struct reload {
	bool reloaded, wrong;
};

/*
 * clang 17 without optimization: spilled vector registers are read before exec is restored, so that
 * lanes which are off at that point keep what the registers held (kernels/softgpu/README.md).
 */
static void look_for_reload(void *user, int64_t offset, const char *text,
			    const struct isa_atomic *atomic)
{
	struct reload *look = user;

	(void)atomic;
	if (offset == INT64_MIN || strstr(text, "branch") || strstr(text, "setpc") ||
	    strstr(text, "swappc"))
		look->reloaded = false;
	else if (strstr(text, "v_accvgpr_read") ||
		 (strstr(text, "buffer_load_dword ") && strstr(text, "s[0:3]")))
		look->reloaded = true;
	else if (look->reloaded && strstr(text, "s_or_b64 exec, exec"))
		look->wrong = true;
}

/* All code: functions that a kernel calls, too. */
static bool has_wrong_reload(const struct variant *variant)
{
	struct reload look = { false, false };
	struct codeobj_section text;
	struct isa_disasm *disasm;
	const char *why;

	disasm = isa_disasm_create(variant->object->arch, 64, NULL, &why);
	assert_non_null(disasm);
	assert_int_equal(codeobj_elf_section(variant->elf, variant->elf_size, ".text", &text, NULL),
			 0);
	for (size_t at = 0, length; at < text.size && !look.wrong; at += length ? length : 4) {
		char line[256];

		length = isa_disasm_one(disasm, variant->elf + text.offset + at, text.size - at,
					line, sizeof(line));
		if (length)
			look_for_reload(&look, 0, line, NULL);
	}
	isa_disasm_destroy(disasm);
	return look.wrong;
}

static bool is_miscompiled(const struct variant *variant, const struct isa_kernel *kernel)
{
	struct reload look = { false, false };

	assert_int_equal(
	    isa_disassemble(variant->elf, variant->elf_size, kernel, look_for_reload, &look, NULL),
	    0);
	return look.wrong || has_wrong_reload(variant);
}

/* Returns the number of differences, each printed. */
static unsigned compare(const struct expectations *expectations, const struct variant *variant,
			const char *name, const struct set *expected,
			const struct isa_kernel *kernel)
{
	struct set actual = { 0 };
	char spec[SPEC_SIZE], uses[SPEC_SIZE], facts[SPEC_SIZE], paths[SPEC_SIZE],
	    stores[SPEC_SIZE];
	unsigned wrong = 0, i, k;

	if (!strcmp(expected->spec[0], "miscompiled")) {
		if (is_miscompiled(variant, kernel))
			return 0;
		print_message("# %s %s: not miscompiled\n", variant->name, name);
		return 1;
	}
	for (i = 0; i < kernel->atomic_count; i++) {
		describe(&kernel->atomics[i], spec);
		set_add(&actual, spec, false);
		/* The device library is built without. */
		if (kernel->atomics[i].function &&
		    !strncmp(kernel->atomics[i].function, "__ockl", 6))
			continue;
		if (variant->stripped)
			continue;
		if (!kernel->atomics[i].file || kernel->atomics[i].line == 0 ||
		    !strstr(kernel->atomics[i].file, expectations->source)) {
			print_message("# %s %s: %s has no source line\n", variant->name, name,
				      spec);
			wrong++;
		}
		if (kernel->atomics[i].origin.kind == ISA_ORIGIN_UNKNOWN &&
		    !kernel->atomics[i].origin.why)
			wrong++;
	}
	describe_uses(kernel, uses);
	for (i = 0; i < expected->count; i++) {
		bool found = false;

		if (!strcmp(expected->spec[i], "none"))
			continue;
		if (!strncmp(expected->spec[i], "uses", 4)) {
			found = !strcmp(expected->spec[i], uses);
			if (!found)
				print_message("# %s %s: %s\n", variant->name, name, uses);
		}
		if (!strncmp(expected->spec[i], "paths", 5)) {
			describe_paths(kernel, false, paths);
			found = !strcmp(expected->spec[i], paths);
			if (!found)
				print_message("# %s %s: %s\n", variant->name, name, paths);
		}
		if (!strncmp(expected->spec[i], "members", 7)) {
			describe_members(kernel, paths);
			found = !strcmp(expected->spec[i], paths);
			if (!found)
				print_message("# %s %s: %s\n", variant->name, name, paths);
		}
		if (!strncmp(expected->spec[i], "ranges", 6)) {
			describe_paths(kernel, true, paths);
			found = !strcmp(expected->spec[i], paths);
			if (!found)
				print_message("# %s %s: %s\n", variant->name, name, paths);
		}
		if (!strncmp(expected->spec[i], "stores", 6)) {
			describe_stores(kernel, stores);
			found = !strcmp(expected->spec[i], stores);
			if (!found)
				print_message("# %s %s: %s\n", variant->name, name, stores);
		}
		if (!strncmp(expected->spec[i], "facts", 5)) {
			describe_facts(kernel, facts);
			found = !strcmp(expected->spec[i], facts);
			if (!found)
				print_message("# %s %s: %s\n", variant->name, name, facts);
		}
		for (k = 0; k < actual.count && !found; k++) {
			found = !strcmp(expected->spec[i], actual.spec[k]);
			actual.met[k] |= found;
		}
		if (!found && !expected->optional[i]) {
			print_message("# %s %s: missing: %s\n", variant->name, name,
				      expected->spec[i]);
			wrong++;
		}
	}
	for (k = 0; k < actual.count; k++) {
		if (actual.met[k])
			continue;
		print_message("# %s %s: not expected: %s\n", variant->name, name, actual.spec[k]);
		wrong++;
	}
	return wrong;
}

unsigned expect_compare(const struct expectations *expectations, const struct variant *variant)
{
	unsigned wrong = 0, kernels = 0;
	size_t i, k;

	for (i = 0; i < expectations->count; i++) {
		const char *name = expectations->row[i].kernel;
		const struct isa_kernel *kernel;
		struct set expected = { 0 };

		for (k = 0; k < i && strcmp(expectations->row[k].kernel, name); k++)
			;
		if (k < i)
			continue;
		for (k = i; k < expectations->count; k++)
			if (!strcmp(expectations->row[k].kernel, name) &&
			    applies(&expectations->row[k], variant))
				set_add(&expected, expectations->row[k].spec,
					expectations->row[k].optional);
		if (!expected.count)
			continue;
		kernel = kernel_by_name(variant->object, name);
		if (!kernel) {
			print_message("# %s: no kernel %s\n", variant->name, name);
			wrong++;
			continue;
		}
		kernels++;
		wrong += compare(expectations, variant, name, &expected, kernel);
	}
	assert_int_equal(wrong, 0);
	/* A kernel without expectations would be tested by nobody. */
	assert_int_equal(kernels, variant->object->kernel_count);
	return kernels;
}
