// The policies that recordings are replayed under: the engine's own, and those of other agents.

import {
  anyOf,
  type CacheLifetime,
  CODING,
  classic,
  coding,
  codingNotes,
  economic,
  fixedLifetimes,
  keepWarm,
  notesByGrowth,
  type Policy,
  storeNothing,
  whenCold,
  whenWarm,
  window,
} from "palimpsest/policy";
import { cline } from "./rules/cline.ts";
import { codex } from "./rules/codex.ts";
import { geminiCli } from "./rules/gemini-cli.ts";
import { openCode, openCodePrune } from "./rules/opencode.ts";
import { appendOnly, plainRules } from "./rules/plain-rules.ts";
import { qwenCode } from "./rules/qwen-code.ts";
import type { Rule } from "./rules/rule.ts";
import { serverClearing, serverClearing20K, serverClearingUnmarked } from "./rules/server-clearing.ts";

/** A policy of the engine. */
export interface EnginePolicy {
  readonly kind: "engine";
  readonly name: string;
  readonly about: string;
  /** @param cacheTtl how long the provider caches a prompt, unless the policy chooses itself */
  policyFor(cacheTtl: CacheLifetime): Policy;
}

/** The rule of another program. */
export interface RulePolicy {
  readonly kind: "rule";
  readonly name: string;
  readonly about: string;
  readonly rule: Rule;
}

/** A way to keep a session inside its window. */
export type ReplayPolicy = EnginePolicy | RulePolicy;

const PROFILES = ["balanced", "economy", "quality"] as const;
const balanced = coding();
const withoutClearing: Policy = { ...balanced, clear: [] };
const onlyWhenFull: Policy = compactsWhen(withoutClearing, window());

/** Our policies: the profiles, and each part alone. */
export const ENGINE_POLICIES: readonly EnginePolicy[] = [
  engine("balanced", "the engine as it comes: `coding` with the profile `balanced`", balanced),
  engine("economy", "`coding` with the profile `economy`", coding("economy")),
  engine(
    "quality",
    "`coding` with the profile `quality`: compaction when the window is nearly full",
    coding("quality"),
  ),
  ...PROFILES.map((profile) =>
    asShipped(
      `${profile}-two-lifetimes`,
      `\`${profile}\` as shipped: system prompt and tools are cached for an hour once pauses would have paid for it`,
      coding(profile),
    ),
  ),
  {
    kind: "engine",
    name: "head-1h",
    about: "`balanced`; system prompt and tools are cached for an hour from the start",
    policyFor: (cacheTtl) => ({ ...balanced, cache: fixedLifetimes("1h", cacheTtl) }),
  },
  ...PROFILES.map((profile) =>
    asShipped(
      `${profile}-warm`,
      `\`${profile}\` as the agent ships it in the terminal: pings keep the prompt in the cache`,
      coding(profile, { keepWarm: keepWarm() }),
    ),
  ),
  engine("economic", "compaction when it pays; no clearing", withoutClearing),
  engine("careful", "compaction between turns, and only where it pays soon; no clearing", {
    ...compactsWhen(withoutClearing, anyOf(window(), economic({ fromTokens: 100_000, inTurnFromTokens: 1e9 }))),
    weigh: { ...balanced.weigh, horizonRequests: 15 },
  }),
  engine("from-250k", "compaction when it pays, from 250,000 tokens on; no clearing", compactsFrom(250_000)),
  engine(
    "patient",
    "compaction from 400,000 tokens on; clearing in the cold, where thirty results stay; nothing is stored",
    {
      ...compactsFrom(400_000),
      store: storeNothing(),
      clear: [whenCold({ keepNewest: 30 })],
    },
  ),
  engine("payback", "clearing when it pays, compaction when the window is full", {
    ...onlyWhenFull,
    clear: [whenCold({ keepNewest: 8 }), whenWarm({ keepNewest: 8, minTokens: 10_000, horizonRequests: 20 })],
  }),
  engine("fixed", "the fixed rules of similar agents: clearing by age and size, compaction when the window is full", {
    ...onlyWhenFull,
    clear: classic.clear,
  }),
  engine("full-window", "compaction when the window is full, and nothing else", onlyWhenFull),
  ...PROFILES.map((profile) =>
    asShipped(
      `${profile}-notes`,
      `\`${profile}\` as shipped, with session notes when an update saves more than it costs`,
      coding(profile, { notes: codingNotes() }),
    ),
  ),
  engine(
    "notes-fixed",
    "`balanced`, with notes by growth and tool calls",
    coding("balanced", { notes: notesByGrowth({ firstTokens: 10_000, growthTokens: 5_000, toolCalls: 3 }) }),
  ),
];

/** Policies of other agents, each as published. */
export const RULE_POLICIES: readonly RulePolicy[] = [
  appendOnly,
  ...plainRules,
  serverClearing,
  serverClearingUnmarked,
  serverClearing20K,
  qwenCode,
  openCode,
  openCodePrune,
  codex,
  geminiCli,
  cline,
].map(toRulePolicy);

/** All policies, of the engine and of other agents. */
export const REPLAY_POLICIES: readonly ReplayPolicy[] = [...ENGINE_POLICIES, ...RULE_POLICIES];

/** A rule of another agent as a policy. */
export function toRulePolicy(rule: Rule): RulePolicy {
  return { kind: "rule", name: rule.name, about: rule.about, rule };
}

/** A policy whose whole prompt is cached as long as the replay says. */
function engine(name: string, about: string, policy: Policy): EnginePolicy {
  return {
    kind: "engine",
    name,
    about,
    policyFor: (cacheTtl) => ({ ...policy, cache: fixedLifetimes(cacheTtl, cacheTtl) }),
  };
}

/** A policy with a cache rule of its own. Presets choose the lifetime of the head by the pauses of the session. */
function asShipped(name: string, about: string, policy: Policy): EnginePolicy {
  return { kind: "engine", name, about, policyFor: () => policy };
}

function compactsWhen(policy: Policy, when: Policy["compact"]["when"]): Policy {
  return { ...policy, compact: { ...policy.compact, when } };
}

function compactsFrom(fromTokens: number): Policy {
  const { aboveWindowTokens } = CODING.balanced;
  const saves = economic({ fromTokens, inTurnFromTokens: fromTokens, aboveWindowTokens });
  return compactsWhen(withoutClearing, anyOf(window(), saves));
}
