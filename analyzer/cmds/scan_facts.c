/* SPDX-License-Identifier: Apache-2.0 */
/* What `hipgrain scan` prints besides atomics and uses; hipgrain-scan(5) describes the JSON. */
#include <json-c/json.h>
#include <stdio.h>

#include "analyzer/cmds/scan.h"

static struct json_object *place(const char *file, unsigned line)
{
	char text[4096];

	if (!file)
		return NULL;
	snprintf(text, sizeof(text), "%s:%u", file, line);
	return json_object_new_string(text);
}

void scan_json_atomic_facts(struct json_object *object, const struct isa_atomic *atomic)
{
	struct json_object *cache = json_object_new_array();
	struct json_object *inlined = json_object_new_array();
	size_t i;

	for (i = 0; i < ISA_CACHE_WORDS; i++)
		if (atomic->cache & 1u << i)
			json_object_array_add(cache,
					      json_object_new_string(isa_cache_word((unsigned)i)));
	for (i = 0; i < atomic->frame_count; i++) {
		const struct isa_frame *frame = &atomic->frames[i];
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "function", scan_string_or_null(frame->function));
		json_object_object_add(one, "source", place(frame->file, frame->line));
		json_object_array_add(inlined, one);
	}
	json_object_object_add(object, "scope",
			       json_object_new_string(isa_scope_name(atomic->scope)));
	json_object_object_add(object, "cache", cache);
	json_object_object_add(object, "inlined", inlined);
}

static struct json_object *known(enum isa_known value)
{
	return value == ISA_NOT_KNOWN ? NULL : json_object_new_boolean(value == ISA_YES);
}

void scan_json_kernel_facts(struct json_object *object, const struct isa_kernel *kernel)
{
	struct json_object *spins = json_object_new_array();
	size_t i;

	for (i = 0; i < kernel->spin_count; i++) {
		const struct isa_spin *spin = &kernel->spins[i];
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "mnemonic", json_object_new_string(spin->mnemonic));
		json_object_object_add(one, "kernel_offset",
				       json_object_new_int64(spin->kernel_offset));
		json_object_object_add(one, "function", scan_string_or_null(spin->function));
		json_object_object_add(one, "origin", scan_json_origin(&spin->origin));
		json_object_object_add(one, "source", place(spin->file, spin->line));
		json_object_array_add(spins, one);
	}
	json_object_object_add(object, "wave_size", json_object_new_int64(kernel->wave_size));
	json_object_object_add(object, "lds_size", json_object_new_int64(kernel->lds_size));
	json_object_object_add(object, "uses_lds", known(kernel->uses_lds));
	json_object_object_add(object, "barrier", known(kernel->has_barrier));
	json_object_object_add(object, "scratch_size", json_object_new_int64(kernel->scratch_size));
	json_object_object_add(object, "dynamic_stack", known(kernel->dynamic_stack));
	json_object_object_add(object, "hostcall", known(kernel->hostcall));
	json_object_object_add(object, "printf_buffer", known(kernel->printf_buffer));
	json_object_object_add(object, "system_release", known(kernel->system_release));
	json_object_object_add(object, "system_acquire", known(kernel->system_acquire));
	json_object_object_add(object, "spins", spins);
}

void scan_print_frames(const struct isa_atomic *atomic)
{
	/* The innermost is where it stands already, unless it lies in a header of the runtime. */
	for (size_t i = 0; atomic->frame_count > 1 && i < atomic->frame_count; i++) {
		const struct isa_frame *frame = &atomic->frames[i];

		printf("        %s %s at %s:%u\n", i ? "inlined into" : "in",
		       frame->function ? frame->function : "?", frame->file ? frame->file : "?",
		       frame->line);
	}
}

void scan_print_facts(const struct isa_kernel *kernel)
{
	const struct {
		enum isa_known value;
		const char *text;
	} facts[] = {
		{ kernel->dynamic_stack, "dynamic stack" },
		{ kernel->has_barrier, "barriers" },
		{ kernel->hostcall, "calls the host" },
		{ kernel->printf_buffer, "printf buffer" },
		{ kernel->system_release, "system-scope release" },
		{ kernel->system_acquire, "system-scope acquire" },
	};
	size_t i;

	printf("      waves of %u", kernel->wave_size);
	if (kernel->lds_size || kernel->uses_lds == ISA_YES)
		printf(", LDS %u bytes%s", kernel->lds_size,
		       kernel->lds_size ? "" : " and what the launch adds");
	if (kernel->scratch_size)
		printf(", private memory %u bytes", kernel->scratch_size);
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (facts[i].value == ISA_YES)
			printf(", %s", facts[i].text);
	putchar('\n');
	for (i = 0; i < kernel->spin_count; i++) {
		const struct isa_spin *spin = &kernel->spins[i];

		printf("      waits in a loop: %s  ", spin->mnemonic);
		scan_print_origin(kernel, &spin->origin);
		if (spin->function)
			printf("  in %s", spin->function);
		if (spin->file)
			printf("  at %s:%u", spin->file, spin->line);
		putchar('\n');
	}
}
