import { type CacheTtl, CONDITIONS, type Condition } from "./conditions.ts";

/** One replay of one session: the unit that is run, and whose result is kept. */
export type Job =
  /** What the recording itself tells. */
  | { readonly kind: "facts" }
  /** A policy of the engine: it decides by the prices and the lifetime. */
  | ({ readonly kind: "engine"; readonly policy: string } & Omit<Condition, "name">)
  /** The rule of another program or of a library: one pass holds for all prices and lifetimes. */
  | { readonly kind: "rule" | "library"; readonly rule: string; readonly windowTokens: number }
  /** All strategies that know the future. */
  | { readonly kind: "foresight"; readonly windowTokens: number; readonly cacheTtl: CacheTtl };

/** Which policies are replayed, and where. */
export interface EconomicsPlan {
  readonly conditions: readonly string[];
  /** Of the engine. */
  readonly policies: readonly string[];
  /** Of the engine, only with the first price and lifetime of each window. */
  readonly parts: readonly string[];
  /** Of other agents. */
  readonly rules: readonly string[];
  /** Of libraries, which are called: they are large, and installed when they are needed. */
  readonly libraries: readonly string[];
  readonly foresight: "searched" | "left-out";
}

/** One policy under one condition: the job, and which of its runs it is. */
export interface Cell {
  readonly condition: Condition;
  readonly policy: string;
  readonly job: Job;
  readonly run: string;
}

export function conditionsOf({ conditions }: Pick<EconomicsPlan, "conditions">): readonly Condition[] {
  return CONDITIONS.filter(({ name }) => conditions.includes(name));
}

/** Of each window, the first price and lifetime. */
export function firstConditions(plan: Pick<EconomicsPlan, "conditions">): readonly Condition[] {
  return [...Map.groupBy(conditionsOf(plan), ({ windowTokens }) => windowTokens).values()].map(([first]) => first!);
}

/** Every policy under every condition of a plan. Strategies that know the future are not among them. */
export function planCells(plan: EconomicsPlan): readonly Cell[] {
  const conditions = conditionsOf(plan);
  const engine = (under: readonly Condition[], policies: readonly string[]): readonly Cell[] =>
    under.flatMap((condition) =>
      policies.map((policy): Cell => {
        const { name: _, ...setting } = condition;
        return { condition, policy, job: { kind: "engine", policy, ...setting }, run: condition.cacheTtl };
      }),
    );
  const rule = (kind: "rule" | "library", rules: readonly string[]): readonly Cell[] =>
    conditions.flatMap((condition) =>
      rules.map((policy): Cell => {
        const { windowTokens, cacheTtl } = condition;
        return { condition, policy, job: { kind, rule: policy, windowTokens }, run: cacheTtl };
      }),
    );
  return [
    ...rule("rule", plan.rules),
    ...engine(conditions, plan.policies),
    ...engine(firstConditions(plan), plan.parts),
    ...rule("library", plan.libraries),
  ];
}

/** The job whose runs are the strategies that know the future. */
export function foresightJob({ windowTokens, cacheTtl }: Condition): Job {
  return { kind: "foresight", windowTokens, cacheTtl };
}

/** Each job once. */
export function planJobs(plan: EconomicsPlan): readonly Job[] {
  const jobs: readonly Job[] = [
    { kind: "facts" },
    ...planCells(plan).map(({ job }) => job),
    ...(plan.foresight === "searched" ? conditionsOf(plan).map(foresightJob) : []),
  ];
  return [...new Map(jobs.map((job) => [jobName(job), job])).values()];
}

/** The same name for the same work. */
export function jobName(job: Job): string {
  return JSON.stringify(job);
}
