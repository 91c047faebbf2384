/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the file that a command executes, and whether it can be recorded. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tracer/message.h"
#include "tracer/command_file.h"

/* This build of the preload library can be loaded into programs of this machine. */
#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#elif defined(__powerpc64__)
#define NATIVE_MACHINE EM_PPC64
#else
#error "unknown machine: add its ELF machine number"
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif

/* execve(2) reads this much of a script's first line (Linux 5.1 and later). */
#define SCRIPT_LINE_MAX 256

/* Bytes of names that are searched for a sanitizer's; longer tables are not searched. */
#define DYNAMIC_STRINGS_MAX (64u << 20)

/* Machines for which executables are common, for the message. */
static const struct {
	unsigned id;
	const char *name;
} machine_names[] = {
	{ EM_386, "i386" },        { EM_X86_64, "x86-64" }, { EM_ARM, "ARM" },
	{ EM_AARCH64, "AArch64" }, { EM_PPC64, "POWER" },   { EM_RISCV, "RISC-V" },
	{ EM_S390, "S/390" },      { 224, "AMD GPU" }, /* EM_AMDGPU, absent from older elf.h */
};

/* Is `path` a regular file that we may execute? 0 or -errno. */
static int check_executable(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (!S_ISREG(status.st_mode) || access(path, X_OK))
		return -EACCES;
	return 0;
}

/*
 * execvp's search: the first executable hit wins; a file that exists but may not be executed is
 * remembered for the message. *path is malloc'ed on success.
 */
static int search_path(const char *command, char **path)
{
	const char *list = getenv("PATH");
	int result = -ENOENT;

	if (!list)
		list = "/bin:/usr/bin"; /* as glibc's execvp without PATH */
	for (;;) {
		size_t length = strcspn(list, ":");
		char *candidate;
		int status;

		if (asprintf(&candidate, "%.*s%s%s", (int)length, list, length ? "/" : "./",
			     command) < 0)
			return -ENOMEM;
		status = check_executable(candidate);
		if (status == 0) {
			*path = candidate;
			return 0;
		}
		free(candidate);
		if (status == -EACCES)
			result = status;
		if (!list[length])
			return result;
		list += length + 1;
	}
}

/* The loader ignores LD_PRELOAD when executing the file changes credentials (AT_SECURE, ld.so(8)).
 */
static int check_secure_mode(int fd, const struct stat *status, char *why, size_t why_size)
{
	struct statvfs filesystem;

	if (fstatvfs(fd, &filesystem) == 0 && (filesystem.f_flag & ST_NOSUID))
		return 0;
	if ((status->st_mode & S_ISUID) && status->st_uid != getuid()) {
		return refuse(why, why_size, EPERM,
			      "is setuid: the loader ignores LD_PRELOAD in it; record a copy "
			      "without the setuid bit");
	}
	if ((status->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	    status->st_gid != getgid()) {
		return refuse(why, why_size, EPERM,
			      "is setgid: the loader ignores LD_PRELOAD in it; record a copy "
			      "without the setgid bit");
	}
	if (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0) {
		return refuse(why, why_size, EPERM,
			      "has file capabilities: the loader ignores LD_PRELOAD in it; record "
			      "a copy without them");
	}
	return 0;
}

static const char *machine_name(unsigned id)
{
	for (size_t i = 0; i < sizeof(machine_names) / sizeof(machine_names[0]); i++)
		if (machine_names[i].id == id)
			return machine_names[i].name;
	return "an unknown machine";
}

/*
 * Does the dynamic section at [offset, offset + size) have DT_SONAME? The loader itself, given as
 * a command, has one and no interpreter; a static position-independent program has neither.
 */
static bool has_soname(int fd, uint64_t offset, uint64_t size)
{
	for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= size; at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;

		if (pread(fd, &entry, sizeof(entry), (off_t)(offset + at)) != sizeof(entry) ||
		    entry.d_tag == DT_NULL)
			return false;
		if (entry.d_tag == DT_SONAME)
			return true;
	}
	return false;
}

static int check_interpreter(int fd, const Elf64_Phdr *header, char *why, size_t why_size)
{
	char name[512];
	size_t size = header->p_filesz < sizeof(name) ? (size_t)header->p_filesz : sizeof(name);
	ssize_t got = pread(fd, name, size, (off_t)header->p_offset);

	if (got <= 0)
		return refuse(why, why_size, ENOEXEC, "is a damaged executable");
	name[(size_t)got < sizeof(name) ? (size_t)got : sizeof(name) - 1] = '\0';
	if (access(name, X_OK)) {
		return refuse(why, why_size, ENOEXEC, "needs the loader %s, which is missing",
			      name);
	}
	if (strstr(name, "ld-musl")) {
		return refuse(why, why_size, ENOEXEC,
			      "uses musl; the preload library is for the GNU C library");
	}
	return 0;
}

/*
 * The sanitizer whose runtime an executable has or needs, by the function that starts it; NULL if
 * none. The strings of the dynamic symbols are read from the section of that name: what a program
 * is built with still has its section headers.
 */
static const char *find_sanitizer(int fd, const Elf64_Ehdr *header)
{
	static const struct {
		const char *function, *name;
	} known[] = {
		{ "__asan_init", "AddressSanitizer" },
		{ "__tsan_init", "ThreadSanitizer" },
		{ "__msan_init", "MemorySanitizer" },
		{ "__hwasan_init", "HWAddressSanitizer" },
	};
	const char *found = NULL;

	for (unsigned i = 0; i < header->e_shnum && !found; i++) {
		Elf64_Shdr section, strings;
		char *text;

		if (header->e_shentsize != sizeof(section) ||
		    pread(fd, &section, sizeof(section),
			  (off_t)(header->e_shoff + (uint64_t)i * sizeof(section))) !=
			sizeof(section) ||
		    section.sh_type != SHT_DYNSYM || section.sh_link >= header->e_shnum ||
		    pread(fd, &strings, sizeof(strings),
			  (off_t)(header->e_shoff + (uint64_t)section.sh_link * sizeof(strings))) !=
			sizeof(strings) ||
		    strings.sh_size > DYNAMIC_STRINGS_MAX)
			continue;
		text = malloc((size_t)strings.sh_size);
		if (!text)
			continue;
		if (pread(fd, text, (size_t)strings.sh_size, (off_t)strings.sh_offset) ==
		    (ssize_t)strings.sh_size) {
			for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
				if (memmem(text, (size_t)strings.sh_size, known[k].function,
					   strlen(known[k].function) + 1))
					found = known[k].name;
		}
		free(text);
	}
	return found;
}

static int check_sanitizer(int fd, const Elf64_Ehdr *header, char *why, size_t why_size)
{
	const char *sanitizer = find_sanitizer(fd, header);

	if (!sanitizer)
		return 0;
	return refuse(
	    why, why_size, ENOEXEC,
	    "was built with %s, which does not work with preloaded libraries; build it without",
	    sanitizer);
}

static int check_elf(int fd, char *why, size_t why_size)
{
	const int other_data = NATIVE_DATA == ELFDATA2LSB ? ELFDATA2MSB : ELFDATA2LSB;
	uint64_t dynamic_offset = 0, dynamic_size = 0;
	Elf64_Ehdr header;

	memset(&header, 0, sizeof(header));
	if (pread(fd, &header, sizeof(header), 0) < (ssize_t)sizeof(Elf32_Ehdr))
		return refuse(why, why_size, ENOEXEC, "is a damaged executable");
	if (header.e_ident[EI_DATA] == other_data)
		return refuse(why, why_size, ENOEXEC, "is an executable of another machine");
	if (header.e_machine == EM_386 ||
	    (header.e_ident[EI_CLASS] == ELFCLASS32 && header.e_machine == NATIVE_MACHINE)) {
		return refuse(why, why_size, ENOEXEC,
			      "is a 32-bit executable; only 64-bit ones can be recorded");
	}
	if (header.e_machine != NATIVE_MACHINE || header.e_ident[EI_CLASS] != ELFCLASS64) {
		return refuse(why, why_size, ENOEXEC,
			      "is an executable of another machine (%s, this one is %s)",
			      machine_name(header.e_machine), machine_name(NATIVE_MACHINE));
	}
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return refuse(why, why_size, ENOEXEC, "is an ELF file but not an executable");
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		if (header.e_phentsize != sizeof(segment) ||
		    pread(fd, &segment, sizeof(segment),
			  (off_t)(header.e_phoff + (uint64_t)i * sizeof(segment))) !=
			sizeof(segment))
			return refuse(why, why_size, ENOEXEC, "is a damaged executable");
		if (segment.p_type == PT_INTERP) {
			int result = check_interpreter(fd, &segment, why, why_size);

			return result ? result : check_sanitizer(fd, &header, why, why_size);
		}
		if (segment.p_type == PT_DYNAMIC) {
			dynamic_offset = segment.p_offset;
			dynamic_size = segment.p_filesz;
		}
	}
	if (dynamic_size && has_soname(fd, dynamic_offset, dynamic_size))
		return 0;
	return refuse(
	    why, why_size, ENOEXEC,
	    "is statically linked: nothing can be preloaded into it; link it dynamically");
}

/* `line` is the start of a file that begins with "#!", zero-terminated. */
static int check_script(char *line, char *why, size_t why_size)
{
	char *interpreter = line + 2 + strspn(line + 2, " \t");
	int status;

	interpreter[strcspn(interpreter, " \t\n")] = '\0';
	status = check_executable(interpreter);
	if (status) {
		return refuse(why, why_size, -status == EISDIR ? EACCES : -status,
			      "is a script whose interpreter '%s' cannot be executed: %s",
			      interpreter, strerror(-status));
	}
	return 0;
}

static int check_format(const char *path, char *why, size_t why_size)
{
	char start[SCRIPT_LINE_MAX + 1];
	struct stat status;
	ssize_t length;
	int result, fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		/* Executable but not readable is legal; the kernel will judge. */
		return errno == EACCES ? 0 : refuse(why, why_size, errno, "%s", strerror(errno));
	}
	length = pread(fd, start, SCRIPT_LINE_MAX, 0);
	if (length < 0 || fstat(fd, &status)) {
		result = refuse(why, why_size, errno, "cannot be read: %s", strerror(errno));
		goto out;
	}
	start[length] = '\0';
	if (length >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0) {
		result = check_elf(fd, why, why_size);
		if (result == 0)
			result = check_secure_mode(fd, &status, why, why_size);
	} else if (length >= 2 && memcmp(start, "#!", 2) == 0) {
		result = check_script(start, why, why_size);
	} else if (memchr(start, '\0', (size_t)length)) {
		result = refuse(why, why_size, ENOEXEC, "is not in an executable format");
	} else {
		result = 0; /* plain text: execvp hands it to the shell, as a shell would */
	}
out:
	close(fd);
	return result;
}

int target_resolve(const char *command, char **path, char *why, size_t why_size)
{
	char *found = NULL;
	int result;

	if (!*command)
		return refuse(why, why_size, ENOENT, "the command is empty");
	if (strchr(command, '/')) {
		result = check_executable(command);
		if (result == 0) {
			found = strdup(command);
			result = found ? 0 : -ENOMEM;
		}
	} else {
		result = search_path(command, &found);
	}
	switch (-result) {
	case 0:
		break;
	case ENOENT:
		if (strchr(command, '/'))
			return refuse(why, why_size, ENOENT, "no such file");
		if (access(command, F_OK) == 0)
			return refuse(why, why_size, ENOENT,
				      "command not found; the file here is './%s'", command);
		return refuse(why, why_size, ENOENT, "command not found in PATH");
	case EACCES:
		return refuse(why, why_size, EACCES, "is not executable (chmod +x)");
	case EISDIR:
		return refuse(why, why_size, EACCES, "is a directory, not a program");
	default:
		return refuse(why, why_size, -result, "%s", strerror(-result));
	}
	result = check_format(found, why, why_size);
	if (result) {
		free(found);
		return result;
	}
	*path = found;
	return 0;
}
