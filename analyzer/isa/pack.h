/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of isa.h as bytes and back, for what keeps them. The bytes have no format to rely on:
 * only the build that wrote them reads them.
 */
#ifndef HIPGRAIN_ISA_PACK_H
#define HIPGRAIN_ISA_PACK_H

#include <stddef.h>
#include <stdint.h>

struct isa_code_object;
struct isa_kernel;

/* Returns the bytes of an object or kernel, from malloc(); size in *size. NULL without memory. */
uint8_t *pack_object(const struct isa_code_object *object, size_t *size);
uint8_t *pack_kernel(const struct isa_kernel *kernel, size_t *size);

/*
 * The opposite: 0 and a result that is freed like any, or -EINVAL for bytes that are none, whatever
 * they are, or -ENOMEM. `only`: of the kernels, this one alone (mangled); NULL: all. Without such a
 * kernel the object has none.
 */
int unpack_object(const uint8_t *data, size_t size, const char *only, struct isa_code_object **out);
/* `kernel` is zeroed before, and cleared on failure. */
int unpack_kernel(const uint8_t *data, size_t size, struct isa_kernel *kernel);

#endif
