import type { Rule } from "@palimpsest/observe/replay";
import { loadPeers } from "../load-peers.ts";

/** The names of what `loadPeerRules` loads: they are planned without it. */
export const LIBRARY_RULES: readonly string[] = [
  "langchain-editing",
  "langchain-summarization",
  "deepagents",
  "ai-sdk-prune",
  "mastra-token-limiter",
  "strands-summarizing",
];

/** What libraries do, by calling them. */
export async function loadPeerRules(): Promise<readonly Rule[]> {
  const { rules } = await loadPeers<{ readonly rules: readonly Rule[] }>("rules.ts");
  return rules;
}
