import { type PathBase, placePattern } from "./path-pattern.ts";
import { fitsTool, type Rule } from "./rule.ts";

/**
 * The patterns of files that may not be read, placed (see `placePattern`): no search finds them, and a sandbox mounts
 * something empty over them. `deny *(.env)` hides as well as `deny Read(.env)`.
 */
export function hiddenPatterns(rules: readonly Rule[], base: PathBase): readonly string[] {
  const patterns = rules.flatMap(({ decision, tool, pattern }) =>
    decision === "deny" && pattern !== undefined && fitsTool(tool, "Read") ? [placePattern(pattern, base)] : [],
  );
  return [...new Set(patterns)];
}
