# SPDX-License-Identifier: Apache-2.0
# fast
# needs git
git init -q -b main r && cd r || exit 1
for n in 1 2 3 4 5 6; do
	seq $((n * 1000)) >file$n
	git add . && git commit -qm "commit $n"
done
git checkout -q -b other HEAD~3 && echo x >x && git add x && git commit -qm x && git merge -q -m merged main
git log --oneline --stat
git gc -q && git fsck --full && git clone -q . ../copy && git -C ../copy rev-parse HEAD
git grep -c 99 | tail -n 3
git archive HEAD | cksum
