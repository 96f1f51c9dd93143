import { join } from "node:path";
import type { PlacedText, Store } from "palimpsest";
import { object, text } from "palimpsest/schema";
import { answeredCalls } from "../../extension/answered-calls.ts";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { agentTool, done, failed } from "../../extension/make-tool.ts";
import type { ApprovePlan } from "../../extension/person.ts";
import type { AgentTool } from "../../permissions/agent-tool.ts";
import type { PermissionMode } from "../../permissions/decide-permission.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";

interface PlanExtension extends Extension {
  /** The file of the newest approved plan. */
  readonly path: string;
}

const noApproval: ApprovePlan = async () => ({
  kind: "rejected",
  comment: "Nobody is here to approve it. End your turn with the plan as your answer.",
});

/** Adds plan mode, in which tools change nothing until the user approves a plan. The plan survives a compaction. */
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

/** Reads the newest approved plan of a session. Undefined without a plan. */
async function readPlan(store: Store, session: string): Promise<string | undefined> {
  for await (const { call, text } of answeredCalls(store, session)) {
    const { plan } = (call.input ?? {}) as { readonly plan?: unknown };
    if (call.name === EXIT_PLAN && typeof plan === "string" && text.startsWith(PLAN_APPROVED)) return plan;
  }
  return undefined;
}

interface PlanPorts {
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  readonly approvePlan: ApprovePlan;
}

const EXIT_PLAN = "ExitPlan";
/** The start of the result of an approved plan, which identifies the plan in the log. */
const PLAN_APPROVED = "The user has approved the plan.";

const A_DAY_MS = 86_400_000;

/** Creates the plan tools. They are offered in every mode, so that changing the mode keeps the prompt cache. */
export function planTools({ mode, setMode, approvePlan }: PlanPorts): readonly AgentTool[] {
  const enter = agentTool({
    name: "EnterPlan",
    description:
      "Begins to plan: from then on files are only read, until ExitPlan. For tasks that touch much, or that can be done in several ways.",
    inputSchema: object({}),
    concurrency: "alone",
    effect: "talk",
    repeat: "free",
    results: "kept",
    async execute() {
      if (mode() === "plan") return done("A plan is being made already. Look around, then present it with ExitPlan.");
      setMode("plan");
      return done("From now on nothing is changed. Look around, then present the plan with ExitPlan.");
    },
  });
  const exit = agentTool({
    name: EXIT_PLAN,
    description: "Presents the plan to the user. Once it is approved, files can be changed again.",
    inputSchema: object({
      plan: text("The plan, in markdown: what will be changed, in which order, how it is checked."),
    }),
    concurrency: "alone",
    effect: "talk",
    repeat: "free",
    results: "kept",
    timeoutMs: A_DAY_MS,
    async execute({ plan }, { signal }) {
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

/** The newest approved plan: in the log, and in a file of the session that people and tools can read. */
interface PlanFile {
  readonly path: string;
  /** Wraps the approval, to write an approved plan to the file. */
  readonly approvePlan: ApprovePlan;
  /** The approved plan. Undefined without one, or if the approval was rewound. */
  plan(): Promise<PlacedText | undefined>;
}

/** Opens the plan file. @param readPlan reads the plan from the log, which is correct after a rewind or a resume */
function openPlanFile(
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
