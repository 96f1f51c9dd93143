import { expect, test } from "vitest";
import { manualClock } from "../../clock.ts";
import { createAnthropic } from "../anthropic.ts";
import { BETA, type Message } from "../request.ts";

const betas = [BETA.cacheEdits];
const round = (id: string): Message[] => [
  { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "y".repeat(7_000) }] },
];
const request = (count: number, ...deleted: string[]) => ({
  model: "claude-sonnet-4-6",
  max_tokens: 1_000,
  cache_control: { type: "ephemeral" },
  messages: [
    { role: "user", content: "Go" },
    ...Array.from({ length: count }, (_, index) => round(`t${index}`)).flat(),
  ] as Message[],
  ...(deleted.length === 0 ? {} : { cache_edits: { deleted_tool_results: deleted } }),
});

function begin() {
  const clock = manualClock();
  const face = createAnthropic({ clock });
  const used = (body: object) => {
    const answered = face.answer(body, { betas });
    if (answered.kind === "refused") throw new Error(answered.message);
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, cache_deleted_input_tokens } =
      answered.response.usage;
    return {
      input: input_tokens + cache_read_input_tokens + cache_creation_input_tokens,
      read: cache_read_input_tokens,
      deleted: cache_deleted_input_tokens,
    };
  };
  return { clock, used };
}

test("extension: results are deleted from the cached prefix, and what is cached behind them stays", () => {
  const { used } = begin();
  const whole = used(request(4));
  expect(whole).toMatchObject({ read: 0, deleted: 0 });
  const next = used(request(5, "t0", "t1"));
  expect(next.deleted).toBeGreaterThan(4_000);
  expect(next.read).toBe(whole.input - next.deleted!);
  // Sent again, they stay deleted, and all that was written since is read; not sent again, they are back.
  const again = used(request(5, "t0", "t1"));
  expect(again).toEqual({ input: next.input, read: next.input, deleted: next.deleted });
  expect(used(request(5))).toMatchObject({ input: next.input + next.deleted!, deleted: 0 });
});

test("extension: what is not in the cache is not deleted from it", () => {
  const { clock, used } = begin();
  const whole = used(request(4)).input;
  expect(used(request(5, "t4", "unknown")).deleted).toBe(0);
  clock.advance(6 * 60_000);
  expect(used(request(4, "t0"))).toEqual({ input: whole, read: 0, deleted: 0 });
});

test.each<[object, readonly string[], string]>([
  [{}, [], "cache_edits: Extra inputs are not permitted"],
  [{ deleted: [] }, betas, "cache_edits.deleted: Extra inputs are not permitted"],
  [{ deleted_tool_results: [1] }, betas, "cache_edits.deleted_tool_results: Input should be a valid list"],
])("extension: refused: %j with betas %j", (cache_edits, asked, message) => {
  expect(createAnthropic().judge({ ...request(1), cache_edits }, { betas: asked })).toMatchObject({ message });
});
