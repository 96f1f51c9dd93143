import type { Rule } from "@palimpsest/replay";
import { loadPeers } from "../load-peers.ts";

/** What libraries do, by calling them. */
export async function loadPeerRules(): Promise<readonly Rule[]> {
  const { rules } = await loadPeers<{ readonly rules: readonly Rule[] }>("rules.ts");
  return rules;
}
