/* SPDX-License-Identifier: Apache-2.0 */
/* This lets the ranks of a node find each other. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/message.h"
#include "tracer/node.h"

#define POLL_MS      20
#define PAUSE_MAX_MS 300
/* A daemon starts in tenths of a second; on a node whose processors are all busy it takes longer.
 */
#define JOIN_MS 120000

/* Bundle, session and home, each with a newline behind it: then it is whole. */
#define LINES 2

/*
 * The values of these variables are the same for all tasks of a step on a node, and for no other's:
 * Slurm (srun(1), "OUTPUT ENVIRONMENT VARIABLES"), PALS (aprun's and mpiexec's application id),
 * Flux, PMIx (Open MPI from 5 on), Open MPI before.
 */
static const struct {
	const char *job, *step;
} launchers[] = {
	{ "SLURM_JOB_ID", "SLURM_STEP_ID" },
	{ "PALS_APID", NULL },
	{ "FLUX_JOB_ID", NULL },
	{ "PMIX_NAMESPACE", NULL },
	{ "OMPI_MCA_ess_base_jobid", NULL },
};

static uint64_t add(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u; /* FNV-1a */
	return hash;
}

/* When the parent started, as /proc/PID/stat has it; empty if it cannot be read. */
static void parent_start(char *text, size_t size)
{
	char path[64], line[1024], *at;
	FILE *file;

	*text = '\0';
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)getppid());
	file = fopen(path, "re");
	if (file && fgets(line, sizeof(line), file) && (at = strrchr(line, ')'))) {
		for (int field = 2; at && field < 22; field++)
			at = strchr(at + 1, ' ');
		if (at)
			snprintf(text, size, "%.*s", (int)strcspn(at + 1, " "), at + 1);
	}
	if (file)
		fclose(file);
}

static uint64_t step_key(void)
{
	uint64_t hash = 0xcbf29ce484222325u;
	char parent[64], start[32];

	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		const char *job = getenv(launchers[i].job);
		const char *step = launchers[i].step ? getenv(launchers[i].step) : "";

		if (job && *job && step)
			return add(add(add(add(hash, launchers[i].job), job), "."), step);
	}
	parent_start(start, sizeof(start));
	snprintf(parent, sizeof(parent), "%d %s", (int)getppid(), start);
	return add(hash, parent);
}

/* Opens a directory that nobody else can write to. Returns a descriptor or -errno. */
static int open_place(void)
{
	static const char *const places[] = { "/tmp", "/dev/shm", "/var/tmp" };
	int result = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct stat status;
		char path[64];
		int fd;

		snprintf(path, sizeof(path), "%s/hipgrain-nodes-%u", places[i],
			 (unsigned)geteuid());
		if (mkdir(path, 0700) && errno != EEXIST) {
			result = -errno;
			continue;
		}
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
		    !(status.st_mode & (S_IWGRP | S_IWOTH)))
			return fd;
		result = fd < 0 ? -errno : -EPERM;
		if (fd >= 0)
			close(fd);
	}
	return result;
}

static int open_file(int place, uint64_t key, const char *suffix)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "%016llx.%s", (unsigned long long)key, suffix);
	fd = openat(place, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/* Reads what the leader announced. Returns true if it is whole. */
static bool read_announcement(struct node *node)
{
	char text[3 * 4096], *at = text, **lines[LINES] = { &node->bundle, &node->session };
	ssize_t length = pread(node->leader, text, sizeof(text) - 1, 0);

	text[length > 0 ? length : 0] = '\0';
	for (int i = 0; i < LINES; i++) {
		char *end = strchr(at, '\n');

		if (!end)
			return false;
		at = end + 1;
	}
	at = text;
	for (int i = 0; i < LINES; i++) {
		char *end = strchr(at, '\n');

		*lines[i] = strndup(at, (size_t)(end - at));
		if (!*lines[i])
			return false;
		at = end + 1;
	}
	return true;
}

int node_join(struct node *node, char *why, size_t why_size)
{
	uint64_t key = step_key();
	int place = open_place(), result;

	*node = (struct node)NODE_NONE;
	if (place < 0)
		return refuse(why, why_size, -place,
			      "no directory for the ranks of this machine: %s", strerror(-place));
	node->leader = open_file(place, key, "leader");
	node->members = open_file(place, key, "members");
	close(place);
	if (node->leader < 0 || node->members < 0) {
		result = node->leader < 0 ? node->leader : node->members;
		node_leave(node);
		return refuse(why, why_size, -result, "%s", strerror(-result));
	}
	for (int waited = 0, pause = POLL_MS; waited < JOIN_MS; waited += pause) {
		if (flock(node->leader, LOCK_EX | LOCK_NB) == 0) {
			node->leads = true;
			return ftruncate(node->leader, 0) ? -errno : 0;
		}
		/* Before it is read: the leader waits for this lock, and withdraws the announcement
		 * under it. */
		if (flock(node->members, LOCK_SH | LOCK_NB) == 0) {
			if (read_announcement(node))
				return 0;
			flock(node->members, LOCK_UN);
		}
		poll(NULL, 0, pause);
		/* Hundreds of ranks must not take the processors from the one that starts the
		 * daemon. */
		if (pause < PAUSE_MAX_MS)
			pause *= 2;
	}
	node_leave(node);
	return refuse(why, why_size, ETIMEDOUT,
		      "the rank of this machine that records did not start within %d s",
		      JOIN_MS / 1000);
}

int node_announce(const struct node *node, const char *bundle, const char *session)
{
	int length = dprintf(node->leader, "%s\n%s\n", bundle, session);

	return length < 0 ? -errno : 0;
}

void node_wait(const struct node *node)
{
	while (flock(node->members, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		poll(NULL, 0, POLL_MS);
	(void)!ftruncate(node->leader, 0);
	flock(node->members, LOCK_UN);
}

char *node_bundle(const char *directory)
{
	char host[256] = "", *path = NULL;
	struct stat status;

	if (mkdir(directory, 0700) && errno != EEXIST)
		return NULL;
	if (gethostname(host, sizeof(host) - 1) || !*host || strchr(host, '/'))
		snprintf(host, sizeof(host), "node");
	host[strcspn(host, ".")] = '\0';
	for (int i = 1;; i++) {
		free(path);
		if ((i == 1 ? asprintf(&path, "%s/%s", directory, host)
			    : asprintf(&path, "%s/%s.%d", directory, host, i)) < 0)
			return NULL;
		if (lstat(path, &status))
			return path;
	}
}

void node_leave(struct node *node)
{
	if (node->leader >= 0)
		close(node->leader);
	if (node->members >= 0)
		close(node->members);
	free(node->bundle);
	free(node->session);
	*node = (struct node)NODE_NONE;
}
