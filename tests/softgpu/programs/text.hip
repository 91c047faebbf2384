// SPDX-License-Identifier: Apache-2.0
// Strings, checksums, hashes and ciphers.
#include "program.h"

#include <string>

static std::string prose(int n)
{
	std::string s;

	for (int i = 0; i < n; i++)
		s += "abca"[hash32(i) % 4];
	return s;
}

static std::vector<char> chars(const std::string &s)
{
	return std::vector<char>(s.begin(), s.end());
}

// ---- search: compared at each place ----

__global__ void naive_kernel(const char *text, int n, const char *word, int m, int *count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;

	if (i + m > n)
		return;
	while (k < m && text[i + k] == word[k])
		k++;
	if (k == m)
		atomicAdd(count, 1);
}

static std::vector<int> occurrences(const std::string &text, const std::string &word)
{
	int count = 0;

	for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
		count++;
	return { count };
}

static bool search(void)
{
	std::string text = prose(5000), word = "abcaa";
	device<char> dt(chars(text)), dw(chars(word));
	device<int> count(1);

	naive_kernel<<<groups(text.size(), 256), 256>>>(dt, (int)text.size(), dw, (int)word.size(), count);
	return same(count.get(), occurrences(text, word));
}

// ---- search: Knuth-Morris-Pratt, a stretch per work-item, failure table in constant memory ----

__constant__ int failure[16];
__constant__ char pattern[16];

__global__ void kmp_kernel(const char *text, int n, int m, int stretch, int *count)
{
	int first = (blockIdx.x * blockDim.x + threadIdx.x) * stretch, k = 0, found = 0;
	int end = min(first + stretch + m - 1, n);

	for (int i = first; i < end; i++) {
		while (k && pattern[k] != text[i])
			k = failure[k - 1];
		if (pattern[k] == text[i])
			k++;
		if (k == m) {
			found++;
			k = failure[k - 1];
		}
	}
	if (found)
		atomicAdd(count, found);
}

static bool kmp(void)
{
	std::string text = prose(6000), word = "aabaa";
	int m = (int)word.size(), table[16] = {};

	for (int i = 1, k = 0; i < m; table[i++] = k) {
		while (k && word[k] != word[i])
			k = table[k - 1];
		k += word[k] == word[i];
	}
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(failure), table, sizeof(table)));
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(pattern), word.data(), word.size()));
	device<char> dt(chars(text));
	device<int> count(1);

	kmp_kernel<<<groups(text.size(), 64 * 50), 64>>>(dt, (int)text.size(), m, 50, count);
	return same(count.get(), occurrences(text, word));
}

// ---- crc32 by table and bit by bit ----

__global__ void crc_kernel(const uint8_t *data, int length, uint32_t *by_table, uint32_t *by_bit)
{
	__shared__ uint32_t table[256];
	int t = threadIdx.x;
	uint32_t c = t, a = ~0u, b = ~0u;

	for (int k = 0; k < 8; k++)
		c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
	table[t] = c;
	__syncthreads();
	data += (blockIdx.x * blockDim.x + t) * length;
	for (int i = 0; i < length; i++) {
		a = table[(a ^ data[i]) & 255] ^ a >> 8;
		b ^= data[i];
		for (int k = 0; k < 8; k++)
			b = b >> 1 ^ (0u - (b & 1) & 0xedb88320u);
	}
	by_table[blockIdx.x * blockDim.x + t] = ~a;
	by_bit[blockIdx.x * blockDim.x + t] = ~b;
}

static bool crc32(void)
{
	const int n = 256, length = 9;
	std::vector<uint8_t> data(n * length);
	std::vector<uint32_t> want(n);

	for (size_t i = 0; i < data.size(); i++)
		data[i] = i < 9 ? (uint8_t)('1' + i) : (uint8_t)hash32(i);
	for (int i = 0; i < n; i++) {
		uint32_t c = ~0u;

		for (int j = 0; j < length; j++) {
			c ^= data[i * length + j];
			for (int k = 0; k < 8; k++)
				c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
		}
		want[i] = ~c;
	}
	device<uint8_t> dd(data);
	device<uint32_t> a(n), b(n);

	crc_kernel<<<1, n>>>(dd, length, a, b);
	return same(a.get(), want) && same(b.get(), want) && want[0] == 0xcbf43926u;
}

// ---- sha256 of short messages ----

__constant__ uint32_t round_constant[64];

__host__ __device__ static inline uint32_t rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

__host__ __device__ static void sha_block(uint32_t *h, const uint8_t *block, const uint32_t *k)
{
	uint32_t w[64], s[8];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 |
		       block[4 * i + 3];
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
	for (int i = 0; i < 8; i++)
		s[i] = h[i];
	for (int i = 0; i < 64; i++) {
		uint32_t a = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
			     ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
		uint32_t b = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
			     ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		for (int j = 7; j; j--)
			s[j] = s[j - 1];
		s[4] += a;
		s[0] = a + b;
	}
	for (int i = 0; i < 8; i++)
		h[i] += s[i];
}

__host__ __device__ static void sha(const uint8_t *message, int length, uint32_t *h, const uint32_t *k,
				    const uint32_t *start)
{
	uint8_t block[64];

	for (int i = 0; i < 8; i++)
		h[i] = start[i];
	for (int i = 0; i < 64; i++)
		block[i] = i < length ? message[i] : i == length ? 0x80 : 0;
	block[62] = (uint8_t)(length * 8 >> 8);
	block[63] = (uint8_t)(length * 8);
	sha_block(h, block, k);
}

struct start_state {
	uint32_t h[8];
};

__global__ void sha_kernel(const uint8_t *messages, int length, uint32_t *out, start_state start)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	sha(messages + i * length, length, out + 8 * i, round_constant, start.h);
}

// Fractional bits of a root of the first primes: their definition (FIPS 180-4).
static uint32_t root_bits(int prime, bool cube)
{
	long double r = cube ? cbrtl((long double)prime) : sqrtl((long double)prime);

	return (uint32_t)((r - floorl(r)) * 4294967296.0L);
}

static bool sha256(void)
{
	const int n = 128, length = 3;
	uint32_t k[64];
	start_state start;
	std::vector<uint8_t> messages(n * length);
	std::vector<uint32_t> want(8 * n);

	for (int i = 0, p = 2; i < 64; p++) {
		bool prime = true;

		for (int d = 2; d * d <= p; d++)
			prime &= p % d != 0;
		if (!prime)
			continue;
		if (i < 8)
			start.h[i] = root_bits(p, false);
		k[i++] = root_bits(p, true);
	}
	for (size_t i = 0; i < messages.size(); i++)
		messages[i] = i < 3 ? (uint8_t)('a' + i) : (uint8_t)hash32(i);
	for (int i = 0; i < n; i++)
		sha(&messages[i * length], length, &want[8 * i], k, start.h);
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(round_constant), k, sizeof(k)));
	device<uint8_t> dm(messages);
	device<uint32_t> out(8 * n);

	sha_kernel<<<2, n / 2>>>(dm, length, out, start);
	return same(out.get(), want) && want[0] == 0xba7816bfu && want[7] == 0xf20015adu;
}

// ---- a cipher of additions, rotations and exclusive-ors, with its inverse ----

__global__ void tea_kernel(uint2 *data, uint4 key, bool back)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t x = data[i].x, y = data[i].y, sum = back ? 0xc6ef3720u : 0;

	for (int round = 0; round < 32; round++) {
		if (!back) {
			sum += 0x9e3779b9u;
			x += (y << 4) + key.x ^ y + sum ^ (y >> 5) + key.y;
			y += (x << 4) + key.z ^ x + sum ^ (x >> 5) + key.w;
		} else {
			y -= (x << 4) + key.z ^ x + sum ^ (x >> 5) + key.w;
			x -= (y << 4) + key.x ^ y + sum ^ (y >> 5) + key.y;
			sum -= 0x9e3779b9u;
		}
	}
	data[i] = make_uint2(x, y);
}

static bool cipher(void)
{
	const int n = 192;
	uint4 key = make_uint4(0, 0, 0, 0);
	std::vector<uint2> plain(n);

	for (int i = 0; i < n; i++)
		plain[i] = i ? make_uint2(hash32(i), hash32(i + n)) : make_uint2(0, 0);
	device<uint2> data(plain);

	tea_kernel<<<3, 64>>>(data, key, false);
	std::vector<uint2> secret = data.get();

	tea_kernel<<<3, 64>>>(data, key, true);
	std::vector<uint2> back = data.get();

	// The published vector: zero under the zero key.
	return secret[0].x == 0x41ea3a0au && secret[0].y == 0x94baa940u &&
	       !memcmp(back.data(), plain.data(), n * sizeof(uint2));
}

static const program programs[] = {
	{ "search", search },
	{ "kmp", kmp },
	{ "crc32", crc32 },
	{ "sha256", sha256 },
	{ "cipher", cipher },
	{},
};
MAIN(programs)
