/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what `hipgrain scan` reports besides atomics and uses; hipgrain-scan(5) describes the
 * JSON. */
#include <stdio.h>

#include "analyzer/cmds/scan.h"

void scan_json_place(struct json_stream *json, const char *key, const char *file, unsigned line)
{
	char text[4096];

	if (file)
		snprintf(text, sizeof(text), "%s:%u", file, line);
	json_stream_text(json, key, file ? text : NULL);
}

void scan_json_atomic_facts(struct json_stream *json, const struct isa_atomic *atomic)
{
	size_t i;

	json_stream_text(json, "scope", isa_scope_name(atomic->scope));
	json_stream_begin(json, "cache", '[');
	for (i = 0; i < ISA_CACHE_WORDS; i++)
		if (atomic->cache & 1u << i)
			json_stream_text(json, NULL, isa_cache_word((unsigned)i));
	json_stream_end(json, ']');
	json_stream_begin(json, "inlined", '[');
	for (i = 0; i < atomic->frame_count; i++) {
		const struct isa_frame *frame = &atomic->frames[i];

		json_stream_begin(json, NULL, '{');
		json_stream_text(json, "function", frame->function);
		scan_json_place(json, "source", frame->file, frame->line);
		json_stream_end(json, '}');
	}
	json_stream_end(json, ']');
}

static void json_known(struct json_stream *json, const char *key, enum isa_known value)
{
	if (value == ISA_NOT_KNOWN)
		json_stream_null(json, key);
	else
		json_stream_bool(json, key, value == ISA_YES);
}

static void json_spin(struct json_stream *json, const struct isa_spin *spin)
{
	json_stream_begin(json, NULL, '{');
	json_stream_text(json, "mnemonic", spin->mnemonic);
	json_stream_number(json, "kernel_offset", spin->kernel_offset);
	json_stream_text(json, "function", spin->function);
	scan_json_origin(json, &spin->origin);
	scan_json_place(json, "source", spin->file, spin->line);
	json_stream_end(json, '}');
}

static void json_party(struct json_stream *json, const char *key, const struct isa_party *party)
{
	json_stream_begin(json, key, '{');
	json_stream_text(json, "mnemonic", party->mnemonic);
	json_stream_number(json, "kernel_offset", party->kernel_offset);
	if (party->symbol)
		json_stream_null(json, "kernarg");
	else
		json_stream_number(json, "kernarg", party->kernarg);
	json_stream_text(json, "symbol", party->symbol);
	scan_json_place(json, "source", party->file, party->line);
	json_stream_end(json, '}');
}

static void json_handover(struct json_stream *json, const struct isa_handover *handover)
{
	json_stream_begin(json, NULL, '{');
	json_stream_text(json, "side", handover->reads ? "reads" : "writes");
	json_party(json, "data", &handover->data);
	json_party(json, "flag", &handover->flag);
	json_stream_bool(json, "ordered", handover->ordered);
	json_stream_bool(json, "waits", handover->waits);
	json_stream_bool(json, "pointer", handover->pointer);
	json_stream_end(json, '}');
}

void scan_json_kernel_facts(struct json_stream *json, const struct isa_kernel *kernel)
{
	json_stream_number(json, "wave_size", kernel->wave_size);
	json_stream_number(json, "lds_size", kernel->lds_size);
	json_known(json, "uses_lds", kernel->uses_lds);
	json_known(json, "barrier", kernel->has_barrier);
	json_stream_number(json, "scratch_size", kernel->scratch_size);
	json_known(json, "dynamic_stack", kernel->dynamic_stack);
	json_known(json, "hostcall", kernel->hostcall);
	json_known(json, "printf_buffer", kernel->printf_buffer);
	json_known(json, "system_release", kernel->system_release);
	json_known(json, "system_acquire", kernel->system_acquire);
	json_stream_begin(json, "spins", '[');
	for (size_t i = 0; i < kernel->spin_count; i++)
		json_spin(json, &kernel->spins[i]);
	json_stream_end(json, ']');
	json_stream_begin(json, "handovers", '[');
	for (size_t i = 0; i < kernel->handover_count; i++)
		json_handover(json, &kernel->handovers[i]);
	json_stream_end(json, ']');
}

void scan_print_frames(FILE *out, const struct isa_atomic *atomic)
{
	/* The innermost is where it stands already, unless it lies in a header of the runtime. */
	for (size_t i = 0; atomic->frame_count > 1 && i < atomic->frame_count; i++) {
		const struct isa_frame *frame = &atomic->frames[i];

		fprintf(out, "        %s %s at %s:%u\n", i ? "inlined into" : "in",
			frame->function ? frame->function : "?", frame->file ? frame->file : "?",
			frame->line);
	}
}

static void print_party(FILE *out, const struct isa_kernel *kernel, const struct isa_party *party)
{
	struct isa_origin origin = { .kind = party->symbol ? ISA_ORIGIN_GLOBAL : ISA_ORIGIN_DIRECT,
				     .kernarg = &(uint32_t){ party->kernarg },
				     .kernarg_count = party->symbol ? 0 : 1,
				     .symbol = party->symbol };

	fprintf(out, " %s ", party->mnemonic);
	scan_print_origin(out, kernel, &origin);
	if (party->file)
		fprintf(out, " at %s:%u", party->file, party->line);
}

/* Prints handovers whose sides are both in this kernel, if one of them lacks its order. */
static void print_handovers(FILE *out, const struct isa_kernel *kernel)
{
	for (size_t i = 0; i < kernel->handover_count; i++) {
		const struct isa_handover *writes = &kernel->handovers[i];

		for (size_t k = 0; k < kernel->handover_count; k++) {
			const struct isa_handover *reads = &kernel->handovers[k];

			if (!isa_handover_meets(writes, reads) ||
			    (writes->ordered && reads->ordered))
				continue;
			fprintf(out, "      hands over data:");
			print_party(out, kernel, &writes->data);
			fprintf(out, writes->ordered ? ", released," : ", no release,");
			print_party(out, kernel, &writes->flag);
			fprintf(out, reads->pointer ? ", a pointer; read:" : "; read:");
			print_party(out, kernel, &reads->flag);
			fprintf(out, reads->ordered ? ", acquired," : ", no acquire,");
			print_party(out, kernel, &reads->data);
			putc('\n', out);
		}
	}
}

void scan_print_facts(FILE *out, const struct isa_kernel *kernel)
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

	fprintf(out, "      waves of %u", kernel->wave_size);
	if (kernel->lds_size || kernel->uses_lds == ISA_YES)
		fprintf(out, ", LDS %u bytes%s", kernel->lds_size,
			kernel->lds_size ? "" : " and what the launch adds");
	if (kernel->scratch_size)
		fprintf(out, ", private memory %u bytes", kernel->scratch_size);
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (facts[i].value == ISA_YES)
			fprintf(out, ", %s", facts[i].text);
	putc('\n', out);
	for (i = 0; i < kernel->spin_count; i++) {
		const struct isa_spin *spin = &kernel->spins[i];

		fprintf(out, "      waits in a loop: %s  ", spin->mnemonic);
		scan_print_origin(out, kernel, &spin->origin);
		if (spin->function)
			fprintf(out, "  in %s", spin->function);
		if (spin->file)
			fprintf(out, "  at %s:%u", spin->file, spin->line);
		putc('\n', out);
	}
	print_handovers(out, kernel);
}
