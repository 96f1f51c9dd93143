import { expect, test } from "vitest";
import { createAnthropic } from "./anthropic/anthropic.ts";
import { createOpenAiChat } from "./openai/chat/chat.ts";
import { type Ask, answer, type Reply } from "./script.ts";
import { withAsyncScript } from "./with-async-script.ts";

const headers = { authorization: "Bearer k", "x-api-key": "k", "anthropic-version": "2026-10-21" };
const call = (path: string, body: object) => ({ method: "POST", path, headers, body: JSON.stringify(body) });
const user = (content: string) => [{ role: "user", content }];
const chat = (text: string) => call("/v1/chat/completions", { model: "gpt-6-sol", messages: user(text) });

test("a script may take its time; calls of another face are passed on", async () => {
  const face = withAsyncScript(
    async (ask) => answer(`${ask.turn}: ${ask.userText}`),
    (script) => createOpenAiChat({ script }),
  );
  expect(await face.handle(chat("Hi"))).toMatchObject({
    kind: "json",
    body: { choices: [{ message: { content: "0: Hi" } }] },
  });
  expect(await face.handle(call("/v1/messages", {}))).toBeUndefined();
});

test("simultaneous calls get different turns, in the order in which they came, and their own replies", async () => {
  const waiting: { ask: Ask; resolve: (reply: Reply) => void }[] = [];
  const face = withAsyncScript(
    (ask) => new Promise<Reply>((resolve) => waiting.push({ ask, resolve })),
    (script) => createOpenAiChat({ script }),
  );
  const replies = ["one", "two", "three"].map((text) => face.handle(chat(text)));
  expect(waiting.map(({ ask }) => [ask.turn, ask.userText])).toEqual([
    [0, "one"],
    [1, "two"],
    [2, "three"],
  ]);
  // The last one is ready first.
  for (const { ask, resolve } of waiting.reverse()) resolve(answer(`reply to ${ask.userText}`));
  for (const [index, text] of ["one", "two", "three"].entries()) {
    const content = `reply to ${text}`;
    expect(await replies[index]).toMatchObject({ body: { choices: [{ message: { content } }] } });
  }
});

test("each of several replies to one request is asked for once, whether it takes time or not", async () => {
  const asked: string[] = [];
  const face = withAsyncScript(
    (ask) => {
      asked.push(`${ask.purpose} ${ask.turn}`);
      return ask.purpose === "compaction" ? answer("Sum.") : Promise.resolve(answer("Go on."));
    },
    (script) => createAnthropic({ script }),
  );
  const edits = [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } }];
  const body = {
    ...{ model: "claude-opus-5-5", max_tokens: 100, messages: user("x".repeat(210_000)) },
    context_management: { edits },
  };
  const { headers: base, ...rest } = call("/v1/messages", body);
  const reply = await face.handle({ ...rest, headers: { ...base, "anthropic-beta": "compact-2026-01-12" } });
  expect(reply).toMatchObject({ kind: "json", status: 200, outcome: { kind: "answered" } });
  expect(JSON.stringify(reply)).toContain("Go on.");
  expect(asked).toEqual(["compaction 0", "answer 0"]);
});

test("an error of the script is an error of the call", async () => {
  const face = withAsyncScript(
    () => Promise.reject(new Error("no idea")),
    (script) => createOpenAiChat({ script }),
  );
  await expect(face.handle(chat("Hi"))).rejects.toThrow("no idea");
});
