/* SPDX-License-Identifier: Apache-2.0 */
/* Makes programs that hold device code, for tests; after world.h. Included once by each test
 * program. */
#ifndef HIPGRAIN_TEST_BUNDLE_H
#define HIPGRAIN_TEST_BUNDLE_H

/* Returns the path of an offload bundle with an entry of four bytes for each target. */
static char *bundle(const char *const *targets)
{
	char *path = g_build_filename(folder, "bundle", NULL);
	GByteArray *bytes = g_byte_array_new();
	uint64_t count = g_strv_length((char **)targets), offset = 4096;

	g_byte_array_append(bytes, (const guint8 *)"__CLANG_OFFLOAD_BUNDLE__", 24);
	g_byte_array_append(bytes, (const guint8 *)&count, 8);
	for (uint64_t i = 0; i < count; i++) {
		char *id = g_strdup_printf("hipv4-amdgcn-amd-amdhsa--%s", targets[i]);
		uint64_t numbers[] = { offset + 8 * i, 4, strlen(id) };

		g_byte_array_append(bytes, (const guint8 *)numbers, sizeof(numbers));
		g_byte_array_append(bytes, (const guint8 *)id, (guint)strlen(id));
		g_free(id);
	}
	g_byte_array_set_size(bytes, (guint)(offset + 8 * count));
	g_file_set_contents(path, (const char *)bytes->data, bytes->len, NULL);
	g_byte_array_free(bytes, TRUE);
	return path;
}

#endif
