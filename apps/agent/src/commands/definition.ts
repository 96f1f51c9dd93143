// The form of command definitions, and the options that several commands share.
import type { ParseArgsOptionDescriptor } from "node:util";
import type { RecordedAgent } from "@palimpsest/observe";
import type { EffortChoice } from "../agent/session-effort.ts";
import type { PermissionMode } from "../permissions/decide-permission.ts";
import { EFFORT_WORDS, MODES } from "../permissions/settings-schema.ts";
import { PROVIDERS } from "./choose-provider.ts";
import type { Ending } from "./exit-codes.ts";

export type Flag = OptionDefinition & { readonly type: "boolean"; readonly multiple?: false };
export type Value = OptionDefinition & { readonly type: "string"; readonly multiple?: false };

export type Values = OptionDefinition & { readonly type: "string"; readonly multiple: true };
export type Mode = Value & { readonly of: readonly PermissionMode[] };

export type Efforts = Value & { readonly of: readonly EffortChoice[] };

export const JSON_OUTPUT: Flag = { type: "boolean", about: "print JSON, for programs" };
export const MODEL: Value = option(
  "NAME",
  "the model to use; default: the session's model, or the provider's standard model",
);
export const PROVIDER: Value = option(
  "WORD",
  "the provider's API; default: the session's provider, or the one whose API key is set",
  {
    of: PROVIDERS,
  },
);
export const BASE_URL: Value = option(
  "URL",
  'the address of another server with the provider\'s API; the session remembers it, "" clears it',
);
export const MODE: Mode = {
  type: "string",
  value: "WORD",
  of: Object.keys(MODES) as readonly PermissionMode[],
  about: "what the agent may do without asking",
};
export const EFFORT: Efforts = {
  type: "string",
  value: "WORD",
  of: ["default", ...EFFORT_WORDS],
  about: "how much the model thinks; default: the session's effort, or as the settings say",
};
export const ALLOW: Values = {
  type: "string",
  multiple: true,
  value: "RULE",
  about: "allow tool calls: Bash(npm test *), Edit(src/**), Network; repeat for more rules",
};
export const DENY: Values = {
  type: "string",
  multiple: true,
  value: "RULE",
  about: "deny tool calls; overrides every --allow",
};
export const SET: Values = {
  type: "string",
  multiple: true,
  value: "NAME=VALUE",
  about: "change an engine setting (docs/defaults.md); overrides variables and files; repeat for more settings",
};
export const WEB: Flag = {
  type: "boolean",
  about: "offer a tool that fetches public web pages; needs --allow Network",
};
export const SESSION: Value = option("ID", "the session; default: the newest of this folder", {
  completes: "sessions",
});

function option(value: string, about: string, more: Pick<Value, "of" | "completes"> = {}): Value {
  return { type: "string", value, about, ...more };
}

/** A copy of `RECORDED_AGENTS`, so that the help page does not load the transcript readers. */
export const AGENTS: readonly RecordedAgent[] = [
  "claude-code",
  "codex",
  "pi",
  "gemini",
  "qwen",
  "opencode",
  "cline",
  "proxy",
];

export const A_SESSION: Operands = { most: 1, completes: "sessions" };
export const WHICH =
  "ID is a session id of this folder, or its first characters. Without ID, the command uses the newest session.";

/** A command about one session, whose only arguments are the session and `--json`. */
export interface SessionCommand {
  readonly usage: string;
  readonly about: string;
  readonly more: readonly string[];
  readonly options: { readonly json: Flag };
  readonly operands: Operands;
  readonly examples: readonly Example[];
  readonly endings: readonly ["failed"];
}

export function sessionCommand(usage: string, about: string, example: Example): SessionCommand {
  const options = { json: JSON_OUTPUT };
  return { usage, about, more: [WHICH], options, operands: A_SESSION, examples: [example], endings: ["failed"] };
}

/** One command of the program. The argument parser, the help pages and the shell completion use this definition. */
export interface CommandDefinition {
  /** The words after `palimpsest`. */
  readonly usage: string;
  /** What the command does, in one line: imperative, lower case. */
  readonly about: string;
  /** Details for the help page, one paragraph each. */
  readonly more?: readonly string[];
  readonly options: Readonly<Record<string, OptionDefinition>>;
  /** Arguments that are not options. @default none */
  readonly operands?: Operands;
  readonly examples: readonly Example[];
  /** The endings besides `done` and `usage`. */
  readonly endings: readonly Ending[];
}

export interface OptionDefinition extends ParseArgsOptionDescriptor {
  /** The placeholder for the option's value: TEXT, ID, N. @default the option takes no value */
  readonly value?: string;
  /** The allowed values. @default any value */
  readonly of?: readonly string[];
  readonly completes?: "sessions";
  readonly about: string;
}

export interface Operands {
  /** The maximum number of operands. */
  readonly most: number;
  readonly completes?: "sessions" | "commands" | readonly string[];
}

type Example = readonly [line: string, about: string];
