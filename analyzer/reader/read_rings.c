/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of all files are known by their begins. A page is read when its time has come, so that
 * there is memory for those alone whose threads record at that time.
 *
 * The files are other users': whatever they have is checked.
 */
#include "read_rings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ring_file.h"
#include "sorted_files.h"
#include "tracer/ring.h"

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

/* A time that is none is as late as can be (run_moment()). */
static void check_time(struct rings *rings, const struct ring_file *file, uint64_t ns)
{
	if ((int64_t)ns > RING_TIME_MOST || (int64_t)ns < -RING_TIME_MOST)
		note_damage(rings, file->path, "it has a time that is none");
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

/* Returns true if the page is in the head's count of those that were made free. */
static bool is_emptied(const struct hg_ring *ring, const struct hg_ring_page *page)
{
	return ring->drained && page->number == ring->emptying >> 32;
}

/* Adds the file's pages. `ring` gets what full pages say that they have in place of its own count,
 * if all pages are there. */
static void add_pages(struct rings *rings, int fd, uint32_t number, struct hg_ring *ring)
{
	uint64_t full[HG_GROUPS] = { 0 };
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
		/* In a file that nobody empties, no page that has a number is free. */
		if ((head.state == HG_RING_FREE && !(head.number && file->taken)) ||
		    (head.state == HG_RING_TAKEN && ring->drained)) {
			next = next_page(fd, i);
			continue;
		}
		next = i + 1;
		used++;
		if (head.state == HG_RING_FREE || head.state > HG_RING_FULL)
			note_damage(rings, file->path, "a page's state is none");
		if (!head.number)
			continue;
		for (unsigned group = 0; head.state == HG_RING_FULL && group < HG_GROUPS; group++)
			full[group] += is_emptied(ring, &head) ? 0 : head.counted[group];
		check_time(rings, file, head.begin);
		place.begin = run_moment(head.begin, file->ahead);
		g_array_append_val(rings->places, place);
	}
	if (used < file->taken)
		note_damage(rings, file->path, "it lacks pages");
	else if (ring->exact && !ring->settled)
		for (unsigned group = 0; group < HG_GROUPS; group++)
			ring->records[group] =
			    full[group] + ring->emptied[ring->emptying & 1][group];
}

/* Takes the origin of the first file of the same clock: one clock has one origin, whatever became
 * of the time of day meanwhile. */
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

/* Returns true if both are the same file, or one is a copy: a process begins one page at a time. */
static bool is_same(const struct ring_file *one, const struct ring_file *other)
{
	return (one->inode == other->inode && one->device == other->device) ||
	       (one->pid == other->pid && one->clock == other->clock &&
		(one->first ? one->first == other->first : one->id == other->id));
}

static bool is_there_already(const struct rings *rings, const struct ring_file *file)
{
	for (guint i = 0; i < rings->files->len; i++)
		if (is_same(file_at(rings, i), file))
			return true;
	return false;
}

/* `ended`: the file may be there as a whole, too: the recorder was killed before it removed that.
 */
static void add_file(struct rings *rings, char *path, bool ended)
{
	struct ring_file file;
	struct hg_ring ring;
	const char *wrong;
	int fd = ring_file_open(path, &file, &ring, &wrong);
	bool again = fd >= 0 && is_there_already(rings, &file);

	if (again)
		wrong = ended ? NULL : "it is another one once more";
	if (wrong)
		note_damage(rings, path, wrong);
	if (fd < 0 || again) {
		g_free(path);
	} else {
		set_clock(rings, &file);
		g_array_append_val(rings->files, file);
		add_pages(rings, fd, rings->files->len - 1, &ring);
		counts_head(rings->counts, &ring, file.id);
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

static void add_folder(struct rings *rings, const char *folder, bool ended)
{
	GPtrArray *paths = sorted_entries(folder);

	for (guint i = 0; i < paths->len; i++)
		if (!is_no_ring(paths->pdata[i]))
			add_file(rings, g_strdup(paths->pdata[i]), ended);
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
	/* In this order: the recorder makes the one before it removes the other. */
	add_folder(rings, folder, false);
	ended = g_build_filename(folder, HG_RINGS_ENDED, NULL);
	add_folder(rings, ended, true);
	g_free(ended);
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
	runs_free(rings->runs);
	if (rings->fd >= 0)
		close(rings->fd);
	g_free(rings);
}

int64_t rings_origin(const struct rings *rings)
{
	return file_at(rings, 0)->origin;
}

/* ---- a page ---- */

/* Reads the page; returns how many bytes of records there may be. */
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
	if ((size_t)got < sizeof(rings->page))
		note_damage(rings, file->path, "it is cut off");
	return (uint32_t)((size_t)got - head);
}

/* Returns how many records the page has by its thread's own count, once it is full. */
static uint64_t counted(const struct rings *rings)
{
	uint64_t sum = 0;

	for (unsigned group = 0; group < HG_GROUPS; group++)
		sum += rings->page.counted[group];
	return sum;
}

/* Counts the records of the first `size` bytes. Returns where the last one ends. */
static uint32_t survey(struct rings *rings, const struct ring_file *file, uint32_t size,
		       uint32_t known, const struct ring_calls *calls, struct ring_page *page,
		       void *data)
{
	const unsigned char *begin = rings->page.records;
	struct hg_records records = { .at = begin, .end = begin + size };
	uint64_t *sums = known ? page->known : page->rest;
	struct hg_record record;

	while (hg_record_next(&records, &record)) {
		if (record.kind == HG_KIND_BEGIN)
			check_time(rings, file, records.begin);
		else
			sums[hg_record_group(&record, calls->group, data)]++;
		if (records.at >= begin + known)
			sums = page->rest;
	}
	if (records.damaged)
		note_damage(rings, file->path, "a page has a record that is none");
	else if (page->full && hg_ring_sum(page->known) + hg_ring_sum(page->rest) != counted(rings))
		note_damage(rings, file->path, "a page lacks records");
	return (uint32_t)(records.at - begin);
}

static void take_page(struct rings *rings, const struct place *place,
		      const struct ring_calls *calls, void *data)
{
	const struct ring_file *file = file_at(rings, place->file);
	uint32_t size = read_page(rings, place), known;
	struct ring_page page = { .pid = file->pid,
				  .number = rings->page.number,
				  .file = file->id,
				  .full = rings->page.state == HG_RING_FULL };
	struct record_run *run;
	int64_t offset;

	if (!size)
		return;
	known = calls->known ? calls->known(&page, data) : 0;
	size = survey(rings, file, size, known, calls, &page, data);
	if (known == UINT32_MAX)
		return;
	calls->page(&page, data);
	if (__builtin_add_overflow(file->ahead, rings->offset, &offset))
		offset = file->ahead < 0 ? INT64_MIN : INT64_MAX;
	run = run_new(page.pid, rings->page.thread, rings->page.begin, offset, size);
	run_extend(run, rings->page.records, size);
	run_skip(run, known);
	if (calls->no_blocks)
		run_leave_out_blocks(run);
	runs_add(rings->runs, run);
	run_close(run);
}

/* Returns the moment as events show it. */
static int64_t shown(const struct rings *rings, int64_t begin)
{
	return run_moment((uint64_t)begin, rings->offset);
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

		if (place && begin <= until && (!run || begin <= run_ns(run))) {
			rings->next++;
			take_page(rings, place, calls, data);
			continue;
		}
		if (!run || run_ns(run) > until)
			return false;
		runs_pass(rings->runs, place ? MIN(until, begin - 1) : until, calls->record, data);
		return true;
	}
}
