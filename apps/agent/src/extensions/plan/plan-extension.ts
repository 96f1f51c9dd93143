import type { Store } from "palimpsest";
import { answeredCalls } from "../../extension/answered-calls.ts";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { ApprovePlan } from "../../extension/person.ts";
import { openPlanFile } from "./plan-file.ts";
import { EXIT_PLAN, PLAN_APPROVED, planTools } from "./plan-mode.ts";

export interface PlanExtension extends Extension {
  /** The file of the newest approved plan. */
  readonly path: string;
}

const noApproval: ApprovePlan = async () => ({
  kind: "rejected",
  comment: "Nobody is here to approve it. End your turn with the plan as your answer.",
});

/** Plan mode: tools change nothing until the user has approved the plan. The plan survives a compaction. */
export function planExtension(
  context: Pick<ExtensionContext, "sessionId" | "sessionFolder" | "store" | "permissions" | "person">,
): PlanExtension {
  const { sessionId, store, permissions, person } = context;
  const readOwn = (): Promise<string | undefined> => readPlan(store, sessionId);
  const file = openPlanFile(context.sessionFolder, person?.approvePlan ?? noApproval, readOwn);
  return {
    name: "plan",
    path: file.path,
    tools: () => planTools({ ...permissions, approvePlan: file.approvePlan }),
    surroundings: (session) => ({
      plan: () => (session === sessionId ? file.plan() : readPlan(store, session)),
      planMode: async () =>
        permissions.mode() === "plan" ? "A plan is being made: no file is changed before ExitPlan." : undefined,
    }),
  };
}

/** The newest approved plan of a session; undefined if there is none. */
async function readPlan(store: Store, session: string): Promise<string | undefined> {
  for await (const { call, text } of answeredCalls(store, session)) {
    const { plan } = (call.input ?? {}) as { readonly plan?: unknown };
    if (call.name === EXIT_PLAN && typeof plan === "string" && text.startsWith(PLAN_APPROVED)) return plan;
  }
  return undefined;
}
