# SPDX-License-Identifier: Apache-2.0
# needs c++ make
# A C++ project of several files, built in parallel.
cat >Makefile <<'M'
all: program
program: a.o b.o c.o d.o
	c++ -o $@ $^
%.o: %.cc
	c++ -std=c++17 -O2 -g -c $<
M
for part in a b c; do
	cat >$part.cc <<C
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
std::string $part(const std::string &text)
{
	std::map<std::string, int> words;
	std::regex word("[a-z]+");
	for (auto i = std::sregex_iterator(text.begin(), text.end(), word); i != std::sregex_iterator(); ++i)
		words[i->str()]++;
	std::ostringstream out;
	for (const auto &w : words) out << "$part" << w.first << w.second << ' ';
	return out.str();
}
C
done
cat >d.cc <<'C'
#include <iostream>
#include <string>
#include <stdexcept>
std::string a(const std::string &), b(const std::string &), c(const std::string &);
int main()
{
	try {
		std::cout << a("one two one") << b("two two") << c("x y z") << std::endl;
		throw std::runtime_error("thrown");
	} catch (const std::exception &e) { std::cout << e.what() << std::endl; }
}
C
make -j2 >/dev/null && ./program && cksum program
