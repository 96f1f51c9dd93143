import { type Block, memoryStore, openSession, toolResult } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { expect, test } from "vitest";
import { countLost } from "./count-lost.ts";
import { markOf } from "./marked-texts.ts";

const call = (id: string): Block => ({ kind: "tool_call", id, name: "Read", input: {} });

async function open() {
  const provider = anthropic({} as never);
  const session = await openSession({ store: memoryStore(), provider, model: "claude-opus-5-5" });
  const say = (...blocks: readonly Block[]) => session.append({ role: "assistant", origin: "host", blocks });
  await session.append(`${markOf("prompt", 0)} Go.`);
  await say(call("a"), call("b"));
  await session.append([toolResult("a", markOf("result", 0)), toolResult("b", markOf("result", 1))]);
  return { session, say };
}

test("what stands in the log once is not lost, even when ids come again", async () => {
  const { session, say } = await open();
  await say(call("a"));
  await session.append(toolResult("a", markOf("result", 2)));
  expect(await countLost(session.history.export(), { prompts: 1, results: 3 })).toEqual({
    prompts: 0,
    results: 0,
    unpaired: 0,
  });
});

test("what is missing, what stands there twice, and calls that are open are counted", async () => {
  const { session, say } = await open();
  await session.append(`${markOf("prompt", 0)} Go.`);
  await say(call("c"));
  expect(await countLost(session.history.export(), { prompts: 2, results: 3 })).toEqual({
    prompts: 2,
    results: 1,
    unpaired: 1,
  });
});
