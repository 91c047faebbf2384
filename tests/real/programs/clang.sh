# SPDX-License-Identifier: Apache-2.0
# needs clang-19
echo '#include <map>
#include <string>
int main() { std::map<std::string, int> m; m["a"] = 1; return (int)m.size(); }' >a.cc
clang-19 -O2 -g -c a.cc && cksum a.o
