/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The debug information of a code object as libdw may have it. libdw decompresses sections in
 * place, in memory that it must not write to, and believes the sizes that their headers claim: it
 * never sees a compressed section.
 */
#ifndef HIPGRAIN_ISA_DEBUG_IMAGE_H
#define HIPGRAIN_ISA_DEBUG_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The sections of debug information together, decompressed, take at most this many bytes and this
 * many times the size of the code object.
 */
#define DEBUG_IMAGE_BYTES (UINT64_C(64) << 20)
#define DEBUG_IMAGE_RATIO 32u

struct debug_image {
	const uint8_t *data; /* an ELF file */
	size_t size;
	uint8_t *owned; /* NULL: the bytes are those of the code object */
};

/*
 * Gives the code object itself if nothing in it is compressed, otherwise an ELF file with nothing
 * but its sections of debug information. `elf` is borrowed until debug_image_close(). Returns 0; or
 * -EINVAL (damaged), -ENOTSUP (a kind of compression that is not known), -E2BIG (beyond the limits
 * above) or -ENOMEM, with one line in problem[problem_size].
 */
int debug_image_open(struct debug_image *image, const void *elf, size_t size, char *problem,
		     size_t problem_size);
void debug_image_close(struct debug_image *image);

#endif
