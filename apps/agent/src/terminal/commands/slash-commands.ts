import { costText } from "../../commands/cost.ts";
import { notesText } from "../../commands/notes.ts";
import { undoNewest, undoneText } from "../../commands/undo.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { nearest } from "../../text/nearest.ts";
import { outcomeText } from "../../text/plain-names.ts";
import { writeTitle } from "../../workspace/session-title.ts";
import { config } from "./config.ts";
import { context } from "./context.ts";
import { exportSession } from "./export.ts";
import { help } from "./help.ts";
import { effort, mode, model } from "./model.ts";
import { resume } from "./resume.ts";
import { asTerminal, type ScreenCommand } from "./screen-command.ts";
import { snip } from "./snip.ts";

const undo: ScreenCommand = {
  name: "undo",
  about: "undo the newest compaction",
  open: async ({ agent: { session }, say }) => say(undoneText(await undoNewest(session, "/undo"))),
};

const transcript: ScreenCommand = {
  name: "transcript",
  about: "show the whole conversation, with search and undo (ctrl-o)",
  when: "always",
  open: (context) => context.openTranscript(),
};

const DEFAULT =
  "the uncommitted changes (git status, git diff HEAD); if there are none, the commits of this branch that the main branch does not have";

const review: ScreenCommand = {
  name: "review",
  takes: "[WHAT]",
  about: "let the model review your changes, or a commit, branch or file",
  open: ({ submit, words }) =>
    submit(`Review ${words === "" ? DEFAULT : words}. Change nothing.
Read the whole functions around each change, and their callers and tests. Report only what you have checked in the code: errors,
lost cases, broken callers, security, missing tests. For each: file and line, what goes wrong with which input, and the fix.
The worst first. If nothing is wrong, say so, and say what you looked at.`),
};

const rename: ScreenCommand = {
  name: "rename",
  takes: "TITLE",
  about: "give this session a title for /resume and palimpsest sessions",
  when: "always",
  async open({ words, agent, project, say }) {
    if (words === "") return say("The title is missing: /rename TITLE", { color: "warning" });
    const title = await writeTitle(project.places, agent.session.id, words);
    say(`This session is now called ${JSON.stringify(title)}.`);
  },
};

const pin: ScreenCommand = {
  name: "pin",
  takes: "[TEXT | ENTRY | remove N]",
  about: "keep a text or entry through every compaction; list the pins",
  async open({ words, agent: { session }, say }) {
    const removed = /^remove\s+(\d+)$/.exec(words)?.[1];
    if (removed !== undefined) await session.pins.remove(Number(removed));
    else if (words !== "") await session.pins.add(/^\d+$/.test(words) ? Number(words) : words);
    const pins = session.pins.list();
    if (pins.length === 0) return say("Nothing is pinned. To pin something: /pin TEXT or /pin ENTRY");
    say(
      ["Pinned (to remove one: /pin remove N):", ...pins.map(({ entry, text }) => `  ${entry}  ${oneLine(text)}`)].join(
        "\n",
      ),
    );
  },
};

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

const notes: ScreenCommand = {
  name: "notes",
  takes: "[update]",
  about: "show the notes of this session; update writes new ones",
  async open({ words, agent: { session }, during, say }) {
    if (words === "update") {
      const outcome = await during("Updating the notes", (signal) => session.notes.update({ signal }));
      say(`Notes ${outcome.kind}${"why" in outcome ? `: ${outcome.why}` : "."}`, { color: "quiet" });
    }
    // Its path is longer than most screens are wide: `palimpsest sessions notes` shows it.
    say(await notesText(session));
  },
};

const leave: ScreenCommand = {
  name: "exit",
  about: "exit; palimpsest --continue resumes the session",
  when: "always",
  open: async (context) => context.leave(),
};

const cost: ScreenCommand = {
  name: "cost",
  about: "show what the session cost, and what the next request costs",
  when: "always",
  open: async ({ agent: { session }, say }) => say(costText(await session.ledger.cost())),
};

const inspect: ScreenCommand = {
  name: "inspect",
  about: "show in a browser what the model saw, and what it cost",
  when: "always",
  open: async ({ inspect: addressOf, say }) =>
    say(`${await addressOf()}\nOpen this address in a browser of this machine. It lets one browser in, once.`),
};

const PROMPT = `Write AGENTS.md for this project: the instructions that a coding agent reads at the start of every session.
Look first: the README, the manifest files, the folders, the CI workflow, and AGENTS.md or CLAUDE.md if they exist (then improve
the file, and keep what still holds). Then write, in at most 60 lines:
- what the project is, in two sentences;
- the commands to build, test one file, test everything, lint and format, as the project really runs them;
- where things are: the folders that matter, one line each;
- rules that a newcomer would break, as the code shows them.
Leave out what any engineer knows, and whatever you have not seen in a file. Name in your answer what you could not find out.`;

const init: ScreenCommand = {
  name: "init",
  about: "let the model write AGENTS.md, the project's instructions",
  open: ({ submit }) => submit(PROMPT),
};

const doctor: ScreenCommand = {
  name: "doctor",
  about: "check what the agent needs, and what is missing",
  async open({ terminal, during, say, columns }) {
    const { run } = await import("../../commands/doctor.ts");
    const lines: string[] = [];
    const gathered = { terminal, columns, say: (line: string) => void lines.push(line) };
    await during("Looking", (signal, progress) => run([], asTerminal(gathered, signal, progress)));
    say(lines.join("\n"));
  },
};

const continueTurn: ScreenCommand = {
  name: "continue",
  about: "continue an interrupted turn",
  open: async (context) => context.continueTurn(),
};

const compact: ScreenCommand = {
  name: "compact",
  takes: "[TEXT]",
  about: "summarize to free up context; TEXT says what to keep",
  async open({ agent: { session }, words, during, say }) {
    const outcome = await during("Compacting", (signal) =>
      session.compact({ signal, ...(words === "" ? {} : { instructions: words }) }),
    );
    // A successful compaction has its own line in the scrollback.
    if (outcome.kind !== "compacted") say(outcomeText(outcome), { color: "warning" });
  },
};

const clear: ScreenCommand = {
  name: "clear",
  about: "start a new session; /resume finds the old one",
  async open({ reopen, say }) {
    await reopen();
    say("── New session", { color: "warning" });
  },
};

const OWN: readonly ScreenCommand[] = [
  context,
  cost,
  transcript,
  inspect,
  notes,
  compact,
  undo,
  snip,
  pin,
  clear,
  resume,
  rename,
  exportSession,
  continueTurn,
  init,
  review,
  model,
  effort,
  mode,
  config,
  doctor,
  help,
  leave,
];

/** The order in `/help`: commands that show something, that change the session, and all others. Unnamed commands come last. */
const SEEN = ["context", "cost", "transcript", "recall", "notes", "agents", "tasks", "background", "inspect"];
const CHANGED = ["compact", "undo", "rewind", "snip", "pin", "clear", "resume", "rename", "export", "continue"];
const AROUND = [
  "init",
  "review",
  "memory",
  "dream",
  "model",
  "effort",
  "mode",
  "permissions",
  "config",
  "hooks",
  "mcp",
  "doctor",
  "help",
  "exit",
];
const ORDER = [...SEEN, ...CHANGED, ...AROUND];

/** All slash commands. If two have the same name, the screen's command wins, then that of the extension that was opened first. */
export function slashCommands(ofExtensions: readonly SlashCommand[]): readonly ScreenCommand[] {
  const byName = new Map([...ofExtensions.toReversed(), ...OWN].map((command) => [command.name, command]));
  const place = ({ name }: ScreenCommand): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return [...byName.values()].toSorted((one, other) => place(one) - place(other));
}

type FoundCommand =
  | { readonly kind: "found"; readonly command: ScreenCommand; readonly words: string }
  | { readonly kind: "unknown"; readonly hint: string };

/** Finds a slash command. The hint for an unknown word names the closest command. */
export function findCommand(text: string, commands: readonly ScreenCommand[]): FoundCommand {
  const [, word = "", words = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  const command = commands.find(({ name }) => name === word.toLowerCase());
  if (command !== undefined) return { kind: "found", command, words: words.trim() };
  const meant = nearest(
    word,
    commands.map(({ name }) => name),
  );
  const hint = meant === undefined ? "To list all commands: /help" : `Did you mean /${meant}?`;
  return { kind: "unknown", hint: `Unknown command /${word}. ${hint}` };
}

/** Whether a command can run beside a turn. An unknown one can: it only says so. */
export function runsAlways(text: string, commands: readonly ScreenCommand[]): boolean {
  if (!text.startsWith("/")) return false;
  const found = findCommand(text, commands);
  return found.kind === "unknown" || found.command.when === "always";
}
