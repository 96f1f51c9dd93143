// Policies for tests: the policy of a coding agent, with few rules that act early enough for a short session.

import type { ClearRule, CompactRule, Policy } from "../../policy/policy.ts";
import { coding } from "../../presets/coding.ts";

/** Clears by these rules only, and compacts like a coding agent. */
export function clearingBy(...clear: readonly ClearRule[]): Policy {
  return { ...coding(), name: "test", clear };
}

/** Compacts by this rule only, clears nothing, and prepares no summaries. */
export function compactingWhen(when: CompactRule["when"]): Policy {
  const policy = coding();
  return { ...policy, name: "test", clear: [], compact: { ...policy.compact, when, prepareAhead: undefined } };
}
