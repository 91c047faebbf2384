/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of all files are known by their begins. A page is read when its time has come, so that
 * there is memory for those alone whose threads record at that time.
 *
 * The files are other users': whatever they have is checked.
 */
#include "rings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ring_file.h"
#include "sorted_files.h"
#include "tracer/batch_events.h"
#include "tracer/ring.h"
#include "whole_records.h"

#define PAGE_WORDS G_N_ELEMENTS(((struct hg_ring_page *)NULL)->records)

struct place {
	int64_t begin; /* by the clock of the first file */
	uint32_t file, index;
};

struct rings {
	GArray *files;  /* struct ring_file */
	GArray *places; /* struct place, by time */
	guint next;     /* place */
	GPtrArray *runs;
	int64_t offset; /* that was given last */
	struct counts *counts;
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

static struct ring_file *file_at(const struct rings *rings, guint at)
{
	return &g_array_index(rings->files, struct ring_file, at);
}

/* Returns the moment, in ns of the process's clock, so much later; no later than can be counted. */
static int64_t moment(struct rings *rings, const struct ring_file *file, uint64_t ns, int64_t later)
{
	int64_t time = (int64_t)ns, sum;

	if (time > RING_TIME_MOST || time < -RING_TIME_MOST) {
		note_damage(rings, file->path, "it has a time that is none");
		time = RING_TIME_MOST;
	}
	if (!__builtin_add_overflow(time, later, &sum))
		return sum;
	return later < 0 ? INT64_MIN : INT64_MAX;
}

/* ---- opening ---- */

/* Returns the next page that may be in use: a file may be a hole for terabytes. */
static uint32_t next_page(int fd, uint32_t index)
{
	off_t data = lseek(fd, offset_of(index + 1), SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? UINT32_MAX : index + 1;
	return (uint32_t)MIN(((uint64_t)data - sizeof(struct hg_ring)) / HG_RING_PAGE, UINT32_MAX);
}

static void add_pages(struct rings *rings, int fd, uint32_t number)
{
	struct hg_ring_page head;
	const size_t size = offsetof(struct hg_ring_page, records);
	const struct ring_file *file = file_at(rings, number);
	uint32_t used = 0;

	for (uint32_t i = 0, next; i < file->pages; i = next) {
		struct place place = { .file = number, .index = i };

		if (pread(fd, &head, size, offset_of(i)) != (ssize_t)size) {
			note_damage(rings, file->path, "it is cut off");
			return;
		}
		/* Of a file that nobody empties, no page that has a number is free. */
		if (head.state == HG_RING_FREE && !(head.number && file->taken)) {
			next = next_page(fd, i);
			continue;
		}
		next = i + 1;
		used++;
		if (head.state == HG_RING_FREE || head.state > HG_RING_FULL)
			note_damage(rings, file->path, "a page's state is none");
		if (!head.number)
			continue;
		place.begin = moment(rings, file, head.begin, file->ahead);
		g_array_append_val(rings->places, place);
	}
	if (used < file->taken)
		note_damage(rings, file->path, "it lacks pages");
}

/* One clock has one origin, whatever became of the time of day meanwhile. */
static void set_clock(const struct rings *rings, struct ring_file *file)
{
	for (guint i = 0; i < rings->files->len; i++) {
		if (file_at(rings, i)->clock == file->clock) {
			file->origin = file_at(rings, i)->origin;
			break;
		}
	}
	file->ahead = rings->files->len ? file->origin - file_at(rings, 0)->origin : 0;
}

static bool is_there_already(const struct rings *rings, const struct ring_file *file)
{
	for (guint i = 0; i < rings->files->len; i++)
		if (file_at(rings, i)->inode == file->inode &&
		    file_at(rings, i)->device == file->device)
			return true;
	return false;
}

static void add_file(struct rings *rings, char *path)
{
	struct ring_file file;
	struct hg_ring ring;
	const char *wrong;
	int fd = ring_file_open(path, &file, &ring, &wrong);
	bool again = fd >= 0 && is_there_already(rings, &file);

	if (again)
		wrong = "it is another one once more";
	if (wrong)
		note_damage(rings, path, wrong);
	if (fd < 0 || again) {
		g_free(path);
	} else {
		set_clock(rings, &file);
		g_array_append_val(rings->files, file);
		add_pages(rings, fd, rings->files->len - 1);
		counts_head(rings->counts, &ring);
	}
	if (fd >= 0)
		close(fd);
}

/* Returns true for a file that is no process's: HG_RINGS_DRAINED, and what NFS keeps for a while.
 */
static bool is_no_ring(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	return *name == '.' || strcmp(name, HG_RINGS_DRAINED) == 0 ||
	       strcmp(name, HG_RINGS_ENDED) == 0;
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

static void add_folder(struct rings *rings, const char *folder)
{
	GPtrArray *paths = sorted_entries(folder);

	for (guint i = 0; i < paths->len; i++)
		if (!is_no_ring(paths->pdata[i]))
			add_file(rings, g_strdup(paths->pdata[i]));
	g_ptr_array_free(paths, TRUE);
}

struct rings *rings_open(const char *folder, struct counts *counts, char **damage)
{
	struct rings *rings;
	char *ended;

	if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
		return NULL;
	rings = g_new0(struct rings, 1);
	rings->files = g_array_new(FALSE, FALSE, sizeof(struct ring_file));
	rings->places = g_array_new(FALSE, FALSE, sizeof(struct place));
	rings->runs = runs_new();
	rings->damage = damage;
	rings->fd = -1;
	rings->counts = counts;
	ended = g_build_filename(folder, HG_RINGS_ENDED, NULL);
	add_folder(rings, ended);
	g_free(ended);
	add_folder(rings, folder);
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
		g_free(file_at(rings, i)->path);
	g_array_free(rings->files, TRUE);
	g_array_free(rings->places, TRUE);
	g_ptr_array_free(rings->runs, TRUE);
	if (rings->fd >= 0)
		close(rings->fd);
	g_free(rings);
}

int64_t rings_origin(const struct rings *rings)
{
	return file_at(rings, 0)->origin;
}

/* ---- a page ---- */

/* Returns the moment as events show it; there is room for the time of a record behind it. */
static int64_t shown(const struct rings *rings, int64_t begin)
{
	int64_t sum;

	if (__builtin_add_overflow(begin, rings->offset, &sum))
		sum = begin < 0 ? INT64_MIN : INT64_MAX;
	return MIN(sum, INT64_MAX - (int64_t)UINT32_MAX - 1);
}

/* Reads the page; the number of words that it has, 0 after a note of damage. */
static uint32_t read_page(struct rings *rings, const struct place *place)
{
	const struct ring_file *file = file_at(rings, place->file);
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
		rings->page.words = PAGE_WORDS;
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
static void add_runs(struct rings *rings, const struct ring_file *file,
		     const struct record_run *page, uint32_t from)
{
	int64_t begin = page->begin;

	for (uint32_t at = 0; at < page->words; at += hg_record_words(page->records[at])) {
		if (page->records[at] >> 56 != HG_RECORD_BEGIN)
			continue;
		if (at > from)
			add_run(rings->runs, page, begin, from, at);
		begin = shown(rings, moment(rings, file, page->records[at + 2], file->ahead));
		from = MAX(from, at + HG_RECORD_BEGIN_WORDS);
	}
	if (page->words > from)
		add_run(rings->runs, page, begin, from, page->words);
	g_free(page->records);
}

static void take_page(struct rings *rings, const struct place *place,
		      const struct ring_calls *calls, void *data)
{
	const struct ring_file *file = file_at(rings, place->file);
	uint32_t words = read_page(rings, place);
	struct ring_page page = { .pid = file->pid,
				  .tid = rings->page.thread,
				  .number = rings->page.number,
				  .file = file->id,
				  .begin = rings->page.begin };
	bool damaged = false;
	uint32_t known;
	struct record_run run = { .pid = page.pid,
				  .tid = page.tid,
				  .begin = shown(rings, place->begin),
				  .words = words };

	if (!words)
		return;
	run.records = whole_records(rings->page.records, &run.words, &damaged);
	if (damaged)
		note_damage(rings, file->path, "a page has a record that is none");
	page.all = run.records;
	page.all_words = run.words;
	page.full = rings->page.state == HG_RING_FULL;
	known = calls->known ? calls->known(&page, data) : 0;
	if (known != UINT32_MAX) {
		known = MIN(known, run.words);
		page.records = run.records + known;
		page.words = run.words - known;
		calls->page(&page, data);
	}
	add_runs(rings, file, &run, known);
}

bool rings_pass(struct rings *rings, int64_t last, int64_t offset, const struct ring_calls *calls,
		void *data)
{
	int64_t until = last > INT64_MAX - MAX(offset, 0) ? INT64_MAX : last + offset;

	rings->offset = offset;
	for (;;) {
		const struct place *place =
		    rings->next < rings->places->len
			? &g_array_index(rings->places, struct place, rings->next)
			: NULL;
		const struct record_run *run = runs_first(rings->runs);
		int64_t begin = place ? shown(rings, place->begin) : INT64_MAX;

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
