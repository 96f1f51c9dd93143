import type { Replacement } from "../../log/payload.ts";
import type { ShownResult } from "../../view/results.ts";

/** The stub shows this much of the call's input, enough to recognize it. */
const INPUT_CHARACTERS = 120;

/** Returns the replacement of a cleared result. */
export function clearedStub(result: ShownResult, recall: "offered" | "missing"): Replacement {
  const { callId, status } = result;
  const provenance = { kind: "tool", name: result.call?.name ?? "unknown" } as const;
  const blocks = [{ kind: "tool_result", callId, content: stubText(result, recall), status } as const];
  return { role: "user", origin: "tool", provenance, blocks };
}

/** Returns the stub: which result it was, its size, and how to see it again. */
export function stubText({ entry, call, characters }: ShownResult, recall: "offered" | "missing"): string {
  const input = JSON.stringify(call?.input ?? {});
  const shown = input.length > INPUT_CHARACTERS ? `${input.slice(0, INPUT_CHARACTERS).toWellFormed()}...` : input;
  const again =
    recall === "offered" ? `Recall entry ${entry} to read it again.` : "Call the tool again if you need it.";
  return `[Cleared to save room: result of ${call?.name ?? "a tool"} ${shown}, ${characters} characters. ${again}]`;
}
