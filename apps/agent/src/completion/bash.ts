import { type Completed, type CompletedCommand, SESSION_IDS } from "./completed-words.ts";

/** The completion script for bash 3.2 (the version of macOS) and later. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name);
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap(({ names: spelled, value }) =>
      value === undefined
        ? []
        : [`    ${spelled.map((each) => `"${name} ${each}"`).join("|")}) words=${words(value)} ;;`],
    ),
  );
  const offered = commands.flatMap(({ name, options, operands }) => [
    `    "${name} -"*) words=${quote(options.flatMap((option) => option.names))} ;;`,
    ...(operands.kind === "free" ? [] : [`    "${name} "*) words=${words(operands)} ;;`]),
  ]);
  return `# palimpsest: eval "$(palimpsest completion bash)" in ~/.bashrc
_palimpsest() {
  local IFS=$'\\n' current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=run words= word
  # bash takes --option=value for three words.
  [[ $before == = ]] && before=\${COMP_WORDS[COMP_CWORD-2]}
  [[ $current == = ]] && current=
  if ((COMP_CWORD > 1)); then
    case \${COMP_WORDS[1]} in
      ${names.join("|")}) command=\${COMP_WORDS[1]} ;;
    esac
  fi
  case "$command $before" in
${values.join("\n")}
    *)
      case "$command $current" in
${offered.map((line) => `    ${line}`).join("\n")}
      esac
      ((COMP_CWORD == 1)) && [[ $current != -* ]] && words=${quote(names)}
      ;;
  esac
  COMPREPLY=()
  for word in $words; do
    [[ $word == "\${current//\\\\/}"* ]] && COMPREPLY+=("$(printf %q "$word")")
  done
}
complete -F _palimpsest palimpsest`;
}

function words(completed: Completed): string {
  if (completed.kind === "free") return "";
  return completed.kind === "sessions" ? `$(${SESSION_IDS})` : quote(completed.words);
}

/** One name per line, since some names contain spaces. */
function quote(each: readonly string[]): string {
  return `$'${each.join("\\n")}'`;
}
