import type { Tool, ToolContext, ToolResult } from "palimpsest";
import type { JsonObject, JsonSchema } from "palimpsest/schema";

/**
 * A tool of the server. It knows nothing of the protocol, so other hosts can offer it, too. A tool with `sideEffects: "some"` adds a
 * proposal that waits for the user's approval.
 */
export interface SessionTool extends Tool<JsonObject> {
  readonly title: string;
  readonly inputSchema: JsonSchema;
  readonly sideEffects: "none" | "some";
  /** Rejects with the reason of an aborted signal. */
  execute(input: JsonObject, context?: Pick<ToolContext, "signal">): Promise<ToolAnswer>;
}

/** The text for the model. With the status `error`, nothing was read or changed, and the text says why. */
export interface ToolAnswer extends Pick<ToolResult, "status"> {
  readonly content: string;
}

export function done(text: string): ToolAnswer {
  return { content: text, status: "ok" };
}

export function refused(text: string): ToolAnswer {
  return { content: text, status: "error" };
}
