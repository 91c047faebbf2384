# SPDX-License-Identifier: Apache-2.0
# fast
# needs zstd
seq 1000000 >text
zstd -q -T3 -5 text && zstd -dc text.zst | cmp - text && zstd -t -q text.zst && echo fine
