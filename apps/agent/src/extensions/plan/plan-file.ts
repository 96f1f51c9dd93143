import { join } from "node:path";
import type { PlacedText } from "palimpsest/core";
import type { Work } from "../../extension/read-work.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";
import type { PlanPorts } from "./plan-mode.ts";

/** The newest plan that the user has approved: in the log, and as a file of the session's for people and tools to read. */
export interface PlanFile {
  readonly path: string;
  /** The same approval; what is approved is kept. */
  readonly approvePlan: PlanPorts["approvePlan"];
  /** For what is put back after a compaction; undefined if no plan was approved, or it was taken back. */
  plan(): Promise<PlacedText | undefined>;
}

export function openPlanFile(
  sessionFolder: string,
  { approvePlan, work }: Pick<PlanPorts, "approvePlan"> & { readonly work: Pick<Work, "plan"> },
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
      // From the log: there a rewind takes it back, and a session that was opened again still has it.
      const text = await work.plan();
      return text === undefined ? undefined : { text, path };
    },
  };
}
