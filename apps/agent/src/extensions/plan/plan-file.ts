import { join } from "node:path";
import type { PlacedText } from "palimpsest/core";
import type { ApprovePlan } from "../../extension/person.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";

/** The newest plan that the user has approved: in the log, and as a file of the session's for people and tools to read. */
export interface PlanFile {
  readonly path: string;
  /** The same approval; an approved plan is written to the file. */
  readonly approvePlan: ApprovePlan;
  /** Undefined if no plan was approved, or the approval was rewound. */
  plan(): Promise<PlacedText | undefined>;
}

/** @param readPlan the plan as the log has it: there a rewind takes it back, and a resumed session still has it */
export function openPlanFile(
  sessionFolder: string,
  approvePlan: ApprovePlan,
  readPlan: () => Promise<string | undefined>,
): PlanFile {
  const path = join(sessionFolder, "plan.md");
  return {
    path,
    async approvePlan(plan, signal) {
      const answer = await approvePlan(plan, signal);
      if (answer.kind === "approved") await writePrivateFile(path, plan);
      return answer;
    },
    async plan() {
      const text = await readPlan();
      return text === undefined ? undefined : { text, path };
    },
  };
}
