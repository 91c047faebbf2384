/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes messages in the wire format of Protocol Buffers: what Perfetto's traces take of it. A
 * message is a GByteArray; a field of another message is made by putting that one into it.
 */
#ifndef HIPGRAIN_PERFETTO_PROTO_H
#define HIPGRAIN_PERFETTO_PROTO_H

#include <glib.h>
#include <stdint.h>

void proto_number(GByteArray *message, unsigned field, uint64_t value);
void proto_fixed64(GByteArray *message, unsigned field, uint64_t value);
/* Puts UTF-8; bytes that are none are replaced. */
void proto_text(GByteArray *message, unsigned field, const char *text);
/* Puts a message, and empties it. */
void proto_message(GByteArray *message, unsigned field, GByteArray *inner);

#endif
