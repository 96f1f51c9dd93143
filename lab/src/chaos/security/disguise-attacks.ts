import type { Attack, Family } from "./attack.ts";
import { HIDDEN_LETTERS, LOOK_ALIKES } from "./hidden-letters.ts";
import { nowhere } from "./nowhere.ts";
import { questionOf, type ShownQuestion, showQuestion } from "./shown-question.ts";

/** Where letters of a model or a server stand in a question. */
const PLACES: readonly [name: string, ask: (text: string) => Promise<ShownQuestion>][] = [
  ["a command", (text) => askAbout("Bash", { command: `npm test ${text} x` })],
  ["the path of a new file", (text) => askAbout("Write", { file_path: `a${text}b.ts`, content: "x" })],
  ["the content of a new file", (text) => askAbout("Write", { file_path: "a.ts", content: `let a = "${text}";` })],
  ["a field of a server", (text) => askAbout("mcp__db__query", { sql: `select ${text} 1` })],
  ["the name of a field", (text) => askAbout("mcp__db__query", { [`sq${text}l`]: "select 1" })],
  ["a reason", (text) => askAbout("Bash", { command: "ls" }, { reason: `It is harmless${text}.` })],
  [
    "the name of an agent",
    (text) =>
      askAbout(
        "Bash",
        { command: "ls" },
        { asker: { agent: { kind: "subagent", name: `hel${text}per` }, tool: { kind: "built-in" } } },
      ),
  ],
  ["a rule", (text) => askAbout("Bash", { command: "ls" }, { allowedBy: [`Bash(npm${text} *)`] })],
  [
    "a question of the model",
    (text) =>
      showQuestion((person, signal) =>
        person.askUser({ question: `Which${text}?`, options: [{ label: "A" }, { label: "B" }] } as never, signal),
      ),
  ],
  [
    "an answer that it offers",
    (text) =>
      showQuestion((person, signal) =>
        person.askUser({ question: "Which?", options: [{ label: `A${text}` }, { label: "B" }] } as never, signal),
      ),
  ],
  ["a plan", (text) => showQuestion((person, signal) => person.approvePlan(`# Plan\n\nStep ${text} one.`, signal))],
];

/** What cannot be seen is spelled out in a question: nobody approves what he cannot see. */
export const disguises: Family = {
  name: "hidden letters in questions",
  guard: "visible text",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: nowhere,
  attacks: () =>
    PLACES.flatMap(([place, ask]) =>
      [...HIDDEN_LETTERS, ...LOOK_ALIKES].map(([name, text]): Attack => {
        const hidden = /[^\x20-\x7e]/u.exec(text)![0];
        return {
          name: `${name} in ${place}`,
          run: async () => (await ask(text)).seen(),
          harm: (said) => (said.includes(hidden) ? `${JSON.stringify(hidden)} is shown as it is` : undefined),
        };
      }),
    ),
};

function askAbout(tool: string, input: object, more: Parameters<typeof questionOf>[2] = {}): Promise<ShownQuestion> {
  return showQuestion((person, signal) => person.askPermission(questionOf(tool, input, more), signal));
}
