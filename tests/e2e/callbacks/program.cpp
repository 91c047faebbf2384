// SPDX-License-Identifier: Apache-2.0
// Calls of HIP that are left by an exception or a jump out of a callback or a signal handler, each
// between allocations whose sizes end in a number of its own.
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

extern "C" {
int hipMalloc(void **ptr, std::size_t size);
int hipStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data, unsigned flags);
int hipLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int hipStreamSynchronize(void *stream);
}

static std::jmp_buf out;
static sigjmp_buf out_of_signal;
static char alternate[65536];
static std::size_t number; // of what is tried

static void allocate(std::size_t size)
{
	void *ptr = nullptr;

	std::printf("%zu: %d\n", size + number, hipMalloc(&ptr, size + number));
}

static void throws(void *, int, void *)
{
	throw std::runtime_error("out of a callback");
}

static void jumps(void *)
{
	std::longjmp(out, 1);
}

static void allocates(void *)
{
	allocate(500); // of the call in progress: not the program's
}

static void leave_by_exception()
{
	for (int i = 0; i < 3; i++) {
		allocate(1000);
		try {
			hipStreamAddCallback(nullptr, throws, nullptr, 0);
		} catch (const std::exception &e) {
			std::printf("%s\n", e.what());
		}
	}
	allocate(2000);
}

static void leave_by_jump()
{
	for (volatile int i = 0; i < 3; i = i + 1) {
		allocate(1000);
		if (!setjmp(out))
			hipLaunchHostFunc(nullptr, jumps, nullptr);
	}
	allocate(2000);
}

static void jump_out_of_signal(int)
{
	siglongjmp(out_of_signal, 1);
}

static void allocate_in_signal(int)
{
	allocate(500);
}

static void handle(void (*handler)(int))
{
	stack_t stack = {};
	struct sigaction action = {};

	stack.ss_sp = alternate;
	stack.ss_size = sizeof(alternate);
	sigaltstack(&stack, nullptr);
	action.sa_handler = handler;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, nullptr);
}

static void leave_by_signal()
{
	handle(jump_out_of_signal);
	for (volatile int i = 0; i < 3; i = i + 1) {
		allocate(1000);
		if (!sigsetjmp(out_of_signal, 1))
			hipStreamSynchronize(nullptr);
	}
	allocate(2000);
}

// The handler's stack lies above the thread's or below it: neither is a way out of the call.
static void stay()
{
	handle(allocate_in_signal);
	for (int i = 0; i < 3; i++) {
		allocate(1000);
		hipLaunchHostFunc(nullptr, allocates, nullptr);
		hipStreamSynchronize(alternate);
	}
	allocate(2000);
}

int main()
{
	static void (*const all[])() = { leave_by_exception, leave_by_jump, leave_by_signal, stay };

	for (const auto run : all) {
		number++;
		run();
	}
	return 0;
}
