# SPDX-License-Identifier: Apache-2.0
# fish completion of hipgrain(1). Verbs, options and values come from hipgrain itself.

function __hipgrain_verbs
    hipgrain --help 2>/dev/null | string replace -rf '^  ([a-z]+) +(.*)' '$1\t$2'
end

function __hipgrain_options
    set -l words (commandline -opc)
    hipgrain help $words[2] 2>/dev/null | string replace -rf '^ +(?:-[a-zA-Z], )?(--[a-z][a-z-]*).*' '$1'
end

# The option whose value is at the cursor, and what stands before the value; nothing: none is.
function __hipgrain_option
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    if string match -q -- '--*=*' $current
        string replace -r '=.*' '' -- $current
        string replace -r '=.*' '=' -- $current
        return
    end
    set -l last $words[-1]
    switch "$last"
        case -o
            set last --output
        case -j
            set last --jobs
    end
    if string match -qr -- '^--.' $last; and hipgrain help --values $words[2] $last >/dev/null 2>&1
        echo $last
        echo
    end
end

function __hipgrain_values
    set -l words (commandline -opc)
    set -l option (__hipgrain_option)
    set -l before
    set -l current (commandline -ct)
    set -l arguments $words[2]
    if set -q option[1]
        set -a arguments $option[1]
        set before $option[2]
    end
    set -l typed (string sub -s (math 1 + (string length -- "$before")) -- $current)
    set -l values (hipgrain help --values $arguments 2>/dev/null)
    switch "$values[1]"
        case @file
            __fish_complete_path "$typed" | string replace -r '^' -- "$before"
        case @directory
            __fish_complete_directories "$typed" '' | string replace -r '^' -- "$before"
        case @user
            __fish_complete_users | string replace -r '^' -- "$before"
        case @none
        case @list
            set -l earlier (string match -r '.*,' -- $typed)
            printf '%s\n' $values[2..-1] | string replace -r '^' -- "$before$earlier"
        case '*'
            printf '%s\n' $values | string replace -r '^' -- "$before"
    end
end

# Behind "--" stands a command of another program.
function __hipgrain_in_command
    contains -- -- (commandline -opc)
end

complete -c hipgrain -n 'test (count (commandline -opc)) -eq 1' -f -a '(__hipgrain_verbs)'
complete -c hipgrain -n 'test (count (commandline -opc)) -gt 1; and not __hipgrain_in_command; and string match -q -- "-*" (commandline -ct); and not string match -q -- "--*=*" (commandline -ct)' -f -a '(__hipgrain_options)'
complete -c hipgrain -n 'test (count (commandline -opc)) -gt 1; and not __hipgrain_in_command' -f -a '(__hipgrain_values)'
complete -c hipgrain -n '__hipgrain_in_command' -F
