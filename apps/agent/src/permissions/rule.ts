import { fitsGlob } from "./glob.ts";

/** What is to be done with calls of a tool, or with those of them that fit a pattern. */
export interface Rule {
  readonly decision: "allow" | "deny" | "ask";
  /** Name of a tool, with "*" for any characters; `Network` for commands that want the network. */
  readonly tool: string;
  /** For commands and paths; without it, all calls. */
  readonly pattern?: string;
  readonly from: RuleOwner;
}

/**
 * Whose a rule is: the user's everywhere (`user`) or in this project (`local`), of the project's settings (`project`), of this
 * session, or of the command line.
 */
export type RuleOwner = "user" | "local" | "project" | "session" | "command line";

const RULE = /^([\w*-]+)(?:\((.+)\))?$/s;
/** Of one rule. No command or path that somebody means is longer. */
const MAX_RULE_CHARACTERS = 1_000;

/** `Tool` or `Tool(pattern)`; undefined if it is neither, or too long. */
export function readRule(text: string, decision: Rule["decision"], from: Rule["from"]): Rule | undefined {
  if (text.length > MAX_RULE_CHARACTERS) return undefined;
  const [, tool, pattern] = RULE.exec(text.trim()) ?? [];
  if (tool === undefined) return undefined;
  return { decision, tool, from, ...(pattern === undefined ? {} : { pattern }) };
}

export function ruleText({ decision, tool, pattern, from }: Rule): string {
  return `${decision} ${tool}${pattern === undefined ? "" : `(${pattern})`} (${from})`;
}

/** Whether a command fits: "*" is any characters, and a pattern that ends in " *" also fits the bare command. */
export function fitsCommand(pattern: string, command: string): boolean {
  const squeezed = command.replaceAll(/[ \t]+/g, " ");
  return fitsGlob(pattern, squeezed, "text") || pattern === `${squeezed} *`;
}

/** Tools that do the same to a file: a rule for the one is a rule for all of them. */
const EDITING = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
/** Whatever shows what is in files: a rule for Read is a rule for all of them. */
const READING = ["Read", "Grep", "Glob", "NotebookRead"];

export function fitsTool(pattern: string, tool: string): boolean {
  const same = EDITING.includes(tool) ? EDITING : READING.includes(tool) ? ["Read", tool] : [tool];
  return same.some((name) => fitsGlob(pattern, name, "text"));
}

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
