import { join } from "node:path";
import type { PlacedText } from "palimpsest";
import type { ApprovePlan } from "../../extension/person.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";

/** The newest approved plan: in the log, and in a file of the session that people and tools can read. */
export interface PlanFile {
  readonly path: string;
  /** Wraps the approval: writes an approved plan to the file. */
  readonly approvePlan: ApprovePlan;
  /** Undefined if no plan was approved, or the approval was rewound. */
  plan(): Promise<PlacedText | undefined>;
}

/** Opens the plan file. @param readPlan reads the plan from the log, which is right after a rewind and a resume */
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
