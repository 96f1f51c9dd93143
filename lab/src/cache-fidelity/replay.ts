import { ANTHROPIC_MODELS, type AnthropicModel, createAnthropic, manualClock } from "@palimpsest/provider-simulator";
import { PromptSizes } from "./prompt-sizes.ts";
import type { RebuiltBlock, RecordedRequest } from "./requests.ts";
import { type Lifetime, toRequest } from "./to-request.ts";

export interface Prediction {
  readonly readTokens: number;
  readonly writtenTokens: number;
}

export interface ReplayOptions {
  /** How many of the newest messages the client marks. */
  readonly messageMarks: 1 | 2;
  /** Whether other sessions keep the part of the system prompt warm that all of them share. */
  readonly sharedPrefix: "kept-warm" | "on-its-own";
}

export const LIFETIME_MS: Readonly<Record<Lifetime, number>> = { "5m": 300_000, "1h": 3_600_000 };

const MODEL: AnthropicModel = {
  ...ANTHROPIC_MODELS.find(({ id }) => id === "claude-opus-4-8")!,
  id: "recorded",
  windowTokens: 10_000_000,
};

/** Sends a session's requests through the simulator at their recorded times, and notes what its cache does. */
export function replay(requests: readonly RecordedRequest[], options: ReplayOptions): Prediction[] {
  const clock = manualClock(requests[0]!.sentAtMs);
  const sizes = new PromptSizes(requests[0]!);
  const anthropic = createAnthropic({ clock, tokenizer: sizes.tokenizer, models: [MODEL] });
  const paired = new Map<string, "pair" | "text">();
  const send = (blocks: readonly RebuiltBlock[], lifetime: Lifetime, tailTokens: number): Prediction => {
    const verdict = anthropic.judge(
      toRequest(blocks, { model: MODEL.id, sizes, lifetime, tailTokens, paired, ...options }),
    );
    if (verdict.kind === "refused") throw new Error(`The simulator refused a rebuilt request: ${verdict.message}`);
    const { cacheReadTokens, cacheWriteTokens, longCacheWriteTokens } = verdict.usage;
    return { readTokens: cacheReadTokens, writtenTokens: cacheWriteTokens + longCacheWriteTokens };
  };

  let lifetime: Lifetime = "5m";
  let forks: "seen" | "not seen" = "seen";
  return requests.map((request, index): Prediction => {
    const before = requests[index - 1];
    const goesOn = before?.endsTurn === true && !startsOver(request);
    if (goesOn && forks === "seen") {
      clock.set(Math.max(clock.now(), Math.min(before.endedAtMs + 1_000, request.sentAtMs)));
      send(upToAnswer(request, before), lifetime, 0);
    }
    sizes.note(request);
    sizes.scale(request, before);
    lifetime = lifetimeOf(request) ?? lifetime;
    clock.set(Math.max(clock.now(), request.sentAtMs));
    if (options.sharedPrefix === "kept-warm") send([], lifetime, 0);
    const prediction = send(request.blocks, lifetime, request.usage.freshTokens);
    if (before !== undefined) {
      if (goesOn) forks = seenFork(request, before) ?? forks;
      const system = systemSeenIn(request, before, lifetime);
      if (system !== undefined) sizes.learnSystem(system, request.blocks);
    }
    return prediction;
  });
}

/**
 * Some installations send one more request when a turn ends, which no transcript holds: it carries the answer, so the
 * next turn finds it cached (read then exceeds what was read and written before by just that answer). Whether this one
 * does is taken from the latest turn end that was seen.
 */
function seenFork(request: RecordedRequest, before: RecordedRequest): "seen" | "not seen" | undefined {
  const expected = cachedBy(before);
  if (request.usage.cacheReadTokens < expected) return undefined;
  return request.usage.cacheReadTokens > expected ? "seen" : "not seen";
}

function upToAnswer({ blocks }: RecordedRequest, { answerKeys }: RecordedRequest): readonly RebuiltBlock[] {
  const keys = new Set(answerKeys);
  return blocks.slice(0, blocks.findLastIndex(({ key }) => keys.has(key)) + 1);
}

/** What a miss inside the lifetime still reads is the marked system prompt: nothing else lies between. */
function systemSeenIn(request: RecordedRequest, before: RecordedRequest, lifetime: Lifetime): number | undefined {
  const read = request.usage.cacheReadTokens;
  const warm = request.sentAtMs - before.sentAtMs <= LIFETIME_MS[lifetime];
  const late = read === before.usage.cacheReadTokens;
  const plausible = read > 0 && read < 0.9 * cachedBy(before) && read < 60_000;
  return warm && plausible && !late && !request.changes.includes("restart") ? read : undefined;
}

function startsOver({ changes }: RecordedRequest): boolean {
  return changes.includes("compaction") || changes.includes("new-start");
}

export function cachedBy({ usage }: RecordedRequest): number {
  return usage.cacheReadTokens + (usage.cacheWriteTokens ?? 0);
}

export function lifetimeOf({ usage }: RecordedRequest): Lifetime | undefined {
  if ((usage.cacheWrite1hTokens ?? 0) > 0) return "1h";
  return (usage.cacheWriteTokens ?? 0) > 0 ? "5m" : undefined;
}
