import type { JsonObject } from "palimpsest/schema";

/** A tool of the server. It knows nothing of the protocol, so other hosts can offer it, too. */
export interface SessionTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: JsonObject;
  /** `reads`: changes nothing. `proposes`: adds a proposal that waits for the user's approval. */
  readonly effect: "reads" | "proposes";
  /** @param signal stops the work; `run` then rejects with its reason */
  run(input: JsonObject, signal?: AbortSignal): Promise<ToolAnswer>;
}

/** The text for the model. `refused`: nothing was read or changed, and the text says why. */
export interface ToolAnswer {
  readonly kind: "done" | "refused";
  readonly text: string;
}

export function done(text: string): ToolAnswer {
  return { kind: "done", text };
}

export function refused(text: string): ToolAnswer {
  return { kind: "refused", text };
}
