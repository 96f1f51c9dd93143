import type { PromptSizes } from "./prompt-sizes.ts";
import type { RebuiltBlock } from "./requests.ts";

export type Lifetime = "5m" | "1h";

export interface ToRequestOptions {
  readonly model: string;
  readonly sizes: PromptSizes;
  readonly lifetime: Lifetime;
  /** What stood behind the last mark. */
  readonly tailTokens: number;
  readonly messageMarks: 1 | 2;
  /** Calls that have been shown as pairs before stay pairs, and those shown without stay without. */
  readonly paired: Map<string, "pair" | "text">;
}

/** A rebuilt conversation as a Messages request that the service would accept, marked as the recorded client marks. */
export function toRequest(blocks: readonly RebuiltBlock[], options: ToRequestOptions): object {
  const cache_control = { type: "ephemeral", ttl: options.lifetime };
  const { sizes, tailTokens } = options;
  const marked = marksOf(blocks, options.messageMarks);
  const messages: { role: string; content: object[] }[] = [
    { role: "user", content: [{ type: "text", text: sizes.contextKey }] },
  ];
  for (const turn of turnsOf(blocks, options.paired)) {
    const content = turn.blocks.map((block) => ({
      ...wireBlock(block, options.paired),
      ...(marked.has(block.key) ? { cache_control } : {}),
    }));
    messages.push({ role: turn.role, content });
  }
  const tail = { role: "user", content: [{ type: "text", text: `tail ${tailTokens}` }] };
  return {
    model: options.model,
    max_tokens: 1,
    system: [
      { type: "text", text: sizes.sharedKey, cache_control },
      { type: "text", text: sizes.systemKey, cache_control },
    ],
    messages: [...messages, tail],
  };
}

interface Turn {
  readonly role: RebuiltBlock["role"];
  readonly blocks: RebuiltBlock[];
}

/** Turns in order, the results of each at its front, as the service wants them. */
function turnsOf(blocks: readonly RebuiltBlock[], paired: Map<string, "pair" | "text">): Turn[] {
  const turns: Turn[] = [];
  for (const block of blocks) {
    const last = turns.at(-1);
    if (last?.role === block.role) last.blocks.push(block);
    else turns.push({ role: block.role, blocks: [block] });
  }
  for (const [index, turn] of turns.entries()) {
    if (turn.role !== "assistant") continue;
    const answers = new Set(
      turns[index + 1]?.blocks.filter(({ kind }) => kind === "result").map(({ callId }) => callId),
    );
    for (const { kind, callId } of turn.blocks) {
      if (kind === "call" && !paired.has(callId!)) paired.set(callId!, answers.has(callId!) ? "pair" : "text");
    }
    const next = turns[index + 1];
    const isPaired = (block: RebuiltBlock): boolean =>
      block.kind === "result" && turn.blocks.some(({ callId }) => callId === block.callId);
    next?.blocks.sort((left, right) => Number(isPaired(right)) - Number(isPaired(left)));
  }
  return turns;
}

function wireBlock(block: RebuiltBlock, paired: ReadonlyMap<string, "pair" | "text">): object {
  const pair = block.callId !== undefined && paired.get(block.callId) === "pair";
  if (pair && block.kind === "call") return { type: "tool_use", id: block.callId, name: block.key, input: {} };
  if (pair && block.kind === "result") return { type: "tool_result", tool_use_id: block.callId, content: block.key };
  return { type: "text", text: block.key };
}

/** The last block; for older clients also the last block of the message before. */
function marksOf(blocks: readonly RebuiltBlock[], messageMarks: 1 | 2): ReadonlySet<string> {
  const last = blocks.at(-1);
  if (last === undefined) return new Set();
  const earlier = messageMarks === 2 ? blocks.findLast(({ role }) => role !== last.role) : undefined;
  return new Set(earlier === undefined ? [last.key] : [last.key, earlier.key]);
}
