/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's lines about migrations: every kind and release of them, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "preload/migration/smi_kfd.h"
#include "preload/migration/smi_text.h"

/* What is written down here of the kernel's interface, against its own header as far as it goes. */
#if __has_include(<linux/kfd_ioctl.h>)
#include <linux/kfd_ioctl.h>

#define SAME(ours, theirs) _Static_assert((long long)(ours) == (long long)(theirs), #ours)
SAME(HG_KFD_GET_VERSION, AMDKFD_IOC_GET_VERSION);
SAME(HG_KFD_SMI_EVENTS, AMDKFD_IOC_SMI_EVENTS);
SAME(sizeof(struct hg_kfd_version), sizeof(struct kfd_ioctl_get_version_args));
SAME(offsetof(struct hg_kfd_version, minor),
     offsetof(struct kfd_ioctl_get_version_args, minor_version));
SAME(sizeof(struct hg_kfd_smi_events), sizeof(struct kfd_ioctl_smi_events_args));
SAME(offsetof(struct hg_kfd_smi_events, gpu_id), offsetof(struct kfd_ioctl_smi_events_args, gpuid));
SAME(offsetof(struct hg_kfd_smi_events, anon_fd),
     offsetof(struct kfd_ioctl_smi_events_args, anon_fd));
#if KFD_IOCTL_MAJOR_VERSION == 1 && KFD_IOCTL_MINOR_VERSION >= 10
SAME(HG_SMI_VM_FAULT, KFD_SMI_EVENT_VMFAULT);
SAME(HG_SMI_MIGRATE_START, KFD_SMI_EVENT_MIGRATE_START);
SAME(HG_SMI_MIGRATE_END, KFD_SMI_EVENT_MIGRATE_END);
SAME(HG_SMI_FAULT_START, KFD_SMI_EVENT_PAGE_FAULT_START);
SAME(HG_SMI_FAULT_END, KFD_SMI_EVENT_PAGE_FAULT_END);
SAME(HG_SMI_QUEUE_EVICTION, KFD_SMI_EVENT_QUEUE_EVICTION);
SAME(HG_SMI_QUEUE_RESTORE, KFD_SMI_EVENT_QUEUE_RESTORE);
SAME(HG_SMI_UNMAP, KFD_SMI_EVENT_UNMAP_FROM_GPU);
SAME(HG_KFD_ALL_PROCESSES, KFD_SMI_EVENT_ALL_PROCESS);
SAME(HG_SMI_BIT(HG_SMI_UNMAP), KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_UNMAP_FROM_GPU));
_Static_assert(HG_SMI_LINE >= KFD_SMI_EVENT_MSG_SIZE, "the longest line fits");
#endif
#endif

static struct hg_smi_line line;

static enum hg_smi_result parse(const char *text)
{
	return hg_smi_parse(text, strlen(text), &line);
}

static void test_kinds(void **state)
{
	(void)state;
	assert_int_equal(parse("5 123456789012 -4242 @7f1200(200) 0->5b1c 0:ffff 1"), HG_SMI_EVENT);
	assert_int_equal(line.kind, HG_SMI_MIGRATE_START);
	assert_int_equal(line.ns, 123456789012);
	assert_int_equal(line.pid, 4242);
	assert_int_equal(line.start, 0x7f1200000);
	assert_int_equal(line.size, 0x200000);
	assert_int_equal(line.from, 0);
	assert_int_equal(line.to, 0x5b1c);
	assert_int_equal(line.preferred, 0xffff);
	assert_int_equal(line.trigger, 1);
	assert_int_equal(parse("6 99 -1 @10(2) 5b1c->0 3 -12"), HG_SMI_EVENT);
	assert_int_equal(line.from, 0x5b1c);
	assert_int_equal(line.trigger, 3);
	assert_int_equal(line.error, -12);
	assert_int_equal(parse("7 99 -1 @10(5b1c) W"), HG_SMI_EVENT);
	assert_int_equal(line.start, 0x10000);
	assert_int_equal(line.size, 4096);
	assert_int_equal(line.from, 0x5b1c);
	assert_int_equal(line.letter, 'W');
	assert_int_equal(parse("8 99 -1 @10(5b1c) U"), HG_SMI_EVENT);
	assert_int_equal(line.letter, 'U');
	assert_int_equal(parse("9 99 -1 5b1c 1"), HG_SMI_EVENT);
	assert_int_equal(line.trigger, 1);
	assert_int_equal(parse("a 99 -1 5b1c 0"), HG_SMI_EVENT);
	assert_int_equal(line.letter, '0');
	assert_int_equal(parse("b 99 -1 @10(2) 5b1c 2"), HG_SMI_EVENT);
	assert_int_equal(line.from, 0x5b1c);
	assert_int_equal(parse("e 99 -4242 17"), HG_SMI_EVENT);
	assert_int_equal(line.count, 17);
	assert_int_equal(line.pid, 4242);
	assert_int_equal(parse("1 4242:some program"), HG_SMI_EVENT);
}

/* Older drivers leave out what came later; later ones add to the end. */
static void test_releases(void **state)
{
	(void)state;
	assert_int_equal(parse("6 99 -1 @10(2) 5b1c->0"), HG_SMI_EVENT);
	assert_int_equal(line.trigger, -1);
	assert_int_equal(parse("6 99 -1 @10(2) 5b1c->0 2"), HG_SMI_EVENT);
	assert_int_equal(line.error, 0);
	assert_int_equal(parse("6 99 -1 @10(2) 5b1c->0 2 0 some=thing"), HG_SMI_EVENT);
	assert_int_equal(parse("a 99 -1 5b1c"), HG_SMI_EVENT);
	assert_int_equal(line.letter, 0);
	/* The driver's way to say that no queue had to be rescheduled. */
	assert_int_equal(hg_smi_parse("a 99 -1 5b1c \0", 14, &line), HG_SMI_EVENT);
	assert_int_equal(line.letter, 0);
	assert_int_equal(parse("c 4242 name"), HG_SMI_UNWANTED);
	assert_int_equal(parse("3f what ever"), HG_SMI_UNWANTED);
}

static void test_malformed(void **state)
{
	static const char *const lines[] = {
		"",
		" ",
		"x",
		"5",
		"5 ",
		"5 1",
		"5 -1 -1 @1(1) 0->1 0:0 1",
		"5 1 1 @1(1) 0->1 0:0 1",
		"5 1 -1 @1(1) 0-1 0:0 1",
		"5 1 -1 @1(1) 0->1 00 1",
		"5 1 -1 1(1) 0->1 0:0 1",
		"5 1 -1 @1(1 0->1 0:0 1",
		"5 1 -1 @1(1)0->1 0:0 1",
		"5 1 -1 @1(1) 0->1 0:0 1x",
		"5 1 -1 @1(1) 0->1 0:0",
		"5  1 -1 @1(1) 0->1 0:0 1",
		/* An address, or its end, beyond 64 bits. */
		"5 1 -1 @fffffffffffff000(1) 0->1 0:0 1",
		"5 1 -1 @fffffffffffff(2) 0->1 0:0 1",
		"5 1 -1 @11111111111111111(1) 0->1 0:0 1",
		"7 1 -1 @1(1)W",
		"7 1 -1 @1(1) ",
		"8 1 -1 @1(1) MU",
		"9 1 -1 g 1",
		"e",
		"e x",
		"e 17",
		"e 99 -1 -3",
		"111111111 1",
		"5\t1 -1 @1(1) 0->1 0:0 1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (parse(lines[i]) != HG_SMI_MALFORMED &&
		    strcmp(lines[i], "5 1 -1 @1(1) 0->1 0:0")) /* without trigger it is whole */
			fail_msg("not malformed: '%s'", lines[i]);
	/* Every line cut short is malformed or lacks what may be missing; nothing is read beyond.
	 */
	for (const char *whole = "5 123 -4242 @7f1200(200) 0->5b1c 0:0 1"; *whole; whole = "") {
		for (size_t length = 0; length < strlen(whole); length++) {
			char copy[64];
			memcpy(copy, whole, length);
			memset(copy + length, '7', sizeof(copy) - length);
			(void)hg_smi_parse(copy, length, &line);
			assert_true(line.start <= 0x7f1200000);
		}
	}
}

static char taken[4096];

static void take(void *data, const char *text, size_t length, bool whole)
{
	(void)data;
	snprintf(taken + strlen(taken), sizeof(taken) - strlen(taken), "%s%.*s|",
		 whole ? "" : "overlong:", whole ? (int)length : 0, text);
}

static void test_cutting(void **state)
{
	static const char stream[] = "first\n\nsecond line\nthird";
	struct hg_smi_cutter cutter;
	char overlong[2 * HG_SMI_LINE];

	(void)state;
	/* However the bytes arrive. */
	for (size_t step = 1; step < sizeof(stream); step++) {
		memset(&cutter, 0, sizeof(cutter));
		taken[0] = 0;
		for (size_t at = 0; at < sizeof(stream) - 1; at += step)
			hg_smi_cut(&cutter, stream + at,
				   step < sizeof(stream) - 1 - at ? step : sizeof(stream) - 1 - at,
				   take, NULL);
		hg_smi_cut(&cutter, " ends\n", 6, take, NULL);
		assert_string_equal(taken, "first||second line|third ends|");
	}
	taken[0] = 0;
	memset(overlong, 'x', sizeof(overlong));
	hg_smi_cut(&cutter, overlong, HG_SMI_LINE - 1, take, NULL);
	hg_smi_cut(&cutter, overlong, sizeof(overlong), take, NULL);
	hg_smi_cut(&cutter, "\nnext\n", 6, take, NULL);
	assert_string_equal(taken, "overlong:|next|");
}

static unsigned events[2], sums[2];

static void count(void *data, const char *text, size_t length, bool whole)
{
	unsigned which = *(unsigned *)data;

	if (whole && hg_smi_parse(text, length, &line) == HG_SMI_EVENT) {
		events[which]++;
		sums[which] += (unsigned)line.from;
	}
}

/* Two GPUs' lines come in turns, in pieces: each has its own rest of a line. */
static void test_interleaved(void **state)
{
	static const char *const streams[] = {
		"7 1 -1 @1(a) R\n5 1 -1 @1(1) 0->a 0:0 1\nnonsense\n9 1 -1 a 2\n7 1 -1 @1(a",
		"7 1 -1 @1(b) W\nb 1 -1 @1(1) b 2\n7 1 -1 @1(b) W future=1\ne 1 -1 5\n",
	};

	(void)state;
	for (size_t step = 1; step < 40; step++) {
		struct hg_smi_cutter cutters[2];
		size_t at = 0;

		memset(cutters, 0, sizeof(cutters));
		memset(events, 0, sizeof(events));
		memset(sums, 0, sizeof(sums));
		for (bool any = true; any; at += step) {
			any = false;
			for (unsigned i = 0; i < 2; i++) {
				size_t length = strlen(streams[i]);
				size_t rest = at < length ? length - at : 0;

				hg_smi_cut(&cutters[i], streams[i] + (rest ? at : length),
					   rest < step ? rest : step, count, &i);
				any |= rest > 0;
			}
		}
		assert_int_equal(events[0], 3);
		assert_int_equal(sums[0], 2 * 0xa);
		assert_int_equal(events[1], 4);
		assert_int_equal(sums[1], 3 * 0xb);
		assert_true(cutters[0].used > 0);
		assert_int_equal(cutters[1].used, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),       cmocka_unit_test(test_releases),
		cmocka_unit_test(test_malformed),   cmocka_unit_test(test_cutting),
		cmocka_unit_test(test_interleaved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
