// Creates the tool `recall` in the form of the SDK.

import { type FunctionTool, tool } from "@openai/agents";
import { recallTool } from "palimpsest";
import { recallForCall } from "palimpsest/adapter-parts";
import type { Sessions } from "./sessions.ts";

/** The tool `recall` of an agent. */
export type RecallTool = FunctionTool<unknown, never, string>;

/** Creates the tool. The id of a call identifies the session that recorded the call. */
export function createRecallTool(sessions: Sessions): RecallTool {
  const { name, description = "", inputSchema } = recallTool;
  const recall = tool({
    name,
    description,
    parameters: { ...inputSchema, required: [], additionalProperties: true } as never,
    strict: false as never,
    execute: (input: unknown, _context: unknown, details?: { readonly toolCall?: { readonly callId: string } }) =>
      recallForCall(sessions.open(), details?.toolCall?.callId, input),
  });
  return recall as unknown as RecallTool;
}
