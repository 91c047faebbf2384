/* SPDX-License-Identifier: Apache-2.0 */
/* The table of target_regions.h. */
#include "target_regions.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/api/host.h"
#include "tracer/events/ev_launch.h"
#include "tracer/events/ev_omp_target.h"

#define PREFIX "__omp_offloading_"

static void clear_region(struct target_region *region)
{
	g_clear_pointer(&region->kernel, g_free);
	g_clear_pointer(&region->function, g_free);
	region->line = 0;
}

static void free_region(gpointer data)
{
	clear_region(data);
	g_free(data);
}

GHashTable *target_regions_new(void)
{
	return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_region);
}

/* Returns what stands behind a number in hexadecimal and a '_', or NULL. */
static const char *behind_number(const char *text)
{
	size_t digits = strspn(text, "0123456789abcdef");

	return digits && text[digits] == '_' ? text + digits + 1 : NULL;
}

/* Returns true if `text` is a line, or a line, a '_' and a count. */
static bool is_line(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > 9)
		return false;
	text += digits;
	if (*text == '_') {
		digits = strspn(text + 1, "0123456789");
		text += digits ? digits + 1 : 0;
	}
	return !*text;
}

/* Sets all of the region, or nothing if the kernel's name is none of a region. */
static void set_region(struct target_region *region, const char *kernel)
{
	const char *name = g_str_has_prefix(kernel, PREFIX) ? kernel + strlen(PREFIX) : NULL;
	const char *end;

	name = name ? behind_number(name) : NULL;
	name = name ? behind_number(name) : NULL;
	end = name ? g_strrstr(name, "_l") : NULL;
	if (!end || end == name || !is_line(end + 2))
		return;
	region->kernel = g_strdup(kernel);
	region->function = g_strndup(name, (gsize)(end - name));
	region->line = (unsigned)strtoul(end + 2, NULL, 10);
}

static struct target_region *region_of(const struct process *process, uint32_t stack_id)
{
	const struct call_stack *stack = process_stack(process, stack_id);

	return stack && stack->depth ? g_hash_table_lookup(process->regions_of_code, stack->frames)
				     : NULL;
}

/* Only a construct's own call leads to its kernel: stacks of others begin in the runtime. */
static void begin(const struct process *process, uint32_t stack_id)
{
	const struct call_stack *stack = process_stack(process, stack_id);

	if (stack && stack->depth && !region_of(process, stack_id)) {
		g_hash_table_insert(process->regions_of_code,
				    g_memdup2(stack->frames, sizeof(*stack->frames)),
				    g_new0(struct target_region, 1));
	}
}

static void launched(const struct process *process, const struct hg_ev_launch *launch)
{
	const struct kernel_ref *kernel = process_kernel(process, launch->kernel_id);
	struct target_region *region = kernel ? region_of(process, launch->stack_id) : NULL;

	if (!region || (region->kernel && strcmp(region->kernel, kernel->symbol) == 0))
		return;
	/* Another one was launched there: it stays unknown. */
	if (region->kernel) {
		clear_region(region);
		region->kernel = g_strdup("");
	} else {
		set_region(region, kernel->symbol);
	}
}

void target_regions_event(struct process *process, const struct hg_event *event)
{
	if (event->type == HG_EVENT_launch)
		launched(process, event->launch);
	else if (event->omp_target->endpoint != HG_OMP_END &&
		 (event->omp_target->kind & ~HG_OMP_NOWAIT) == HG_OMP_TARGET)
		begin(process, event->omp_target->stack_id);
}

const struct target_region *target_region_at(const struct process *process, uint64_t code)
{
	const struct target_region *region = g_hash_table_lookup(process->regions_of_code, &code);

	return region && region->function ? region : NULL;
}
