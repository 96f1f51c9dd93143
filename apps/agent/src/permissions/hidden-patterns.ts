import type { Rule } from "./rule.ts";

/** The patterns of files that may not be read: a search must not find them either. */
export function hiddenPatterns(rules: readonly Rule[]): readonly string[] {
  return rules.flatMap(({ decision, tool, pattern }) =>
    decision === "deny" && tool === "Read" && pattern !== undefined ? [pattern] : [],
  );
}
