# SPDX-License-Identifier: Apache-2.0
# fish completion of hipgrain(1). Verbs and options come from hipgrain's own help.

function __hipgrain_verbs
    hipgrain --help 2>/dev/null | string replace -rf '^  ([a-z]+) +(.*)' '$1\t$2'
end

function __hipgrain_options
    set -l words (commandline -opc)
    hipgrain help $words[2] 2>/dev/null | string replace -rf '^ +(?:-[a-zA-Z], )?(--[a-z][a-z-]*).*' '$1'
end

complete -c hipgrain -n 'test (count (commandline -opc)) -eq 1' -f -a '(__hipgrain_verbs)'
complete -c hipgrain -n 'test (count (commandline -opc)) -gt 1; and string match -q -- "-*" (commandline -ct)' -a '(__hipgrain_options)'
