/* SPDX-License-Identifier: Apache-2.0 */
/* A program with much debug information in one unit: many instances of large templates. */
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#ifndef INSTANCES
#define INSTANCES 150
#endif

namespace heavy
{

template <int number> struct item {
	int key = number;
	std::string text;
	bool operator<(const item &other) const
	{
		return key < other.key;
	}
};

template <int number> int work(int seed)
{
	std::mt19937 random(seed + number);
	std::vector<item<number>> items(16);
	std::map<int, item<number>> tree;
	std::unordered_map<std::string, std::shared_ptr<item<number>>> table;
	std::function<int(const item<number> &)> weight = [](const item<number> &i) {
		return i.key * number;
	};

	for (auto &one : items) {
		one.key = (int)(random() % 1000);
		one.text = std::to_string(one.key);
		tree[one.key] = one;
		table[one.text] = std::make_shared<item<number>>(one);
	}
	std::sort(items.begin(), items.end());
	std::stable_sort(
	    items.begin(), items.end(), [](const auto &a, const auto &b) { return b < a; });
	return std::accumulate(items.begin(), items.end(), (int)tree.size() + (int)table.size(),
			       [&](int sum, const auto &one) { return sum + weight(one); });
}

template <int... numbers> int all(int seed, std::integer_sequence<int, numbers...>)
{
	return (work<numbers>(seed) + ...);
}

} // namespace heavy

int main(int argc, char **)
{
	std::string text =
	    std::to_string(heavy::all(argc, std::make_integer_sequence<int, INSTANCES>()));

	std::printf("%d\n", (int)std::regex_match(text, std::regex("-?[0-9]+")));
	return 0;
}
