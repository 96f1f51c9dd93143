import { callTool, callTools, createAnthropic } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import { type AnthropicResponse, anthropic } from "../providers/anthropic.ts";
import { recallTool } from "../recall/recall.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { openSession } from "./open.ts";

const large = (word: string): string => `${word} `.repeat(30_000);

/** The entry number that a preview offers for recall. */
function numberIn(preview: string): number {
  const [, number] = /entry (\d+)/.exec(preview) ?? [];
  return Number(number);
}

async function begin() {
  const face = createAnthropic({ script: () => callTools(callTool("look", {}), callTool("look", {})) });
  const tools = [{ name: "look", inputSchema: { type: "object" } }, recallTool];
  const session = await openSession({
    store: memoryStore(),
    provider: anthropic({} as never),
    model: "claude-opus-5-5",
    tools,
  });
  await session.append("Look twice.");
  const answered = face.answer(await session.prepare());
  if (answered.kind === "refused") throw new Error(answered.message);
  const { calls } = await session.record(answered.response as unknown as AnthropicResponse);
  return { session, ids: calls.map(({ id }) => id) };
}

async function recalledBy(session: Awaited<ReturnType<typeof begin>>["session"], preview: string): Promise<string> {
  const recalled = await session.recall({ entry: numberIn(preview) });
  return JSON.stringify(recalled);
}

test("names the entry of each large result in its preview", async () => {
  const { session, ids } = await begin();
  await session.append([toolResult(ids[0]!, large("heron")), toolResult(ids[1]!, large("stork"))]);
  const { messages } = await session.prepare();
  const [heron, stork] = (messages.at(-1)!.content as readonly object[]).map((block) => JSON.stringify(block));
  expect(numberIn(heron!)).not.toBe(numberIn(stork!));
  expect(await recalledBy(session, heron!)).toContain("heron heron");
  expect(await recalledBy(session, stork!)).toContain("stork stork");
});

test("names the entry of a large message in its preview, not that of the agent's step", async () => {
  const { session } = await begin();
  const step = { id: "a1", step: "started", session: "child", way: "background", goal: "Look." } as const;
  const message = { role: "user", origin: "host", blocks: [{ kind: "text", text: large("crane") }] } as const;
  expect(await session.background.enterAgent(step as never, message)).toBe("entered");
  const { messages } = await session.prepare();
  const preview = JSON.stringify(messages).match(/<persisted-output.*?<\/persisted-output>/s)?.[0] ?? "";
  expect(await recalledBy(session, preview)).toContain("crane crane");
});
