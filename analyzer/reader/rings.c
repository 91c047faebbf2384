/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of all files are known by their begins. A page is read when its time has come, so that
 * there is memory for those alone whose threads record at that time.
 *
 * The files are other users': whatever they have is checked.
 */
#include "rings.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sorted_files.h"
#include "tracer/batch_events.h"
#include "tracer/ring.h"
#include "whole_records.h"

#define PAGE_WORDS G_N_ELEMENTS(((struct hg_ring_page *)NULL)->records)

struct place {
	int64_t begin; /* by the clock of the first file */
	uint32_t file, index;
};

struct ring_file {
	char *path;
	int32_t pid;
	uint64_t id;
	uint64_t origin, clock;
	int64_t ahead; /* of this file's clock, what is added for that of the first file */
};

struct rings {
	GArray *files;  /* struct ring_file */
	GArray *places; /* struct place, by time */
	GArray *lost;   /* struct ring_lost */
	guint next;     /* place */
	GPtrArray *runs;
	int64_t offset; /* that was given last */
	char **damage;
	uint32_t open; /* file of the descriptor */
	int fd;
	struct hg_ring_page page;
};

static void note_damage(struct rings *rings, const char *path, const char *what)
{
	if (!*rings->damage)
		*rings->damage = g_strdup_printf("'%s' is damaged: %s", path, what);
}

static off_t offset_of(uint32_t index)
{
	return (off_t)hg_ring_bytes(index);
}

/* ---- opening ---- */

/* Returns NULL, or what is wrong with a file's first page. */
static const char *judge(const struct hg_ring *ring, ssize_t size)
{
	if (size < (ssize_t)sizeof(*ring))
		return "it is cut off";
	if (GUINT64_SWAP_LE_BE(ring->magic) << 8 == HG_RING_MAGIC << 8)
		return "it was made on a machine with another order of bytes";
	if (ring->magic << 8 != HG_RING_MAGIC << 8)
		return "it has no records";
	if (ring->magic != HG_RING_MAGIC || ring->page_bytes != HG_RING_PAGE)
		return "another version of hipgrain made it";
	return NULL;
}

static void add_pages(struct rings *rings, int fd, uint32_t file, const struct hg_ring *ring)
{
	struct hg_ring_page head;
	const size_t size = offsetof(struct hg_ring_page, records);
	const struct ring_file *owner = &g_array_index(rings->files, struct ring_file, file);

	for (uint32_t i = 0; i < ring->pages; i++) {
		struct place place = { .file = file, .index = i };

		if (pread(fd, &head, size, offset_of(i)) != (ssize_t)size) {
			note_damage(rings, owner->path, "it is cut off");
			return;
		}
		if (head.state == HG_RING_FREE || !head.number)
			continue;
		place.begin = (int64_t)head.begin + owner->ahead;
		g_array_append_val(rings->places, place);
	}
}

/* A file that a process was making as it was killed has no magic number. */
static void add_file(struct rings *rings, const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct ring_file file = { 0 };
	struct ring_lost lost;
	struct hg_ring ring;
	struct stat status;
	const char *wrong;
	ssize_t got;

	if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) || !status.st_size)
		goto out;
	got = pread(fd, &ring, sizeof(ring), 0);
	if (got == (ssize_t)sizeof(ring) && !ring.magic)
		goto out;
	wrong = judge(&ring, got);
	if (wrong) {
		note_damage(rings, path, wrong);
		goto out;
	}
	file.path = g_strdup(path);
	file.pid = ring.pid;
	file.id = hg_ring_id(strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	file.origin = ring.origin;
	file.clock = ring.clock;
	for (guint i = 0; i < rings->files->len; i++) {
		const struct ring_file *other = &g_array_index(rings->files, struct ring_file, i);

		/* One clock has one origin, whatever became of the time of day meanwhile. */
		if (other->clock == file.clock) {
			file.origin = other->origin;
			break;
		}
	}
	g_array_append_val(rings->files, file);
	g_array_index(rings->files, struct ring_file, rings->files->len - 1).ahead =
	    (int64_t)(file.origin - g_array_index(rings->files, struct ring_file, 0).origin);
	add_pages(rings, fd, rings->files->len - 1, &ring);
	lost = (struct ring_lost){ ring.pid, ring.lost_records };
	if (lost.records)
		g_array_append_val(rings->lost, lost);
out:
	if (fd >= 0)
		close(fd);
}

static gint by_time(gconstpointer one, gconstpointer other)
{
	const struct place *a = one, *b = other;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

struct rings *rings_open(const char *folder, char **damage)
{
	GPtrArray *paths;
	struct rings *rings;

	if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
		return NULL;
	rings = g_new0(struct rings, 1);
	rings->files = g_array_new(FALSE, FALSE, sizeof(struct ring_file));
	rings->places = g_array_new(FALSE, FALSE, sizeof(struct place));
	rings->lost = g_array_new(FALSE, FALSE, sizeof(struct ring_lost));
	rings->runs = runs_new();
	rings->damage = damage;
	rings->fd = -1;
	paths = sorted_files(folder);
	for (guint i = 0; i < paths->len; i++)
		add_file(rings, paths->pdata[i]);
	g_ptr_array_free(paths, TRUE);
	if (!rings->files->len) {
		rings_close(rings);
		return NULL;
	}
	g_array_sort(rings->places, by_time);
	return rings;
}

void rings_close(struct rings *rings)
{
	if (!rings)
		return;
	for (guint i = 0; i < rings->files->len; i++)
		g_free(g_array_index(rings->files, struct ring_file, i).path);
	g_array_free(rings->files, TRUE);
	g_array_free(rings->places, TRUE);
	g_array_free(rings->lost, TRUE);
	g_ptr_array_free(rings->runs, TRUE);
	if (rings->fd >= 0)
		close(rings->fd);
	g_free(rings);
}

int64_t rings_origin(const struct rings *rings)
{
	return (int64_t)g_array_index(rings->files, struct ring_file, 0).origin;
}

const GArray *rings_lost(const struct rings *rings)
{
	return rings->lost;
}

/* ---- a page ---- */

/* Reads the page; the number of words that it has, 0 after a note of damage. */
static uint32_t read_page(struct rings *rings, const struct place *place)
{
	const struct ring_file *file = &g_array_index(rings->files, struct ring_file, place->file);
	const size_t head = offsetof(struct hg_ring_page, records);
	ssize_t got;

	if (rings->fd < 0 || rings->open != place->file) {
		if (rings->fd >= 0)
			close(rings->fd);
		rings->fd = open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		rings->open = place->file;
	}
	got = rings->fd < 0
		  ? -1
		  : pread(rings->fd, &rings->page, sizeof(rings->page), offset_of(place->index));
	if (got < (ssize_t)head) {
		note_damage(rings, file->path, "it cannot be read");
		return 0;
	}
	if (rings->page.words > PAGE_WORDS) {
		note_damage(rings, file->path, "a page has more records than room");
		return 0;
	}
	if ((size_t)got < head + rings->page.words * sizeof(uint64_t)) {
		note_damage(rings, file->path, "it is cut off");
		return (uint32_t)(((size_t)got - head) / sizeof(uint64_t));
	}
	return rings->page.words;
}

static void add_run(GPtrArray *runs, const struct record_run *page, int64_t begin, uint32_t from,
		    uint32_t to)
{
	struct record_run run = *page;

	run.begin = begin;
	run.words = to - from;
	run.records = g_memdup2(&page->records[from], run.words * sizeof(uint64_t));
	runs_add(runs, &run);
}

/*
 * Adds the page's records behind `from` as runs: times behind HG_RECORD_BEGIN count from another
 * moment. The page's own are freed.
 */
static void add_runs(GPtrArray *runs, const struct record_run *page, uint32_t from, int64_t ahead)
{
	int64_t begin = page->begin;

	for (uint32_t at = 0; at < page->words; at += hg_record_words(page->records[at])) {
		if (page->records[at] >> 56 != HG_RECORD_BEGIN)
			continue;
		if (at > from)
			add_run(runs, page, begin, from, at);
		begin = (int64_t)page->records[at + 2] + ahead;
		from = MAX(from, at + HG_RECORD_BEGIN_WORDS);
	}
	if (page->words > from)
		add_run(runs, page, begin, from, page->words);
	g_free(page->records);
}

static void take_page(struct rings *rings, const struct place *place,
		      const struct ring_calls *calls, void *data)
{
	const struct ring_file *file = &g_array_index(rings->files, struct ring_file, place->file);
	uint32_t words = read_page(rings, place);
	struct ring_page page = { .pid = file->pid,
				  .tid = rings->page.thread,
				  .number = rings->page.number,
				  .file = file->id,
				  .begin = rings->page.begin };
	uint32_t known;
	struct record_run run = { .pid = page.pid,
				  .tid = page.tid,
				  .begin = place->begin + rings->offset,
				  .words = words };

	if (!words)
		return;
	run.records = whole_records(rings->page.records, &run.words);
	known = calls->known ? calls->known(&page, data) : 0;
	if (known >= run.words) {
		g_free(run.records);
		return;
	}
	page.records = run.records + known;
	page.words = run.words - known;
	calls->page(&page, data);
	add_runs(rings->runs, &run, known, file->ahead + rings->offset);
}

bool rings_pass(struct rings *rings, int64_t moment, int64_t offset, const struct ring_calls *calls,
		void *data)
{
	int64_t until = moment > INT64_MAX - MAX(offset, 0) ? INT64_MAX : moment + offset;

	rings->offset = offset;
	for (;;) {
		const struct place *place =
		    rings->next < rings->places->len
			? &g_array_index(rings->places, struct place, rings->next)
			: NULL;
		const struct record_run *run = runs_first(rings->runs);
		int64_t begin = place ? place->begin + offset : INT64_MAX;

		if (place && begin <= until && (!run || begin <= run->ns)) {
			rings->next++;
			take_page(rings, place, calls, data);
			continue;
		}
		if (!run || run->ns > until)
			return false;
		runs_pass(rings->runs, place ? MIN(until, begin - 1) : until, calls->records, data);
		return true;
	}
}
