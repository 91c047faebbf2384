# SPDX-License-Identifier: Apache-2.0
# needs go
# A static program, which nothing can be preloaded into, and the compiler that makes it.
cat >a.go <<'G'
package main

import ("fmt"; "os"; "sync")

func main() {
	var group sync.WaitGroup
	sums := make([]int, 8)
	for i := range sums {
		group.Add(1)
		go func(i int) { defer group.Done(); for _, b := range make([]byte, 100000) { sums[i] += int(b) + 1 } }(i)
	}
	group.Wait()
	fmt.Println(sums)
	os.Exit(3)
}
G
export GOCACHE="$PWD/cache" GOFLAGS=-mod=mod GO111MODULE=off CGO_ENABLED=0
go build -o a a.go && ./a
