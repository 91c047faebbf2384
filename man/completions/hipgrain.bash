# SPDX-License-Identifier: Apache-2.0
# bash completion of hipgrain(1). Verbs and options come from hipgrain's own help.

_hipgrain_options()
{
	"$1" help "$2" 2>/dev/null | grep -o -E '^ +(-[a-zA-Z], )?--[a-z][a-z-]*' | grep -o -E -e '--[a-z-]+'
}

_hipgrain()
{
	local current=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} verb=${COMP_WORDS[1]} word i

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p') --help --version" -- "$current"))
		return
	fi
	case $verb in
	help)
		COMPREPLY=($(compgen -W "$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')" -- "$current"))
		return
		;;
	run | record | standby | doctor)
		# After the command's name, its own words: files.
		for ((i = 2; i < COMP_CWORD; i++)); do
			word=${COMP_WORDS[i]}
			if [ "$word" = -- ]; then
				COMPREPLY=($(compgen -c -f -- "$current"))
				return
			fi
		done
		;;
	esac
	case $current in
	-*) COMPREPLY=($(compgen -W "$(_hipgrain_options "$program" "$verb")" -- "$current")) ;;
	*) COMPREPLY=($(compgen -f -- "$current")) ;;
	esac
}

complete -o filenames -o bashdefault -F _hipgrain hipgrain
