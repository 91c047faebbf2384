/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for libroctx64 without a tool: it looks at no name, and its levels begin at 100. */
#include <stdint.h>

static __thread int level = 100;
static uint64_t last_id = 1000;

int roctxRangePushA(const char *message);
int roctxRangePop(void);
uint64_t roctxRangeStartA(const char *message);
void roctxRangeStop(uint64_t id);
void roctxMarkA(const char *message);
int roctxNameOsThread(const char *name);

int roctxRangePushA(const char *message)
{
	(void)message;
	return level++;
}

int roctxRangePop(void)
{
	return --level;
}

uint64_t roctxRangeStartA(const char *message)
{
	(void)message;
	return __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
}

void roctxRangeStop(uint64_t id)
{
	(void)id;
}

void roctxMarkA(const char *message)
{
	(void)message;
}

int roctxNameOsThread(const char *name)
{
	(void)name;
	return 7;
}
