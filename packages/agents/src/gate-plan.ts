import type { PermissionOptions, Session } from "palimpsest";

export interface PlanGate extends Pick<PermissionOptions, "permission"> {
  /** What has become of the plan, asked at each call; undefined if the agent's work was taken back. */
  readonly plan: () => ReturnType<Session["background"]["agents"]>[number]["plan"];
  /** The tools that need no approved plan. */
  readonly free: readonly string[];
}

const WAIT = {
  required: "Send your plan first: SendMessage to main, kind plan_approval_request.",
  asked: "Your plan waits for an answer. End your turn: the answer wakes you.",
  refused: "Your plan was refused. Change it and send it again: SendMessage to main, kind plan_approval_request.",
} as const;

/** Refuses calls that change something before the plan is approved. The list of tools stays as it is, for the prompt cache. */
export function gatePlan({ plan, free, permission }: PlanGate): NonNullable<PermissionOptions["permission"]> {
  return (wanted, context) => {
    const state = plan();
    if (state === "approved" || free.includes(wanted.call.name))
      return permission?.(wanted, context) ?? { kind: "allow" };
    return { kind: "deny", reason: `Until your plan is approved you can only read. ${WAIT[state ?? "required"]}` };
  };
}
