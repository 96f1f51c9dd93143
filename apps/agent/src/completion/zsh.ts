import { type Completed, type CompletedCommand, type CompletedOption, SESSION_IDS } from "./completed-words.ts";

export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, options, operands }) => {
    const specs = [...options.map(toSpec), ...(operands.kind === "free" ? [] : [quote(`*:${toAction(operands)}`)])];
    return `    ${name})\n      _arguments -S ${specs.map((spec) => `\\\n        ${spec}`).join(" ")} ;;`;
  });
  const described = commands.map(({ name, about }) => quote(`${name}:${about.replaceAll(":", "\\:")}`));
  return `#compdef palimpsest
# palimpsest: eval "$(palimpsest completion zsh)" in ~/.zshrc, behind compinit
_palimpsest_sessions() {
  local -a ids
  ids=(\${(f)"$(${SESSION_IDS})"})
  compadd -a ids
}
_palimpsest() {
  local command=run
  local -a commands
  commands=(
    ${described.join("\n    ")}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  # What is completed is the command's own line: without a command, that of a turn.
  if (( \${commands[(I)\${words[2]}:*]} )); then
    command=$words[2]
    shift words
    (( CURRENT-- ))
  fi
  case $command in
${cases.join("\n")}
  esac
}
compdef _palimpsest palimpsest`;
}

function toSpec({ names, about, value }: CompletedOption): string {
  const said = about.replaceAll(/[[\]:\\]/g, "\\$&");
  const taken = value === undefined ? "" : `:${toAction(value)}`;
  if (names.length === 1) return quote(`${names[0]}[${said}]${taken}`);
  return `'(${names.join(" ")})'{${names.join(",")}}${quote(`[${said}]${taken}`)}`;
}

function toAction(completed: Completed): string {
  if (completed.kind === "free") return "value:";
  if (completed.kind === "sessions") return "session:_palimpsest_sessions";
  return `word:(${completed.words.join(" ")})`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
