import type { Block } from "palimpsest";
import { asObject, type JsonObject } from "palimpsest/schema";
import { nativeOf } from "./read-part.ts";
import { LANGCHAIN } from "./wire.ts";

/**
 * Fields beside the content of an answer in which models of the framework keep reasoning and signatures, and read them again when the
 * answer is sent back: those of DeepSeek, xAI and Ollama, of OpenRouter, and of Gemini. All others only report.
 */
const CARRIED: readonly string[] = [
  "reasoning_content",
  "reasoning_details",
  "__gemini_function_call_thought_signatures__",
];

/** What an answer carries beside its content. It goes back with the answer, like any other thinking. */
export function readBeside({ additional_kwargs: fields }: JsonObject): readonly Block[] {
  const carried = Object.entries(asObject(fields) ?? {}).filter(
    ([name, value]) => CARRIED.includes(name) && !isEmpty(value),
  );
  if (carried.length === 0) return [];
  return [{ kind: "thinking", provider: LANGCHAIN, text: "", ...nativeOf({ [BESIDE]: Object.fromEntries(carried) }) }];
}

/** The name under which a block has such fields. */
export const BESIDE = "additional_kwargs";

function isEmpty(value: unknown): boolean {
  return value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
}
