/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotates pieces of a block, C and C++: with what cannot be among it, from a thread with little
 * stack, with a name at the end of what is mapped. It ends with 0 if nothing of that was noticed.
 */
#include <errno.h>
#include <hipgrain.h>
#include <stdlib.h>
#include <string.h>
#ifndef HIPGRAIN_OFF
#include <pthread.h>
#endif
#include <sys/mman.h>

#define BLOCK 65536

static char *block;

static void *annotate(void *unused)
{
	char *page =
	    (char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char text[1024];

	(void)unused;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	munmap(page + 4096, 4096);
	memcpy(page + 4096 - 4, "edge", 4);
	errno = 77;
	hipgrain_alloc("arena", block, 4096, "first");
	hipgrain_alloc("arena", block + 4096, 4096, page + 4096 - 4);
	hipgrain_alloc((const char *)8, block + 8192, 4096, (const char *)~(uintptr_t)0);
	hipgrain_alloc(text, block + 12288, 4096, NULL);
	hipgrain_name(block, "\033[31mred\n");
	hipgrain_free(block);
	hipgrain_free((void *)16);
	hipgrain_expect_begin(HIPGRAIN_NO_WAIT | HIPGRAIN_NO_ALLOCATION, "step");
	hipgrain_expect_end();
	hipgrain_range_push("step 1");
	hipgrain_range_push(page + 4096 - 4);
	hipgrain_range_start(7, text);
	hipgrain_mark("\033[31mred\n");
	hipgrain_range_pop();
	hipgrain_range_push((const char *)~(uintptr_t)0);
	hipgrain_range_pop();
	hipgrain_range_pop();
	hipgrain_range_stop(7);
	return errno == 77 ? NULL : block;
}

int main(void)
{
	void *noticed = NULL;
#ifndef HIPGRAIN_OFF
	pthread_attr_t little;
	pthread_t thread;
#endif

	block = (char *)malloc(BLOCK);
	if (!block || annotate(NULL))
		return 1;
#ifndef HIPGRAIN_OFF
	pthread_attr_init(&little);
	pthread_attr_setstacksize(&little, 16384);
	if (pthread_create(&thread, &little, annotate, NULL) || pthread_join(thread, &noticed))
		return 2;
#endif
	return noticed != NULL;
}
