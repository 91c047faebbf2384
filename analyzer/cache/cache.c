/* SPDX-License-Identifier: Apache-2.0 */
/* Entries in files. What is wrong with one is no error: it is as if it was not there. */
#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <openssl/evp.h>
#include <zstd.h>

#include "analyzer/cache/cache_internal.h"

#define SHA256_BYTES 32u
/* Bytes of all entries, unless HIPGRAIN_CACHE_SIZE (MiB) says otherwise. */
#define SIZE_DEFAULT 512u
#define SIZE_MOST    (1u << 20)
/* Seconds after which a use renews an entry, so that it is not the oldest; seldom, since each is a
 * write. */
#define TOUCH_AFTER 3600

static const char magic[8] = "hgcache";

/* Entries repeat themselves, so a frame of zstd is faster than to read, hash and write so much
 * more. */
#define LEVEL 1

struct header {
	char magic[sizeof(magic)];
	char name[CODEOBJ_SHA256_SIZE + 7]; /* padded */
	uint64_t size;                      /* of what follows */
	uint64_t expanded;                  /* bytes of the contents */
	uint8_t sha256[SHA256_BYTES];       /* of what follows */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int directory = -1; /* -1: not used */
static dev_t device;       /* with inode: tells if the number still is the directory's */
static ino_t inode;
static bool full;         /* nothing can be written any more */
static uint64_t most;     /* bytes of all entries */
static uint64_t unlooked; /* bytes written since the size of all was looked at */

/* Returns true if only this user may write to the file. */
static bool is_ours(const struct stat *status)
{
	return status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* Descend into `name` below `folder`, which is closed; it is made if it is not there. */
static int enter(int folder, const char *name)
{
	int next;

	if (folder < 0)
		return -1;
	(void)mkdirat(folder, name, 0700); /* mostly it is there; else opening it fails */
	next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(folder);
	return next;
}

/* Returns the directory, or -1. */
static int open_directory(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int folder = -1;

	if (xdg && *xdg == '/') {
		(void)mkdir(xdg, 0700); /* likewise */
		folder = open(xdg, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	} else if (home && *home == '/') {
		folder = enter(open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ".cache");
	}
	return enter(enter(folder, "hipgrain"), "analysis");
}

const char *cache_open(void)
{
	const char *limit = getenv("HIPGRAIN_CACHE_SIZE");
	char *end = NULL;
	unsigned long size = limit ? strtoul(limit, &end, 10) : SIZE_DEFAULT;
	struct stat status;
	int folder;

	cache_close();
	if (limit && (end == limit || *end || size > SIZE_MOST))
		return "HIPGRAIN_CACHE_SIZE is not a number of MiB up to 1048576: nothing is kept";
	if (!size || !cache_find_build())
		return NULL;
	folder = open_directory();
	if (folder < 0)
		return NULL;
	if (fstat(folder, &status) || !is_ours(&status)) {
		close(folder);
		return "the cache's directory hipgrain/analysis is another user's, or others can "
		       "write to it: nothing is kept";
	}
	pthread_mutex_lock(&lock);
	most = (uint64_t)size << 20;
	unlooked = most; /* look at the first write */
	full = false;
	directory = folder;
	device = status.st_dev;
	inode = status.st_ino;
	pthread_mutex_unlock(&lock);
	return NULL;
}

/*
 * Returns true if the directory is still ours. Called with the lock held. A process that this one
 * forked may have closed what it inherited, and have another directory under that number: nothing
 * is written or deleted there.
 */
static bool still_open(void)
{
	struct stat status;

	if (directory >= 0 &&
	    (fstat(directory, &status) || status.st_dev != device || status.st_ino != inode))
		directory = -1;
	return directory >= 0;
}

void cache_close(void)
{
	pthread_mutex_lock(&lock);
	if (still_open())
		close(directory);
	directory = -1;
	pthread_mutex_unlock(&lock);
}

bool cache_usable(void)
{
	bool usable;

	pthread_mutex_lock(&lock);
	usable = still_open();
	pthread_mutex_unlock(&lock);
	return usable;
}

static bool sha256(const void *data, size_t size, uint8_t digest[SHA256_BYTES])
{
	uint8_t bytes[EVP_MAX_MD_SIZE];
	unsigned length = 0;

	if (!EVP_Digest(data, size, bytes, &length, EVP_sha256(), NULL) || length != SHA256_BYTES)
		return false;
	memcpy(digest, bytes, SHA256_BYTES);
	return true;
}

bool cache_name(struct cache_name *name, const char *text, ...)
{
	const char *build = cache_build();
	EVP_MD_CTX *context = build ? EVP_MD_CTX_new() : NULL;
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned length = 0;
	bool good = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) &&
		    EVP_DigestUpdate(context, build, strlen(build) + 1);
	va_list rest;

	va_start(rest, text);
	for (; good && text; text = va_arg(rest, const char *))
		good = EVP_DigestUpdate(context, text, strlen(text) + 1);
	va_end(rest);
	good = good && EVP_DigestFinal_ex(context, digest, &length) && length == SHA256_BYTES;
	EVP_MD_CTX_free(context);
	name->text[0] = 0;
	for (unsigned i = 0; good && i < length; i++)
		snprintf(name->text + 2 * i, 3, "%02x", digest[i]);
	return good;
}

/* Reads all of it, or returns false. */
static bool read_all(int file, void *to, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = read(file, (char *)to + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static bool write_all(int file, const void *from, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t put = write(file, (const char *)from + done, size - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		done += (size_t)put;
	}
	return true;
}

/*
 * Returns the contents, of so many bytes, of the frame; or NULL. The frame is as it was written:
 * its own size counts, before memory is taken for what may be damaged.
 */
static uint8_t *expand(const uint8_t *frame, size_t size, uint64_t expanded)
{
	uint8_t *data = NULL;

	if (ZSTD_getFrameContentSize(frame, size) == expanded && expanded < SIZE_MAX)
		data = malloc(expanded + 1);
	if (data && ZSTD_decompress(data, expanded, frame, size) == expanded)
		return data;
	free(data);
	return NULL;
}

/* Returns the contents of an open entry; NULL if they are not what was written under that name. */
static uint8_t *read_entry(int file, const struct stat *status, const struct cache_name *name,
			   size_t *size)
{
	struct header header;
	uint8_t digest[SHA256_BYTES], *frame, *data = NULL;

	if (!S_ISREG(status->st_mode) || status->st_uid != geteuid() ||
	    (uint64_t)status->st_size < sizeof(header) || (uint64_t)status->st_size > most ||
	    !read_all(file, &header, sizeof(header)) ||
	    memcmp(header.magic, magic, sizeof(magic)) ||
	    header.size != (uint64_t)status->st_size - sizeof(header) ||
	    strncmp(header.name, name->text, sizeof(header.name)))
		return NULL;
	frame = malloc(header.size + 1);
	if (frame && read_all(file, frame, header.size) && sha256(frame, header.size, digest) &&
	    !memcmp(digest, header.sha256, sizeof(digest)))
		data = expand(frame, header.size, header.expanded);
	free(frame);
	*size = header.expanded;
	return data;
}

uint8_t *cache_get(const struct cache_name *name, size_t *size)
{
	struct stat status;
	uint8_t *data;
	int file;

	if (!cache_usable())
		return NULL;
	file = openat(directory, name->text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return NULL;
	data = fstat(file, &status) ? NULL : read_entry(file, &status, name, size);
	if (!data)
		(void)unlinkat(directory, name->text, 0); /* it is written again, or stays unused */
	else if (time(NULL) - status.st_mtime > TOUCH_AFTER)
		(void)futimens(file, NULL); /* else it counts as older than it is */
	close(file);
	return data;
}

static bool write_entry(const char *temporary, const struct header *header, const void *data)
{
	int file = openat(directory, temporary,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	const struct timespec now = { 0 };
	sigset_t limit, before;
	bool good;

	if (file < 0)
		return false;
	/* A limit on the size of files must not end the process. */
	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &limit, &before);
	good = write_all(file, header, sizeof(*header)) && write_all(file, data, header->size);
	if (!good && errno == EFBIG && !sigismember(&before, SIGXFSZ))
		(void)sigtimedwait(&limit, NULL, &now); /* it is there, unless it is ignored */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !close(file) && good && !renameat(directory, temporary, directory, header->name);
}

/* Writes an entry. Called with the lock held. */
static void put(const struct header *header, const void *frame)
{
	char temporary[64];
	static unsigned number;

	snprintf(temporary, sizeof(temporary), CACHE_TEMPORARY "%ld-%lld-%u", (long)getpid(),
		 (long long)time(NULL), number++);
	full = !write_entry(temporary, header, frame);
	if (full)
		(void)unlinkat(directory, temporary, 0); /* as far as it came into being */
	unlooked += sizeof(*header) + header->size;
	if (!full && unlooked > most / 8) {
		cache_trim(directory, most);
		unlooked = 0;
	}
}

void cache_put(const struct cache_name *name, const void *data, size_t size)
{
	size_t bound = ZSTD_compressBound(size);
	struct header header = { .expanded = size };
	void *frame = cache_usable() && !ZSTD_isError(bound) ? malloc(bound) : NULL;

	if (!frame)
		return;
	header.size = ZSTD_compress(frame, bound, data, size, LEVEL);
	memcpy(header.magic, magic, sizeof(magic));
	memcpy(header.name, name->text, sizeof(name->text));
	if (!ZSTD_isError(header.size) && header.size <= most / 4 &&
	    sha256(frame, header.size, header.sha256)) {
		pthread_mutex_lock(&lock);
		if (!full)
			put(&header, frame);
		pthread_mutex_unlock(&lock);
	}
	free(frame);
}
