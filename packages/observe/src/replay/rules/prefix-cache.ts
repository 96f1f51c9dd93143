import type { BilledTokens } from "palimpsest/inspect";
import type { RuleMessage } from "./rule.ts";

export interface PrefixCacheOptions {
  readonly lifetimeMs: number;
  /** Tokens of system prompt and tools: always the same, with a mark of their own. */
  readonly headTokens: number;
  /** The shortest prompt that is cached. */
  readonly minimumTokens: number;
}

/** The input of a request, by how it is billed. */
export type BilledInput = Omit<BilledTokens, "outputTokens">;

/** A provider's prompt cache over lists of messages, equal to the simulator's cache over blocks. */
export interface PrefixCache {
  /**
   * Sends a request that marks its end and the ends of the two before it. With `stableMessages` the mark of the older end
   * is behind these instead: a request has four marks, of which the head has one.
   */
  send(messages: readonly RuleMessage[], nowMs: number, stableMessages?: number): BilledInput;
  /** The same prompt with an uncached tail: nothing is written. */
  peek(messages: readonly RuleMessage[], addedTokens: number, nowMs: number): BilledInput;
}

/** A prefix of some request: the messages up to here, by identity. */
interface Node {
  readonly next: Map<RuleMessage, Node>;
  expiresAtMs: number;
}

const LOOK_BACK_BLOCKS = 20;
const HOUR_MS = 3_600_000;
/** The number of earlier request ends that are marked again. */
const EARLIER_ENDS = 2;

export function createPrefixCache({ lifetimeMs, headTokens, minimumTokens }: PrefixCacheOptions): PrefixCache {
  const root: Node = newNode();
  let ends: readonly RuleMessage[] = [];

  /** The longest prefix within reach of a mark, and the entries to refresh. */
  function find(messages: readonly RuleMessage[], nowMs: number, stableMessages?: number) {
    const nodes = [root];
    for (const message of messages) nodes.push(step(nodes.at(-1)!, message));
    const earlier = ends.map((end) => messages.lastIndexOf(end) + 1);
    const older = stableMessages === undefined ? earlier : [stableMessages, ...earlier.slice(-1)];
    const marks = [...new Set([0, ...older, messages.length])];
    const found = new Set<Node>();
    let read: number | undefined;
    for (const mark of marks) {
      let passed = 0;
      for (let at = mark; at >= 0 && passed < LOOK_BACK_BLOCKS + 1; at--) {
        passed += messages[at - 1]?.blocks ?? 1;
        if (nodes[at]!.expiresAtMs <= nowMs) continue;
        found.add(nodes[at]!);
        read = Math.max(read ?? 0, at);
        break;
      }
    }
    return { nodes, marks, found, read };
  }

  const tokensOf = (messages: readonly RuleMessage[]): number =>
    messages.reduce((sum, { tokens }) => sum + tokens, headTokens);

  return {
    send(messages, nowMs, stableMessages) {
      const { nodes, marks, found, read } = find(messages, nowMs, stableMessages);
      const totalTokens = tokensOf(messages);
      const cacheReadTokens = read === undefined ? 0 : tokensOf(messages.slice(0, read));
      for (const node of found) node.expiresAtMs = nowMs + lifetimeMs;
      if (totalTokens < minimumTokens) return { freshTokens: totalTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
      for (const mark of marks) if (mark > (read ?? -1)) nodes[mark]!.expiresAtMs = nowMs + lifetimeMs;
      ends = [...ends.slice(-(EARLIER_ENDS - 1)), ...messages.slice(-1)];
      const cacheWriteTokens = totalTokens - cacheReadTokens;
      return { freshTokens: 0, cacheReadTokens, cacheWriteTokens, ...longWrites(cacheWriteTokens, lifetimeMs) };
    },
    peek(messages, addedTokens, nowMs) {
      const { found, read } = find(messages, nowMs);
      for (const node of found) node.expiresAtMs = nowMs + lifetimeMs;
      const cacheReadTokens = read === undefined ? 0 : tokensOf(messages.slice(0, read));
      return {
        freshTokens: tokensOf(messages) - cacheReadTokens + addedTokens,
        cacheReadTokens,
        cacheWriteTokens: 0,
      };
    },
  };
}

function longWrites(tokens: number, lifetimeMs: number): { readonly cacheWrite1hTokens?: number } {
  return lifetimeMs >= HOUR_MS ? { cacheWrite1hTokens: tokens } : {};
}

function step(node: Node, message: RuleMessage): Node {
  const known = node.next.get(message);
  if (known !== undefined) return known;
  const added = newNode();
  node.next.set(message, added);
  return added;
}

function newNode(): Node {
  return { next: new Map(), expiresAtMs: Number.NEGATIVE_INFINITY };
}
