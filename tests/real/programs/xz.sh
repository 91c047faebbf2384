# SPDX-License-Identifier: Apache-2.0
# fast
# needs xz
seq 300000 >text
xz -T4 --block-size=300000 -1 -k text && xz -dc text.xz | cmp - text && cksum text.xz
xz -t nothing.xz
echo $?
