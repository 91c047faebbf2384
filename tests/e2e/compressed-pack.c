/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: compressed-pack VERSION METHOD [pad] <BUNDLE >CCOB
 *
 * Write a compressed bundle (docs/code-objects.md#compressed-bundles) of any version (1 to 3) and
 * method (0 zlib, 1 zstd); with "pad", zeros follow up to the size of the input.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

int main(int argc, char **argv)
{
	static const size_t headers[] = { 0, 20, 24, 32 };
	uint16_t version = argc > 2 ? (uint16_t)atoi(argv[1]) : 0;
	uint16_t method = argc > 2 ? (uint16_t)atoi(argv[2]) : 0;
	size_t room = (size_t)64 << 20, size, header, payload;
	uint8_t *from = malloc(room), *to = calloc(1, room);
	uint64_t total;
	uLongf length;

	if (!from || !to || version < 1 || version > 3 || method > 1)
		return 2;
	size = fread(from, 1, room / 2, stdin);
	header = headers[version];
	length = room - header;
	if (method)
		payload = ZSTD_compress(to + header, room - header, from, size, 19);
	else if (compress2(to + header, &length, from, size, 9) == Z_OK)
		payload = length;
	else
		return 3;
	if (ZSTD_isError(payload))
		return 3;
	total = header + payload;
	memcpy(to, "CCOB", 4);
	memcpy(to + 4, &version, 2);
	memcpy(to + 6, &method, 2);
	if (version == 1) {
		memcpy(to + 8, &size, 4);
	} else if (version == 2) {
		memcpy(to + 8, &total, 4);
		memcpy(to + 12, &size, 4);
	} else {
		memcpy(to + 8, &total, 8);
		memcpy(to + 16, &size, 8);
	}
	if (argc > 3 && total < size)
		total = size;
	return fwrite(to, 1, total, stdout) == total ? 0 : 3;
}
