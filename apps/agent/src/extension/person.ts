import type { ApproveCompaction } from "palimpsest/core";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { AskPermission } from "../permissions/permission-question.ts";

/** The person at the screen, as the agent reaches them. */
export interface Person {
  readonly askUser: AskUser;
  readonly askPermission: AskPermission;
  readonly approvePlan: ApprovePlan;
  readonly approveCompaction: ApproveCompaction;
  /** Is shown what a tool puts out, while it runs. */
  readonly onOutput: (callId: string, text: string) => void;
  /** Is shown which hooks run. */
  readonly onHook: (name: string, state: "started" | "ended") => void;
  /** Is told something in passing. */
  readonly onNotice: (text: string) => Promise<void>;
  /** Work in the background has begun or ended: the status is drawn again. */
  readonly onBackground: () => Promise<void>;
}

export interface Question {
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string | undefined }[];
  readonly choose: "one" | "several";
}

/** Undefined: the user did not want to answer. An answer may be none of the options. */
export type AskUser = (question: Question, signal: AbortSignal) => Promise<readonly string[] | undefined>;

/** Shows the plan to the user. With `approved` comes the mode to continue in. */
export type ApprovePlan = (plan: string, signal: AbortSignal) => Promise<PlanAnswer>;

export type PlanAnswer =
  | { readonly kind: "approved"; readonly mode: Exclude<PermissionMode, "plan"> }
  | { readonly kind: "rejected"; readonly comment: string };
