/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names that LTTng-UST has had since 2.13, for the releases before (2.12), which have the same
 * macros and functions under older ones [lttng-ust 2.13, lttng/tracepoint.h: "Keep API
 * compatibility"]. Include it before <lttng/tracepoint.h>.
 */
#ifndef HIPGRAIN_TRACER_UST_NAMES_H
#define HIPGRAIN_TRACER_UST_NAMES_H

#if !__has_include(<lttng/ust-fork.h>)
#define HG_UST_OLD_NAMES

#define LTTNG_UST_TRACEPOINT_EVENT   TRACEPOINT_EVENT
#define LTTNG_UST_TP_ARGS            TP_ARGS
#define LTTNG_UST_TP_FIELDS          TP_FIELDS
#define lttng_ust_field_integer      ctf_integer
#define lttng_ust_field_integer_hex  ctf_integer_hex
#define lttng_ust_field_sequence     ctf_sequence
#define lttng_ust_tracepoint_enabled tracepoint_enabled
#define lttng_ust_do_tracepoint      do_tracepoint
#endif

#endif
