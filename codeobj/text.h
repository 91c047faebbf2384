/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from programs, their files and recordings, of which every byte may have been chosen by an
 * attacker: what a terminal would take as a command, and what is no UTF-8, is shown as an escape
 * sequence of printable characters.
 */
#ifndef HIPGRAIN_CODEOBJ_TEXT_H
#define HIPGRAIN_CODEOBJ_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest escape sequence that text_escape() makes, with its zero. */
#define TEXT_ESCAPE_MAX 16

/*
 * The character at `text`, of which `length` bytes (at least 1) are available: its length in bytes
 * and *code, the code point; 0 if there is no well-formed one (RFC 3629 section 4); SIZE_MAX if it
 * is well-formed so far, and more bytes are needed.
 */
size_t text_character(const char *text, size_t length, uint32_t *code);

/*
 * Returns true for a character that has an effect instead of a shape: control characters (C0, DEL,
 * C1), and those that Unicode formats text with, as changes of its direction (Unicode, chapter 23).
 */
bool text_is_hidden(uint32_t code);

/*
 * Makes an escape sequence: "\n", "\x1b" for C0; "\u202e" for others, as JSON has it. `code` is a
 * code point, or with `byte` a byte that belongs to no character: "\xff". Returns its length.
 */
size_t text_escape(char escape[TEXT_ESCAPE_MAX], uint32_t code, bool byte);

/*
 * Returns true if a byte ends a line, or is the mark of a colour of our own (analyzer/output.h).
 * Names must not have such bytes, since the lines they are printed into do.
 */
static inline bool text_is_structure(char byte)
{
	return (byte >= '\n' && byte <= '\r') || byte == '\001';
}

/* Returns a copy in which these bytes are escape sequences, malloc'ed. NULL for NULL. */
char *text_one_line(const char *text);

/*
 * Copies a text in which all that text_is_hidden() and all that is no UTF-8 are escape sequences,
 * too: `size` bytes at most, with a zero at the end; cut between characters.
 */
void text_copy_visible(char *to, size_t size, const char *text);

#endif
