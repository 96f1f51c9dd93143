// The policy of an open session: where it comes from, and which of its rules fail.

import { InvalidOptionError } from "../errors.ts";
import { type Draft, toDraft } from "../log/entry.ts";
import type { PolicyPayload } from "../log/payload-compaction.ts";
import { checkPolicy } from "../policy/check.ts";
import { countFailures, isPaused, type RuleFailure } from "../policy/guard.ts";
import type { Policy, RangeRule, Rule, WhenRule } from "../policy/policy.ts";
import type { DecisionHistory } from "../policy/window-state.ts";
import type { Emit } from "../session-event.ts";
import type { Settings } from "../settings/settings.ts";

/** What a policy function can decide by. */
export interface PolicyFacts {
  readonly sessionId: string;
  readonly model: string;
  readonly windowTokens: number;
}

/** A policy, or a function that returns the policy of a session. Called when the session opens and when its model changes. */
export type PolicyOption = Policy | ((facts: PolicyFacts) => Policy);

interface PolicySources {
  readonly sessionId: string;
  readonly option: PolicyOption | undefined;
  /** The policy of sessions that are opened without one. */
  readonly fromSettings: (settings: Settings) => Policy;
  readonly settings: { readonly current: Settings };
  /** Returns the model in use and its window. */
  readonly model: () => { readonly model: string; readonly windowTokens: number };
  readonly emit: Emit;
}

interface MadePolicy {
  readonly settings: Settings;
  readonly model: string;
  readonly windowTokens: number;
  readonly policy: Policy;
}

/** The number of failures in a row of each rule. A session and its forks count together. */
export class RuleFailures {
  counts: DecisionHistory["failures"] = {};
}

/** The policy of an open session. It stays the same value until the settings or the model change. */
export class SessionPolicy {
  readonly #sources: PolicySources;
  readonly ruleFailures: RuleFailures;
  #made: MadePolicy | undefined;

  constructor(sources: PolicySources, ruleFailures: RuleFailures = new RuleFailures()) {
    this.#sources = sources;
    this.ruleFailures = ruleFailures;
  }

  get current(): Policy {
    const settings = this.#sources.settings.current;
    const { model, windowTokens } = this.#sources.model();
    const made = this.#made;
    const isSame = made?.settings === settings && made.model === model && made.windowTokens === windowTokens;
    if (made !== undefined && isSame) return made.policy;
    const policy = this.#make(settings, { sessionId: this.#sources.sessionId, model, windowTokens });
    this.#made = { settings, model, windowTokens, policy };
    return policy;
  }

  /** The number of failures in a row of each rule. */
  get failures(): DecisionHistory["failures"] {
    return this.ruleFailures.counts;
  }

  /** Counts the failures of the rules that were called, and emits `rule-failed` for each. */
  count(called: readonly string[], failed: readonly RuleFailure[]): void {
    this.ruleFailures.counts = countFailures(this.failures, called, failed);
    for (const { rule, where, why } of failed) {
      const paused = isPaused(this, rule);
      this.#sources.emit({ kind: "rule-failed", rule, where, because: why, paused });
    }
  }

  /** Counts one call of a rule. */
  countCall(rule: string, failure: RuleFailure | undefined): void {
    this.count([rule], failure === undefined ? [] : [failure]);
  }

  /** Counts a failure of one rule. */
  report(failure: RuleFailure): void {
    this.count([], [failure]);
  }

  #make(settings: Settings, facts: PolicyFacts): Policy {
    const { option, fromSettings } = this.#sources;
    if (option === undefined) return fromSettings(settings);
    if (typeof option !== "function") return option;
    const before = this.#made?.policy;
    try {
      return checked(option(facts));
    } catch (error) {
      // The first policy decides whether the session opens. A later one must not cost a turn.
      if (before === undefined) throw error;
      const why = error instanceof Error ? error.message : String(error);
      this.report({ rule: "policy", where: "when", why });
      return before;
    }
  }
}

/** Throws if the policy is a value that cannot be used. A function is checked when the session calls it. */
export function checkPolicyOption(policy: PolicyOption | undefined): void {
  if (policy !== undefined && typeof policy !== "function") checked(policy);
}

function checked(policy: Policy): Policy {
  const problems = checkPolicy(policy);
  if (problems.length === 0) return policy;
  const name = typeof policy?.name === "string" ? ` ${JSON.stringify(policy.name)}` : "";
  const message = `The policy${name} cannot be used: ${problems.join("; ")}.`;
  throw new InvalidOptionError("policy", policy, "", message);
}

/** Describes a policy as plain data: the name and the numbers of each rule. */
export function describePolicy({ name, store, clear, compact, notes, cache, weigh }: Policy): PolicyPayload {
  const row = (slot: string, rule: Rule) => ({ slot, name: rule.name, params: rule.params });
  const summary = typeof compact.summary === "function" ? { name: "own" } : summaryRule(compact.summary);
  return {
    name,
    rules: [
      row("store", store),
      ...clear.map((rule) => row("clear", rule)),
      ...functionRows("when", compact.when),
      ...functionRows("range", compact.range),
      row("summary", summary),
      ...compact.keep.map((part) => row("keep", part)),
      ...(compact.prepareAhead === undefined ? [] : [row("prepareAhead", compact.prepareAhead)]),
      { slot: "patience", name: compact.patience },
      ...(notes === undefined ? [] : [row("notes", notes)]),
      row("cache", cache),
      { slot: "weigh", name: "weigh", params: { ...weigh } },
    ],
  };
}

/** A rule that combines others is described by these. A function without a name of its own is the builder's. */
function functionRows(slot: "when" | "range", rule: WhenRule | RangeRule): PolicyPayload["rules"] {
  if (rule.of !== undefined) return rule.of.flatMap((one) => functionRows(slot, one as WhenRule | RangeRule));
  const name = rule.name === "" || rule.name === slot ? "own" : rule.name;
  return [{ slot, name, params: rule.params }];
}

function summaryRule(summary: Exclude<Policy["compact"]["summary"], (...args: never[]) => unknown>): Rule {
  return summary.kind === "none" ? { name: "none" } : summary;
}

/** The entry that records the policy, to append before its first decision. Empty if the log has it. */
export function policyDrafts(policy: Policy, recorded: PolicyPayload | undefined): readonly Draft[] {
  const described = describePolicy(policy);
  return JSON.stringify(described) === JSON.stringify(recorded) ? [] : [toDraft("policy", described)];
}

/** The rules that two policies do not share, by slot and name. */
export function changedRules(before: PolicyPayload, now: PolicyPayload): readonly string[] {
  const keyOf = ({ slot, name, params }: PolicyPayload["rules"][number]): string =>
    JSON.stringify([slot, name, params]);
  const [old, fresh] = [new Set(before.rules.map(keyOf)), new Set(now.rules.map(keyOf))];
  const changed = [
    ...before.rules.filter((rule) => !fresh.has(keyOf(rule))),
    ...now.rules.filter((rule) => !old.has(keyOf(rule))),
  ];
  return [...new Set(changed.map(({ slot, name }) => `${slot} ${name}`))];
}
