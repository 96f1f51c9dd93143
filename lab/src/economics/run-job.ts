import {
  ENGINE_POLICIES,
  headTokensOf,
  needsOf,
  prepareReplay,
  type Recording,
  type ReplayRun,
  RULE_POLICIES,
  type Rule,
  replayRule,
} from "@palimpsest/observe/replay";
import { clairvoyant, FORESIGHTS } from "./clairvoyant.ts";
import { CACHE_TTLS, type CacheTtl, LIFETIME_MS, modelOf } from "./conditions.ts";
import { loadPeerRules } from "./peer-rules.ts";
import type { Job } from "./plan-jobs.ts";
import { type SessionFacts, toFacts } from "./to-facts.ts";

/** The runs of a job: by lifetime, or by strategy where it knows the future. */
export type JobResult = SessionFacts | Readonly<Record<string, ReplayRun>>;

/** Prepares a recording for its jobs: needs are found once. */
export function createRunJob(recording: Recording): (job: Job) => Promise<JobResult> {
  const replay = prepareReplay(recording);
  const needs = needsOf(recording);
  const headTokens = headTokensOf(recording);
  const runRule = async (rule: Rule, windowTokens: number, ttls: readonly CacheTtl[]): Promise<readonly ReplayRun[]> =>
    replayRule(recording, needs, rule, { windowTokens, headTokens, lifetimesMs: ttls.map((ttl) => LIFETIME_MS[ttl]) });

  async function runBoth(rule: Rule, windowTokens: number): Promise<JobResult> {
    const runs = await runRule(rule, windowTokens, CACHE_TTLS);
    return Object.fromEntries(CACHE_TTLS.map((ttl, index) => [ttl, runs[index]!]));
  }

  return async (job) => {
    switch (job.kind) {
      case "facts":
        return toFacts(recording);
      case "engine": {
        const policy = named(ENGINE_POLICIES, job.policy);
        return { [job.cacheTtl]: await replay(policy, { model: modelOf(job), cacheTtl: job.cacheTtl }) };
      }
      case "rule":
        return runBoth(named(RULE_POLICIES, job.rule).rule, job.windowTokens);
      case "library":
        return runBoth(named(await loadPeerRules(), job.rule), job.windowTokens);
      case "foresight": {
        const runs: Record<string, ReplayRun> = {};
        for (const foresight of FORESIGHTS) {
          const rule = clairvoyant(recording, needs, LIFETIME_MS[job.cacheTtl], foresight);
          [runs[Object.values(foresight).join("/")]] = (await runRule(rule, job.windowTokens, [job.cacheTtl])) as [
            ReplayRun,
          ];
        }
        return runs;
      }
    }
  };
}

function named<Policy extends { readonly name: string }>(policies: readonly Policy[], name: string): Policy {
  const found = policies.find((policy) => policy.name === name);
  if (found === undefined)
    throw new Error(`Unknown policy ${name}: known are ${policies.map((one) => one.name).join(", ")}.`);
  return found;
}
