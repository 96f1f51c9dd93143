// Creates the tool `recall` in the form of pi.

import { recallTool } from "palimpsest";
import { recallForCall } from "palimpsest/adapter-parts";
import type { PiTool } from "../provider/wire.ts";
import type { Sessions } from "./sessions.ts";

/** The tool `recall` of an agent. */
export interface RecallTool extends PiTool {
  readonly label: string;
  execute(
    toolCallId: string,
    input: unknown,
  ): Promise<{ content: { type: "text"; text: string }[]; details: undefined }>;
}

/** Creates the tool. The id of a call identifies the session that recorded the call. */
export function createRecallTool(sessions: Sessions): RecallTool {
  const { name, description = "", inputSchema } = recallTool;
  return {
    name,
    label: "Recall",
    description,
    parameters: { ...inputSchema } as PiTool["parameters"],
    async execute(toolCallId, input) {
      const text = await recallForCall(sessions.open(), toolCallId, input);
      return { content: [{ type: "text", text }], details: undefined };
    },
  };
}
