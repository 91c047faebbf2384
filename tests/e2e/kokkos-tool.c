/* SPDX-License-Identifier: Apache-2.0 */
/* A tool of Kokkos of a user's: it prints its calls, and calls one of its own functions itself. */
#include <stdint.h>
#include <stdio.h>

struct space {
	char name[64];
};

void kokkosp_init_library(int place, uint64_t version, uint32_t count, void *devices);
void kokkosp_parse_args(int count, char **arguments);
void kokkosp_begin_parallel_reduce(const char *name, uint32_t device, uint64_t *id);
void kokkosp_end_parallel_reduce(uint64_t id);
void kokkosp_push_profile_region(const char *name);
void kokkosp_pop_profile_region(void);
void kokkosp_allocate_data(struct space space, const char *label, const void *ptr, uint64_t size);
void kokkosp_deallocate_data(struct space space, const char *label, const void *ptr, uint64_t size);
void kokkosp_begin_deep_copy(struct space to_space, const char *to_name, const void *to,
			     struct space from_space, const char *from_name, const void *from,
			     uint64_t size);
void kokkosp_finalize_library(void);

void kokkosp_init_library(int place, uint64_t version, uint32_t count, void *devices)
{
	(void)devices;
	fprintf(stderr, "place %d\n", place);
	printf("init %d %u\n", (int)version, count);
}

void kokkosp_parse_args(int count, char **arguments)
{
	(void)count;
	(void)arguments;
}

void kokkosp_begin_parallel_reduce(const char *name, uint32_t device, uint64_t *id)
{
	printf("begin %s %u\n", name, device);
	kokkosp_push_profile_region("the tool's own");
	kokkosp_pop_profile_region();
	*id = 42;
}

void kokkosp_end_parallel_reduce(uint64_t id)
{
	printf("end %d\n", (int)id);
}

void kokkosp_push_profile_region(const char *name)
{
	printf("push %s\n", name);
}

void kokkosp_pop_profile_region(void)
{
	puts("pop");
}

void kokkosp_allocate_data(struct space space, const char *label, const void *ptr, uint64_t size)
{
	printf("allocate %.63s %s %d %d\n", space.name, label, ptr != NULL, (int)size);
}

void kokkosp_deallocate_data(struct space space, const char *label, const void *ptr, uint64_t size)
{
	printf("deallocate %.63s %s %d %d\n", space.name, label, ptr != NULL, (int)size);
}

void kokkosp_begin_deep_copy(struct space to_space, const char *to_name, const void *to,
			     struct space from_space, const char *from_name, const void *from,
			     uint64_t size)
{
	printf("copy %.63s %s %d from %.63s %s %d: %d\n", to_space.name, to_name, to != NULL,
	       from_space.name, from_name, from != NULL, (int)size);
}

void kokkosp_finalize_library(void)
{
	puts("finalize");
}
