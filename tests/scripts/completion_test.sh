# Completion and manual pages say what --help says: every option of every command. bash, zsh and fish are asked themselves.
. "$(dirname "$0")/common.sh"
for shell in bash zsh fish; do
  run "$warplens" completion "$shell"
  expect_code 0
  cp stdout "warplens.$shell"
done
run "$warplens" completion tcsh
expect_code 2
options_in_help() { "$warplens" "$1" --help | grep -oE '^  -[^ ]*' | tr -d ' ' | tr ',' '\n' | sort -u; }
commands=$("$warplens" man --list)
for command in $commands; do "$warplens" "$command" --help >/dev/null || fail "man --list names $command"; done

# in_bash WORD…: what is offered for the last of the words
cat >ask.bash <<'X'
source warplens.bash
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_warplens
printf '%s\n' "${COMPREPLY[@]}"
X
in_bash() { bash --norc ask.bash "$@" | sort -u; }
same() { [ "$1" = "$2" ] || fail "$3: $1 is not $2"; }
for command in $commands; do
  same "$(in_bash warplens "$command" -)" "$(options_in_help "$command")" "bash, $command"
done
same "$(in_bash warplens che)" "check" "a command"
same "$(in_bash warplens run --compiler '' | tr '\n' ' ')" "auto clang nvcc " "a choice"
touch kernel.cu 'with space.cu'
mkdir folder
same "$(in_bash warplens check ker)" "kernel.cu" "a file"
same "$(in_bash warplens check with)" "with space.cu" "a file with a blank"
same "$(in_bash warplens run --source-root fo)" "folder" "a folder"
same "$(in_bash warplens run --top-lines 3 ./app kernel)" "kernel.cu" "what belongs to the program"
same "$(in_bash warplens run --sm '')" "" "a value that cannot be guessed"
same "$(in_bash warplens completion f)" "fish" "an argument's choice"

# Manual pages: each option, and nothing that roff complains of.
for command in $commands; do
  "$warplens" man "$command" >page.1
  for option in $(options_in_help "$command"); do
    grep -q -- "$(printf '%s' "$option" | sed 's/-/\\\\-/g')" page.1 || fail "man $command has no $option"
  done
  if command -v man >/dev/null; then
    run env MANWIDTH=80 MANROFFOPT= man --warnings -l page.1
    expect_code 0
    expect_empty stderr
  fi
done
run "$warplens" man no_such
expect_code 2

missing=
if command -v fish >/dev/null; then
  in_fish() { HOME=$PWD fish --no-config -c "source warplens.fish; complete -C '$1'" | cut -f1 | sort -u; }
  for command in $commands; do
    same "$(in_fish "warplens $command --" | grep '^--')" "$(options_in_help "$command" | grep '^--')" "fish, $command"
  done
  same "$(in_fish 'warplens run --compiler ' | tr '\n' ' ')" "auto clang nvcc " "fish, a choice"
else
  missing="$missing fish"
fi
if command -v zsh >/dev/null; then
  # A terminal in which somebody types words and the key of completion; what is offered goes through compadd. What is typed
  # before the line editor has begun is lost, so it says itself that it has.
  cat >ask.zsh <<'X'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; autoload -Uz compinit; compinit -u -D; source ./warplens.zsh"
zpty -w shell 'compadd() { local -a out; builtin compadd -O out "$@" 2>/dev/null; print -rl -- OFFER:$^out; builtin compadd "$@" }'
zpty -w shell 'bindkey "^I" complete-word; zle-line-init() print -n REA""DY; zle -N zle-line-init'
zpty -r shell piece '*READY*'
zpty -w -n shell "$1"$'\t'
zpty -w -n shell $'\C-u'"print DO''NE"$'\n'
while zpty -r shell piece; do print -rn -- $piece; [[ $piece == *DONE* ]] && break; done
X
  in_zsh() { timeout 120 zsh -f ask.zsh "$1" | tr -d '\r' | sed -n 's/.*OFFER://p' | sort -u; }
  for command in $commands; do
    same "$(in_zsh "warplens $command --")" "$(options_in_help "$command" | grep '^--')" "zsh, $command"
  done
  same "$(in_zsh 'warplens run --compiler ' | tr '\n' ' ')" "auto clang nvcc " "zsh, a choice"
  mkdir likely likely/folder
  touch likely/kernel.cu likely/notes.txt likely/compile_commands.json likely/program
  in_likely() { in_zsh "$1" | grep -v '^likely$'; } # which is only looked for
  same "$(in_likely 'warplens check likely/' | tr '\n' ' ')" "compile_commands.json folder kernel.cu " "zsh, likely files"
  same "$(in_likely 'warplens check likely/pro' | tr '\n' ' ')" "program " "zsh, a file like no other"
else
  missing="$missing zsh"
fi
[ -z "$missing" ] || skip "not installed (scripts/test-packages.txt):$missing; what there is has been tested"
