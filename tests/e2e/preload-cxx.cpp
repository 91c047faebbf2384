// SPDX-License-Identifier: Apache-2.0
// C++ under the preload library: names of operators, exceptions through our frames, memory of
// static constructors in a library (preload-ctor.c).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" void *preload_ctor_memory;

static std::vector<char> from_constructor(77777);
static void *volatile keep;

static void expect(const char *event, int api, const void *ptr)
{
	std::printf("%s api = %d, ptr = 0x%jX\n", event, api, (uintmax_t)(uintptr_t)ptr);
}

struct alignas(4096) page {
	char bytes[8192];
};

__attribute__((noinline)) static int thrower(int depth)
{
	std::vector<char> local(50000);

	if (!depth)
		throw std::runtime_error("thrown with memory in flight");
	return thrower(depth - 1) + local[0];
}

int main()
{
	int caught = 0;

	keep = new char[50000];
	expect("alloc", 11, keep);
	expect("free", 33, keep);
	delete[] static_cast<char *>(keep);
	keep = new std::string[2000];
	delete[] static_cast<std::string *>(keep);
	keep = ::operator new(60000);
	expect("alloc", 10, keep);
	expect("free", 32, keep);
	::operator delete(keep, std::size_t(60000));
	keep = new page; /* its alignment is recorded */
	expect("alloc", 10, keep);
	expect("free", 32, keep);
	delete static_cast<page *>(keep);
	keep = new (std::nothrow) char[70000];
	expect("alloc", 11, keep);
	::operator delete[](keep, std::nothrow);
	for (int i = 0; i < 3; i++) {
		try {
			thrower(10);
		} catch (const std::exception &) {
			caught++;
		}
	}
	try {
		keep = ::operator new(std::numeric_limits<std::size_t>::max() / 2);
	} catch (const std::bad_alloc &) {
		caught++;
	}
	/* The failed operator new must not give its name to this. */
	keep = std::malloc(50000);
	expect("alloc", 1, keep);
	std::free(keep);
	std::printf("caught %d\n", caught);
	return caught == 4 && preload_ctor_memory ? 0 : 1;
}
