import type { Settings } from "palimpsest";
import { cline } from "./rules/cline.ts";
import { codex } from "./rules/codex.ts";
import { geminiCli } from "./rules/gemini-cli.ts";
import { openCode, openCodePrune } from "./rules/opencode.ts";
import { appendOnly, plainRules } from "./rules/plain-rules.ts";
import { qwenCode } from "./rules/qwen-code.ts";
import type { Rule } from "./rules/rule.ts";
import { serverClearing, serverClearing20K, serverClearingUnmarked } from "./rules/server-clearing.ts";

/** A set of the engine's settings. */
export interface EnginePolicy {
  readonly kind: "engine";
  readonly name: string;
  readonly about: string;
  /** Settings that differ from the defaults. A time to live that is not set here is that of the replay, for the whole prompt. */
  readonly settings: Partial<Settings>;
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

const NO_CLEARING = { "clearing.enabled": "off" } as const;
const NO_NOTES = { "notes.enabled": "off" } as const;
const FULL_WINDOW = { "compaction.policy": "window" } as const;
/** More than any window has. */
const NEVER_TOKENS = 1_000_000_000;

/** For users who prefer cost to repeated reads. */
function fromTokens(tokens: number): EnginePolicy["settings"] {
  return {
    ...NO_CLEARING,
    "compaction.economicFromTokens": tokens,
    "compaction.economicInTurnFromTokens": tokens,
  };
}

/** Our policies: settings of the engine, from the defaults to each part alone. */
export const ENGINE_POLICIES: readonly EnginePolicy[] = [
  engine("balanced", "the engine as it comes: the profile `balanced`", {}),
  engine("economy", "the profile `economy`: compaction from 60,000 tokens on where it pays", { profile: "economy" }),
  engine("quality", "the profile `quality`: compaction when the window is nearly full", { profile: "quality" }),
  ...(["balanced", "economy", "quality"] as const).map((profile) =>
    engine(
      `${profile}-two-lifetimes`,
      `\`${profile}\` as shipped: system prompt and tools are cached for an hour once pauses would have paid for it`,
      { profile, "cache.headTtl": "auto" },
    ),
  ),
  engine("head-1h", "the defaults; system prompt and tools are cached for an hour from the start", {
    "cache.headTtl": "1h",
  }),
  engine("keep-warm", "the defaults, and pings keep the prompt in the cache", { "keepWarm.enabled": "on" }),
  engine("economic", "compaction when it pays; no clearing, no notes", { ...NO_CLEARING, ...NO_NOTES }),
  engine("careful", "compaction between turns, and only where it pays soon; no clearing", {
    ...NO_CLEARING,
    "compaction.economicInTurnFromTokens": NEVER_TOKENS,
    "compaction.horizonRequests": 15,
  }),
  engine("from-250k", "compaction when it pays, from 250,000 tokens on; no clearing", fromTokens(250_000)),
  engine(
    "patient",
    "compaction from 400,000 tokens on; clearing in the cold, where thirty results stay; nothing is stored",
    {
      ...fromTokens(400_000),
      "clearing.enabled": "on",
      "clearing.keepNewest": 30,
      "toolResults.storing": "off",
    },
  ),
  engine("payback", "clearing when it pays, compaction when the window is full", {
    "clearing.bySize": "on",
    ...FULL_WINDOW,
    ...NO_NOTES,
  }),
  engine("fixed", "clearing by age and size alone, compaction when the window is full", {
    "clearing.policy": "fixed",
    "clearing.bySize": "on",
    ...FULL_WINDOW,
    ...NO_NOTES,
  }),
  engine("full-window", "compaction when the window is full, and nothing else", {
    ...NO_CLEARING,
    ...FULL_WINDOW,
    ...NO_NOTES,
  }),
  ...(["balanced", "economy", "quality"] as const).map((profile) =>
    engine(
      `${profile}-notes`,
      `\`${profile}\` as shipped, with session notes when an update saves more than it costs`,
      {
        profile,
        "cache.headTtl": "auto",
        "notes.enabled": "on",
      },
    ),
  ),
  engine("notes-fixed", "the defaults, with notes by growth and tool calls", {
    "notes.enabled": "on",
    "notes.policy": "fixed",
  }),
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

function engine(name: string, about: string, settings: EnginePolicy["settings"]): EnginePolicy {
  return { kind: "engine", name, about, settings };
}
