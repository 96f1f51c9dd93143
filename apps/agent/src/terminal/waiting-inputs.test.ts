import type { Inbox } from "palimpsest";
import { expect, test } from "vitest";
import type { QueuedInput } from "./state.ts";
import { createWaitingInputs } from "./waiting-inputs.ts";

function opened() {
  const appended: unknown[] = [];
  const told: (readonly QueuedInput[])[] = [];
  const taken: string[] = [];
  const waiting = createWaitingInputs({
    onChange: (queued) => told.push(queued),
    onTaken: (said) => taken.push(...said),
  });
  const append = async (content: unknown) => void appended.push(content);
  const session = { append } as unknown as Parameters<Inbox["deliver"]>[0];
  return { waiting, session, appended, taken, shown: () => told.at(-1)?.map(({ text }) => text) };
}

test("what waits can be moved and withdrawn, and the rest is sent in its order", async () => {
  const { waiting, session, appended, taken, shown } = opened();
  for (const text of ["one", "two", "three"]) waiting.add({ text, shown: text, content: [text] });
  waiting.move(3, -1);
  waiting.move(1, -1);
  expect(shown()).toEqual(["one", "three", "two"]);
  expect(waiting.withdraw(1)).toBe("one");
  expect(waiting.withdraw(1)).toBeUndefined();
  expect(await waiting.deliver(session)).toBe(2);
  expect(appended).toEqual([["three", "two"]]);
  expect(taken).toEqual(["three", "two"]);
  expect(shown()).toEqual([]);
});

test("messages behind a command wait for it", async () => {
  const { waiting, session, appended } = opened();
  waiting.add({ text: "one", shown: "one", content: ["one"] });
  waiting.add({ text: "/clear" });
  waiting.add({ text: "two", shown: "two", content: ["two"] });
  expect(await waiting.deliver(session)).toBe(1);
  expect(waiting.next()).toBe("command");
  expect({ ran: waiting.takeCommand(), next: waiting.next() }).toEqual({ ran: "/clear", next: "message" });
  await waiting.deliver(session);
  expect(appended).toEqual([["one"], ["two"]]);
  expect(waiting.withdrawAll()).toEqual([]);
});

test("a message that could not be stored waits on, and cannot be withdrawn while it is being stored", async () => {
  const { waiting, taken, shown } = opened();
  waiting.add({ text: "one", shown: "one", content: ["one"] });
  let during: string | undefined = "not asked";
  const session = {
    async append() {
      during = waiting.withdraw(1);
      throw new Error("The disk is full.");
    },
  } as unknown as Parameters<Inbox["deliver"]>[0];
  await expect(waiting.deliver(session)).rejects.toThrow("The disk is full.");
  expect({ during, taken, shown: shown() }).toEqual({ during: undefined, taken: [], shown: ["one"] });
});
