/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a process's state, and what its launches' arguments hold. */
#include "process_state.h"

#include "ranges.h"
#include "target_regions.h"

#include <string.h>

static void free_module(gpointer data)
{
	struct host_module *module = data;

	g_free(module->path);
	g_free(module->build_id);
	g_free(module);
}

static void free_stack(gpointer data)
{
	struct call_stack *stack = data;

	g_free(stack->frames);
	if (stack->codes)
		g_hash_table_unref(stack->codes);
	g_free(stack);
}

static void free_code(gpointer data)
{
	struct python_code *code = data;

	g_free(code->file);
	g_free(code->function);
	g_free(code->lines);
	g_free(code);
}

static void free_code_object(gpointer data)
{
	struct code_object_ref *object = data;

	g_free(object->sha256);
	g_free(object->target);
	g_free(object->path);
	g_free(object->problem);
	g_free(object);
}

static void free_kernel(gpointer data)
{
	struct kernel_ref *kernel = data;

	g_free(kernel->symbol);
	g_free(kernel);
}

static void free_args(gpointer data)
{
	struct kernel_args *args = data;

	g_free(args->bytes);
	g_free(args->kept);
	attachments_clear(&args->attachments);
	g_free(args);
}

static void free_device(gpointer data)
{
	struct device *device = data;

	g_free(device->name);
	g_free(device->arch);
	g_free(device->recorded_arch);
	g_free(device);
}

struct process *process_new(int32_t pid)
{
	struct process *process = g_new0(struct process, 1);

	process->pid = pid;
	process->page_size = 4096;
	process->device_count = -1;
	process->exe = g_strdup("");
	process->cmdline = g_strdup("");
	process->env = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	process->bypasses = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	process->devices = g_ptr_array_new_with_free_func(free_device);
	process->modules = g_ptr_array_new_with_free_func(free_module);
	process->regions = g_array_new(FALSE, FALSE, sizeof(struct region));
	process->stacks = g_hash_table_new_full(NULL, NULL, NULL, free_stack);
	process->codes = g_hash_table_new_full(NULL, NULL, NULL, free_code);
	process->regions_of_code = target_regions_new();
	process->streams = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	process->stream_labels = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	process->thread_labels = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	process->code_objects = g_hash_table_new_full(NULL, NULL, NULL, free_code_object);
	process->kernels = g_hash_table_new_full(NULL, NULL, NULL, free_kernel);
	process->args = g_hash_table_new_full(NULL, NULL, NULL, free_args);
	process->failed = g_array_new(FALSE, FALSE, sizeof(struct failed_call));
	address_space_init(&process->space);
	pool_pieces_init(&process->pool_pieces);
	page_map_init(&process->pages, process->page_size);
	page_map_init(&process->attributed, process->page_size);
	contents_init(&process->contents);
	return process;
}

void process_free(gpointer data)
{
	struct process *process = data;

	g_free(process->exe);
	g_free(process->cmdline);
	g_free(process->runtime_path);
	g_free(process->hsa_refused);
	g_hash_table_destroy(process->env);
	g_hash_table_destroy(process->bypasses);
	g_ptr_array_free(process->devices, TRUE);
	g_ptr_array_free(process->modules, TRUE);
	g_array_free(process->regions, TRUE);
	attachments_clear(&process->attachments);
	g_hash_table_destroy(process->stacks);
	g_hash_table_unref(process->codes);
	ranges_free(process->ranges);
	g_free(process->python_problem);
	g_hash_table_destroy(process->regions_of_code);
	g_hash_table_destroy(process->streams);
	g_hash_table_destroy(process->stream_labels);
	g_hash_table_destroy(process->thread_labels);
	g_hash_table_destroy(process->code_objects);
	g_hash_table_destroy(process->kernels);
	g_hash_table_destroy(process->args);
	g_array_free(process->failed, TRUE);
	address_space_destroy(&process->space);
	pool_pieces_clear(&process->pool_pieces);
	page_map_destroy(&process->pages);
	page_map_destroy(&process->attributed);
	contents_clear(&process->contents);
	g_free(process);
}

static bool is_kept(const struct kernel_args *args, uint32_t at)
{
	uint32_t bit = at / HG_ARGS_GRANULE;

	return bit / 8 < args->kept_length && args->kept[bit / 8] >> bit % 8 & 1;
}

bool kernel_args_number(const struct kernel_args *args, uint32_t offset, unsigned size,
			uint64_t *number)
{
	if ((uint64_t)offset + size > args->length || size > sizeof(*number))
		return false;
	for (uint32_t at = offset; args->kept_length > 0 && at < offset + size; at++)
		if (!is_kept(args, at))
			return false;
	*number = 0;
	memcpy(number, args->bytes + offset, size);
	return true;
}

bool kernel_args_address(const struct kernel_args *args, uint32_t offset, uint64_t *address)
{
	return kernel_args_number(args, offset, sizeof(*address), address);
}

bool kernel_args_veiled(const struct kernel_args *args)
{
	return args->kept_length > 0;
}
