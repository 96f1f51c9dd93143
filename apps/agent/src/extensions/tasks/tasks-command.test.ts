import { expect, test } from "vitest";
import type { BackgroundTask } from "../../extension/extension.ts";
import type { CommandContext } from "../../extension/slash-command.ts";
import { tasksCommand } from "./tasks-extension.ts";

const COMMAND: BackgroundTask = {
  id: "b1",
  kind: "command",
  what: "b1 npm run\nserve",
  shownBy: "/tasks",
  output: async () => "listening\n",
};
const DREAM: BackgroundTask = {
  id: "dream",
  kind: "dream",
  what: "tidying up the memory",
  progress: "3 tool calls",
  priceUsd: 0.0123,
  shownBy: "/tasks",
};
const WAITS: BackgroundTask = { id: "m", kind: "decision", what: "1 memory waits", state: "waits", shownBy: "/memory" };

/** Opens `/tasks`, chooses a task, and then an answer. */
async function open(tasks: () => readonly BackgroundTask[], ...choices: readonly string[]) {
  const waiting = [...choices];
  const shown: string[] = [];
  const said: string[] = [];
  const context: Pick<CommandContext, "ask" | "say"> = {
    async ask({ title, body, options }) {
      shown.push(JSON.stringify({ title, body, options }));
      const choice = waiting.shift();
      return choice === undefined ? { kind: "left" } : { kind: "chosen", values: [choice] };
    },
    say: (text) => void said.push(text),
  };
  await tasksCommand(tasks).open(context as CommandContext);
  return { shown, said };
}

test("lists every kind of task with its progress and cost, without decisions", async () => {
  const { shown } = await open(() => [COMMAND, DREAM, WAITS]);
  expect(shown).toHaveLength(1);
  expect(shown[0]).toContain('{"value":"b1","label":"b1 npm run serve"}');
  expect(shown[0]).toContain('"label":"tidying up the memory","about":"3 tool calls, $0.0123"');
  expect(shown[0]).not.toContain("1 memory waits");
  expect((await open(() => [WAITS])).said).toEqual(["Nothing runs in the background."]);
});

test("shows the output of a task, and stops the task if it can be stopped", async () => {
  const stopped: string[] = [];
  const stop = async (): Promise<void> => void stopped.push("b1");
  const { shown, said } = await open(() => [{ ...COMMAND, stop }], "b1", "stop");
  expect(shown[1]).toMatch(/b1: the end of its output.*listening/);
  expect({ stopped, said }).toEqual({ stopped: ["b1"], said: ["b1 was stopped."] });
  await open(() => [{ ...COMMAND, stop }], "b1", "leave");
  expect(stopped).toHaveLength(1);
  const { shown: read } = await open(() => [DREAM], "dream", "stop");
  expect(read[1]).not.toContain("Stop it");
});

test("does not show a task that ended while the list was open", async () => {
  let looks = 0;
  const { shown } = await open(() => (looks++ === 0 ? [DREAM] : []), "dream");
  expect(shown).toHaveLength(1);
});
