import { createAnthropic } from "@palimpsest/provider-simulator";
import type { Bench, BenchOptions } from "./bench.ts";

/** How many requests a second the in-process judge takes, for a conversation that grows by one round each time. */
export const judgeBench: Bench = {
  name: "judge",
  about: "judged requests per second at 100 and 5,000 blocks, blocks frozen (remembered) and not (read anew)",
  async run(options) {
    const small = measure(100, options);
    const large = measure(5_000, options);
    return {
      requests_per_second: { "100": small.frozen, "5000": large.frozen },
      requests_per_second_unfrozen: { "100": small.unfrozen, "5000": large.unfrozen },
      // Per block, how much dearer a long conversation is than a short one: 1 is linear.
      growth_per_block: round(small.frozen / large.frozen / (5_000 / 100)),
      bytes_per_request: { "100": small.bytes, "5000": large.bytes },
    };
  },
};

function measure(blocks: number, { size }: BenchOptions): { frozen: number; unfrozen: number; bytes: number } {
  const messages = conversation(blocks);
  const bytes = JSON.stringify(messages).length;
  const budgetMs = size === "quick" ? 300 : 3_000;
  return { frozen: rate(deepFreeze(messages), budgetMs), unfrozen: rate(conversation(blocks), budgetMs), bytes };
}

/** Requests share their blocks, as those of an engine do; each new one adds a round. */
function rate(messages: readonly object[], budgetMs: number): number {
  const anthropic = createAnthropic();
  const request = (count: number): object => ({
    model: "claude-sonnet-4-6",
    max_tokens: 1_000,
    cache_control: { type: "ephemeral" },
    tools: TOOLS,
    system: "You are a careful engineer.",
    messages: messages.slice(0, count),
  });
  const lengths = Array.from({ length: 10 }, (_, index) => messages.length - 2 * (9 - index));
  for (const length of lengths) anthropic.judge(request(length));
  let judged = 0;
  const startedAtMs = performance.now();
  while (performance.now() - startedAtMs < budgetMs) {
    const verdict = anthropic.judge(request(lengths[judged % lengths.length]!));
    if (verdict.kind !== "accepted") throw new Error(`The bench sent a request that was refused: ${verdict.message}`);
    judged++;
  }
  return round((judged * 1_000) / (performance.now() - startedAtMs));
}

const TOOLS = deepFreeze([{ name: "read_file", description: "Reads a file.", input_schema: { type: "object" } }]);

/** A user's task, then rounds of one call and its result: half of the blocks results, about 1 KB each. */
function conversation(blocks: number): object[] {
  const messages: object[] = [{ role: "user", content: [{ type: "text", text: "Fix the failing test." }] }];
  for (let round = 0; messages.length + 1 < blocks; round++) {
    const id = `toolu_${round}`;
    messages.push({
      role: "assistant",
      content: [{ type: "tool_use", id, name: "read_file", input: { path: `src/${round}.ts` } }],
    });
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: `line ${round}\n`.repeat(120) }],
    });
  }
  return messages;
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
