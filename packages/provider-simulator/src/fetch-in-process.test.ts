import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { createAnthropic } from "./anthropic/anthropic.ts";
import { cutStream, type Fault, overloaded, resetConnection, stallStream } from "./faults.ts";
import { fetchInProcess } from "./fetch-in-process.ts";
import { idleClock } from "./idle-clock.ts";
import { answer, type Reply } from "./script.ts";

function connect(reply: Reply, eventMs = 0) {
  const clock = idleClock();
  const face = createAnthropic({ clock, script: () => reply });
  const fetch = fetchInProcess({ face, clock, eventMs: () => eventMs });
  const client = new Anthropic({ apiKey: "none", baseURL: "http://simulator", maxRetries: 0, fetch });
  const ask = () =>
    client.messages
      .stream({ model: "claude-opus-5-5", max_tokens: 100, messages: [{ role: "user", content: "Go" }] })
      .finalText();
  return { clock, ask };
}

const LONG = "A text of several pieces, for it is long. ".repeat(4);

test("the real client is answered, at the pace that was asked for", async () => {
  const quick = connect(answer(LONG));
  expect(await quick.ask()).toBe(LONG);
  expect(quick.clock.now()).toBe(0);
  const slow = connect(answer(LONG), 1_000);
  expect(await slow.ask()).toBe(LONG);
  expect(slow.clock.now()).toBeGreaterThan(5_000);
});

test.each<[string, Fault]>([
  ["overloaded", overloaded()],
  ["reset", resetConnection()],
  ["cut", cutStream(3)],
  ["cut by a reset", cutStream(3, "reset")],
])("a call that is %s fails", async (_, fault) => {
  await expect(connect({ ...answer(LONG), fault }).ask()).rejects.toThrow();
});

test("a stream that stalls comes late", async () => {
  const { clock, ask } = connect({ ...answer(LONG), fault: stallStream(3, 60_000) });
  expect(await ask()).toBe(LONG);
  expect(clock.now()).toBe(60_000);
});
