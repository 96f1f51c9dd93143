import type { WantedCall } from "palimpsest/core";

/** Asks the person at the screen whether a call may run. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionReply>;

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
