/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers of AMDGPU code objects: what the preload library needs to pick the code object that
 * a launch runs, and what the offline analysis needs to find every one in a file.
 *
 *   host ELF .hip_fatbin -> offload bundle(s) (or CCOB) -> code object (ELF) -> metadata note
 *
 * Plain C without dependencies. All input is hostile: every offset and count is checked against
 * the given size, nothing is read past it, and no input makes a function abort. Functions return
 * 0 (or what their comment says) and a negative errno: -EINVAL for malformed input, -ENOTSUP for
 * well-formed input of a kind this code does not read, -ENOENT for "not in there", -ENOMEM.
 * Where a `struct codeobj_error *` is taken (it may be NULL), a failure leaves one line in it.
 *
 * The formats: docs/code-objects.md.
 */
#ifndef HIPGRAIN_CODEOBJ_CODEOBJ_H
#define HIPGRAIN_CODEOBJ_CODEOBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct codeobj_error {
	char text[192];
};

/* ---- what is it ---- */

enum codeobj_format {
	CODEOBJ_UNKNOWN,
	CODEOBJ_BUNDLE,     /* "__CLANG_OFFLOAD_BUNDLE__" */
	CODEOBJ_COMPRESSED, /* "CCOB" */
	CODEOBJ_ELF,        /* ELF of EM_AMDGPU: a bare code object */
	CODEOBJ_HOST_ELF,   /* any other 64-bit little-endian ELF */
	CODEOBJ_OFFLOAD,    /* LLVM's offload binary: CODEOBJ_OFFLOAD_MAGIC */
	CODEOBJ_ARCHIVE,    /* of object files ("!<arch>\n") */
	CODEOBJ_SPIRV,      /* of amdgcnspirv: the runtime compiles it */
	CODEOBJ_BITCODE,    /* LLVM's: compiled when it is linked */
};

/* Returns the kind of an image, by its first bytes. */
enum codeobj_format codeobj_identify(const void *data, size_t size);

/* ---- fat binary wrapper (.hipFatBinSegment) ---- */

#define CODEOBJ_WRAPPER_SIZE 24u

/*
 * Read a wrapper of CODEOBJ_WRAPPER_SIZE bytes; *binary is the address of the bundle as stored
 * (in a running process: a pointer). -EINVAL for an unknown magic or version.
 */
int codeobj_wrapper(const void *data, size_t size, uint64_t *binary, struct codeobj_error *error);

/* ---- offload bundles ---- */

struct codeobj_entry {
	char kind[16];       /* "host", "hip", "hipv4", "openmp", ... */
	char id[256];        /* the whole entry id */
	const char *target;  /* inside id: "gfx90a:xnack+", "amdgcnspirv"; "" for host entries */
	const uint8_t *data; /* inside the bundle */
	uint64_t offset;     /* of data, from the start of the bundle */
	uint64_t size;       /* bytes; 0 for host entries */
};

struct codeobj_bundle {
	const uint8_t *data;
	size_t size; /* readable bytes from data on; may exceed the bundle */
	uint64_t count;
	uint64_t next; /* index and position of the entry that _next() will return */
	size_t position;
};

/* Begin to iterate over the bundle at `data`, of which at most `size` bytes are readable. */
int codeobj_bundle_open(struct codeobj_bundle *bundle, const void *data, size_t size,
			struct codeobj_error *error);

/* 1: *entry is the next one; 0: no more; negative: malformed. */
int codeobj_bundle_next(struct codeobj_bundle *bundle, struct codeobj_entry *entry,
			struct codeobj_error *error);

/* Stores the number of bytes from the start of the bundle to the end of its last entry in
 * *extent. */
int codeobj_bundle_extent(const void *data, size_t size, uint64_t *extent,
			  struct codeobj_error *error);

/*
 * Bundles have no total size and are concatenated: the offset of the first bundle or compressed
 * bundle at or after `from` in a section, in *offset. Every multiple of 8 bytes is checked, because
 * only uncompressed bundles are page-aligned. -ENOENT if there is none.
 */
int codeobj_bundle_find(const void *section, size_t size, size_t from, size_t *offset);

/* ---- compressed bundles ---- */

struct codeobj_compressed {
	unsigned version;
	unsigned method;            /* 0 zlib, 1 zstd */
	uint64_t header_size;       /* payload starts here */
	uint64_t total_size;        /* header and payload; 0 if not recorded (version 1) */
	uint64_t uncompressed_size; /* as claimed: not to be trusted for allocation */
	uint64_t hash;
};

/*
 * The header of a compressed bundle of up to `size` bytes. 0; -EINVAL: it is none, or ends inside
 * its header; -ENOTSUP: unknown version or method. *error (may be NULL) describes the failure.
 */
int codeobj_compressed_header(const void *data, size_t size, struct codeobj_compressed *header,
			      struct codeobj_error *error);

/* ---- LLVM's offload binaries ---- */

#define CODEOBJ_OFFLOAD_MAGIC "\x10\xff\x10\xad"

enum codeobj_image_kind {
	CODEOBJ_IMAGE_OBJECT = 1, /* an ELF file */
	CODEOBJ_IMAGE_BITCODE = 2,
};

struct codeobj_offload {
	unsigned kind;       /* enum codeobj_image_kind, or others of no interest here */
	const char *arch;    /* "gfx90a:xnack-", "" if it is not stated */
	const char *triple;  /* "amdgcn-amd-amdhsa", or "" */
	const uint8_t *data; /* the image */
	uint64_t size;
	uint64_t total_size; /* bytes of the offload binary: another may follow */
};

/* Read the offload binary at `data`; what *offload points to lies in it. */
int codeobj_offload(const void *data, size_t readable, struct codeobj_offload *offload,
		    struct codeobj_error *error);

/* ---- target ids ---- */

enum codeobj_feature { CODEOBJ_ANY = -1, CODEOBJ_OFF = 0, CODEOBJ_ON = 1 };

struct codeobj_target {
	char processor[32]; /* "gfx90a" */
	int8_t sramecc;     /* enum codeobj_feature */
	int8_t xnack;
};

/* Parse "gfx90a:sramecc+:xnack-", or the older "gfx90a+xnack". */
int codeobj_target_parse(const char *text, struct codeobj_target *target);

/* Stores the canonical text, at most 64 bytes with its NUL; returns its length. A processor whose
 * XNACK is always on has it in no name. */
int codeobj_target_format(const struct codeobj_target *target, char text[64]);

/*
 * Returns the XNACK mode of a device by its name, such as "gfx90a:sramecc+:xnack-" or
 * "amdgcn-amd-amdhsa--gfx1100": enum codeobj_feature. Processors that have no XNACK have it off,
 * and those that always have it on (arch.def); ANY: the name does not say.
 */
int8_t codeobj_device_xnack(const char *name);

/* Returns true for a generic processor ("gfx9-4-generic"), whose code several processors run. */
bool codeobj_is_generic(const char *processor);

#define CODEOBJ_MATCH_OWN 3 /* more than any match of a generic processor */

/*
 * Returns how well code for `code` runs on `device`: -1 if not at all; a higher number is a better
 * match: the number of features on which the code is specific, and CODEOBJ_MATCH_OWN for the
 * device's own processor instead of a generic one.
 */
int codeobj_target_match(const struct codeobj_target *code, const struct codeobj_target *device);

/*
 * The entry of a bundle that the loader would take for a device: kind hip or hipv4, its own
 * processor or else a generic one that it belongs to, features compatible, most specific first.
 * -ENOENT if none runs there (the message then lists what there is).
 */
int codeobj_bundle_select(const void *data, size_t size, const struct codeobj_target *device,
			  struct codeobj_entry *entry, struct codeobj_error *error);

/* ---- code objects (ELF) ---- */

/* Checks that `elf` is an AMDGPU ELF file with headers inside `size`. */
int codeobj_elf_check(const void *elf, size_t size, struct codeobj_error *error);

/*
 * Stores the number of bytes of the ELF file at `elf`, computed from its headers, in *extent: for
 * images in memory whose size is unknown. `size` bounds what may be read.
 */
int codeobj_elf_extent(const void *elf, size_t size, uint64_t *extent, struct codeobj_error *error);

/* Stores the target id from e_flags; -ENOTSUP for a machine number that the table does not have. */
int codeobj_elf_target(const void *elf, size_t size, struct codeobj_target *target,
		       struct codeobj_error *error);

/*
 * A section of any 64-bit little-endian ELF by name: its place in the file and its address.
 * -ENOENT if the file has none of that name (or it has no bytes in the file).
 */
struct codeobj_section {
	uint64_t offset, size, address;
};
int codeobj_elf_section(const void *elf, size_t size, const char *name,
			struct codeobj_section *section, struct codeobj_error *error);

/*
 * Returns 1 if the dynamic symbols of a code object define data of that name, 0 if they do not,
 * -EINVAL if they cannot be read.
 */
int codeobj_elf_defines(const void *elf, size_t size, const char *name);

/* ---- metadata notes ---- */

/* `.value_kind`; the hidden_* kinds are all CODEOBJ_ARG_HIDDEN. */
enum codeobj_arg_kind {
	CODEOBJ_ARG_BY_VALUE,
	CODEOBJ_ARG_GLOBAL_BUFFER,
	CODEOBJ_ARG_DYNAMIC_SHARED_POINTER,
	CODEOBJ_ARG_SAMPLER,
	CODEOBJ_ARG_IMAGE,
	CODEOBJ_ARG_PIPE,
	CODEOBJ_ARG_QUEUE,
	CODEOBJ_ARG_HIDDEN,
	CODEOBJ_ARG_OTHER, /* a kind this table does not know; assumed to be explicit */
};

/* The hidden arguments that matter here. */
enum codeobj_hidden {
	CODEOBJ_HIDDEN_OTHER,
	CODEOBJ_HIDDEN_HOSTCALL, /* the buffer through which kernels call the host */
	CODEOBJ_HIDDEN_PRINTF,   /* OpenCL's printf buffer */
};

struct codeobj_arg {
	uint32_t offset; /* in the kernarg segment */
	uint32_t size;
	enum codeobj_arg_kind kind;
	enum codeobj_hidden hidden; /* of CODEOBJ_ARG_HIDDEN */
	const char
	    *hidden_name; /* its value_kind, static; NULL if that is not known, or explicit */
	char *name;       /* NULL if absent */
	char *type_name;  /* NULL if absent */
};

struct codeobj_kernel {
	char *name;               /* mangled */
	char *symbol;             /* of the kernel descriptor: "<name>.kd" */
	uint32_t kernarg_size;    /* of the whole segment, hidden arguments included */
	uint32_t explicit_size;   /* end of the last explicit argument; 0 without arguments */
	uint32_t work_items;      /* of a work-group at most, as compiled; 0: not stated */
	uint32_t private_size;    /* scratch memory of a work-item, bytes */
	uint32_t vgpr_spills;     /* vector registers that the compiler put there */
	bool dynamic_stack;       /* and it may need more, by recursion or calls through pointers */
	uint32_t explicit_count;  /* explicit arguments come first in args */
	struct codeobj_arg *args; /* in the order of its note */
	size_t arg_count;
};

struct codeobj_metadata {
	unsigned version[2];
	char *target; /* amdhsa.target, e.g. "amdgcn-amd-amdhsa--gfx90a:xnack+"; NULL if absent */
	struct codeobj_kernel *kernels;
	size_t kernel_count;
};

/*
 * Read all metadata notes of a code object into one tree that the caller frees with
 * codeobj_metadata_free(): the kernels in the order of the file, each name once. -ENOENT without a
 * note, -ENOTSUP for the YAML notes of version 2, -EINVAL also if notes contradict each other.
 */
int codeobj_metadata_read(const void *elf, size_t size, struct codeobj_metadata **metadata,
			  struct codeobj_error *error);
void codeobj_metadata_free(struct codeobj_metadata *metadata);

/* Returns the kernel of that mangled name; NULL if there is none. */
const struct codeobj_kernel *codeobj_metadata_kernel(const struct codeobj_metadata *metadata,
						     const char *name);

/* ---- identity ---- */

#define CODEOBJ_SHA256_SIZE 65 /* lower-case hex and a NUL */

/* Stores the hash of `size` bytes in `hex`. This is for the preload library; the analyzer has
 * containers_sha256(). */
void codeobj_sha256(const void *data, size_t size, char hex[CODEOBJ_SHA256_SIZE]);

#endif
