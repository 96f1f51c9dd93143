// The rules that are replayed on a list of messages: other agents, libraries, and ideas that were tried.

import { compactAt, limitOf, RULE_POLICIES, type Rule, type RuleMessage } from "@palimpsest/observe/replay";
import { loadPeers } from "../load-peers.ts";

/** Everything is relative to this rule. */
export const BASELINE = "append-only";

export const AGENT_RULES: readonly string[] = RULE_POLICIES.map(({ name }) => name);

/** The names of the rules in lab/peers, which are planned without the libraries. */
export const LIBRARY_RULES: readonly string[] = [
  "langchain-editing",
  "langchain-summarization",
  "deepagents",
  "ai-sdk-prune",
  "mastra-token-limiter",
  "strands-summarizing",
];

const NEWEST = 10;
const BATCH_TOKENS = 20_000;
const CAP_CHARACTERS = 8_000;
const CACHE_MS = 300_000;
const MASK = "[Result left out]";

/** Ideas that do not pay under a prompt cache. The page has their figures. */
export const TRIED: readonly Rule[] = [
  tried("mask-each-request", "all results but the newest ten are masked, before each request", (results) =>
    results.slice(0, -NEWEST),
  ),
  tried("mask-in-batches", "the same, once 20,000 tokens can be masked together", (results) => {
    const old = results.slice(0, -NEWEST);
    return old.reduce((sum, { tokens }) => sum + tokens, 0) >= BATCH_TOKENS ? old : [];
  }),
  tried("mask-when-cold", "the same, when the cache has expired", (results, idleMs) =>
    idleMs >= CACHE_MS ? results.slice(0, -NEWEST) : [],
  ),
  tried(
    "cap-at-source",
    "results are cut to 8,000 characters before they are sent for the first time",
    (results) => results.filter(({ text }) => text.length > CAP_CHARACTERS),
    ({ text }) => text.slice(0, CAP_CHARACTERS),
  ),
];

function tried(
  name: string,
  about: string,
  choose: (results: readonly RuleMessage[], idleMs: number) => readonly RuleMessage[],
  shorter: (result: RuleMessage) => string = () => MASK,
): Rule {
  return {
    name,
    about,
    source: "lab/src/economics/rules.ts",
    begin: () => ({
      prepare(messages, situation) {
        const results = messages.filter(({ kind, item }) => kind === "result" && item !== undefined);
        const chosen = new Set(choose(results, situation.idleMs ?? 0));
        const shaped = messages.map((message) =>
          chosen.has(message) ? situation.replaced(message, shorter(message)) : message,
        );
        return { kept: compactAt(limitOf(situation.windowTokens), shaped, situation) };
      },
    }),
  };
}

/** Finds a rule by its name. Libraries are loaded only if one of their rules is asked for. */
export async function findRule(name: string): Promise<Rule> {
  const known = [
    ...RULE_POLICIES.map(({ rule }) => rule),
    ...TRIED,
    ...(LIBRARY_RULES.includes(name) ? await libraryRules() : []),
  ];
  const found = known.find((rule) => rule.name === name);
  if (found === undefined)
    throw new Error(`There is no rule "${name}". Known: ${known.map((one) => one.name).join(", ")}.`);
  return found;
}

async function libraryRules(): Promise<readonly Rule[]> {
  const { rules } = await loadPeers<{ readonly rules: readonly Rule[] }>("rules.ts");
  return rules;
}
