// SPDX-License-Identifier: Apache-2.0
/*
 * Loops around compare-and-swaps that store a number if it is smaller, or larger, than what memory holds; and some that look
 * alike. Lines "//! KERNEL VARIANTS: SPEC" as in kernels.hip. Needs no header, so that any compiler can build it for any
 * processor.
 */
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define ORDER  __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT

typedef unsigned long long word;

DEVICE static inline int thread()
{
	return (int)__builtin_amdgcn_workitem_id_x();
}

template <class T> DEVICE static inline T load(T *from)
{
	return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

template <class T> DEVICE static inline bool swap(T *to, T *old, T value)
{
	return __hip_atomic_compare_exchange_strong(to, old, value, ORDER);
}

/* ---- an early exit ---- */

//! max_float *-O0@17: miscompiled
//! max_float *-O[123]: cas-max f32 direct 0
//! max_float *-O0: cas-min-or-max f32 direct 0
KERNEL max_float(float *to, float value)
{
	float old = load(to);

	while (old < value && !swap(to, &old, value))
		;
}

// By an instruction, which has another name on gfx12.
//! max_by_function *-O0@17: miscompiled
//! max_by_function *: cas-max f32 direct 0
KERNEL max_by_function(float *to, float value)
{
	float old = load(to);

	while (!swap(to, &old, __builtin_fmaxf(old, value)))
		;
}

//! min_float *-O0@17: miscompiled
//! min_float *-O[123]: cas-min f32 direct 0
//! min_float *-O0: cas-min-or-max f32 direct 0
KERNEL min_float(float *to, float value)
{
	float old = load(to);

	while (value < old && !swap(to, &old, value))
		;
}

//! max_double *-O[123]: cas-max f64 direct 0
//! max_double *-O0: cas-min-or-max f64 direct 0
KERNEL max_double(double *to, double value)
{
	double old = load(to);

	while (value > old && !swap(to, &old, value))
		;
}

//! min_double *-O[123]: cas-min f64 direct 0
//! min_double *-O0: cas-min-or-max f64 direct 0
KERNEL min_double(double *to, double value)
{
	double old = load(to);

	while (old >= value && !swap(to, &old, value))
		;
}

/* Each lane has numbers of its own. */
//! max_of_lanes *-O[123]: cas-max f64 direct 0
//! max_of_lanes *-O0: ? cas-min-or-max f64 direct 0
//! max_of_lanes *-O0: ? swap i64 direct 0
KERNEL max_of_lanes(double *to, const double *from, int n)
{
	for (int i = thread(); i < n; i += 64) {
		double value = from[i], old = load(to + i % 7);

		while (old < value && !swap(to + i % 7, &old, value))
			;
	}
}

/* Not a number is replaced, too. */
//! min_or_nothing *-O0@17: miscompiled
//! min_or_nothing *-O[123]: cas-min f32 direct 0
//! min_or_nothing *-O0: cas-min-or-max f32 direct 0
KERNEL min_or_nothing(float *to, float value)
{
	float old = load(to);

	while (!(old <= value) && !swap(to, &old, value))
		;
}

//! left_in_the_middle *-O0@17: miscompiled
//! left_in_the_middle *-O[123]: cas-max f32 direct 0
//! left_in_the_middle *-O0: cas-min-or-max f32 direct 0
KERNEL left_in_the_middle(float *to, const float *from)
{
	float value = from[thread()], old = load(to);

	for (;;) {
		if (old >= value)
			break;
		if (swap(to, &old, value))
			break;
	}
}

//! old_value_returned *-O[123]: cas-max f64 direct 0
//! old_value_returned *-O0: cas-min-or-max f64 direct 0
KERNEL old_value_returned(double *to, double *result, double value)
{
	double old = load(to);

	while (old < value && !swap(to, &old, value))
		;
	result[thread()] = old;
}

/* A word whose bits are the number's. */
//! bits_of_a_word *-O[123]: cas-max f64 direct 0
//! bits_of_a_word *-O0: cas-min-or-max f64 direct 0
KERNEL bits_of_a_word(word *to, double value)
{
	word old = load(to);

	while (__builtin_bit_cast(double, old) < value) {
		word assumed = old;

		swap(to, &old, __builtin_bit_cast(word, value));
		if (assumed == old)
			break;
	}
}

/* Loop and comparison twice in the machine code. */
//! unrolled *-O0@17: miscompiled
//! unrolled *-O[123]: cas-min f32 direct 0
//! unrolled *-O[123]: ? cas-min-or-max f32 direct 0
//! unrolled *-O[123]: ? swap i32 direct 0
//! unrolled *-O0: cas-min-or-max f32 direct 0
KERNEL unrolled(float *to, float value)
{
	float old = load(to);

#pragma unroll 4
	for (int i = 0; i < 1 << 20; i++)
		if (!(value < old) || swap(to, &old, value))
			break;
}

/* ---- a selection ---- */

//! chosen_max *-O0@17: miscompiled
//! chosen_max *-O[123]: cas-max f64 direct 0
//! chosen_max *-O0: ? cas-max f64 direct 0
//! chosen_max *-O0: ? swap i64 direct 0
KERNEL chosen_max(double *to, double value)
{
	double old = load(to);

	while (!swap(to, &old, old < value ? value : old))
		;
}

//! chosen_min *-O0@17: miscompiled
//! chosen_min *-O[123]: cas-min f32 direct 0
//! chosen_min *-O0: ? cas-min f32 direct 0
//! chosen_min *-O0: ? swap i32 direct 0
KERNEL chosen_min(float *to, float value)
{
	float old = load(to);

	while (!swap(to, &old, value < old ? value : old))
		;
}

/* As libraries do it: both. */
//! exit_and_choice *-O0@17: miscompiled
//! exit_and_choice *-O[123]: cas-max f64 direct 0
//! exit_and_choice *-O0: ? cas-min-or-max f64 direct 0
//! exit_and_choice *-O0: ? swap i64 direct 0
KERNEL exit_and_choice(double *to, double value)
{
	double old = load(to), assumed;

	do {
		if (!(value > old))
			break;
		assumed = old;
		swap(to, &old, old < value ? value : old);
	} while (assumed != old);
}

/* ---- integers ---- */

//! max_int *-O0@17: miscompiled
//! max_int *-O[123]: cas-max i32 direct 0
//! max_int *-O0: cas-min-or-max i32 direct 0
KERNEL max_int(int *to, int value)
{
	int old = load(to);

	while (old < value && !swap(to, &old, value))
		;
}

//! min_unsigned *-O[123]: cas-min i64 direct 0
//! min_unsigned *-O0: cas-min-or-max i64 direct 0
KERNEL min_unsigned(word *to, word value)
{
	word old = load(to);

	while (old > value && !swap(to, &old, value))
		;
}

/* The order of positive numbers is that of their bits. */
//! native_by_sign *: native i32 direct 0
KERNEL native_by_sign(float *to, float value)
{
	if (value >= 0)
		__hip_atomic_fetch_max((int *)to, __builtin_bit_cast(int, value), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	else
		__hip_atomic_fetch_min((unsigned *)to, __builtin_bit_cast(unsigned, value), __ATOMIC_RELAXED,
				       __HIP_MEMORY_SCOPE_AGENT);
}

/* ---- others ---- */

//! exchanged *: swap i64 direct 0
KERNEL exchanged(double *to, double value)
{
	double old = load(to);

	while (!swap(to, &old, value))
		;
}

/* What is stored is not what was compared. */
//! other_number *-O0@17: miscompiled
//! other_number *: swap i32 direct 0
KERNEL other_number(float *to, float limit, float value)
{
	float old = load(to);

	while (old < limit && !swap(to, &old, value))
		;
}

/* What is compared is not what memory held. */
//! other_condition *-O0@17: miscompiled
//! other_condition *: swap i32 direct 0
KERNEL other_condition(float *to, const float *from, float value)
{
	float old = load(to);

	while (from[thread()] < value && !swap(to, &old, value))
		;
}

/* The number is half of the word; the other half tells whose it is. */
//! largest_of_all *-O[123]: cas-other f32 direct 0
//! largest_of_all *-O0: swap i64 direct 0
KERNEL largest_of_all(word *to, float value)
{
	word old = load(to), mine = (word)__builtin_bit_cast(unsigned, value) << 32 | (unsigned)thread();

	while (__builtin_bit_cast(float, (unsigned)(old >> 32)) < value && !swap(to, &old, mine))
		;
}

struct node {
	struct node *next;
};

//! pushed *: swap i64 direct 0
KERNEL pushed(struct node **head, struct node *nodes)
{
	struct node *mine = nodes + thread(), *old = load(head);

	do
		mine->next = old;
	while (!swap(head, &old, mine));
}

/* The largest number takes the lock. */
//! locked *-O0@17: miscompiled
//! locked *-O[123]: lock i32 direct 0
//! locked *-O0: ? lock i32 direct 0
//! locked *-O0: ? swap i32 direct 0
KERNEL locked(int *lock, float *to, float value)
{
	for (bool done = false; !done;) {
		int open = 0;

		if (swap(lock, &open, 1)) {
			if (to[0] < value)
				to[0] = value;
			__hip_atomic_store(lock, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
			done = true;
		}
	}
}

/* ---- two numbers in a word ---- */

typedef _Float16 halves __attribute__((ext_vector_type(2)));

//! max_halves *-O0@17: miscompiled
//! max_halves *-O[123]: cas-max pk_f16 direct 0
//! max_halves *-O0: ? cas-max pk_f16 direct 0
//! max_halves *-O0: ? swap i32 direct 0
KERNEL max_halves(unsigned *to, halves value)
{
	unsigned old = load(to);

	while (!swap(to, &old, __builtin_bit_cast(unsigned, __builtin_elementwise_max(__builtin_bit_cast(halves, old), value))))
		;
}

//! min_halves *-O0@17: miscompiled
//! min_halves *-O[123]: cas-min pk_f16 direct 0
//! min_halves *-O0: ? cas-min pk_f16 direct 0
//! min_halves *-O0: ? swap i32 direct 0
KERNEL min_halves(unsigned *to, halves value)
{
	unsigned old = load(to);

	while (!swap(to, &old, __builtin_bit_cast(unsigned, __builtin_elementwise_min(__builtin_bit_cast(halves, old), value))))
		;
}

DEVICE static inline float upper(unsigned word)
{
	return __builtin_bit_cast(float, word & 0xffff0000u);
}

DEVICE static inline float lower(unsigned word)
{
	return __builtin_bit_cast(float, word << 16);
}

DEVICE static inline unsigned rounded(float number)
{
	unsigned bits = __builtin_bit_cast(unsigned, number);

	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

// At -O0 the masks lie in registers.
//! add_bf16 *-O0@17: miscompiled
//! add_bf16 *-O[123]: cas-add pk_bf16 direct 0
//! add_bf16 *-O0: cas-other f32 direct 0
KERNEL add_bf16(unsigned *to, unsigned value)
{
	unsigned old = load(to);

	while (!swap(to, &old, rounded(lower(old) + lower(value)) | rounded(upper(old) + upper(value)) << 16))
		;
}

//! max_bf16 *-O0@17: miscompiled
//! max_bf16 *-O[123]: cas-max pk_bf16 direct 0
//! max_bf16 *-O0: cas-other f32 direct 0
KERNEL max_bf16(unsigned *to, unsigned value)
{
	unsigned old = load(to);

	while (!swap(to, &old,
		     rounded(__builtin_fmaxf(lower(old), lower(value))) | rounded(__builtin_fmaxf(upper(old), upper(value))) << 16))
		;
}

/* The lower half becomes the sum of both and of another number. */
//! lower_bf16 *-O0@17: miscompiled
//! lower_bf16 *-O[123]: cas-other f32 direct 0
//! lower_bf16 *-O0: ? cas-other f32 direct 0
//! lower_bf16 *-O0: ? swap i32 direct 0
KERNEL lower_bf16(unsigned *to, float value)
{
	unsigned old = load(to);

	while (!swap(to, &old, rounded(lower(old) + value + upper(old)) | (old & 0xffff0000u)))
		;
}
