// SPDX-License-Identifier: Apache-2.0
// A program with a pool of its own, which tells hipgrain what its pieces are (hipgrain.h).
//
// A piece is used after it was given back: the block that holds it is still there, so that nothing faults.
// hipgrain-run: given_back
// hipgrain-stdout: pools: done
// hipgrain-expect: HG601 kernel=increment argument=0 api=hipMalloc at=@arena launches=1 confidence=likely
// hipgrain-harmless: no other piece is in its place yet
//
// hipgrain-run: copied_back
// hipgrain-stdout: pools: done
// hipgrain-expect: HG601 api=hipMalloc call=hipMemcpy at=@arena confidence=likely
// hipgrain-harmless: no other piece is in its place yet
//
// A fill of one piece runs into the next one.
// hipgrain-run: filled_too_far
// hipgrain-stdout: pools: done
// hipgrain-expect: HG606 api=hipMalloc call=hipMemset at=@arena confidence=likely
// hipgrain-harmless: nothing was written into the next piece yet
//
// hipgrain-run: lost
// hipgrain-stdout: pools: 0 of 64 counted
// hipgrain-expect: HG101 kernel=add argument=0 api=hipMallocManaged at=@managed_arena launches=1 confidence=proven
//
// The same in each step of a loop: both are one finding of three ranges.
// hipgrain-run: steps
// hipgrain-stdout: pools: 0 of 192 counted
// hipgrain-expect: HG101 kernel=add argument=0 api=hipMallocManaged at=@steps_arena launches=3 confidence=proven
// hipgrain-expect: HG601 kernel=increment argument=0 api=hipMallocManaged at=@steps_arena launches=3 confidence=likely
// hipgrain-gpu: gfx942: it performs the updates
// hipgrain-stdout: pools: 192 of 192 counted
// hipgrain-harmless: nothing uses the piece's memory after that
// hipgrain-expect: HG601 kernel=increment argument=0 api=hipMallocManaged at=@steps_arena launches=3 confidence=likely
//
// hipgrain-run: given_back_later
// hipgrain-stdout: pools: done
// hipgrain-expect: none
//
// hipgrain-run: copied_back_later
// hipgrain-stdout: pools: done
// hipgrain-expect: none
//
// hipgrain-run: filled
// hipgrain-stdout: pools: done
// hipgrain-expect: none
//
// Everything in order: pieces that are given back and taken again, the pool's own fill of all of its block.
// hipgrain-run: reused
// hipgrain-stdout: pools: 64 of 64 right
// hipgrain-expect: none
//
// What a program says may be wrong in any way.
// hipgrain-run: nonsense
// hipgrain-stdout: pools: 64 of 64 right
// hipgrain-limit: hipgrain_alloc() named no bytes of one live allocation
// hipgrain-limit: hipgrain_free() named no piece that was live
// hipgrain-limit: hipgrain_name() named neither a piece nor an allocation
// hipgrain-expect: none

#include "../../include/hipgrain.h"
#include "sample.h"

#define ELEMENTS 64
#define PIECE    4096
#define PIECES   4

__global__ void increment(int *numbers)
{
	numbers[threadIdx.x] += 1;
}

__global__ void add(double *total)
{
	unsafeAtomicAdd(total, 1.0);
}

/* A pool that hands out pieces of one block, one behind the other. */
static char *block;
static size_t used;

static void *take(const char *name)
{
	void *piece = block + used;

	used += PIECE;
	hipgrain_alloc("arena", piece, PIECE, name); // @take
	return piece;
}

static void make_arena()
{
	CHECK(hipMalloc(&block, PIECE * PIECES)); // @arena
	CHECK(hipMemset(block, 0, PIECE * PIECES));
}

static void compare(const int *numbers, int expected)
{
	int host[ELEMENTS], right = 0;

	CHECK(hipMemcpy(host, numbers, sizeof(host), hipMemcpyDeviceToHost));
	for (int i = 0; i < ELEMENTS; i++) {
		right += host[i] == expected;
	}
	printf("pools: %d of %d right\n", right, ELEMENTS);
}

static void use_piece(bool later)
{
	make_arena();
	take("mass");
	int *energy = (int *)take("energy");
	if (!later) {
		hipgrain_free(energy); // @given_back
	}
	increment<<<1, ELEMENTS>>>(energy);
	if (later) {
		hipgrain_free(energy);
	}
	CHECK(hipDeviceSynchronize());
	printf("pools: done\n");
}

static void run_given_back()
{
	use_piece(false);
}

static void run_given_back_later()
{
	use_piece(true);
}

static void copy_piece(bool later)
{
	int host[ELEMENTS];

	make_arena();
	take("mass");
	int *energy = (int *)take("energy");
	if (!later) {
		hipgrain_free(energy);
	}
	CHECK(hipMemcpy(host, energy, sizeof(host), hipMemcpyDeviceToHost));
	if (later) {
		hipgrain_free(energy);
	}
	printf("pools: done\n");
}

static void run_copied_back()
{
	copy_piece(false);
}

static void run_copied_back_later()
{
	copy_piece(true);
}

static void fill_piece(size_t size)
{
	make_arena();
	void *mass = take("mass");
	take("energy");
	CHECK(hipMemset(mass, 0, size));
	printf("pools: done\n");
}

static void run_filled_too_far()
{
	fill_piece(PIECE + 16);
}

static void run_filled()
{
	fill_piece(PIECE);
}

static void run_lost()
{
	CHECK(hipMallocManaged(&block, PIECE * PIECES)); // @managed_arena
	take("mass");
	double *total = (double *)take("total energy");
	*total = 0;
	add<<<1, ELEMENTS>>>(total);
	CHECK(hipDeviceSynchronize());
	printf("pools: %.0f of %d counted\n", *total, ELEMENTS);
}

static void run_steps()
{
	CHECK(hipMallocManaged(&block, PIECE * PIECES * 2)); // @steps_arena
	double *total = nullptr, counted = 0;

	for (int step = 1; step <= 3; step++) {
		char name[16];

		snprintf(name, sizeof(name), "step %d", step);
		hipgrain_range_push(name);
		hipgrain_range_push("forward");
		total = (double *)take("total energy");
		add<<<1, ELEMENTS>>>(total);
		hipgrain_range_pop();
		hipgrain_range_push("backward");
		int *energy = (int *)take("energy");
		hipgrain_free(energy);
		increment<<<1, ELEMENTS>>>(energy);
		hipgrain_range_pop();
		hipgrain_range_pop();
		CHECK(hipDeviceSynchronize());
		counted += *total;
	}
	printf("pools: %.0f of %d counted\n", counted, 3 * ELEMENTS);
}

static void run_reused()
{
	make_arena();
	hipgrain_name(block, "the arena's block");
	for (int i = 0; i < 3; i++) {
		used = 0;
		take("mass");
		hipgrain_free(take("temperature"));
	}
	CHECK(hipMemset(block, 0, PIECE * PIECES));
	used = PIECE;
	int *energy = (int *)take("energy");
	increment<<<1, ELEMENTS>>>(energy);
	compare(energy, 1);
	hipgrain_free(energy);
	CHECK(hipMemset(block, 0, PIECE * PIECES));
	CHECK(hipFree(block));
}

static void run_nonsense()
{
	make_arena();
	int *numbers = (int *)take("\033[31mred\n\xff");
	hipgrain_alloc("arena", (void *)16, 64, "nowhere");
	hipgrain_alloc("arena", block, (size_t)-1, "everything");
	hipgrain_alloc("arena", block + PIECE, 0, "nothing");
	hipgrain_alloc((const char *)8, block + PIECE, 64, (const char *)~(size_t)0);
	hipgrain_alloc(nullptr, block + PIECE + 32, 64, nullptr);
	hipgrain_free(block + 1);
	hipgrain_free((void *)~(size_t)0);
	hipgrain_free(nullptr);
	hipgrain_name(block + 7, "inside");
	hipgrain_name(nullptr, "null");
	increment<<<1, ELEMENTS>>>(numbers);
	compare(numbers, 1);
}

int main(int argc, char **argv)
{
	static const variant variants[] = {
		{ "given_back", run_given_back },
		{ "given_back_later", run_given_back_later },
		{ "copied_back", run_copied_back },
		{ "copied_back_later", run_copied_back_later },
		{ "filled_too_far", run_filled_too_far },
		{ "filled", run_filled },
		{ "lost", run_lost },
		{ "steps", run_steps },
		{ "reused", run_reused },
		{ "nonsense", run_nonsense },
	};

	return run_variant(variants, argc, argv);
}
