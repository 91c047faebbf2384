# SPDX-License-Identifier: Apache-2.0
# needs cmake make cc
echo 'project(p C)
cmake_minimum_required(VERSION 3.10)
add_library(l SHARED l.c)
add_executable(e e.c)
target_link_libraries(e l)' >CMakeLists.txt
echo 'int l(void) { return 42; }' >l.c
echo '#include <stdio.h>
int l(void); int main(void) { printf("%d\n", l()); }' >e.c
cmake -S . -B b >/dev/null 2>&1 && make -C b >/dev/null && b/e
