// SPDX-License-Identifier: Apache-2.0
/*
 * Addresses that are reached through pointers in memory. Lines "//! KERNEL VARIANTS: SPEC" as in kernels.hip;
 * "paths ROOT>STEP>STEP:rwa ... [incomplete]": the kernel's accesses by paths, ROOT being the byte of an argument or a
 * variable, STEP an offset, REMAINDER/STRIDE or "any", with "*" if it may be repeated, with "!" if the work-item has stored there before. Needs no header, so that any compiler can build it
 * for any processor. "stores PATH = VALUE..., PATH = unknown ... [incomplete]" (":=" if it is executed for certain): where the kernel stores, and what, as far as
 * pointers and constants are concerned. "ranges ...": as "paths", with what is known of how far an index leads: STEP[FIRST..LAST].
 * "members NAME>NAME ...": of the same paths what each step leads to by the debug information, "-" where that has no name.
 */
#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define GLOBAL __attribute__((address_space(1)))
#define ADD(p) __hip_atomic_fetch_add((int *)(p), 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)

typedef unsigned long long word;

struct view {
	int *data, count;
};

struct particles {
	word pad[3];
	int *energy;
	int **rows;
	struct particles *next;
	struct view view;
};

struct node {
	int value;
	struct node *left, *right;
};

struct task {
	word pad[2];
	int *cells;
	word rest[4];
};

struct tasks {
	struct task *list;
	int which, other;
};

struct functor {
	int count;
	struct view value, *reference;
};

DEVICE static inline int thread()
{
	return (int)__builtin_amdgcn_workitem_id_x();
}

//! member *: native i32 indirect 0
//! member *: paths 0>24>0:a
//! member paths-O*: members energy>-
KERNEL member(struct particles *s)
{
	ADD(s->energy);
}

// What is multiplied by the size of a structure is its number, whatever that was computed from.
//! numbered *: native i32 indirect 0
//! numbered paths-O0: paths 0>0>0/8:r 0>0>0/8>0:a
//! numbered paths-O2: paths 0>0>16/56:r 0>0>16/56>0:a
//! numbered paths-O2: members list>cells list>cells>-
KERNEL numbered(struct tasks *t)
{
	ADD(t->list[t->which ^ t->other ^ thread()].cells);
}

// A pointer that may be null leads where it leads if it is not.
//! null_or_member *: native i32 indirect 0
//! null_or_member *: paths 0>40>24:r 0>40>24>0:a
//! null_or_member paths-O*: members next>energy next>energy>-
KERNEL null_or_member(struct particles *s, int any)
{
	struct particles *from = nullptr;

	if (any)
		from = s->next;
	asm volatile("" ::: "memory");
	ADD(from->energy);
}

// The same with an index, where the null pointer is a number as the index is; and of an argument and LDS.
//! null_or_element *: native i32 indirect 0
//! null_or_element *: paths 0>40>24:r 0>40>24>0/4:a
KERNEL null_or_element(struct particles *s, int any, int i)
{
	int *from = any ? s->next->energy : nullptr;

	asm volatile("" : "+v"(i));
	ADD(from + i);
}
//! null_or_argument *: native i32 direct 0
KERNEL null_or_argument(int *a, int any, int i)
{
	int *from = any ? a : nullptr;

	asm volatile("" : "+v"(from), "+v"(i));
	ADD(from + i);
}

// A pointer that was stored before a number is stored at a computed place in private memory, which is one of the array beside it.
//! after_array *: native i32 direct 0
KERNEL after_array(int *a, const int *from, int i)
{
	int *volatile place;
	volatile int array[8];

	array[i & 7] = from[i];
	place = a;
	array[i + 1 & 7] = i;
	ADD(place + i);
}
// One of the pointers in private memory may have been replaced by another one.
//! replaced *: native i32 unknown
KERNEL replaced(int *a, int *b, int i)
{
	int *volatile array[2];

	array[0] = a;
	array[1] = a;
	array[i] = b;
	ADD(array[0]);
}

//! rows *: native i32 indirect 0
//! rows *: paths 0>0/8>0/4:a
KERNEL rows(int **r, int i, int j)
{
	ADD(r[i] + j);
}

//! first_row *: paths 0>0>0/4:a
//! first_row *: native i32 indirect 0
KERNEL first_row(int **r)
{
	ADD(r[0] + thread());
}

//! deep *: native i32 indirect 0
//! deep *: paths 0>40>40:r 0>40>40>32:r 0>40>40>32>0/8:r 0>40>40>32>0/8>12:a
KERNEL deep(struct particles *s, int i)
{
	ADD(&s->next->next->rows[i][3]);
}

//! list *: native i32 indirect 0
//! list *: paths 0>24:r 0>40:r 0>24>0:a 0>40>40*>24:r 0>40>40*>40:r 0>40>40*>24>0:a
KERNEL list(struct particles *s)
{
	for (; s; s = s->next)
		ADD(s->energy);
}

//! tree *-O0@17: miscompiled
//! tree *: native i32 indirect 0
//! tree *: paths 0>0:ra 0>8:r 0>16:r 0>8>8*>16*>0:ra 0>8>8*>16*>8:r 0>8>8*>16*>16:r 0>16>8*>16*>0:ra 0>16>8*>16*>8:r 0>16>8*>16*>16:r
KERNEL tree(struct node *n, int x)
{
	while (n) {
		ADD(&n->value);
		n = n->value < x ? n->left : n->right;
	}
}

DEVICE int *kept;
//! of_variable *: native i32 indirect kept
//! of_variable *: paths kept>0>0/4:a
KERNEL of_variable()
{
	ADD(kept + thread());
}

__attribute__((constant)) int *table[4];
//! of_table *: native i32 indirect table
//! of_table *: paths table>0/8>0/4:a
KERNEL of_table(int i)
{
	ADD(table[i] + thread());
}

//! by_value *: native i32 direct 8
//! by_value *: paths
KERNEL by_value(struct functor f)
{
	ADD(&f.value.data[thread()]);
}

//! by_reference *: native i32 indirect 24
//! by_reference *: paths 24>0>0/4:a
KERNEL by_reference(struct functor f)
{
	ADD(&f.reference->data[thread()]);
}

//! either *-O0@17: miscompiled
//! either *: native i32 indirect 0,8
//! either *: paths 0>8>20:a 8>16>20:a
KERNEL either(int **a, int **b, bool c)
{
	ADD((c ? a[1] : b[2]) + 5);
}

//! argument_or_loaded *-O0@17: miscompiled
//! argument_or_loaded *: native i32 indirect 0,8
//! argument_or_loaded *: paths 0>0:a 8>16>0:a
KERNEL argument_or_loaded(int *a, int **b, bool c)
{
	ADD(c ? a : b[2]);
}

//! swapped *: native i32 indirect 0
//! swapped *-O0: ? paths 0>0>0:a 0>0>0/4:a 0>8>0/4:a
//! swapped *-O0: ? paths 0>0>0/4:a 0>8>0/4:a
//! swapped *-O0: ? paths 0>0>any:a 0>0>0/4:a 0>8>0/4:a
//! swapped *-O[123]@-16: paths 0>0>0:a 0>0>4:a 0>0>0/4:a 0>8>0:a 0>8>4:a 0>8>0/4:a
// clang 17 has more of the first turns apart.
//! swapped *-O[123]@17: paths 0>0>0:a 0>0>4:a 0>0>8:a 0>0>0/4:a 0>8>0:a 0>8>4:a 0>8>8:a 0>8>0/4:a
//! swapped *-O[123]@18-: paths 0>0>0:a 0>0>4:a 0>0>0/4:a 0>8>0:a 0>8>4:a 0>8>0/4:a
KERNEL swapped(int **a, int n)
{
	int *x = a[0], *y = a[1], *t;

	for (int i = 0; i < n; i++) {
		ADD(x + i);
		t = x;
		x = y;
		y = t;
	}
}

/* One load makes the round and the beginning; what the other one adds must not get lost. */
//! hop *: native i32 indirect 0
//! hop *: paths 0>0:a 0>8:r 0>8>8*>16*>0:a 0>8>8*>16*>8:r 0>8>8*>16*>16:r
KERNEL hop(struct node *n, int k)
{
	for (int i = 0; i < k; i++)
		n = n->left->right;
	ADD(&n->value);
}

struct box {
	word pad;
	int *low;
	int *high;
};

/* Of the pointers in an array of structs only each third one. */
//! boxes *: native i32 indirect 0
//! boxes *-O0: paths 0>0/8>0:a
//! boxes *-O[123]: paths 0>8/24>0:a
KERNEL boxes(struct box *b, int i)
{
	ADD(b[i + thread()].low);
}

struct pair {
	int *left, *right;
};

//! pairs *: native i32 indirect 0
//! pairs *: paths 0>8/16>0:a
KERNEL pairs(struct pair *p, int i)
{
	ADD(p[i].right);
}

/* A distance within 32 bits that may have overflown is no multiple of 3. */
//! hashed *: native i32 indirect 0
//! hashed *: paths 0>0/8>0:a
KERNEL hashed(int **p, unsigned h)
{
	ADD(p[(h + (unsigned)thread()) * 3u]);
}

//! walk *: native i32 indirect 0
//! walk *-O[123]: paths 0>8>0:a 0>32>0:a 0>8/24>0:a
KERNEL walk(struct box *b, int n)
{
	for (int i = 0; i < n; i++)
		ADD(b[i].low);
}

/* What an atomic returns was put there by anybody. */
//! exchanged *: native i64 direct 0
//! exchanged *: native i32 indirect 0
//! exchanged *: paths incomplete
KERNEL exchanged(word *p, word q)
{
	ADD(__hip_atomic_exchange(p, q, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
}

//! disguised *: native i32 unknown
//! disguised *: paths incomplete
KERNEL disguised(word *p, word k)
{
	ADD(p[2] ^ k);
}

//! distance *: native i32 unknown
//! distance *: paths incomplete
KERNEL distance(char **p, word k, char *b)
{
	ADD(p[1] + (word)(b - p[1]) * k);
}

/* A distance of more than 4 GiB is no small number. */
//! far *: native i32 indirect 0
//! far *: paths 0>8>any:a
KERNEL far(char **p, word k)
{
	ADD(p[1] + (k << 32));
}

//! exchange *: stores 0>24 := 0>48>0, 0>48 := 0>24>0
//! exchange *: none
KERNEL exchange(struct particles *s)
{
	int *t = s->energy;

	s->energy = s->view.data;
	s->view.data = t;
}

//! put *: stores 0>48 := 16>12
//! put *: none
KERNEL put(struct particles *s, int i, int *p)
{
	s->view.data = p + 3;
}

//! sort_rows *: stores 0>0/8 := 0>0/8>0
//! sort_rows *: none
KERNEL sort_rows(int **r, int i)
{
	int *t = r[i];

	r[i] = r[i + 1];
	r[i + 1] = t;
}

//! make_rows *: stores 0>0/8 := 8>0/4
//! make_rows *: none
KERNEL make_rows(int **r, int *base, int pitch)
{
	r[thread()] = base + (word)pitch * thread();
}

//! end_list *: stores 0>8 :=
//! end_list *: none
KERNEL end_list(struct node *n)
{
	n->left = 0;
}

//! count_up *: stores 0>0 := 0>0>3
//! count_up *: none
KERNEL count_up(word *n)
{
	*n += 3;
}

struct halves { unsigned x, y; };

//! put_halves *: stores 0>8 := 8>0
//! put_halves *: none
KERNEL put_halves(volatile unsigned *to, struct halves p)
{
	to[2] = p.x;
	to[3] = p.y;
}

/* Two pointers' halves are no pointer. */
//! mix_halves *: stores 0>8 := unknown
//! mix_halves *: none
KERNEL mix_halves(volatile unsigned *to, struct halves p, struct halves q)
{
	to[2] = p.x;
	to[3] = q.y;
}

//! put_some *: stores 0>8 = unknown, 0>20 = unknown
//! put_some *: none
KERNEL put_some(volatile unsigned *to, struct halves p)
{
	to[2] = p.x;
	to[5] = p.y;
}

/* The upper half may be that of another launch. */
//! put_one_sure *: stores 0>8 = unknown, 0>12 = unknown
//! put_one_sure *: none
KERNEL put_one_sure(volatile unsigned *to, struct halves p, int n)
{
	to[2] = p.x;
	if (n)
		to[3] = p.y;
}

//! pointer_of_doubles *: stores 0>0/8 := unknown
//! pointer_of_doubles *: none
KERNEL pointer_of_doubles(double *a, double *b)
{
	a[thread()] = b[thread()] * 2;
}

//! masked *: ranges 0>0/8[0..56]>0:a
//! masked *: native i32 indirect 0
KERNEL masked(int **r, word i)
{
	ADD(r[i & 7]);
}

//! masked_int *: ranges 0>0/8[0..56]>0:a
//! masked_int *: native i32 indirect 0
KERNEL masked_int(int **r, int i)
{
	ADD(r[i & 7]);
}

//! field *: ranges 0>0/8[0..120]>8:a
//! field *: native i32 indirect 0
KERNEL field(int **r, unsigned i)
{
	ADD(r[i >> 3 & 15] + 2);
}

//! least *-O[123]: ranges 0>0/8[0..40]>0:a
//! least *: native i32 indirect 0
//! least *-O0@17: miscompiled
KERNEL least(int **r, unsigned i)
{
	ADD(r[i < 5 ? i : 5]);
}

struct three {
	int *p;
	word number;
	int *q;
};

//! of_structs *: ranges 0>16/24[16..88]>0:a
//! of_structs *: native i32 indirect 0
KERNEL of_structs(struct three *s, unsigned i)
{
	ADD(s[i & 3].q);
}

//! of_work_items *-O[123]: ranges 0>0/8[0..504]>0/4[0..252]:a
//! of_work_items *: native i32 indirect 0
__attribute__((amdgpu_flat_work_group_size(1, 64))) KERNEL of_work_items(int **r)
{
	ADD(r[thread()] + thread());
}

//! two_parts *: ranges 0>0/8[0..80]>0:a
//! two_parts *: native i32 indirect 0
KERNEL two_parts(int **r, unsigned i, unsigned j)
{
	ADD(r[(i & 7) + (j & 3)]);
}

/* Of these nothing is known, or not for all. */
//! unbounded *: ranges 0>0/8>0:a
//! unbounded *: native i32 indirect 0
KERNEL unbounded(int **r, unsigned i)
{
	ADD(r[i]);
}

//! ahead *: paths 0>0/8>0:a
//! ahead *: native i32 indirect 0
KERNEL ahead(int **r, int i)
{
	ADD(r[(i & 7) - 3]);
}

//! less *: ranges 0>0/8>0:a
//! less *: native i32 indirect 0
KERNEL less(int **r, unsigned i, unsigned j)
{
	ADD(r[(word)(i & 7) - (j & 3)]);
}

//! carried *: ranges 0>0/8>0:a
//! carried *: native i32 indirect 0
KERNEL carried(int **r, int *a, unsigned i, unsigned j)
{
	unsigned sum = i + j;

	ADD(r[(sum >> 29) + (sum < i)]);
}

//! counted *: ranges 0>0/8>0:a
//! counted *: native i32 indirect 0
KERNEL counted(int **r, unsigned i, unsigned n)
{
#pragma clang loop unroll(disable)
	for (i &= 7; i != n; i += 3)
		ADD(r[i]);
}

/* A pointer that the work-item stores itself before it loads it. */
//! stored_first *: native i32 indirect 0
//! stored_first *: paths 0>0!>0:a
KERNEL stored_first(int *volatile *slot, int *a)
{
	*slot = a;
	ADD(*slot);
}

//! stored_on_each_way *: native i32 indirect 0
//! stored_on_each_way *: paths 0>0!>0:a
KERNEL stored_on_each_way(int *volatile *slot, int *a, int *b, int n)
{
	if (thread() < n)
		*slot = a;
	else
		*slot = b;
	ADD(*slot);
}

//! stored_in_halves *: native i32 indirect 0
//! stored_in_halves *: paths 0>0!>0:a
KERNEL stored_in_halves(int *volatile *slot, word a)
{
	volatile unsigned *half = (volatile unsigned *)slot;

	half[0] = (unsigned)a;
	half[1] = (unsigned)(a >> 32);
	ADD(*slot);
}

DEVICE __attribute__((noinline)) void store(int *volatile *slot, int *a)
{
	*slot = a;
}

//! stored_by_a_function *: native i32 indirect 0
//! stored_by_a_function *: paths 0>0!>0:a
KERNEL stored_by_a_function(int *volatile *slot, int *a)
{
	store(slot, a);
	ADD(*slot);
}

/* In these some work-items load what others have stored, or what was there. */
//! stored_by_some *: native i32 indirect 0
//! stored_by_some *: paths 0>0>0:a
KERNEL stored_by_some(int *volatile *slot, int *a)
{
	if (thread() & 1)
		*slot = a;
	ADD(*slot);
}

//! stored_by_others *: native i32 indirect 0
//! stored_by_others *: paths 0>0>0:a
KERNEL stored_by_others(int *volatile *slot, int *a, int n)
{
	if (thread() < n)
		*slot = a;
	else
		ADD(*slot);
}

//! stored_in_rounds *: native i32 indirect 0
//! stored_in_rounds *: paths 0>0>0:a
KERNEL stored_in_rounds(int *volatile *slot, int *a, int n)
{
	for (int i = thread(); i < n; i++)
		*slot = a;
	ADD(*slot);
}

//! stored_behind *: native i32 indirect 0
//! stored_behind *: paths 0>0>0:a
KERNEL stored_behind(int *volatile *slot, int *a, int n)
{
	for (int i = thread(); i < n; i++) {
		ADD(*slot);
		*slot = a;
	}
}

//! half_stored *: native i32 indirect 0
//! half_stored *: paths 0>0>0:a
KERNEL half_stored(int *volatile *slot, unsigned a)
{
	*(volatile unsigned *)slot = a;
	ADD(*slot);
}

//! stored_beside *: native i32 indirect 0
//! stored_beside *: paths 0>0>0:a
KERNEL stored_beside(int *volatile *slot, int *a)
{
	slot[1] = a;
	ADD(*slot);
}

//! stored_through_another *: native i32 indirect 0
//! stored_through_another *: paths 0>0>0:a
KERNEL stored_through_another(int *volatile *slot, int *volatile *other, int *a)
{
	*other = a;
	ADD(*slot);
}

//! stored_at_an_index *: native i32 indirect 0
//! stored_at_an_index *: paths 0>0>0:a
KERNEL stored_at_an_index(int *volatile *slot, int *a, int i)
{
	slot[i] = a;
	ADD(*slot);
}
