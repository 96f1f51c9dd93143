import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Ask } from "../script.ts";
import { loadScript } from "./load-script.ts";

function write(name: string, content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "simulator-script-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const ask = (turn: number): Ask => ({
  provider: "anthropic-messages",
  purpose: "answer",
  turn,
  request: {},
  inputTokens: 1,
  tools: [],
  userText: "Hi",
  toolResults: [],
});

test("JSON gives its replies one after the other, then the rest", async () => {
  const script = await loadScript(
    write("script.json", {
      replies: [
        "Hello.",
        {
          thinking: "Look.",
          text: "I look.",
          calls: [
            { name: "read", input: { path: "a" } },
            { name: "list", id: "c1" },
          ],
        },
        { text: "Cut", stop: "output-limit", fault: { kind: "stream-cut", afterEvents: 3, how: "closed" } },
      ],
      rest: "That is all.",
    }),
  );
  expect(script(ask(0))).toEqual({ words: [{ kind: "text", text: "Hello." }] });
  expect(script(ask(1))).toEqual({
    words: [
      { kind: "thinking", text: "Look." },
      { kind: "text", text: "I look." },
      { kind: "tool-call", name: "read", input: { path: "a" } },
      { kind: "tool-call", name: "list", input: {}, id: "c1" },
    ],
  });
  expect(script(ask(2))).toMatchObject({ stop: "output-limit", fault: { kind: "stream-cut" } });
  expect(script(ask(3))).toEqual({ words: [{ kind: "text", text: "That is all." }] });
});

test("a module exports a function, async or not, that returns a reply or what JSON may say", async () => {
  const source = `export default async (ask) =>
    ask.turn === 0 ? "Short." : { words: [{ kind: "text", text: ask.userText }], stop: "pause" };`;
  const script = await loadScript(write("script.mjs", source));
  expect(await script(ask(0))).toEqual({ words: [{ kind: "text", text: "Short." }] });
  expect(await script(ask(1))).toEqual({ words: [{ kind: "text", text: "Hi" }], stop: "pause" });
  const wrong = await loadScript(write("script.mjs", "export default () => undefined;"));
  await expect(wrong(ask(0))).rejects.toThrow("the reply must be an object with thinking, text, calls, stop, fault.");
});

test.each([
  ["script.json", ["Hello."], "script must be an object with replies, rest."],
  ["script.json", {}, "script.replies must be a list of replies."],
  ["script.json", { replies: [7] }, "script.replies[0] must be an object with thinking"],
  ["script.json", { replies: [{ txt: "a" }] }, "Unknown field script.replies[0].txt. Known: thinking, text, calls"],
  ["script.json", { replies: [{ text: 1 }] }, "script.replies[0].text must be a text."],
  ["script.json", { replies: [{ calls: {} }] }, "script.replies[0].calls must be a list of calls."],
  ["script.json", { replies: [{ calls: [{}] }] }, "script.replies[0].calls[0].name must be a text."],
  ["script.json", { replies: [{ stop: "now" }] }, "script.replies[0].stop must be one of: end, tool-call"],
  [
    "script.json",
    { replies: [{ fault: { kind: "fire" } }] },
    "script.replies[0].fault.kind must be one of: rate-limited",
  ],
  [
    "script.json",
    { replies: [{ fault: { kind: "stream-error", afterEvents: 1, failure: { kind: "rate-limited" } } }] },
    "script.replies[0].fault.failure.retryAfterSeconds must be a number, 0 or more.",
  ],
  [
    "script.json",
    { replies: [{ fault: { kind: "status", status: 999, type: "a", message: "b" } }] },
    "script.replies[0].fault.status must be a status from 400 to 599.",
  ],
  [
    "script.json",
    { replies: [{ fault: { kind: "stream-cut", afterEvents: 1, how: "close" } }] },
    "script.replies[0].fault.how must be one of: closed, reset.",
  ],
  [
    "script.json",
    { replies: [{ fault: { kind: "stream-stall", afterEvents: -1, forMs: 5 } }] },
    "script.replies[0].fault.afterEvents must be a whole number, 0 or more.",
  ],
  [
    "script.json",
    { replies: [{ fault: { kind: "overloaded", afterEvents: 1 } }] },
    "Unknown field script.replies[0].fault.afterEvents. Known: kind, message, code, headers.",
  ],
  ["script.json", "{", "script.json: "],
  ["script.mjs", "export const script = 1;", "its default export must be a function: (ask) => reply."],
])("%s with %j is refused with its place", async (name, content, message) => {
  await expect(loadScript(write(name, content))).rejects.toThrow(message);
});
