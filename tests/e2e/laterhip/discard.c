/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Discards memory, as HIP 7.14 has it, and copies from it in the same stream: at once, or after
 * what is said. usage: discard read | filled | prefetched | waited | part | other
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct location {
	int type, id;
};

int hipMallocManaged(void **ptr, size_t size, unsigned flags);
int hipFree(void *ptr);
int hipMemcpyAsync(void *dst, const void *src, size_t size, int kind, void *stream);
int hipMemsetAsync(void *dst, int value, size_t size, void *stream);
int hipStreamSynchronize(void *stream);
int hipMemPrefetchAsync_v2(const void *ptr, size_t size, struct location location, unsigned flags,
			   void *stream);
int hipMemDiscardBatchAsync(void **ptrs, size_t *sizes, size_t count, unsigned long long flags,
			    void *stream);

#define SIZE 4096u

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	void *stream = (void *)0x1230, *ptrs[2] = { NULL, NULL }, *to = NULL;
	size_t sizes[] = { SIZE, SIZE };
	int bad = 0;

	bad |= hipMallocManaged(&ptrs[0], SIZE, 1); /* @discarded */
	bad |= hipMallocManaged(&ptrs[1], SIZE, 1);
	bad |= hipMallocManaged(&to, SIZE, 1);
	if (!strcmp(how, "part"))
		sizes[0] = SIZE / 2;
	bad |= hipMemDiscardBatchAsync(ptrs, sizes, 2, 0, stream);
	if (!strcmp(how, "filled"))
		bad |= hipMemsetAsync(ptrs[0], 0, SIZE, stream);
	if (!strcmp(how, "prefetched"))
		bad |= hipMemPrefetchAsync_v2(ptrs[0], SIZE, (struct location){ 1, 0 }, 0, stream);
	if (!strcmp(how, "waited"))
		bad |= hipStreamSynchronize(stream);
	if (!strcmp(how, "other"))
		stream = (void *)0x4560;
	bad |= hipMemcpyAsync(to, ptrs[0], SIZE, 4, stream); /* hipMemcpyDefault */
	bad |= hipStreamSynchronize(stream);
	bad |= hipFree(ptrs[0]) | hipFree(ptrs[1]) | hipFree(to);
	puts("done");
	return bad;
}
