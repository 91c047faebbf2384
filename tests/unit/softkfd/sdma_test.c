// SPDX-License-Identifier: Apache-2.0
/* Packets of the copy engines, well-formed and not, on made-up memory of a GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/softkfd/queue.h"
#include "kernels/softkfd/sdma.h"

/* What the GPU reaches: pages whose order in the host's memory is another, the last read only. */
#define MEMORY    UINT64_C(0x7000000000)
#define PAGES     8u
#define READ_ONLY (PAGES - 1)
#define SIZE      ((uint64_t)PAGES * SOFTGPU_PAGE_SIZE)
#define RING      1024u

struct sg_settings sg_settings;
static _Alignas(4096) unsigned char pages[PAGES][SOFTGPU_PAGE_SIZE];
static const unsigned place[PAGES] = { 1, 2, 0, 5, 4, 3, 6, 7 };
static uint64_t faulted, event, now = 1000;
static char message[256];

static unsigned char *host(uint64_t address)
{
	return &pages[place[(address - MEMORY) / SOFTGPU_PAGE_SIZE]][address % SOFTGPU_PAGE_SIZE];
}

/* These are what initcheck was told of the last copy or fill. */
static uint64_t told_to, told_from, told_size;

void softgpu_check_copied(uint64_t to, uint64_t from, uint64_t size)
{
	told_to = to;
	told_from = from;
	told_size = size;
}

void *kfd_memory_span(unsigned gpu, uint64_t address, uint64_t size, bool write, uint64_t *span)
{
	uint64_t rest = SOFTGPU_PAGE_SIZE - address % SOFTGPU_PAGE_SIZE;

	(void)gpu;
	if (address < MEMORY || address - MEMORY >= SIZE ||
	    (write && (address - MEMORY) / SOFTGPU_PAGE_SIZE == READ_ONLY))
		return NULL;
	*span = rest < size ? rest : size;
	return host(address);
}

void kfd_queue_fault(struct kfd_queue *queue, uint64_t address)
{
	(void)queue;
	faulted = address;
}

void kfd_event_raise(uint32_t id)
{
	event = id;
}

uint64_t sg_now_ns(void)
{
	return now * 10;
}

void sg_warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
}

void sg_log(const char *format, ...)
{
	(void)format;
}

void kfd_queue_values_changed(enum kfd_worker but)
{
	(void)but;
}

void sg_svm_new_epoch(void)
{
}

void sg_pages_hold(uint64_t start, uint64_t end)
{
	(void)start, (void)end;
}

void sg_pages_release(void)
{
}

/* ---- a queue ---- */

static uint32_t ring[RING / 4];
static uint64_t read_pointer, write_pointer, doorbell;
static struct kfd_queue queue;

static int reset(void **state)
{
	(void)state;
	memset(ring, 0, sizeof ring);
	for (uint64_t i = 0; i < SIZE; i++)
		*host(MEMORY + i) = (unsigned char)(i * 7 + i / 256);
	read_pointer = write_pointer = 0;
	doorbell = UINT64_MAX;
	faulted = event = 0;
	message[0] = 0;
	queue = (struct kfd_queue){
		.worker = KFD_COPIES,
		.ring = (char *)ring,
		.ring_size = RING,
		.read_pointer = &read_pointer,
		.write_pointer = &write_pointer,
		.doorbell = &doorbell,
		.percentage = 100,
	};
	return 0;
}

static void put(const uint32_t *words, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		ring[(write_pointer / 4 + i) % (RING / 4)] = words[i];
	write_pointer += count * 4;
	doorbell = write_pointer;
}
#define PUT(...)                                                      \
	do {                                                          \
		const uint32_t words[] = { __VA_ARGS__ };             \
		put(words, (unsigned)(sizeof words / sizeof *words)); \
	} while (0)
#define ADDRESS(address)     (uint32_t)(address), (uint32_t)((uint64_t)(address) >> 32)
#define COPY(to, from, size) PUT(1, (uint32_t)(size)-1, 0, ADDRESS(from), ADDRESS(to))

/* Turns until nothing is left to do. */
static enum kfd_progress run(void)
{
	enum kfd_progress progress;

	do {
		progress = kfd_sdma_step(&queue);
		queue.blocked = progress == KFD_BLOCKED;
	} while (progress == KFD_PROGRESS);
	return progress;
}

static uint64_t word_at(uint64_t address)
{
	uint64_t value;

	memcpy(&value, host(address), sizeof value);
	return value;
}

static void test_copy(void **state)
{
	unsigned char expected[9000];

	(void)state;
	for (unsigned i = 0; i < sizeof expected; i++)
		expected[i] = *host(MEMORY + 100 + i);
	/* Between pages that do not follow each other. */
	COPY(MEMORY + 3 * SOFTGPU_PAGE_SIZE + 5, MEMORY + 100, sizeof expected);
	assert_int_equal(run(), KFD_IDLE);
	assert_int_equal(faulted, 0);
	for (unsigned i = 0; i < sizeof expected; i++)
		assert_int_equal(*host(MEMORY + 3 * SOFTGPU_PAGE_SIZE + 5 + i), expected[i]);
	assert_int_equal(read_pointer, write_pointer);
	/* It is told in pieces. */
	assert_int_equal(told_to + told_size, MEMORY + 3 * SOFTGPU_PAGE_SIZE + 5 + sizeof expected);
	assert_int_equal(told_from + told_size, MEMORY + 100 + sizeof expected);
}

static void test_faults(void **state)
{
	uint64_t behind;

	(void)state;
	COPY(MEMORY, MEMORY + SIZE - 8, 16);
	PUT(6, 33);
	run();
	assert_int_equal(faulted, MEMORY + SIZE);
	assert_int_equal(event, 0);
	reset(NULL);
	behind = MEMORY + (uint64_t)READ_ONLY * SOFTGPU_PAGE_SIZE;
	COPY(behind - 8, MEMORY, 16);
	run();
	assert_int_equal(faulted, behind);
	reset(NULL);
	COPY(MEMORY, behind, 16);
	run();
	assert_int_equal(faulted, 0);
}

static void test_largest(void **state)
{
	(void)state;
	COPY(MEMORY, MEMORY, 0x40000000);
	run();
	assert_int_equal(faulted, MEMORY + (uint64_t)READ_ONLY * SOFTGPU_PAGE_SIZE);
	reset(NULL);
	/* Addresses beyond all that there are. */
	COPY(UINT64_MAX - 3, UINT64_MAX - 7, 64);
	run();
	assert_int_not_equal(faulted, 0);
}

static void test_rectangle(void **state)
{
	/* 3 x 2 x 2 elements of 4 bytes from offsets (1, 1, 0), pitches 8 and 16, slices 64 and 128
	 */
	const uint64_t from = MEMORY + 64, to = MEMORY + 4 * SOFTGPU_PAGE_SIZE;

	(void)state;
	for (unsigned i = 0; i < 2048; i++)
		*host(to + i) = 0;
	PUT(1 | 4 << 8 | 2u << 29, ADDRESS(from), 1 | 1 << 16, 7 << 13, 63, ADDRESS(to), 0,
	    15 << 13, 127, 2 | 1 << 16, 1);
	run();
	assert_int_equal(faulted, 0);
	for (unsigned z = 0; z < 2; z++)
		for (unsigned y = 0; y < 2; y++)
			for (unsigned x = 0; x < 12; x++)
				assert_int_equal(*host(to + z * 512 + y * 64 + x),
						 *host(from + 4 + 32 + z * 256 + y * 32 + x));
	assert_int_equal(*host(to + 12), 0);
	assert_int_equal(*host(to + 128), 0);
}

static void test_values(void **state)
{
	uint64_t before = word_at(MEMORY + 16);

	(void)state;
	PUT(5, ADDRESS(MEMORY + 8), 0x12345678);
	PUT(10 | 47u << 25, ADDRESS(MEMORY + 16), UINT32_MAX, UINT32_MAX, 0, 0, 0);
	PUT(13 | 2 << 8, ADDRESS(MEMORY + 32));
	PUT(11 | 2u << 30, ADDRESS(MEMORY + 4090), 0xaabbccdd, 12 - 4);
	PUT(6, 77);
	run();
	assert_int_equal((uint32_t)word_at(MEMORY + 8), 0x12345678);
	assert_int_equal(word_at(MEMORY + 16), before - 1);
	assert_int_equal(word_at(MEMORY + 32), now);
	/* Over the page's end. */
	for (unsigned i = 0; i < 12; i++)
		assert_int_equal(*host(MEMORY + 4090 + i), 0xff & (0xaabbccddu >> 8 * (i % 4)));
	assert_int_equal(event, 77);
}

static void test_poll(void **state)
{
	const uint32_t low = 0xff;

	(void)state;
	memset(host(MEMORY), 0, 4);
	PUT(8 | 3u << 28 | 1u << 31, ADDRESS(MEMORY), 5, low, 0);
	PUT(6, 9);
	assert_int_equal(run(), KFD_BLOCKED);
	assert_int_equal(read_pointer, 0);
	memcpy(host(MEMORY), &(uint32_t){ 0x105 }, 4);
	assert_int_equal(run(), KFD_IDLE);
	assert_int_equal(event, 9);
	/* Functions, of values below, at and above the reference. */
	for (unsigned function = 0; function < 7; function++) {
		static const bool passes[7][3] = { { 1, 1, 1 }, { 1, 0, 0 }, { 1, 1, 0 },
						   { 0, 1, 0 }, { 1, 0, 1 }, { 0, 1, 1 },
						   { 0, 0, 1 } };
		struct sdma_packet packet = { .function = function,
					      .value = 5,
					      .mask = UINT32_MAX };

		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(sdma_poll_passes(&packet, 4 + i), passes[function][i]);
	}
}

static void test_ring(void **state)
{
	(void)state;
	/* Many times around, in packets that are cut by its end. */
	for (unsigned i = 0; i < 1000; i++) {
		PUT(5, ADDRESS(MEMORY + 8), i);
		PUT(0 | 2 << 16, 0xffffffff, 0xffffffff);
		assert_int_equal(run(), KFD_IDLE);
		assert_int_equal((uint32_t)word_at(MEMORY + 8), i);
	}
	assert_int_equal(read_pointer, 28000);
	/* Half of a packet waits for the rest. */
	PUT(5, 0, 0);
	assert_int_equal(run(), KFD_IDLE);
	assert_int_equal(read_pointer, 28000);
	assert_string_equal(message, "");
	/* A pointer that the ring can't hold. */
	write_pointer = doorbell = 28000 + RING + 4;
	run();
	assert_true(queue.stopped);
	assert_non_null(strstr(message, "beyond the ring"));
}

static void test_unknown(void **state)
{
	static const uint32_t packets[][2] = {
		{ 2, 0 },
		{ 1 | 1 << 8, 0 },
		{ 1, 0 /* swapped, below */ },
		{ 10 | 15u << 25, 0 },
		{ 11 | 3u << 30, 0 },
		{ 1 | 4 << 8 | 5u << 29, 0 },
		{ 8 | 7u << 28 | 1u << 31, 0 },
		{ 255, 0 },
		{ 13, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof packets / sizeof *packets; i++) {
		reset(NULL);
		PUT(packets[i][0], packets[i][1], 0x03000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
		run();
		assert_true(queue.stopped);
		assert_non_null(strstr(message, "unknown"));
		assert_int_equal(read_pointer, 0);
	}
}

/* Whatever the words are: the ring and memory that is not the GPU's stay untouched. */
static void test_noise(void **state)
{
	(void)state;
	srand(1);
	for (unsigned round = 0; round < 20000; round++) {
		uint32_t words[SDMA_MAX_WORDS];

		reset(NULL);
		for (unsigned i = 0; i < SDMA_MAX_WORDS; i++)
			words[i] = (uint32_t)rand() * 2654435761u;
		words[0] = (words[0] & 0xffff0000u) | (uint32_t)(rand() % 18) |
			   (uint32_t)(rand() % 5) << 8;
		if (rand() % 2)
			for (unsigned i = 1; i + 1 < SDMA_MAX_WORDS; i += 2) {
				words[i] = (uint32_t)(MEMORY + (uint64_t)rand() % SIZE);
				words[i + 1] = MEMORY >> 32;
			}
		put(words, SDMA_MAX_WORDS);
		for (unsigned turn = 0; turn < 4 && !queue.stopped && !faulted; turn++)
			kfd_sdma_step(&queue);
		assert_true(read_pointer <= write_pointer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_copy, reset),
		cmocka_unit_test_setup(test_faults, reset),
		cmocka_unit_test_setup(test_largest, reset),
		cmocka_unit_test_setup(test_rectangle, reset),
		cmocka_unit_test_setup(test_values, reset),
		cmocka_unit_test_setup(test_poll, reset),
		cmocka_unit_test_setup(test_ring, reset),
		cmocka_unit_test_setup(test_unknown, reset),
		cmocka_unit_test_setup(test_noise, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
