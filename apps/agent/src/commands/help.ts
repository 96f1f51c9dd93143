import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import type { Terminal } from "../cli/terminal.ts";

/** The page that teaches. */
export async function run(args: readonly string[], { print }: Terminal): Promise<number> {
  const command = COMMANDS.find(({ name }) => name === args[0]);
  if (command !== undefined && command.name !== "run" && command.name !== "help") {
    await print(`palimpsest ${command.usage}\n\n  ${command.about}`);
    return EXIT.done;
  }
  const commands = COMMANDS.map(({ usage, about }) => `  ${usage.padEnd(30)}${about}`).join("\n");
  await print(`palimpsest: a coding agent that keeps itself inside its context window

${commands}
  ${"--version".padEnd(30)}the version

A turn
  palimpsest -p "Fix the failing test" --mode accept-edits --allow 'Bash(npm test *)'
  git diff | palimpsest -p "Review this:" -       the standard input behind the prompt
  palimpsest --continue -p "Now the docs"         the newest session of this folder goes on
  palimpsest --continue                           goes on where a turn was cut short

  -p, --prompt TEXT          what to do; "-" reads it from the standard input
  -c, --continue             go on with the newest session of this folder
  -r, --resume ID            go on with a session; the beginning of its id is enough
  --model NAME               --provider anthropic | openai | openai-chat
  --base-url URL             any endpoint that speaks the provider's API; the session remembers it ("" forgets it)
  --mode default | accept-edits | plan | bypass
                             nobody can be asked here: what would be asked is denied, and the answer names the rule
  --allow RULE, --deny RULE  Bash(npm test *), Edit(src/**), Network; may be given several times
  --web                      with a tool that fetches pages of the public internet; --allow Network lets it
  --max-rounds N             stop after so many responses
  --output-format text | json | stream-json
  --input-format text | stream-json        lines of {"kind":"user","text":"..."}, a turn for each

Keys come from ANTHROPIC_API_KEY and OPENAI_API_KEY. Sessions and settings are kept in PALIMPSEST_HOME (~/.palimpsest), for
this user only: settings.json (permissions, hooks, servers of tools), engine.json (what docs/defaults.md lists). NO_COLOR is heeded.

Exit codes: ${EXIT.done} done, ${EXIT.failed} failed, ${EXIT.usage} wrong command line, ${EXIT.refused} refused or not allowed, ${EXIT.roundsUsedUp} --max-rounds reached,
${EXIT.interrupted} interrupted, ${EXIT.terminated} terminated. A session can be gone on with after any of them.`);
  return EXIT.done;
}
