# SPDX-License-Identifier: Apache-2.0
# bash completion of hipgrain(1). Verbs, options and values come from hipgrain itself.

_hipgrain_options()
{
	"$1" help "$2" 2>/dev/null | grep -o -E '^ +(-[a-zA-Z], )?--[a-z][a-z-]*' | grep -o -E -e '--[a-z-]+'
}

# _hipgrain_values CURRENT PROGRAM VERB [OPTION]: into COMPREPLY; false if the option takes no value.
_hipgrain_values()
{
	local current=$1 values before=
	shift
	values=$("$1" help --values "${@:2}" 2>/dev/null) || return
	case $values in
	@file*) COMPREPLY=($(compgen -f -- "$current")) ;;
	@directory*) COMPREPLY=($(compgen -d -- "$current")) ;;
	@user*) COMPREPLY=($(compgen -u -- "$current")) ;;
	@none*) ;;
	*)
		if [ "${values%%[[:space:]]*}" = @list ]; then
			values=${values#@list}
			case $current in *,*) before=${current%,*}, ;; esac
		fi
		COMPREPLY=($(compgen -P "$before" -W "$values" -- "${current#"$before"}"))
		;;
	esac
}

_hipgrain()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local program=${COMP_WORDS[0]} verb=${COMP_WORDS[1]} word i

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p') --help --version" -- "$current"))
		return
	fi
	case $verb in
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
	# "--option=value" is three words.
	if [ "$current" = = ]; then
		current=
	elif [ "$previous" = = ]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $previous in
	-o) previous=--output ;;
	-j) previous=--jobs ;;
	esac
	case $previous in
	--?*) _hipgrain_values "$current" "$program" "$verb" "$previous" && return ;;
	esac
	case $current in
	-*) COMPREPLY=($(compgen -W "$(_hipgrain_options "$program" "$verb")" -- "$current")) ;;
	*) _hipgrain_values "$current" "$program" "$verb" ;;
	esac
}

complete -o filenames -o bashdefault -F _hipgrain hipgrain
