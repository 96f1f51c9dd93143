// Creates the tool `recall` in the form of LangChain.

import { DynamicStructuredTool } from "langchain";
import { recallTool } from "palimpsest";
import { recallForCall } from "palimpsest/adapter-parts";
import { asObject, asString } from "palimpsest/schema";
import type { Sessions } from "./sessions.ts";

/** Creates the tool `recall`. The id of a call identifies the session that recorded the call. */
export function createRecallTool(sessions: Sessions): DynamicStructuredTool {
  const { name, description = "", inputSchema } = recallTool;
  return new DynamicStructuredTool({
    name,
    description,
    schema: { ...inputSchema } as DynamicStructuredTool["schema"],
    func(input: unknown, _: unknown, config: unknown) {
      const call = asObject(asObject(config)?.["toolCall"]);
      return recallForCall(sessions.open(), asString(call?.["id"]), input);
    },
  });
}
