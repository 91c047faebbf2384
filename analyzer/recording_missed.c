/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the processes that are not in the recording (tracer/missed.h), messages of recorded ones
 * (tracer/process_messages.h), and what others counted (tracer/witness.h). Any of the processes may
 * have written to these files.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/completeness.h"
#include "codeobj/text.h"
#include "tracer/missed.h"
#include "tracer/process_messages.h"
#include "tracer/witness.h"

#define TEXTS_MAX 32u

/* Reads a file of the bundle, at most `size` bytes of it. Returns how many it read. */
static size_t read_whole(const char *bundle, const char *name, void *content, size_t size)
{
	char *path = g_build_filename(bundle, name, NULL);
	int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	size_t used = 0;
	ssize_t got = 1;

	if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
		while (used < size && got > 0) {
			got = read(file, (char *)content + used, size - used);
			used += got > 0 ? (size_t)got : 0;
		}
	}
	if (file >= 0)
		close(file);
	g_free(path);
	return used;
}

static char *visible(const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *copy = g_malloc(size);

	text_copy_visible(copy, size, text);
	return copy;
}

static void add(struct recording_facts *facts, const char *program, const char *why, int32_t pid,
		uint64_t count, bool partly)
{
	struct recording_missed row = { .program = visible(program),
					.why = visible(why),
					.pid = pid,
					.count = count,
					.partly = partly };

	g_array_append_val(facts->missed, row);
}

static const char *reason(uint32_t why)
{
	static const char *const reasons[HG_MISSED_KINDS] = {
#define REASON(name, text) [HG_MISSED_##name] = (text),
		HG_MISSED_REASONS(REASON)
#undef REASON
	};

	return why < HG_MISSED_KINDS ? reasons[why] : NULL;
}

static void read_table(struct recording_facts *facts, const char *bundle)
{
	struct hg_missed_table *table = g_new0(struct hg_missed_table, 1);

	if (read_whole(bundle, HG_MISSED, table, sizeof(*table)) != sizeof(*table) ||
	    table->magic != HG_MISSED_MAGIC) {
		facts->missed_unread = true;
		goto out;
	}
	facts->missed_others = table->others;
	facts->made = table->files;
	for (unsigned i = 0; i < HG_MISSED_ROWS; i++) {
		const struct hg_missed_row *row = &table->rows[i];
		char program[HG_MISSED_PROGRAM];

		if (row->state == HG_MISSED_FREE || (row->state == HG_MISSED_READY && !row->count))
			continue;
		/* The process was killed as it made the row; or the row is damaged. */
		if (row->state != HG_MISSED_READY || !reason(row->why)) {
			facts->missed_others++;
			continue;
		}
		g_strlcpy(program, row->program, sizeof(program));
		add(facts, program, reason(row->why), row->pid, row->count,
		    hg_missed_partly(row->why));
	}
out:
	g_free(table);
}

static void read_witness(struct recording_facts *facts, const char *bundle)
{
	struct hg_witness_table *table = g_new0(struct hg_witness_table, 1);
	struct recording_witnessed row = { 0 };

	if (read_whole(bundle, HG_WITNESS, table, sizeof(*table)) != sizeof(*table) ||
	    table->magic != HG_WITNESS_MAGIC)
		goto out;
	for (unsigned i = 0; i < HG_WITNESS_ROWS; i++) {
		char program[HG_WITNESS_PROGRAM];

		if (!table->rows[i].kernels && !table->rows[i].queues)
			continue;
		g_strlcpy(program, table->rows[i].program, sizeof(program));
		row = (struct recording_witnessed){ .pid = table->rows[i].pid,
						    .program = visible(program),
						    .kernels = table->rows[i].kernels,
						    .queues = table->rows[i].queues };
		g_array_append_val(facts->witnessed, row);
	}
	row = (struct recording_witnessed){ .program = g_strdup(""), .kernels = table->others };
	if (table->others)
		g_array_append_val(facts->witnessed, row);
	else
		g_free(row.program);
out:
	g_free(table);
}

/* A line "PID PROGRAM: TEXT", with the number of processes that wrote it. */
struct message {
	char *text, *program;
	int32_t pid;
	uint64_t count;
};

static void note_line(GArray *all, char *line)
{
	char *text = strstr(line, ": "), *program;
	long pid = strtol(line, &program, 10);
	struct message one;

	if (!text || program == line)
		return;
	*text = '\0';
	text += 2;
	for (guint i = 0; i < all->len; i++) {
		struct message *known = &g_array_index(all, struct message, i);

		if (strcmp(known->text, text) == 0) {
			known->count++;
			return;
		}
	}
	one = (struct message){
		.text = text, .program = g_strstrip(program), .pid = (int32_t)pid, .count = 1
	};
	if (all->len < TEXTS_MAX)
		g_array_append_val(all, one);
}

static void take_line(struct recording_facts *facts, const struct message *message)
{
	static const char nothing[] = "nothing is recorded: ";
	char *text, *program;

	if (g_str_has_prefix(message->text, nothing)) {
		text = g_strconcat(message->program, *message->program ? ": " : "",
				   message->text + sizeof(nothing) - 1, NULL);
		add(facts, "", text, message->pid, message->count, false);
		g_free(text);
		return;
	}
	text = visible(message->text);
	program = visible(message->program);
	g_ptr_array_add(facts->messages,
			message->count == 1
			    ? g_strdup_printf("process %d (%s): %s", message->pid, program, text)
			    : g_strdup_printf("process %d (%s) and %" G_GUINT64_FORMAT " more: %s",
					      message->pid, program, message->count - 1, text));
	g_free(program);
	g_free(text);
}

static void read_said(struct recording_facts *facts, const char *bundle)
{
	char *content = g_malloc0(2 * HG_MESSAGES_MAX + 1), *rest = NULL;
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct message));

	read_whole(bundle, HG_MESSAGES, content, 2 * HG_MESSAGES_MAX);
	for (char *line = strtok_r(content, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		note_line(all, line);
	for (guint i = 0; i < all->len; i++)
		take_line(facts, &g_array_index(all, struct message, i));
	g_array_free(all, TRUE);
	g_free(content);
}

static void clear_row(void *data)
{
	struct recording_missed *row = data;

	g_free(row->program);
	g_free(row->why);
}

static void clear_witnessed(void *data)
{
	struct recording_witnessed *row = data;

	g_free(row->program);
}

void recording_missed_read(struct recording_facts *facts, const char *bundle)
{
	facts->missed = g_array_new(FALSE, FALSE, sizeof(struct recording_missed));
	g_array_set_clear_func(facts->missed, clear_row);
	facts->messages = g_ptr_array_new_with_free_func(g_free);
	facts->witnessed = g_array_new(FALSE, FALSE, sizeof(struct recording_witnessed));
	g_array_set_clear_func(facts->witnessed, clear_witnessed);
	read_table(facts, bundle);
	read_witness(facts, bundle);
	read_said(facts, bundle);
}

void recording_missed_clear(struct recording_facts *facts)
{
	g_clear_pointer(&facts->missed, g_array_unref);
	g_clear_pointer(&facts->messages, g_ptr_array_unref);
	g_clear_pointer(&facts->witnessed, g_array_unref);
}
