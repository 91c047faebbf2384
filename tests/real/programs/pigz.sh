# SPDX-License-Identifier: Apache-2.0
# needs pigz
seq 1000000 >text
pigz -p 4 -n -k text && pigz -dc text.gz | cmp - text && cksum text.gz
