// SPDX-License-Identifier: Apache-2.0
/*
 * Entries on disk: one file each in $XDG_CACHE_HOME/hipgrain/softgpu (else $HOME/.cache/...),
 * readable by nobody else, written whole under another name and then renamed. An entry counts only
 * if it belongs to this user, holds exactly the wanted key and its checksum is right; a damaged one
 * is as good as none. The file's name is a hash of the key, and need not be a perfect one.
 */
#include "comgr.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX        ".entry"
#define MAX_ENTRIES   32
#define MAX_DRAFT_AGE 3600 /* seconds */

struct header {
	char magic[8];
	uint64_t key_size, body_size;
	uint64_t checksum; /* of key and body */
};
static const char magic[8] = { 's', 'g', 'c', 'o', 'm', 'g', 'r', '1' };

/* FNV-1a over 64-bit words: only accidents are to be noticed. */
static uint64_t hash(uint64_t value, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint64_t word;

	for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
		memcpy(&word, bytes, sizeof word);
		value = (value ^ word) * UINT64_C(0x100000001b3);
		value ^= value >> 32;
	}
	for (; size; size--)
		value = (value ^ *bytes++) * UINT64_C(0x100000001b3);
	return value;
}

static uint64_t checksum(const void *key, size_t key_size, const void *body, size_t body_size)
{
	return hash(hash(UINT64_C(0xcbf29ce484222325), key, key_size), body, body_size);
}

static int open_folder(int parent, const char *name)
{
	if (mkdirat(parent, name, 0700) && errno != EEXIST)
		return -1;
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Returns a descriptor of the directory of entries, made if it is not there; -1: no cache. */
static int open_cache(void)
{
	const char *base = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	const char *names[3] = { ".cache", "hipgrain", "softgpu" };
	unsigned first = 0;
	struct stat status;
	int folder;

	if (base && *base == '/')
		first = 1;
	else
		base = home;
	if (!base || *base != '/')
		return -1;
	if (first)
		mkdir(base, 0700);
	folder = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (unsigned i = first; folder >= 0 && i < 3; i++) {
		int next = open_folder(folder, names[i]);
		close(folder);
		folder = next;
	}
	/* No other user may be able to put entries there. */
	if (folder >= 0 &&
	    (fstat(folder, &status) || status.st_uid != geteuid() || status.st_mode & 022)) {
		close(folder);
		folder = -1;
	}
	return folder;
}

static void name_of(const struct buffer *key, char name[32])
{
	snprintf(name, 32, "%016lx" SUFFIX, checksum(key->data, key->size, NULL, 0));
}

static bool read_all(int file, void *data, size_t size)
{
	for (char *to = data; size;) {
		ssize_t got = read(file, to, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		size -= (size_t)got;
	}
	return true;
}

static bool write_all(int file, const void *data, size_t size)
{
	for (const char *from = data; size;) {
		ssize_t done = write(file, from, size);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		from += done;
		size -= (size_t)done;
	}
	return true;
}

static bool read_entry(int file, const struct buffer *key, struct buffer *body)
{
	struct header header;
	struct stat status;
	unsigned char *data;

	if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
	    status.st_mode & 022 || !read_all(file, &header, sizeof header) ||
	    memcmp(header.magic, magic, sizeof magic) || header.key_size != key->size ||
	    header.body_size > (uint64_t)status.st_size ||
	    (uint64_t)status.st_size != sizeof header + header.key_size + header.body_size)
		return false;
	data = buffer_extend(body, header.key_size + header.body_size);
	if (!data || !read_all(file, data, header.key_size + header.body_size) ||
	    memcmp(data, key->data, key->size) ||
	    checksum(key->data, key->size, data + key->size, header.body_size) != header.checksum)
		return false;
	memmove(body->data, data + key->size, header.body_size);
	body->size = header.body_size;
	futimens(file, NULL); /* used last now: the oldest goes first */
	return true;
}

bool store_get(const struct buffer *key, struct buffer *body)
{
	int folder = open_cache(), file;
	char name[32];
	bool good;

	if (folder < 0)
		return false;
	name_of(key, name);
	file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(folder);
	if (file < 0)
		return false;
	good = read_entry(file, key, body);
	close(file);
	if (!good)
		cache_log("comgr: cache entry %s is damaged or not ours", name);
	return good;
}

/* Remove the entry that was used least recently, once there are MAX_ENTRIES, and dead drafts. */
static void make_room(int folder)
{
	char oldest[256] = "";
	struct timespec least = { 0 };
	struct dirent *item;
	unsigned count = 0;
	DIR *stream;
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	stream = copy < 0 ? NULL : fdopendir(copy);
	if (!stream) {
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((item = readdir(stream))) {
		const char *suffix = strstr(item->d_name, SUFFIX);
		struct stat status;
		if (!suffix || fstatat(folder, item->d_name, &status, AT_SYMLINK_NOFOLLOW))
			continue;
		/* The draft of a process that was killed. */
		if (suffix[strlen(SUFFIX)]) {
			if (status.st_mtim.tv_sec + MAX_DRAFT_AGE < time(NULL))
				unlinkat(folder, item->d_name, 0);
			continue;
		}
		count++;
		if (!*oldest || status.st_mtim.tv_sec < least.tv_sec ||
		    (status.st_mtim.tv_sec == least.tv_sec &&
		     status.st_mtim.tv_nsec < least.tv_nsec)) {
			least = status.st_mtim;
			snprintf(oldest, sizeof oldest, "%s", item->d_name);
		}
	}
	closedir(stream);
	if (count >= MAX_ENTRIES)
		unlinkat(folder, oldest, 0);
}

void store_put(const struct buffer *key, const struct buffer *body)
{
	struct header header = {
		.key_size = key->size,
		.body_size = body->size,
		.checksum = checksum(key->data, key->size, body->data, body->size),
	};
	int folder = open_cache(), file;
	char name[32], draft[64];
	bool good;

	if (folder < 0)
		return;
	memcpy(header.magic, magic, sizeof magic);
	name_of(key, name);
	/* Two threads at the same entry: the second one finds the draft and leaves it at that. */
	snprintf(draft, sizeof draft, "%s.%ld", name, (long)getpid());
	make_room(folder);
	file = openat(folder, draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (file >= 0) {
		good = write_all(file, &header, sizeof header) &&
		       write_all(file, key->data, key->size) &&
		       write_all(file, body->data, body->size);
		if (close(file) || !good || renameat(folder, draft, folder, name)) {
			unlinkat(folder, draft, 0);
			good = false;
		}
		if (good)
			cache_log("comgr: stored %s", name);
	}
	close(folder);
}
