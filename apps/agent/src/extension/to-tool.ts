import type { Tool } from "palimpsest";
import { sanitizeStream } from "palimpsest/sanitize";
import type { AgentSession } from "./open-agent-session.ts";
import type { Person } from "./person.ts";
import type { AgentTool } from "./tool.ts";

/** Converts a tool of the agent to the loop's form. The tool still checks its input itself: the loop checks only the schema. */
export function toTool(
  tool: AgentTool,
  session: Pick<AgentSession, "history">,
  folder: string,
  onOutput?: Person["onOutput"],
): Tool {
  const {
    name,
    description,
    inputSchema: input,
    concurrency,
    results,
    resultSize,
    sideEffects,
    provenance,
    loading,
    timeoutMs,
    repeat = tool.effect === "read" ? "free" : "never",
  } = tool;
  return {
    name,
    description,
    input,
    concurrency,
    repeat,
    ...(results === undefined ? {} : { results }),
    ...(provenance === undefined ? {} : { provenance }),
    ...(resultSize === undefined ? {} : { resultSize }),
    ...(sideEffects === undefined ? {} : { sideEffects }),
    ...(loading === undefined ? {} : { loading }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    async run(given, { signal, call, key }) {
      const context = {
        signal,
        callId: call.id,
        key,
        folder,
        newestEntry: session.history.newestEntry,
        ...(onOutput === undefined ? {} : { onOutput: (text: string) => onOutput(call.id, text) }),
      };
      const { content, status } = await tool.run(given, context);
      // The end of a stream says how the command ended.
      return typeof content === "object" && Symbol.asyncIterator in content
        ? sanitizeStream(content)
        : { content, status };
    },
  };
}
