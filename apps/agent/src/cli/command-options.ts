import type { RecordedAgent } from "@palimpsest/transcripts";
import { PROVIDERS } from "./choose-provider.ts";
import type { Operands, OptionDefinition } from "./command-definition.ts";

export type Flag = OptionDefinition & { readonly type: "boolean"; readonly multiple?: false };
export type Value = OptionDefinition & { readonly type: "string"; readonly multiple?: false };

export const JSON_OUTPUT: Flag = { type: "boolean", about: "prints JSON, for programs" };
export const MODEL: Value = {
  type: "string",
  value: "NAME",
  about: "the model; by default the session's, or the provider's usual one",
};
export const PROVIDER: Value = {
  type: "string",
  value: "WORD",
  of: PROVIDERS,
  about: "whose API is spoken; by default that of the key that there is",
};
export const BASE_URL: Value = {
  type: "string",
  value: "URL",
  about: 'any endpoint that speaks the provider\'s API; the session remembers it, "" forgets it',
};

/** `RECORDED_AGENTS`, without loading what reads them. */
export const AGENTS: readonly RecordedAgent[] = ["claude-code", "codex", "pi", "gemini", "qwen", "opencode", "cline"];

export const A_SESSION: Operands = { most: 1, completes: "sessions" };
export const WHICH = "ID is the id of a session of this folder, or its beginning. Without it, the newest is meant.";
