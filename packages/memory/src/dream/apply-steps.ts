import type { Batch, BatchOutcome, BatchStep } from "../batch.ts";
import type { Memory } from "../memory.ts";
import type { Refused, StagedOutcome, Stale } from "../outcomes.ts";

/**
 * Applies the changes of a run as one commit: all of them, or none. If a topic has changed since, it is named and nothing is
 * written; the same if one of the changes is not allowed any more.
 */
export async function applySteps(memory: Pick<Memory, "batch">, steps: readonly BatchStep[]): Promise<BatchOutcome> {
  const failed: (Stale | Refused)[] = [];
  /** A topic that is changed twice has the version that the first change gave it here, not the one of the first run. */
  const versions = new Map<string, string>();

  async function act(batch: Batch): Promise<void> {
    for (const step of steps) {
      const outcome = await applyStep(batch, step, versions);
      if (outcome.kind === "written") versions.set(outcome.slug, outcome.version);
      else if (outcome.kind === "stale" || outcome.kind === "refused") failed.push(outcome);
    }
  }
  const outcome = await memory.batch("dream", "Go over the memory", act, () =>
    failed.length === 0 ? undefined : "not all of the changes can be applied",
  );
  const refusal = failed.find((one) => one.kind === "refused");
  if (refusal !== undefined) return refusal;
  return failed.length === 0
    ? outcome
    : { kind: "stale", slugs: failed.flatMap((one) => ("slug" in one ? one.slug : [])) };
}

async function applyStep(batch: Batch, step: BatchStep, versions: ReadonlyMap<string, string>): Promise<StagedOutcome> {
  const expectedOf = (slug: string | undefined, expected: string): string => versions.get(slug ?? "") ?? expected;
  switch (step.kind) {
    case "write":
      return batch.write(step.draft, expectedOf(step.draft.slug, step.expected));
    case "forget":
      return batch.forget(step.slug, step.because, expectedOf(step.slug, step.expected));
    case "rename":
      return batch.rename(step.slug, step.to, expectedOf(step.slug, step.expected));
    case "propose":
      return batch.propose(step.draft, step.why);
  }
}
