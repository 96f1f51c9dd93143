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
   * The text of a file in the person's editor, with unsaved changes. Undefined if the editor does not know the file.
   * @default no editor
   */
  readonly editorText?: (path: string) => Promise<string | undefined>;
  /** Shows the output of a running tool. */
  readonly onOutput: (callId: string, text: string) => void;
  /** Shows the running hooks. */
  readonly onHook: (name: string, state: "started" | "ended") => void;
  /** Shows a notice. @param weight `problem`: the person should not miss it. @default "news" */
  readonly onNotice: (text: string, weight?: "news" | "problem") => Promise<void>;
  /** Called when background work starts or ends, to update the status line. */
  readonly onBackground: () => Promise<void>;
}

/** A question of the model to the user, with options to choose from. */
export interface Question {
  readonly question: string;
  readonly options: readonly { readonly label: string; readonly description?: string | undefined }[];
  readonly choose: "one" | "several";
}

/** Asks the user. Resolves to the answers, or undefined without an answer. An answer can differ from all options. */
export type AskUser = (question: Question, signal: AbortSignal) => Promise<readonly string[] | undefined>;

/** Shows the plan to the user. An approval includes the mode to continue in. */
export type ApprovePlan = (plan: string, signal: AbortSignal) => Promise<PlanAnswer>;

/** The user's decision about a plan. A rejection has a comment for the model. */
export type PlanAnswer =
  | { readonly kind: "approved"; readonly mode: Exclude<PermissionMode, "plan"> }
  | { readonly kind: "rejected"; readonly comment: string };
