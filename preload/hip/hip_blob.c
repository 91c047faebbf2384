/* SPDX-License-Identifier: Apache-2.0 */
/* From a fat binary in memory to a code object in the trace bundle. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/core/cancel.h"
#include "preload/core/files.h"
#include "preload/core/libc.h"
#include "preload/core/mapped_file.h"
#include "preload/hip/hip_code.h"
#include "preload/hip/hip_registry.h"
#include "preload/hip/hip_runtime.h"
#include "preload/hip/hip_unpack.h"
#include "codeobj/codeobj.h"

__attribute__((format(printf, 2, 3))) static void problem(struct hg_hip_code *code,
							  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(code->problem, sizeof(code->problem), format, args);
	va_end(args);
}

static int write_all(int fd, const uint8_t *data, uint64_t size)
{
	while (size) {
		size_t part = size < (1u << 30) ? (size_t)size : 1u << 30;
		ssize_t written = write(fd, data, part);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return errno ? -errno : -EIO;
		data += written;
		size -= (uint64_t)written;
	}
	return 0;
}

/*
 * Stores the bytes as <dir>/code-objects/<sha256>, completely or not at all: they are written under
 * a temporary name, and the file is renamed. Returns 0 or -errno. Other processes may store the
 * same one at the same time; both renames are correct.
 */
static int store(const char *sha256, const uint8_t *data, uint64_t size)
{
	int folder = hg_open_folder("code-objects"), fd, rc;
	char temporary[96];
	struct stat status;

	if (folder < 0)
		return folder;
	snprintf(temporary, sizeof(temporary), ".%.64s.%d", sha256, (int)getpid());
	if (!fstatat(folder, sha256, &status, AT_SYMLINK_NOFOLLOW) && S_ISREG(status.st_mode) &&
	    (uint64_t)status.st_size == size) {
		rc = 0;
		goto out;
	}
	unlinkat(folder, temporary, 0); /* of a process of this number that died */
	fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		rc = -errno;
		goto out;
	}
	rc = hg_may_have(size) ? write_all(fd, data, size) : -EFBIG;
	if (hg_libc.close(fd) && !rc)
		rc = -errno;
	if (!rc && renameat(folder, temporary, folder, sha256))
		rc = -errno;
	if (rc)
		unlinkat(folder, temporary, 0);
out:
	hg_libc.close(folder);
	return rc;
}

/* Finds the code object inside the image, puts it into *data and *size, and puts the target id that
 * chose it into code->target. Returns 0, or -errno with the reason in code->problem. */
static int choose(const uint8_t *image, size_t limit, const struct hg_hip_device *device,
		  struct hg_hip_code *code, const uint8_t **data, uint64_t *size)
{
	struct codeobj_error error = { "" };
	struct codeobj_entry entry;
	struct codeobj_target target;
	struct hg_hip_unpacked unpacked;
	enum codeobj_format format = codeobj_identify(image, limit);
	char text[64];
	int rc;

	if ((format == CODEOBJ_BUNDLE || format == CODEOBJ_COMPRESSED) &&
	    (!device || !device->known)) {
		problem(code, "no device with a known target id to choose a code object for");
		return -ENODEV;
	}
	switch (format) {
	case CODEOBJ_BUNDLE:
		rc = codeobj_bundle_select(image, limit, &device->target, &entry, &error);
		if (rc)
			break;
		snprintf(code->target, sizeof(code->target), "%s", entry.target);
		*data = entry.data;
		*size = entry.size;
		return 0;
	case CODEOBJ_ELF:
		rc = codeobj_elf_extent(image, limit, size, &error);
		if (rc)
			break;
		*data = image;
		if (!codeobj_elf_target(image, limit, &target, NULL)) {
			codeobj_target_format(&target, text);
			snprintf(code->target, sizeof(code->target), "%s", text);
		}
		return 0;
	case CODEOBJ_COMPRESSED:
		rc = hg_hip_unpack(image, limit, device, &unpacked, code->problem);
		if (rc)
			return rc;
		code->unpacked = unpacked.mapping;
		code->unpacked_size = unpacked.length;
		strcpy(code->target, unpacked.target);
		*data = unpacked.data;
		*size = unpacked.size;
		return 0;
	default:
		problem(code, "neither an offload bundle nor a code object");
		return -EINVAL;
	}
	problem(code, "%s", error.text);
	return rc;
}

void hg_hip_capture(const uint8_t *image, size_t limit, const struct hg_hip_device *device,
		    struct hg_hip_code *code)
{
	struct codeobj_error error = { "" };
	const uint8_t *data;
	uint64_t size;
	int rc, cancel;

	if (!image || !limit) {
		problem(code, "its image could not be read");
		return;
	}
	if (choose(image, limit, device, code, &data, &size))
		return;
	code->size = size;
	code->elf = data;
	if (codeobj_metadata_read(data, (size_t)size, &code->metadata, &error))
		problem(code, "%s", error.text);
	codeobj_sha256(data, (size_t)size, code->sha256);
	cancel = hg_keep_thread();
	rc = store(code->sha256, data, size);
	hg_release_thread(cancel);
	if (rc) {
		problem(code, "cannot be stored in the trace bundle: %s", strerror(-rc));
		code->sha256[0] = 0;
	}
}

void hg_hip_capture_done(struct hg_hip_code *code)
{
	code->elf = NULL;
	if (code->unpacked)
		hg_libc.munmap(code->unpacked, code->unpacked_size);
	code->unpacked = NULL;
}
