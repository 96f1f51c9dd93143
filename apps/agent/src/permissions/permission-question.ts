import type { WantedCall } from "palimpsest";
import type { AgentWay } from "palimpsest/inspect";

/** Asks the person at the screen whether a call may run. */
export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionReply>;

export interface PermissionQuestion extends WantedCall {
  readonly asker: Asker;
  /** Why it has to be asked, in plain words. */
  readonly reason: string;
  /** Rules that together would allow calls like this one; empty where no rule would. */
  readonly allowedBy: readonly string[];
}

/** Who wants to run a call, and whose tool it is. */
export interface Asker {
  readonly agent: AskingAgent;
  readonly tool: ToolOrigin;
}

/** The agent whose model wrote the call: the session itself, or an agent that it has started. */
export type AskingAgent = { readonly kind: "main" } | { readonly kind: AgentWay; readonly name: string };

/** Where a tool comes from: it is ours, or an MCP server or an extension of the user has brought it. */
export type ToolOrigin =
  | { readonly kind: "built-in" }
  | {
      readonly kind: "server";
      readonly name: string;
      /** What the server says of it, which nobody has checked. */
      readonly claims?: "reads-only";
    }
  | { readonly kind: "extension"; readonly name: string };

/** How long and where the rules of a question hold: until the program ends, in this project, in every project. */
export type AllowScope = "session" | "project" | "user";

export type PermissionReply =
  | { readonly kind: "once" }
  /** By the rules that were named. */
  | { readonly kind: "always"; readonly scope: AllowScope }
  | { readonly kind: "deny"; readonly comment: string };
