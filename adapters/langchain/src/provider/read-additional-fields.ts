// Reads the reasoning and signatures that an answer has outside its content.

import type { Block } from "palimpsest";
import { asObject, type JsonObject } from "palimpsest/schema";
import { nativeOf } from "./read-part.ts";
import { LANGCHAIN } from "./wire.ts";

/** Reads these fields as thinking, so that they are sent back with the answer. */
export function readAdditionalFields({ additional_kwargs: fields }: JsonObject): readonly Block[] {
  const carried = Object.entries(asObject(fields) ?? {}).filter(
    ([name, value]) => CARRIED.includes(name) && !isEmpty(value),
  );
  if (carried.length === 0) return [];
  return [
    {
      kind: "thinking",
      provider: LANGCHAIN,
      text: "",
      ...nativeOf({ [ADDITIONAL_FIELDS]: Object.fromEntries(carried) }),
    },
  ];
}

/**
 * The additional fields in which models of the framework keep reasoning and signatures, and read them again when the answer is
 * sent back: DeepSeek, xAI and Ollama, OpenRouter, and Gemini. All other additional fields only report.
 */
const CARRIED: readonly string[] = [
  "reasoning_content",
  "reasoning_details",
  "__gemini_function_call_thought_signatures__",
];

/** The key of these fields in a block. */
export const ADDITIONAL_FIELDS = "additional_kwargs";

function isEmpty(value: unknown): boolean {
  return value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
}
