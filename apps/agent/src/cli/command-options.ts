import type { RecordedAgent } from "@palimpsest/transcripts";
import { PROVIDERS } from "./choose-provider.ts";
import type { Example, Operands, OptionDefinition } from "./command-definition.ts";

export type Flag = OptionDefinition & { readonly type: "boolean"; readonly multiple?: false };
export type Value = OptionDefinition & { readonly type: "string"; readonly multiple?: false };

export const JSON_OUTPUT: Flag = { type: "boolean", about: "prints JSON, for programs" };
export const MODEL: Value = option("NAME", "the model; by default the session's, or the provider's usual one");
export const PROVIDER: Value = option("WORD", "whose API is spoken; by default that of the key that there is", {
  of: PROVIDERS,
});
export const BASE_URL: Value = option(
  "URL",
  'any endpoint that speaks the provider\'s API; the session remembers it, "" forgets it',
);
export const SESSION: Value = option("ID", "which session; by default the newest of this folder", {
  completes: "sessions",
});

function option(value: string, about: string, more: Pick<Value, "of" | "completes"> = {}): Value {
  return { type: "string", value, about, ...more };
}

/** `RECORDED_AGENTS`, without loading what reads them. */
export const AGENTS: readonly RecordedAgent[] = ["claude-code", "codex", "pi", "gemini", "qwen", "opencode", "cline"];

export const A_SESSION: Operands = { most: 1, completes: "sessions" };
export const WHICH = "ID is the id of a session of this folder, or its beginning. Without it, the newest is meant.";

/** A command about one session that takes no more than which one, and whether to print JSON. */
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
