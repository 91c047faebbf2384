/* SPDX-License-Identifier: Apache-2.0 */
/* The traced process's side of session_filter.h. */
#include <stddef.h>
#include <stdlib.h>

#include "tracer/session_filter.h"
#include "tracer/ust_names.h"

/*
 * LTTng-UST's interface for contexts of applications, a part of its ABI that no installed header
 * has (lttng-ust 2.13, src/common/ust-context-provider.h, dynamic-type.h; lttng-ust 2.12,
 * include/ust-context-provider.h, where what is private to the provider is left out).
 */
enum { TYPE_S64 = 4 };

struct context_value {
	int type;
	union {
		int64_t s64;
		uint64_t u64;
		const char *text;
		double number;
	} is;
};

#ifdef HG_UST_OLD_NAMES
#define FIRST void *field
#define USE   (void)field
#else
#define FIRST void *priv, void *probe_ctx
#define USE   (void)priv, (void)probe_ctx
#endif

struct context_provider {
#ifndef HG_UST_OLD_NAMES
	uint32_t struct_size;
#endif
	const char *name;
	size_t (*get_size)(FIRST, size_t offset);
	void (*record)(FIRST, void *ring_buffer_ctx, void *channel);
	void (*get_value)(FIRST, struct context_value *value);
#ifdef HG_UST_OLD_NAMES
	void *node[2]; /* of its list of providers */
#else
	void *priv;
#endif
};

void *lttng_ust_context_provider_register(struct context_provider *provider);

static int64_t own;

/* It is evaluated by filters only, never recorded. */
static size_t no_size(FIRST, size_t offset)
{
	USE;
	(void)offset;
	return 0;
}

static void no_record(FIRST, void *ring_buffer_ctx, void *channel)
{
	USE;
	(void)ring_buffer_ctx;
	(void)channel;
}

static void tell(FIRST, struct context_value *value)
{
	USE;
	value->type = TYPE_S64;
	value->is.s64 = own;
}

/* Before the first event: those of a session with a filter would be dropped. */
__attribute__((constructor)) static void construct(void)
{
	static struct context_provider provider = {
#ifndef HG_UST_OLD_NAMES
		.struct_size = sizeof(provider),
#endif
		.name = HG_SESSION_FILTER_PROVIDER,
		.get_size = no_size,
		.record = no_record,
		.get_value = tell,
	};
	const char *session = getenv(HG_SESSION_VARIABLE);

	own = session ? hg_session_filter(session) : HG_SESSION_FILTER_NONE;
	lttng_ust_context_provider_register(&provider);
}
