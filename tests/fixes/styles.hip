// SPDX-License-Identifier: Apache-2.0
// One way to write an allocation a function: tests/fixes/styles applies the edits that the report has for it.
//
// `// style: NAME edit` before a function: its finding has an edit, with which the finding disappears and the result is right.
// `// style: NAME no: WORDS`: it has none, and the text of the fix says WORDS.
// `// style: NAME says: WORDS`: as `edit`, and the text says WORDS.
// Each prints "NAME sum A expected B". All memory is managed, and its sums are lost without the fix (HG101).

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#define CHECK(call)                                                                      \
	do {                                                                             \
		hipError_t error_ = (call);                                              \
		if (error_ != hipSuccess) {                                              \
			printf("%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorName(error_)); \
			exit(1);                                                         \
		}                                                                        \
	} while (0)
#define ALLOCATE(p, n) CHECK(hipMallocManaged(&p, (n) * sizeof(*p)))

#define ITEMS 64

static bool managed = true;
static volatile int one = 1;

__global__ void add(double *p)
{
	unsafeAtomicAdd(p, 1.0);
}

static void sum_up(const char *name, double *p)
{
	*p = 0;
	add<<<1, ITEMS>>>(p);
	CHECK(hipDeviceSynchronize());
	printf("%s sum %g expected %d\n", name, *p, ITEMS);
}

// style: plain edit
static void plain()
{
	double *p;

	(void)hipMallocManaged(&p, sizeof(*p));
	sum_up("plain", p);
}

// style: checked edit
static void checked()
{
	double *p = nullptr; // { an odd comment
	const char *text = "\"{"; char brace = '{';

	CHECK(hipMallocManaged((void **)&p, sizeof(*p) + (text[0] == brace))); /* in braces } */
	sum_up("checked", p);
}

// style: declared edit
static void declared()
{
	double *p;
	hipError_t error = hipMallocManaged(&p, 8);

	CHECK(error);
	sum_up("declared", p);
}

// style: two_lines edit
static void two_lines()
{
	double *p;

	CHECK(hipMallocManaged(reinterpret_cast<void **>(&p),
			       sizeof(*p)));
	sum_up("two_lines", p);
}

// style: raii edit
struct Managed {
	double *data;
	explicit Managed(size_t n) : data{ nullptr }
	{
		CHECK(hipMallocManaged(&data, n * sizeof(*data)));
	}
	~Managed() { (void)hipFree(data); }
};

static void raii()
{
	Managed memory(ITEMS);

	sum_up("raii", memory.data);
}

// style: raii_one_line edit
struct Short {
	double *data;
	explicit Short(size_t n) { CHECK(hipMallocManaged(&data, n * sizeof(*data))); }
	~Short() { (void)hipFree(data); }
};

static void raii_one_line()
{
	Short memory(ITEMS);

	sum_up("raii_one_line", memory.data);
}

// style: templated edit
namespace space
{
template <class T, int N = 1> class Buffer : public std::nothrow_t
{
      public:
	Buffer(size_t n) noexcept : count(n)
	{
		CHECK(hipMallocManaged(&this->data, this->count * N * sizeof(T)));
	}
	T *data;

      private:
	size_t count{ 0 };
};
} // namespace space

static void templated()
{
	space::Buffer<double> small(48);
	space::Buffer<double, 2> large(96);

	sum_up("templated", small.data);
	sum_up("templated", large.data);
}

// style: wrapper says: requested as managed at
static double *request(size_t n)
{
	double *memory;

	CHECK(hipMallocManaged(&memory, n * sizeof(double)));
	return memory;
}

static void wrapper()
{
	double *a = request(48);
	double *b = request(64);
	double *c = request(128);
	double *d = request(256);

	sum_up("wrapper", a);
	b[0] = c[0] = d[0];
}

// style: of_new says: operator new
struct Node {
	double sum;
	void *operator new(size_t bytes)
	{
		void *p;
		CHECK(hipMallocManaged(&p, bytes));
		return p;
	}
	void operator delete(void *p) { (void)hipFree(p); }
};

static void of_new()
{
	Node *node = new Node;

	sum_up("of_new", &node->sum);
}

// style: if_else no: 'if'
static void if_else()
{
	double *p;

	if (managed)
		CHECK(hipMallocManaged(&p, 8));
	else
		CHECK(hipMalloc(&p, 8));
	sum_up("if_else", p);
}

// style: if_else_one_line no: 'if'
static void if_else_one_line()
{
	double *p;

	if (managed) (void)hipMallocManaged(&p, 8); else (void)hipMalloc(&p, 8);
	sum_up("if_else_one_line", p);
}

// style: else_if no: 'else'
static void else_if()
{
	double *p;

	if (!managed) {
		p = nullptr;
	} else
		(void)hipMallocManaged(&p, 8);
	sum_up("else_if", p);
}

// style: block_one_line edit
static void block_one_line()
{
	double *p;

	if (managed) { CHECK(hipMallocManaged(&p, 8)); } else { CHECK(hipMalloc(&p, 8)); }
	sum_up("block_one_line", p);
}

// style: condition edit
static void condition()
{
	double *p;

	if (hipMallocManaged(&p, 8) != hipSuccess) {
		printf("no memory\n");
		return;
	}
	sum_up("condition", p);
}

// style: condition_one_line edit
static void condition_one_line()
{
	double *p;

	if (hipMallocManaged(&p, 8)) return;
	sum_up("condition_one_line", p);
}

// style: condition_used no: 'if'
static void condition_used()
{
	double *p;

	if (hipMallocManaged(&p, 8) == hipSuccess) {
		sum_up("condition_used", p);
	} else {
		printf("no memory\n");
	}
}

// style: loop no: 'for'
static void loop()
{
	double *p;

	for (int i = 0; i < one; i++)
		CHECK(hipMallocManaged(&p, 8));
	sum_up("loop", p);
}

// style: loop_of_places no: not a name
static void loop_of_places()
{
	double *p[2];

	for (int i = 0; i <= one; i++) {
		CHECK(hipMallocManaged(&p[i], 8));
	}
	sum_up("loop_of_places", p[0]);
}

// style: do_while no: 'do'
static void do_while()
{
	double *p;

	do
		(void)hipMallocManaged(&p, 8);
	while (!one);
	sum_up("do_while", p);
}

// style: returned no: 'return'
static double *kept;
static hipError_t keep()
{
	return hipMallocManaged(&kept, 8);
}

static void returned()
{
	CHECK(keep());
	sum_up("returned", kept);
}

// style: comma edit
static void comma()
{
	size_t n;
	double *p;

	n = 8, (void)hipMallocManaged(&p, n);
	sum_up("comma", p);
}

// style: two_calls no: several times
static void two_calls()
{
	double *p, *q;

	CHECK(hipMallocManaged(&p, 8)); CHECK(hipMallocManaged(&q, 16));
	sum_up("two_calls", p);
	q[0] = p[0];
}

// style: at_file_scope no: outside of functions
static double *global;
static hipError_t made = hipMallocManaged(&global, 8);

static void at_file_scope()
{
	CHECK(made);
	sum_up("at_file_scope", global);
}

// style: member no: outside of functions
struct Member {
	double *data;
	hipError_t error = hipMallocManaged(&data, 8);
};

static void member()
{
	Member memory;

	sum_up("member", memory.data);
}

// style: initialised no: initialiser
static void initialised()
{
	double *p;
	hipError_t errors[] = {
		hipMallocManaged(&p, 8),
	};

	CHECK(errors[0]);
	sum_up("initialised", p);
}

// style: lambda edit
static void lambda()
{
	double *p;
	auto get = [&](size_t n) -> hipError_t {
		hipError_t error = hipMallocManaged(&p, n);
		return error;
	};

	CHECK(get(8));
	sum_up("lambda", p);
}

// style: lambda_one_line edit
static void lambda_one_line()
{
	double *p;
	auto get = [&] { CHECK(hipMallocManaged(&p, 8)); };

	get();
	sum_up("lambda_one_line", p);
}

// style: lambda_at_file_scope edit
static double *const table = [] {
	double *p;
	(void)hipMallocManaged(&p, 8);
	return p;
}();

static void lambda_at_file_scope()
{
	sum_up("lambda_at_file_scope", table);
}

// style: choice no: depends
static void choice()
{
	double *p;
	hipError_t error = managed ? hipMallocManaged(&p, 8) : hipMalloc(&p, 8);

	CHECK(error);
	sum_up("choice", p);
}

// style: short_circuit no: depends
static void short_circuit()
{
	double *p;
	bool good = managed && hipMallocManaged(&p, 8) == hipSuccess;

	if (good)
		sum_up("short_circuit", p);
}

// style: label edit
static void label()
{
	double *p;

	switch (one) {
	case 1: CHECK(hipMallocManaged(&p, 8));
		break;
	default:
		return;
	}
	sum_up("label", p);
}

// style: by_macro no: no call of hipMallocManaged
static void by_macro()
{
	double *p;

	ALLOCATE(p, 1);
	sum_up("by_macro", p);
}

// style: directive no: #pragma
static void directive()
{
	double *p;

#pragma omp masked
	(void)hipMallocManaged(&p, 8);
	sum_up("directive", p);
}

// style: conditional edit
static void conditional()
{
	double *p;

#ifdef NO_MANAGED
	if (managed) {
#else
	if (one) {
		CHECK(hipMallocManaged(&p, 8));
#endif
	}
	sum_up("conditional", p);
}

// style: in_try edit
static void in_try()
{
	double *p = nullptr;

	try {
		if (hipMallocManaged(&p, 8))
			throw std::bad_alloc();
	} catch (const std::bad_alloc &) {
		return;
	}
	sum_up("in_try", p);
}

// style: asserted no: follows
#define WHEN(condition) if (condition)
static void asserted()
{
	double *p;

	WHEN(managed)
		CHECK(hipMallocManaged(&p, 8));
	sum_up("asserted", p);
}

// style: of_c edit
// style: of_fortran no: Fortran
extern "C" double *of_c_memory(void);
extern "C" void of_fortran_memory(double **where);

static void of_c()
{
	sum_up("of_c", of_c_memory());
}

#ifdef WITH_FORTRAN
static void of_fortran()
{
	double *p;

	of_fortran_memory(&p);
	sum_up("of_fortran", p);
}
#endif

int main()
{
	plain(); checked(); declared(); two_lines(); raii(); raii_one_line(); templated(); wrapper(); of_new();
	if_else(); if_else_one_line(); else_if(); block_one_line(); condition(); condition_one_line(); condition_used();
	loop(); loop_of_places(); do_while(); returned(); comma(); two_calls(); at_file_scope(); member(); initialised();
	lambda(); lambda_one_line(); lambda_at_file_scope(); choice(); short_circuit(); label(); by_macro(); directive();
	conditional(); in_try(); asserted(); of_c();
#ifdef WITH_FORTRAN
	of_fortran();
#endif
	return 0;
}
