/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON written as it comes, for output that would be large as a tree in memory. In one line; with
 * `indent` by two blanks a level, keys and values on one line.
 */
#ifndef HIPGRAIN_ANALYZER_CMDS_JSON_STREAM_H
#define HIPGRAIN_ANALYZER_CMDS_JSON_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_stream {
	FILE *file;  /* borrowed */
	bool indent; /* for people */
	unsigned depth;
	bool some; /* there is something in the object or array at hand */
	size_t used;
	char buffer[1 << 16]; /* written when it is full, and after the outermost end */
};

/*
 * Write a member of the object, or element of the array (`key` NULL), at hand. Keys are plain text
 * without quotes. A byte of text that is no UTF-8 becomes U+FFFD; NULL gives null.
 */
void json_stream_text(struct json_stream *stream, const char *key, const char *text);
void json_stream_number(struct json_stream *stream, const char *key, int64_t number);
void json_stream_bool(struct json_stream *stream, const char *key, bool value);
void json_stream_null(struct json_stream *stream, const char *key);

/* Writes an element that was formatted before. */
void json_stream_element(struct json_stream *stream, const char *json, size_t size);

/*
 * Write to another file from here on; what was written before is in the one so far. Whether the
 * next element is the first of its array: no comma comes before it.
 */
bool json_stream_divert(struct json_stream *stream, FILE *file);

/* Begin an object ('{') or array ('['), the first one without key; end the one at hand. */
void json_stream_begin(struct json_stream *stream, const char *key, char bracket);
void json_stream_end(struct json_stream *stream, char bracket);

#endif
