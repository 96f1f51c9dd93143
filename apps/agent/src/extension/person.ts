import type { ApproveCompaction, WantedCall } from "palimpsest/core";
import type { PlanPorts } from "../extensions/plan/plan-mode.ts";
import type { AskUser } from "../extensions/questions/ask-user.ts";

/** Whoever sits before the screen, as the agent reaches them. */
export interface Person extends Pick<PlanPorts, "approvePlan"> {
  readonly askUser: AskUser;
  readonly askPermission: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionReply>;
  readonly approveCompaction: ApproveCompaction;
  /** Is shown what a tool puts out, while it runs. */
  readonly onOutput: (callId: string, text: string) => void;
  /** Is shown which hooks run. */
  readonly onHook: (name: string, state: "started" | "ended") => void;
}

export interface PermissionQuestion extends WantedCall {
  /** Why it has to be asked. */
  readonly reason: string;
  /** Rules that together would allow calls like this one; empty where no rule would. */
  readonly allowedBy: readonly string[];
}

export type PermissionReply =
  | { readonly kind: "once" }
  /** By the rules that were named, until the program ends. */
  | { readonly kind: "session" }
  /** By the rules that were named: they are kept in the user's settings. */
  | { readonly kind: "always" }
  | { readonly kind: "deny"; readonly comment: string };
