import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openOfflineAgent } from "../testing/offline-agent.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { KEYS } from "./commands/help.ts";
import { slashCommands } from "./commands/slash-commands.ts";

const HERE = fileURLToPath(new URL("./", import.meta.url));
const SIZES = ["80x24", "140x45"];

/** The kept screen of something that a person does, and words on it that nothing else brings there. */
interface Shown {
  readonly screen: string;
  readonly words: RegExp;
}

/** By slash command. Commands that print one line may share a screen with others. */
const COMMANDS: Readonly<Record<string, Shown>> = {
  context: { screen: "context", words: /Largest entries/ },
  cost: { screen: "cost", words: /The next request has/ },
  transcript: { screen: "transcript-original", words: /^Transcript: 1 of/ },
  recall: { screen: "recall", words: /> \/recall export const\n\nentry 10:/ },
  notes: { screen: "notes", words: /# Current state/ },
  agents: { screen: "agents", words: /Choose an agent/ },
  tasks: { screen: "tasks", words: /the end of its output/ },
  background: { screen: "backgrounded", words: /> \/background[\s\S]*in the background: b1/ },
  inspect: { screen: "inspect", words: /> \/inspect\n\nhttp:.*&session=KEY\n/ },
  compact: { screen: "compacted", words: /── Compacted/ },
  undo: { screen: "undo", words: /> \/undo\n\nNothing to undo/ },
  rewind: { screen: "rewind-way", words: /Go back to before this message/ },
  snip: { screen: "snip-choose", words: /Choose an entry to remove/ },
  pin: { screen: "pin", words: /Pinned/ },
  clear: { screen: "clear", words: /── New session/ },
  resume: { screen: "resume", words: /> \/resume\n─+\nChoose a session/ },
  rename: { screen: "rename", words: /This session is now called/ },
  export: { screen: "export", words: /Wrote the conversation to/ },
  continue: { screen: "continue", words: /> \/continue\n\n● The tool said/ },
  init: { screen: "init", words: /> \/init\n\n> Write AGENTS.md/ },
  review: { screen: "review", words: /> \/review limit.ts\n\n> Review limit.ts/ },
  memory: { screen: "memory", words: /> \/memory\n\nThe memory is empty/ },
  dream: { screen: "dream", words: /> \/dream --dry-run\n\nNothing had to change/ },
  model: { screen: "model", words: /Choose a model/ },
  effort: { screen: "efforts", words: /How much should the model think/ },
  mode: { screen: "mode", words: /Choose a mode/ },
  permissions: { screen: "permissions", words: /> \/permissions\n\n/ },
  config: { screen: "config", words: /Settings \(type to search\)/ },
  hooks: { screen: "hooks", words: /> \/hooks\n\nStop/ },
  mcp: { screen: "mcp", words: /> \/mcp\n\n/ },
  doctor: { screen: "doctor", words: /> \/doctor\n\nok/ },
  help: { screen: "help", words: /ctrl-c twice/ },
  // The screen ends with it. The line that is left is in commands-and-keys.system.test.ts.
  exit: { screen: "menu-end", words: /❯ \/exit {2}/ },
};

/** By key, as `/help` names it. `"prompt"`: it edits the prompt, or changes a word of the status line, and opens nothing. */
const BY_KEY: Readonly<Record<string, Shown | "prompt">> = {
  esc: { screen: "rewind", words: /Choose the message to go back to/ },
  "ctrl-o": { screen: "transcript-summary", words: /^Transcript:/ },
  "shift-tab": "prompt",
  "alt-t": "prompt",
  "ctrl-j, \\ enter": "prompt",
  "up, down": "prompt",
  "ctrl-r": { screen: "history-search", words: /ctrl-r finds an older one/ },
  "ctrl-g": "prompt",
  "ctrl-_, ctrl-y": "prompt",
  "@": { screen: "files", words: /❯ @limit.ts/ },
  "!": { screen: "shell", words: /\(exit code 3\)/ },
  "ctrl-b": { screen: "backgrounded", words: /in the background: b1/ },
  "ctrl-z": "prompt",
  "ctrl-c twice": "prompt",
};

/** What opens without a command and without a key of `/help`. */
const OTHERS: readonly Shown[] = [
  { screen: "start", words: /Type \/help to list commands and keys/ },
  { screen: "menu", words: /❯ \/context/ },
  { screen: "resume-picker", words: /❯ the second task/ },
];

function expectKept({ screen, words }: Shown): void {
  for (const size of SIZES) {
    expect.soft(readFileSync(`${HERE}screens/${size}/${screen}.txt`, "utf8"), `${screen} at ${size}`).toMatch(words);
  }
}

test("every slash command has a kept screen at both sizes", async () => {
  const agent = await openOfflineAgent(temporaryProject());
  const commands = slashCommands(agent.commands);
  const names = commands.map(({ name }) => name);
  expect(Object.keys(COMMANDS).toSorted()).toEqual(names.toSorted());
  // The menu puts "❯ /", the name and two spaces before it. A text that is cut off explains nothing.
  const widest = Math.max(...names.map(({ length }) => length));
  expect(commands.filter(({ about }) => 3 + widest + 2 + about.length > 80)).toEqual([]);
  for (const shown of Object.values(COMMANDS)) expectKept(shown);
});

test("every key that opens a screen has a kept one at both sizes, and so have the screens that open by themselves", () => {
  expect(Object.keys(BY_KEY)).toEqual(KEYS.map(([key]) => key));
  for (const shown of Object.values(BY_KEY)) if (shown !== "prompt") expectKept(shown);
  for (const shown of OTHERS) expectKept(shown);
});

test("every kept screen is held by a test", () => {
  const tests = globSync(`${HERE}*.test.ts`)
    .filter((file) => file !== fileURLToPath(import.meta.url))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const names = SIZES.flatMap((size) => globSync(`${HERE}screens/${size}/*.txt`)).map((file) => basename(file, ".txt"));
  expect(names.filter((name) => !tests.includes(`"${name}"`))).toEqual([]);
});
