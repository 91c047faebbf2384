/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembly and demangling by AMD's code object manager. */
#include AMD_COMGR_HEADER
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "disasm.h"
#include "codeobj/text.h"

struct comgr {
	amd_comgr_disassembly_info_t info;
};

struct request {
	const uint8_t *code;
	size_t size;
	char *text;
	size_t text_size;
};

static uint64_t read_memory(uint64_t from, char *to, uint64_t size, void *user)
{
	const struct request *request = user;

	if (from >= request->size)
		return 0;
	if (size > request->size - from)
		size = request->size - from;
	memcpy(to, request->code + from, size);
	return size;
}

static void take_text(const char *text, void *user)
{
	struct request *request = user;

	snprintf(request->text, request->text_size, "%s", text);
}

static void take_annotation(uint64_t address, void *user)
{
	(void)address;
	(void)user;
}

static void *create(const char *processor, unsigned wave_size, const char **why)
{
	const struct arch *arch = arch_find(processor);
	struct comgr *comgr;
	char name[96];

	*why = "the local libamd_comgr does not know it";
	/* There is no way to tell it which. */
	if (!arch || wave_size != arch->lanes)
		return NULL;
	comgr = calloc(1, sizeof(*comgr));
	if (!comgr) {
		*why = "out of memory";
		return NULL;
	}
	/* The name has no target features: version 2.4 of the library prints garbage with them. */
	snprintf(name, sizeof(name), "amdgcn-amd-amdhsa--%s", processor);
	if (amd_comgr_create_disassembly_info(name, read_memory, take_text, take_annotation,
					      &comgr->info) != AMD_COMGR_STATUS_SUCCESS) {
		free(comgr);
		return NULL;
	}
	return comgr;
}

static const void *library(void *handle)
{
	static __typeof__(&amd_comgr_disassemble_instruction) const function =
	    amd_comgr_disassemble_instruction;
	const void *address;

	(void)handle;
	memcpy(&address, &function, sizeof(address));
	return address;
}

static void destroy(void *handle)
{
	struct comgr *comgr = handle;

	amd_comgr_destroy_disassembly_info(comgr->info);
	free(comgr);
}

static size_t one(void *handle, const uint8_t *code, size_t size, char *text, size_t text_size)
{
	struct request request = { code, size, text, text_size };
	struct comgr *comgr = handle;
	uint64_t length = 0;

	if (amd_comgr_disassemble_instruction(comgr->info, 0, &request, &length) !=
		AMD_COMGR_STATUS_SUCCESS ||
	    length > size)
		return 0;
	return text[0] ? (size_t)length : 0;
}

const struct disasm_backend disasm_comgr = { "comgr", NULL, create, destroy, library, one };

/* This is the C++ run-time library's, where it is linked: a stand-in for amd_comgr. */
char *__cxa_demangle(const char *symbol, char *buffer, size_t *size, int *status)
    __attribute__((weak));

static bool has_structure(const char *text)
{
	for (; *text; text++)
		if (text_is_structure(*text))
			return true;
	return false;
}

static char *demangle_otherwise(const char *symbol)
{
	char *text = __cxa_demangle ? __cxa_demangle(symbol, NULL, NULL, NULL) : NULL;

	return text ? text : strdup(symbol);
}

static char *demangle(const char *symbol)
{
	amd_comgr_data_t mangled, demangled;
	char *text = NULL;
	size_t size = 0;

	/* Other names are not mangled, whatever other schemes make of them. */
	if (strncmp(symbol, "_Z", 2) || has_structure(symbol))
		return text_one_line(symbol);
	if (amd_comgr_create_data(AMD_COMGR_DATA_KIND_BYTES, &mangled) != AMD_COMGR_STATUS_SUCCESS)
		return demangle_otherwise(symbol);
	if (amd_comgr_set_data(mangled, strlen(symbol), symbol) == AMD_COMGR_STATUS_SUCCESS &&
	    amd_comgr_demangle_symbol_name(mangled, &demangled) == AMD_COMGR_STATUS_SUCCESS) {
		if (amd_comgr_get_data(demangled, &size, NULL) == AMD_COMGR_STATUS_SUCCESS) {
			text = calloc(1, size + 1);
			if (text && amd_comgr_get_data(demangled, &size, text) !=
					AMD_COMGR_STATUS_SUCCESS) {
				free(text);
				text = NULL;
			}
		}
		amd_comgr_release_data(demangled);
	}
	amd_comgr_release_data(mangled);
	return text ? text : demangle_otherwise(symbol);
}

/*
 * Names repeat themselves: code objects for several processors have the same kernels, and kernels
 * have the same functions inlined. Of each place the last one is kept.
 */
#define NAMES        4096u
#define NAME_LONGEST 2048u

char *isa_demangle(const char *symbol)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct {
		char *symbol, *text;
	} names[NAMES];
	uint64_t hash = 0xcbf29ce484222325u;
	char *text = NULL, *copy, *key;
	size_t length, at;

	for (length = 0; symbol[length]; length++)
		hash = (hash ^ (unsigned char)symbol[length]) * 0x100000001b3u;
	at = (size_t)(hash ^ hash >> 32) & (NAMES - 1);
	pthread_mutex_lock(&lock);
	if (names[at].symbol && !strcmp(names[at].symbol, symbol))
		text = strdup(names[at].text);
	pthread_mutex_unlock(&lock);
	if (text)
		return text;
	text = demangle(symbol);
	if (!text || length > NAME_LONGEST || strlen(text) > NAME_LONGEST)
		return text;
	copy = strdup(text);
	key = strdup(symbol);
	if (copy && key) {
		pthread_mutex_lock(&lock);
		free(names[at].symbol);
		free(names[at].text);
		names[at].symbol = key;
		names[at].text = copy;
		pthread_mutex_unlock(&lock);
	} else {
		free(copy);
		free(key);
	}
	return text;
}
