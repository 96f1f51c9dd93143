import type { Replacement } from "../../log/payload.ts";
import type { ShownResult } from "./result-index.ts";

/** Of the call's input, so much is told: enough to know what was asked. */
const INPUT_CHARACTERS = 120;

/** What stands in the place of a cleared result. */
export function clearedStub(result: ShownResult): Replacement {
  const { callId, status } = result;
  return { role: "user", origin: "tool", blocks: [{ kind: "tool_result", callId, content: stubText(result), status }] };
}

/** Which result it was, how large, and how to have it back. */
export function stubText({ entry, call, characters }: ShownResult): string {
  const input = JSON.stringify(call?.input ?? {});
  const shown = input.length > INPUT_CHARACTERS ? `${input.slice(0, INPUT_CHARACTERS).toWellFormed()}...` : input;
  return `[Cleared to save room: result of ${call?.name ?? "a tool"} ${shown}, ${characters} characters. Recall entry ${entry} to read it again.]`;
}
