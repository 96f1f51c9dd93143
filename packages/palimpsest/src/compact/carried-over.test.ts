import { expect, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import { anthropic } from "../providers/anthropic.ts";
import { openSession } from "../session/open.ts";
import { memoryStore } from "../stores/memory-store.ts";

const MODEL = "claude-opus-5-5";
const NAMES = 300;

/** Names that nobody has used before: each is a fact. */
const names = (of: string): string =>
  Array.from({ length: NAMES }, (_, index) => `src/${of}/part_${index}.ts`).join("\n");

function response(round: number) {
  return {
    id: `msg_${round}`,
    type: "message",
    role: "assistant",
    model: MODEL,
    stop_reason: "tool_use",
    stop_sequence: null,
    content: [
      { type: "text", text: `I look at src/question_${round}/part_1.ts.` },
      { type: "tool_use", id: `call_${round}`, name: "Read", input: { file_path: `src/file_${round}.ts` } },
    ],
    usage: { input_tokens: 5_000, output_tokens: 50, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  };
}

test("what a session carries on past its boundaries does not grow with its length", async () => {
  const store = memoryStore();
  // No client: every compaction does without a model.
  const session = await openSession({ store, provider: anthropic({} as never), model: MODEL, id: "s" });
  const reader = (await store.openReader("s"))!;
  const carriedCharacters: number[] = [];
  for (let round = 1; round <= 20; round++) {
    await session.append(names(`question_${round}`));
    const request = await session.prepare();
    await session.record(response(round) as never, request);
    await session.append(toolResult(`call_${round}`, names(`result_${round}`)));
    if (round % 5 !== 0) continue;
    expect(await session.compact()).toMatchObject({ kind: "compacted", summary: { way: "none" } });
    carriedCharacters.push(JSON.stringify(JSON.parse((await reader.newest("boundary"))!.payload!).state).length);
  }
  const [, early = 0, , late = 0] = carriedCharacters;
  // It has reached its bounds by then: of 6,000 names, 5,000 are kept.
  expect(early).toBeGreaterThan(100_000);
  expect(late).toBeLessThan(1.1 * early);
});
