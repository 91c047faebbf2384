/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that pass their arguments on through a table, as ROCr's exported functions do, compiled
 * with several compilers and options (meson.build); and some that do not.
 */
#include <stddef.h>
#include <stdint.h>

struct handle {
	uint64_t value;
};
struct table {
	uint32_t version[4];
	void *functions[128];
};

struct table stub_table;
#ifdef BY_SYMBOL
struct table *stub_pointer = &stub_table; /* reached by the global offset table */
#define TABLE stub_pointer
#else
static struct table *pointer = &stub_table;
#define TABLE pointer
#endif

/* So that the compiler cannot know the pointer. */
void stub_set(struct table *table);
void stub_set(struct table *table)
{
	TABLE = table;
}

#define CALL(place, type, ...) ((type(*)(__VA_ARGS__))TABLE->functions[place])

int stub_6(struct handle agent, int attribute, void *value);
int stub_6(struct handle agent, int attribute, void *value)
{
	return CALL(6, int, struct handle, int, void *)(agent, attribute, value);
}

int stub_7(struct handle agent, uint32_t size, uint32_t type, void *callback, void *data,
	   uint32_t private_size, uint32_t group_size, void **queue);
int stub_7(struct handle agent, uint32_t size, uint32_t type, void *callback, void *data,
	   uint32_t private_size, uint32_t group_size, void **queue)
{
	return CALL(7, int, struct handle, uint32_t, uint32_t, void *, void *, uint32_t, uint32_t,
		    void **)(agent, size, type, callback, data, private_size, group_size, queue);
}

void stub_41(struct handle signal, int64_t value);
void stub_41(struct handle signal, int64_t value)
{
	CALL(41, void, struct handle, int64_t)(signal, value);
}

int stub_20(void *host, size_t size, struct handle *agents, int count, void **agent);
int stub_20(void *host, size_t size, struct handle *agents, int count, void **agent)
{
	return CALL(20, int, void *, size_t, struct handle *, int, void **)(host, size, agents,
									    count, agent);
}

int stub_40(void *host, size_t size, struct handle *agents, int count, struct handle pool,
	    uint32_t flags, void **agent);
int stub_40(void *host, size_t size, struct handle *agents, int count, struct handle pool,
	    uint32_t flags, void **agent)
{
	return CALL(40, int, void *, size_t, struct handle *, int, struct handle, uint32_t,
		    void **)(host, size, agents, count, pool, flags, agent);
}

/* ---- no such functions ---- */

int other_computes(int a, int b);
int other_computes(int a, int b)
{
	return a * b + 3;
}

int other_argument(int (*function)(void));
int other_argument(int (*function)(void))
{
	return function();
}

int other_indexed(unsigned place);
int other_indexed(unsigned place)
{
	return CALL(place, int, void)();
}
