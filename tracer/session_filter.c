/* SPDX-License-Identifier: Apache-2.0 */
/* The traced process's side of session_filter.h. */
#include <stddef.h>
#include <stdlib.h>

#include "tracer/session_filter.h"

/*
 * LTTng-UST's interface for contexts of applications, a part of its ABI that no installed header
 * has (lttng-ust 2.13, src/common/ust-context-provider.h, dynamic-type.h).
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

struct context_provider {
	uint32_t struct_size;
	const char *name;
	size_t (*get_size)(void *priv, void *probe_ctx, size_t offset);
	void (*record)(void *priv, void *probe_ctx, void *ring_buffer_ctx, void *channel);
	void (*get_value)(void *priv, void *probe_ctx, struct context_value *value);
	void *priv;
};

void *lttng_ust_context_provider_register(struct context_provider *provider);

static int64_t own;

/* It is evaluated by filters only, never recorded. */
static size_t no_size(void *priv, void *probe_ctx, size_t offset)
{
	(void)priv;
	(void)probe_ctx;
	(void)offset;
	return 0;
}

static void no_record(void *priv, void *probe_ctx, void *ring_buffer_ctx, void *channel)
{
	(void)priv;
	(void)probe_ctx;
	(void)ring_buffer_ctx;
	(void)channel;
}

static void tell(void *priv, void *probe_ctx, struct context_value *value)
{
	(void)priv;
	(void)probe_ctx;
	value->type = TYPE_S64;
	value->is.s64 = own;
}

/* Before the first event: those of a session with a filter would be dropped. */
__attribute__((constructor)) static void construct(void)
{
	static struct context_provider provider = { .struct_size = sizeof(provider),
						    .name = HG_SESSION_FILTER_PROVIDER,
						    .get_size = no_size,
						    .record = no_record,
						    .get_value = tell };
	const char *session = getenv(HG_SESSION_VARIABLE);

	own = session ? hg_session_filter(session) : HG_SESSION_FILTER_NONE;
	lttng_ust_context_provider_register(&provider);
}
