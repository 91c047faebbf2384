/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This decides if a program that is about to be executed can be recorded: by its file, by the
 * rights that it gets (ld.so(8), secure-execution mode), and by its environment. The kernel decides
 * what really happens; an error here leads only to a wrong message.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "preload/control/executable.h"
#include "preload/core/base.h"
#include "preload/core/cancel.h"
#include "preload/core/kernel_call.h"
#include "preload/core/libc.h"

#define SCRIPTS_MAX 4u /* an interpreter may be a script (execve(2)) */
#define PROGRAMS    64u

static const char library[] = "libhipgrain-preload.so";

union head {
	char text[1024];
	Elf64_Ehdr elf;
};

/* ---- its rights ---- */

static bool changes_rights(int fd)
{
	struct statfs system;
	struct stat status;

	if (geteuid() != getuid() || getegid() != getgid())
		return true;
	if (fstat(fd, &status))
		return false;
	if (geteuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return true;
	if (!((status.st_mode & S_ISUID) && status.st_uid != getuid()) &&
	    !((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	      status.st_gid != getgid()))
		return false;
	return hg_syscall(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) != 1 &&
	       (hg_syscall(SYS_fstatfs, fd, &system) || !(system.f_flags & ST_NOSUID));
}

/* ---- its file ---- */

/* The loader itself, executed as a program, has a DT_SONAME and no interpreter. */
static bool is_loader(int fd, const Elf64_Phdr *part)
{
	Elf64_Dyn entry;

	for (uint64_t at = 0; at + sizeof(entry) <= part->p_filesz; at += sizeof(entry)) {
		if (pread(fd, &entry, sizeof(entry), (off_t)(part->p_offset + at)) !=
			(ssize_t)sizeof(entry) ||
		    entry.d_tag == DT_NULL)
			return false;
		if (entry.d_tag == DT_SONAME)
			return true;
	}
	return false;
}

static enum hg_missed look_at_elf(int fd, const Elf64_Ehdr *elf)
{
	Elf64_Phdr dynamic = { 0 };

	if (elf->e_ident[EI_CLASS] == ELFCLASS32 &&
	    (elf->e_machine == EM_386 || elf->e_machine == EM_X86_64))
		return HG_MISSED_WORDS;
	if (elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_machine != EM_X86_64)
		return HG_MISSED_MACHINE;
	if (elf->e_phentsize != sizeof(Elf64_Phdr))
		return HG_MISSED_NOT;
	for (unsigned i = 0; i < elf->e_phnum && i < PROGRAMS; i++) {
		char name[128] = "";
		Elf64_Phdr part;

		if (pread(fd, &part, sizeof(part), (off_t)(elf->e_phoff + i * sizeof(part))) !=
		    (ssize_t)sizeof(part))
			return HG_MISSED_NOT;
		if (part.p_type == PT_DYNAMIC)
			dynamic = part;
		if (part.p_type != PT_INTERP)
			continue;
		if (pread(fd, name, sizeof(name) - 1, (off_t)part.p_offset) <= 0)
			return HG_MISSED_NOT;
		return strstr(name, "ld-musl") ? HG_MISSED_MUSL : HG_MISSED_NOT;
	}
	return is_loader(fd, &dynamic) ? HG_MISSED_NOT : HG_MISSED_STATIC;
}

/* Returns the interpreter that a script names, as a part of its text, or NULL. The text is
 * changed. */
static const char *find_interpreter(char text[static 1])
{
	char *at = text + 2;

	while (*at == ' ' || *at == '\t')
		at++;
	at[strcspn(at, " \t\n")] = '\0';
	return *at ? at : NULL;
}

static enum hg_missed look_at(int fd, unsigned scripts)
{
	union head head;
	ssize_t size = pread(fd, head.text, sizeof(head) - 1, 0);
	enum hg_missed why = HG_MISSED_NOT;
	const char *interpreter;
	int next;

	if (size <= 0)
		return HG_MISSED_NOT;
	head.text[size] = '\0';
	if (size >= (ssize_t)sizeof(head.elf) && !memcmp(head.text, ELFMAG, SELFMAG)) {
		why = look_at_elf(fd, &head.elf);
		return !why && changes_rights(fd) ? HG_MISSED_RIGHTS : why;
	}
	if (memcmp(head.text, "#!", 2) || scripts == SCRIPTS_MAX)
		return HG_MISSED_NOT;
	interpreter = find_interpreter(head.text);
	next = interpreter ? open(interpreter, O_RDONLY | O_CLOEXEC) : -1;
	if (next >= 0) {
		why = look_at(next, scripts + 1);
		hg_libc.close(next);
	}
	return why;
}

static int open_searched(const char *name)
{
	const char *list = getenv("PATH");
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return open(name, O_RDONLY | O_CLOEXEC);
	for (list = list ? list : "/bin:/usr/bin"; *list;) {
		int length = (int)strcspn(list, ":");
		struct stat status;
		int fd;

		if (snprintf(path, sizeof(path), "%.*s%s%s", length, list, length ? "/" : "",
			     name) < (int)sizeof(path)) {
			fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
			if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode) &&
			    status.st_mode & 0111)
				return fd;
			if (fd >= 0)
				hg_libc.close(fd);
		}
		list += length + (list[length] == ':');
	}
	return -1;
}

/* ---- its environment ---- */

static const char *value_of(char *const env[], const char *name)
{
	size_t length = strlen(name);

	for (; env && *env; env++)
		if (!strncmp(*env, name, length) && (*env)[length] == '=')
			return *env + length + 1;
	return NULL;
}

static enum hg_missed look_around(char *const env[])
{
	const char *preload = value_of(env, "LD_PRELOAD");

	if (!value_of(env, "HIPGRAIN_DIR") || !preload || !strstr(preload, library))
		return HG_MISSED_ENVIRONMENT;
	/* Rights that the process keeps for now are lost at its next execve(). */
	if ((geteuid() && geteuid() != hg_config.user) ||
	    faccessat(AT_FDCWD, hg_config.dir, W_OK | X_OK, AT_EACCESS))
		return HG_MISSED_PLACE;
	return HG_MISSED_NOT;
}

/* Returns the path by which the loader found this library. The list has preloaded objects first. */
static const char *own_file(void)
{
	const struct link_map *map = _r_debug.r_map;

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map ? map->l_name : "";
}

/* Returns true if the library is not in this tree of files, of which the loader would complain. */
static bool is_out_of_reach(void)
{
	const char *file = own_file();

	return *file == '/' && faccessat(AT_FDCWD, file, R_OK, AT_EACCESS) &&
	       (errno == ENOENT || errno == ENOTDIR || errno == EACCES);
}

struct hg_image hg_image_of(const char *path, int fd, bool search, char *const env[])
{
	struct hg_image image = { .name = "" };
	int saved = errno, cancel, file = fd;

	if (!hg_config.dir)
		return image;
	cancel = hg_keep_thread();
	if (path) {
		image.name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
		file = search ? open_searched(path) : open(path, O_RDONLY | O_CLOEXEC);
	}
	if (file >= 0)
		image.why = look_at(file, 0);
	if (path && file >= 0)
		hg_libc.close(file);
	if (!image.why && hg_config.recorded)
		image.why = look_around(env);
	image.foreign = image.why == HG_MISSED_WORDS || image.why == HG_MISSED_MACHINE;
	if (is_out_of_reach()) {
		image.foreign = true;
		if (!image.why && hg_config.recorded)
			image.why = HG_MISSED_PLACE;
	}
	hg_release_thread(cancel);
	errno = saved;
	return image;
}

struct hg_image hg_image_add(const char *path, int fd, bool search, char *const env[], pid_t pid)
{
	struct hg_image image = { .name = "" };

	if (HG_LIKELY(!hg_config.dir))
		return image;
	/* No file may be opened; the table is mapped already (seccomp.c). */
	if (hg_confined && path) {
		image.name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
		image.why = HG_MISSED_CONFINED;
	} else if (!hg_confined) {
		image = hg_image_of(path, fd, search, env);
	}
	if (image.why)
		image.row = hg_missed_add(image.why, image.name, pid);
	return image;
}

size_t hg_image_preload_length(char *const env[])
{
	const char *value = value_of(env, "LD_PRELOAD");

	return sizeof("LD_PRELOAD=") + (value ? strlen(value) : 0);
}

/* Entries stand between colons or spaces: ld.so(8). */
char **hg_image_environment(char *const env[], char **list, char *text)
{
	static const char name[] = "LD_PRELOAD=";
	size_t count = 0;

	for (; *env; env++) {
		char *to = text;

		if (strncmp(*env, name, sizeof(name) - 1)) {
			list[count++] = *env;
			continue;
		}
		for (const char *at = *env + sizeof(name) - 1; *at;) {
			size_t length = strcspn(at, ": ");

			if (length && !memmem(at, length, library, sizeof(library) - 1)) {
				to = stpcpy(to, to == text ? name : ":");
				to = mempcpy(to, at, length);
			}
			at += length + (at[length] != '\0');
		}
		*to = '\0';
		if (to != text)
			list[count++] = text;
	}
	list[count] = NULL;
	return list;
}
