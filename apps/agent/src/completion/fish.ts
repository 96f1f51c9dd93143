import { type Completed, type CompletedCommand, SESSION_IDS } from "./completed-words.ts";

/** The completion script for fish 3.0 and later. Fish's own helpers match a command anywhere in the line, also inside a prompt. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, about, options, operands }) => {
    const complete = `complete -c palimpsest -n '__palimpsest_at ${name}'`;
    return [
      `complete -c palimpsest -n __palimpsest_first -a ${name} -d ${quote(about)}`,
      ...(operands.kind === "free" ? [] : [`${complete} -a ${offered(operands)}`]),
      ...options.map(({ names, about: said, value }) => {
        const spelled = names.map((each) => (each.startsWith("--") ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`));
        const taken = value === undefined ? "" : ` -x${value.kind === "free" ? "" : ` -a ${offered(value)}`}`;
        return `${complete} ${spelled.join(" ")}${taken} -d ${quote(said)}`;
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
    if set -q words[2]; and contains -- $words[2] ${commands.map(({ name }) => name).join(" ")}
        set command $words[2]
    end
    test $command = $wanted
end
complete -c palimpsest -f
${lines.join("\n")}`;
}

function offered(completed: Exclude<Completed, { kind: "free" }>): string {
  return quote(completed.kind === "sessions" ? `(${SESSION_IDS})` : completed.words.join(" "));
}

function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
