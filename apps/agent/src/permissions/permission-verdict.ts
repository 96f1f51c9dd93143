import type { Rule } from "./rule.ts";

/**
 * What is allowed where no rule decides. `auto`: what the sandbox keeps in the project. `default`: reading. `accept-edits`:
 * changing files of the project, too. `plan`: nothing is changed. `bypass`: nobody is asked.
 */
export type PermissionMode = "auto" | "default" | "accept-edits" | "plan" | "bypass";

/** Whether a tool call may run, and the rule that decided it. */
export interface PermissionVerdict {
  readonly decision: "allow" | "deny" | "ask";
  /** The rule that says so; undefined if it is the mode. */
  readonly rule?: Rule;
  /** In words, for whoever is asked or refused. */
  readonly reason: string;
}
