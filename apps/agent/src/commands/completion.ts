// Prints scripts that complete commands, options and sessions in a shell.
import { UsageError } from "../workspace/usage-error.ts";
import { COMMAND_NAMES, COMMANDS, type CommandName, commandsOf, definitionOf, TOP_COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { oneOf, readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Prints the completion script of a shell. */
export async function run(args: readonly string[], { print }: Terminal): Promise<number> {
  const { options, operands } = COMMANDS.completion;
  const [shellName] = readArguments(args, { options, operands }).positionals;
  const shell = oneOf("completion", shellName, operands.completes);
  if (shell === undefined)
    throw new UsageError(`The shell is missing: palimpsest completion ${operands.completes.join("|")}.`);
  await print(WRITERS[shell](completedCommands()));
  return EXIT.done;
}

const WRITERS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** The completions of an argument: fixed words, or the output of a command. */
type Completed =
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** Session ids, which `SESSION_IDS` prints. */
  | { readonly kind: "sessions" }
  /** Free text, without completions. */
  | { readonly kind: "free" };

interface CompletedOption {
  /** `--mode`, and `-p` if there is a short form. */
  readonly names: readonly string[];
  readonly about: string;
  /** The completions of the option's value. Undefined for an option without a value. */
  readonly value?: Completed;
}

interface CompletedCommand {
  readonly name: CommandName;
  readonly about: string;
  readonly options: readonly CompletedOption[];
  readonly operands: Completed;
}

/** Collects the completions of all commands from their definitions. All scripts are generated from them. */
function completedCommands(): readonly CompletedCommand[] {
  return COMMAND_NAMES.map((name) => {
    const { about, options, operands } = definitionOf(name);
    return {
      name,
      about,
      options: [
        ...Object.entries(options).map(([long, option]) => ({
          names: [`--${long}`, ...(option.short === undefined ? [] : [`-${option.short}`])],
          about: option.about,
          ...(option.type === "boolean" ? {} : { value: toCompleted(option.completes ?? option.of) }),
        })),
        { names: ["--help", "-h"], about: "more about it" },
      ],
      operands: withCommandsOf(name, toCompleted(operands?.completes)),
    };
  });
}

/** Combines the operands of a group with the names of its commands. */
function withCommandsOf(group: CommandName, operands: Completed): Completed {
  const own = commandsOf(group).map((name) => name.slice(group.length + 1));
  if (own.length === 0) return operands;
  return { kind: "words", words: operands.kind === "words" ? [...operands.words, ...own] : own };
}

function toCompleted(what: "sessions" | "commands" | readonly string[] | undefined): Completed {
  if (what === undefined) return { kind: "free" };
  if (what === "sessions") return { kind: "sessions" };
  return { kind: "words", words: what === "commands" ? TOP_COMMANDS : what };
}

function zshCompletion(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, options, operands }) => {
    const specs = [
      ...options.map(toSpec),
      ...(operands.kind === "free" ? [] : [quoteForZsh(`*:${toAction(operands)}`)]),
    ];
    return `    ${name.includes(" ") ? `"${name}"` : name})\n      _arguments -S ${specs.map((spec) => `\\\n        ${spec}`).join(" ")} ;;`;
  });
  const described = topOf(commands).map(({ name, about }) => quoteForZsh(`${name}:${about.replaceAll(":", "\\:")}`));
  return `#compdef palimpsest
# palimpsest: eval "$(palimpsest completion zsh)" in ~/.zshrc, after compinit
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
  # Completes the arguments of the command; without a command, the arguments of a turn.
  if (( \${commands[(I)\${words[2]}:*]} )); then
    command=$words[2]
    shift words
    (( CURRENT-- ))
  fi
  # A command of a group has two words.
  local -a nested
  nested=(${nestedOf(commands).map(quoteForZsh).join(" ")})
  if (( CURRENT > 2 )) && (( \${nested[(Ie)$command $words[2]]} )); then
    command="$command $words[2]"
    shift words
    (( CURRENT-- ))
  fi
  case $command in
${cases.join("\n")}
  esac
}
compdef _palimpsest palimpsest`;
}

/** The command that completes sessions. It runs at each completion, so it opens no session and is fast. */
const SESSION_IDS = "palimpsest sessions --ids 2>/dev/null";

function toSpec({ names, about, value }: CompletedOption): string {
  const description = about.replaceAll(/[[\]:\\]/g, "\\$&");
  const valueSpec = value === undefined ? "" : `:${toAction(value)}`;
  if (names.length === 1) return quoteForZsh(`${names[0]}[${description}]${valueSpec}`);
  return `'(${names.join(" ")})'{${names.join(",")}}${quoteForZsh(`[${description}]${valueSpec}`)}`;
}

function toAction(completed: Completed): string {
  if (completed.kind === "free") return "value:";
  if (completed.kind === "sessions") return "session:_palimpsest_sessions";
  return `word:(${completed.words.join(" ")})`;
}

function quoteForZsh(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The completion script for fish 3.0 and later. Fish's own helpers find a command anywhere in the line, even inside a
 * prompt, so the script checks positions itself.
 */
function fishCompletion(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, about, options, operands }) => {
    const complete = `complete -c palimpsest -n "__palimpsest_at '${name}'"`;
    return [
      ...(name.includes(" ")
        ? []
        : [`complete -c palimpsest -n __palimpsest_first -a ${name} -d ${quoteForFish(about)}`]),
      ...(operands.kind === "free" ? [] : [`${complete} -a ${offered(operands)}`]),
      ...options.map(({ names, about: description, value }) => {
        const spelled = names.map((each) => (each.startsWith("--") ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`));
        const valueSpec = value === undefined ? "" : ` -x${value.kind === "free" ? "" : ` -a ${offered(value)}`}`;
        return `${complete} ${spelled.join(" ")}${valueSpec} -d ${quoteForFish(description)}`;
      }),
    ];
  });
  return `# palimpsest: palimpsest completion fish > ~/.config/fish/completions/palimpsest.fish
function __palimpsest_first
    test (count (commandline -opc)) -eq 1
end
function __palimpsest_at -a wanted
    set -l command run
    set -l words (commandline -opc)
    if set -q words[2]; and contains -- $words[2] ${topOf(commands)
      .map(({ name }) => name)
      .join(" ")}
        set command $words[2]
        if set -q words[3]; and contains -- "$words[2] $words[3]" ${nestedOf(commands).map(quoteForFish).join(" ")}
            set command "$words[2] $words[3]"
        end
    end
    test "$command" = "$wanted"
end
complete -c palimpsest -f
${lines.join("\n")}`;
}

function offered(completed: Exclude<Completed, { kind: "free" }>): string {
  return quoteForFish(completed.kind === "sessions" ? `(${SESSION_IDS})` : completed.words.join(" "));
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}

/** The completion script for bash 3.2 (the version of macOS) and later. */
function bashCompletion(commands: readonly CompletedCommand[]): string {
  const names = topOf(commands).map(({ name }) => name);
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap(({ names: spelled, value }) =>
      value === undefined
        ? []
        : [`    ${spelled.map((each) => `"${name}:${each}"`).join("|")}) words=${words(value)} ;;`],
    ),
  );
  const offered = commands.flatMap(({ name, options, operands }) => [
    `    "${name}:-"*) words=${wordsForBash(options.flatMap((option) => option.names))} ;;`,
    ...(operands.kind === "free" ? [] : [`    "${name}:"*) words=${words(operands)} ;;`]),
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
  # A command of a group has two words.
  if ((COMP_CWORD > 2)); then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
      ${nestedOf(commands)
        .map((name) => `"${name}"`)
        .join("|")}) command="\${COMP_WORDS[1]} \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$command:$before" in
${values.join("\n")}
    *)
      case "$command:$current" in
${offered.map((line) => `    ${line}`).join("\n")}
      esac
      ((COMP_CWORD == 1)) && [[ $current != -* ]] && words=${wordsForBash(names)}
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
  return completed.kind === "sessions" ? `$(${SESSION_IDS})` : wordsForBash(completed.words);
}

/** Formats one name per line, because some names contain spaces. */
function wordsForBash(each: readonly string[]): string {
  return `$'${each.join("\\n")}'`;
}

function topOf(commands: readonly CompletedCommand[]): readonly CompletedCommand[] {
  return commands.filter(({ name }) => !name.includes(" "));
}

/** The names of commands that belong to a group. */
function nestedOf(commands: readonly CompletedCommand[]): readonly string[] {
  return commands.map(({ name }) => name).filter((name) => name.includes(" "));
}
