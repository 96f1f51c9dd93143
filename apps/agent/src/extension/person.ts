import type { ApproveCompaction } from "palimpsest";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import type { AskPermission } from "../permissions/permission-call.ts";

/** How the agent reaches the person at the screen. */
export interface Person {
  readonly askUser: AskUser;
  readonly askPermission: AskPermission;
  readonly approvePlan: ApprovePlan;
  readonly approveCompaction: ApproveCompaction;
  /**
   * The text of a file in the person's editor, with changes that are not saved. Undefined: the editor cannot tell. @default there
   * is no editor
   */
  readonly editorText?: (path: string) => Promise<string | undefined>;
  /** Shows the output of a running tool. */
  readonly onOutput: (callId: string, text: string) => void;
  /** Shows the running hooks. */
  readonly onHook: (name: string, state: "started" | "ended") => void;
  /** Shows a notice. @param weight `problem`: the person should not miss it. @default "news" */
  readonly onNotice: (text: string, weight?: "news" | "problem") => Promise<void>;
  /** Called when background work starts or ends: the status line is drawn again. */
  readonly onBackground: () => Promise<void>;
}

/** A question of the model to the user, with options to choose from. */
export interface Question {
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string | undefined }[];
  readonly choose: "one" | "several";
}

/** Undefined if the user did not answer. An answer need not be one of the options. */
export type AskUser = (question: Question, signal: AbortSignal) => Promise<readonly string[] | undefined>;

/** Shows the plan to the user. With `approved` comes the mode to continue in. */
export type ApprovePlan = (plan: string, signal: AbortSignal) => Promise<PlanAnswer>;

/** Whether the user approved a plan. A rejection has a comment for the model. */
export type PlanAnswer =
  | { readonly kind: "approved"; readonly mode: Exclude<PermissionMode, "plan"> }
  | { readonly kind: "rejected"; readonly comment: string };
