import { type FunctionTool, tool } from "@openai/agents";
import { recallTool } from "palimpsest";
import { recallForCall } from "palimpsest/adapter-parts";
import type { Sessions } from "./sessions.ts";

/** The tool `recall` of an agent. */
export type RecallTool = FunctionTool<unknown, never, string>;

/** Makes the tool. A call is found by its id in the session that has recorded it. */
export function createRecallTool(sessions: Sessions): RecallTool {
  const { name, description = "", inputSchema } = recallTool;
  const made = tool({
    name,
    description,
    parameters: { ...inputSchema, required: [], additionalProperties: true } as never,
    strict: false as never,
    execute: (input: unknown, _context: unknown, details?: { readonly toolCall?: { readonly callId: string } }) =>
      recallForCall(sessions.open(), details?.toolCall?.callId, input),
  });
  return made as unknown as RecallTool;
}
