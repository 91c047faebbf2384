# SPDX-License-Identifier: Apache-2.0
# needs cmake ninja c++
# A C++ project of generated files, in parallel.
echo 'cmake_minimum_required(VERSION 3.10)
project(p CXX)
set(CMAKE_BUILD_TYPE Release)
foreach(n RANGE 1 6)
  file(WRITE ${CMAKE_BINARY_DIR}/f${n}.cc "#include <map>\n#include <string>\nint f${n}() { std::map<std::string, int> m; m[\"${n}\"] = ${n}; return m.begin()->second; }\n")
  list(APPEND files ${CMAKE_BINARY_DIR}/f${n}.cc)
endforeach()
add_library(l STATIC ${files})
add_executable(e e.cc)
target_link_libraries(e l)' >CMakeLists.txt
echo '#include <iostream>
int f1(), f6(); int main() { std::cout << f1() + f6() << std::endl; }' >e.cc
cmake -G Ninja -S . -B b >log 2>&1 && ninja -C b -j 4 >log && b/e && cksum b/f3.cc && ninja -C b | tail -n 1
