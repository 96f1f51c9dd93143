import { text } from "../../extension/input.ts";
import type { ApprovePlan } from "../../extension/person.ts";
import { type AgentTool, defineTool, done, failed } from "../../extension/tool.ts";
import type { PermissionMode } from "../../permissions/decide-permission.ts";

export interface PlanPorts {
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  readonly approvePlan: ApprovePlan;
}

export const EXIT_PLAN = "ExitPlan";
/** The start of the result of an approved plan. The log is searched for it. */
export const PLAN_APPROVED = "The user has approved the plan.";

const A_DAY_MS = 86_400_000;

/** The plan tools. They are offered in every mode, so that a change of the mode keeps the prompt cache. */
export function planTools({ mode, setMode, approvePlan }: PlanPorts): readonly AgentTool[] {
  const enter = defineTool({
    name: "EnterPlan",
    description:
      "Begins to plan: from then on files are only read, until ExitPlan. For tasks that touch much, or that can be done in several ways.",
    input: {},
    concurrency: "alone",
    effect: "talk",
    repeat: "free",
    results: "kept",
    async run() {
      if (mode() === "plan") return done("A plan is being made already. Look around, then present it with ExitPlan.");
      setMode("plan");
      return done("From now on nothing is changed. Look around, then present the plan with ExitPlan.");
    },
  });
  const exit = defineTool({
    name: EXIT_PLAN,
    description: "Presents the plan to the user. Once it is approved, files can be changed again.",
    input: { plan: text("The plan, in markdown: what will be changed, in which order, how it is checked.") },
    concurrency: "alone",
    effect: "talk",
    repeat: "free",
    results: "kept",
    timeoutMs: A_DAY_MS,
    async run({ plan }, { signal }) {
      if (mode() !== "plan") return failed("No plan is being made: there is nothing to leave. Go on with the work.");
      const answer = await approvePlan(plan, signal);
      if (answer.kind === "rejected") {
        return done(
          `The user has not approved the plan${answer.comment === "" ? "." : `: ${answer.comment}`} Nothing is changed yet; plan on.`,
        );
      }
      setMode(answer.mode);
      return done(`${PLAN_APPROVED} Begin.\n\n${plan}`);
    },
  });
  return [enter, exit];
}
