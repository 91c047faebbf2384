// SPDX-License-Identifier: Apache-2.0
/*
 * Memory in which the recorder looks for pointers, and that makes it as hard as it can: each test
 * prints its name, "right" or "WRONG", and what it took (ns of processor time of the process) where
 * that is bounded, or errno. usage: pointers NAME [SECRET]
 */
#include <hip/hip_runtime.h>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#define CHECK(call)                                                                  \
	do {                                                                         \
		hipError_t error_ = (call);                                          \
		if (error_ != hipSuccess) {                                          \
			fprintf(stderr, "%s: %s\n", #call, hipGetErrorName(error_)); \
			exit(1);                                                     \
		}                                                                    \
	} while (0)

struct words {
	uint64_t at[16];
};

/* Uses nothing of what it is given. */
__global__ void ignore(void *, words)
{
}

/* Nor does this one, but its machine code could use anything: all is searched at each launch. */
__global__ void use_any(void *p, words w)
{
	if (w.at[15] == 1)
		atomicAdd((int *)atomicExch((unsigned long long *)p, 0), 1);
}

struct far {
	char before[100000];
	float *sum;
};

/* Uses one word of what it is given, far from its beginning. */
__global__ void use_far(far *f)
{
	atomicAdd(f->sum, 1.0f);
}

struct box {
	uint64_t number;
	float *low, *high;
};

/* Of the pointers in an array of structs every third one. */
__global__ void use_boxes(box *b, int i)
{
	unsafeAtomicAdd(b[i + threadIdx.x].low, 1.0f);
}

struct cell {
	float *data;
	uint64_t size;
};

struct cells {
	char before[100000];
	cell *at;
};

/* Adds to one of many places; and it could use anything, so that not all that it loads is known. */
__global__ void use_cells(cells *c, int i, void *p, words w)
{
	if (w.at[15] == 1)
		atomicAdd((int *)atomicExch((unsigned long long *)p, 0), 1);
	unsafeAtomicAdd(c->at[i + threadIdx.x].data, 1.0f);
}

static const size_t page = 4096;

static uint64_t spent()
{
	timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void say(const char *name, bool right, uint64_t took = 0)
{
	printf("%s %s %llu\n", name, right ? "right" : "WRONG", (unsigned long long)took);
	fflush(stdout);
}

static void launch(void *p, const words &w)
{
	use_any<<<1, 1>>>(p, w);
	CHECK(hipGetLastError());
	CHECK(hipDeviceSynchronize());
}

static void *managed(size_t size)
{
	void *p;

	CHECK(hipMallocManaged(&p, size));
	return p;
}

static char *mapped(size_t pages, int access)
{
	return (char *)mmap(nullptr, pages * page, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Addresses of nothing, of the kernel's, of pages that may not be read, and not aligned. */
static void wild()
{
	char *closed = mapped(2, PROT_NONE), *gone = mapped(2, PROT_READ);
	words w = { { 1, 4096, UINT64_MAX, UINT64_MAX - 7, (uint64_t)1 << 47,
		      ((uint64_t)1 << 47) - 8, 0xffffffff81000000u, (uint64_t)closed,
		      (uint64_t)closed + page - 4, (uint64_t)gone, (uint64_t)&w + 3,
		      0x5555555555555555u, 0x8000000000000000u } };
	words *m = (words *)managed(sizeof(*m));

	munmap(gone, 2 * page);
	*m = w;
	errno = 77;
	for (uint64_t word : w.at)
		launch((void *)word, w);
	launch(m, w);
	CHECK(hipMemcpy(m, &w, sizeof(w), hipMemcpyDefault));
	say("wild", true, (uint64_t)errno);
}

/* Registered memory whose pages go while they are registered. */
static void unmapped()
{
	char *p = mapped(8, PROT_READ | PROT_WRITE);

	memset(p, 0, 8 * page);
	CHECK(hipHostRegister(p, 8 * page, 0));
	munmap(p + page, 2 * page);
	mprotect(p + 4 * page, page, PROT_NONE);
	for (size_t at = 0; at < 8 * page; at += 512)
		launch(p + at, {});
	say("unmapped", true);
}

/* Structures that lead to themselves, and everywhere into each other. */
static void rings()
{
	enum { COUNT = 4096 };
	uint64_t *p = (uint64_t *)managed(COUNT * sizeof(*p)), begin;

	for (unsigned i = 0; i < COUNT; i++)
		p[i] = (uint64_t)&p[i * 17 % COUNT];
	p[0] = (uint64_t)p;
	begin = spent();
	for (int i = 0; i < 200; i++)
		use_any<<<1, 1>>>(p + i, { { (uint64_t)p, (uint64_t)(p + i) } });
	CHECK(hipDeviceSynchronize());
	say("rings", true, spent() - begin);
}

/* Ten million pointers in one copy, and again in small ones. */
static void many()
{
	const size_t count = 10000000, bytes = count * sizeof(uint64_t);
	uint64_t *from = (uint64_t *)malloc(bytes), *to, begin;

	CHECK(hipMalloc(&to, bytes));
	for (size_t i = 0; i < count; i++)
		from[i] = (uint64_t)(to + i);
	begin = spent();
	CHECK(hipMemcpy(to, from, bytes, hipMemcpyHostToDevice));
	for (size_t i = 0; i + 512 < count; i += 5120)
		CHECK(hipMemcpy(to + i, from + i, 4096, hipMemcpyHostToDevice));
	say("many", true, spent() - begin);
	launch(to, {});
}

/* A copy that ends at the last byte that is mapped. */
static void edge()
{
	char *p = mapped(20, PROT_READ | PROT_WRITE), *to;

	CHECK(hipMalloc(&to, 20 * page));
	munmap(p + 19 * page, page);
	memset(p, 1, 19 * page);
	for (size_t size = 1; size < 19 * page; size = size * 3 + 1)
		CHECK(hipMemcpy(to + 3, p + 19 * page - size, size, hipMemcpyHostToDevice));
	say("edge", true);
}

/* Pages that were never written stay so, and what the program set is there. */
static void untouched()
{
	uint64_t *p = (uint64_t *)managed(64 * page);
	unsigned char before[64], after[64];
	int there = 0, appeared = 0;

	CHECK(hipDeviceSynchronize());
	mincore(p, 64 * page, before);
	for (int i = 0; i < 64; i++)
		launch((char *)p + i * page, { { (uint64_t)p + i * page } });
	mincore(p, 64 * page, after);
	for (int i = 0; i < 64; i++) {
		there += before[i] & 1;
		appeared += (after[i] & 1) && !(before[i] & 1);
	}
	say("untouched", there + appeared == 0 || appeared == 0);
}

static volatile bool stop;

static void *remap(void *at)
{
	while (!stop) {
		mmap(at, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		mmap(at, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		     -1, 0);
		*(uint64_t *)at = (uint64_t)at;
	}
	return nullptr;
}

/* Another thread takes the memory away while it is read. */
static void torn()
{
	char *p = mapped(4, PROT_READ | PROT_WRITE);
	pthread_t thread;

	memset(p, 0, 4 * page);
	CHECK(hipHostRegister(p, 4 * page, 0));
	pthread_create(&thread, nullptr, remap, p);
	for (int i = 0; i < 3000; i++)
		use_any<<<1, 1>>>(p + i, { { (uint64_t)p } });
	stop = true;
	pthread_join(thread, nullptr);
	CHECK(hipDeviceSynchronize());
	say("torn", true);
}

/* Numbers to one place again and again, and pointers to another; the first place gets some, too. */
static void tame()
{
	uint64_t numbers[4] = { 1, 2, 3, 4 }, *to, *other;

	CHECK(hipMalloc(&to, sizeof(numbers)));
	CHECK(hipMalloc(&other, sizeof(numbers)));
	for (int i = 0; i < 5000; i++)
		CHECK(hipMemcpy(to, numbers, sizeof(numbers), hipMemcpyHostToDevice));
	numbers[1] = (uint64_t)to;
	CHECK(hipMemcpy(other, numbers, sizeof(numbers), hipMemcpyHostToDevice));
	for (int i = 0; i < 64; i++)
		CHECK(hipMemcpy(to, numbers, sizeof(numbers), hipMemcpyHostToDevice));
	say("tame", true);
}

/* By and by the recorder knows which words these kernels load pointers from: of the first none. */
static void answers()
{
	far *f = (far *)managed(sizeof(*f));
	words *m = (words *)managed(sizeof(*m));
	float *sums;

	CHECK(hipMalloc(&sums, 200 * sizeof(*sums)));
	for (int i = 0; i < 200; i++) {
		f->sum = sums + i;
		m->at[3] = (uint64_t)(sums + i);
		use_far<<<1, 1>>>(f);
		CHECK(hipGetLastError());
		ignore<<<1, 1>>>(m, {});
		CHECK(hipDeviceSynchronize());
		usleep(50000);
	}
	say("answers", true);
}

/* By and by the recorder knows some words that the kernel loads pointers from. */
static void tables()
{
	const int count = 512;
	cells *c = (cells *)managed(sizeof(*c));
	float *data = (float *)managed(count * sizeof(*data));

	c->at = (cell *)managed(count * sizeof(*c->at));
	for (int i = 0; i < count; i++)
		c->at[i] = { data + i, 1 };
	for (int i = 0; i < 200; i++) {
		use_cells<<<1, 2>>>(c, i, nullptr, {});
		CHECK(hipGetLastError());
		CHECK(hipDeviceSynchronize());
		usleep(50000);
	}
	say("tables", true);
}

static void *overwrite(void *table)
{
	uint64_t random = 1;

	while (!stop) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		/* Small numbers as well: states, counts. */
		((uint32_t *)table)[2 + (random >> 40) % 100000] =
		    (uint32_t)(random >> 20) >> (random >> 59);
	}
	return nullptr;
}

/* The table of answers holds anything while it is used. */
static void scribble()
{
	std::string path = std::string(getenv("HIPGRAIN_DIR")) + "/places";
	words *m = (words *)managed(sizeof(*m));
	int file = open(path.c_str(), O_RDWR);
	void *table = mmap(nullptr, 400008, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	pthread_t thread;

	if (table == MAP_FAILED)
		exit(1);
	pthread_create(&thread, nullptr, overwrite, table);
	for (int i = 0; i < 2000; i++) {
		m->at[i % 16] = (uint64_t)m;
		use_far<<<0, 1>>>((far *)m); /* its arguments alone */
		(void)hipGetLastError();
		launch(m, {});
	}
	stop = true;
	pthread_join(thread, nullptr);
	say("scribble", true);
}

/* What is added to lies in device memory, where that is right; what lies beside it does not. */
static void boxes()
{
	box *b = (box *)managed(4 * sizeof(*b));
	float *low, *high = (float *)managed(4 * sizeof(*high));

	CHECK(hipMalloc(&low, 4 * sizeof(*low)));
	for (int i = 0; i < 4; i++)
		b[i] = { (uint64_t)i, low + i, high + i };
	for (int i = 0; i < 2; i++) {
		use_boxes<<<1, 2>>>(b, i);
		CHECK(hipGetLastError());
		CHECK(hipDeviceSynchronize());
	}
	say("boxes", true);
}

/* Numbers and pointers side by side, of which a recording may hold the latter. */
static void secret(const char *text)
{
	uint64_t number = strtoull(text, nullptr, 16);
	words *m = (words *)managed(sizeof(*m)), w = { { number, 0, number } }, *to;

	CHECK(hipMalloc(&to, sizeof(*to)));
	w.at[1] = (uint64_t)to;
	*m = w;
	launch(m, {});
	CHECK(hipMemcpy(to, &w, sizeof(w), hipMemcpyHostToDevice));
	printf("%llx\n", (unsigned long long)to);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)();
	} tests[] = { { "wild", wild },     { "unmapped", unmapped }, { "rings", rings },
		      { "many", many },     { "edge", edge },         { "untouched", untouched },
		      { "torn", torn },     { "tame", tame },         { "answers", answers },
		      { "tables", tables }, { "scribble", scribble }, { "boxes", boxes } };

	for (const auto &test : tests)
		if (argc > 1 && !strcmp(argv[1], test.name))
			test.run();
	if (argc > 2)
		secret(argv[2]);
	return 0;
}
