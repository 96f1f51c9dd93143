import type { Part, ToolDefinition } from "palimpsest";
import type { PermittedTool } from "../permissions/permission-call.ts";
import { type Fields, InputError, type InputShape, toJsonSchema, toValues } from "./input.ts";

/** A tool of the agent: its definition for the model, and what it does. */
export interface AgentTool extends ToolDefinition, PermittedTool {
  readonly description: string;
  /** `safe`: may run beside others. `alone`: changes what others see. */
  readonly concurrency: "safe" | "alone";
  /** How long it may go without an answer, where that is longer than for others. */
  readonly timeoutMs?: number;
  /** Rejects only where the call was aborted; whatever else goes wrong is an outcome that tells the model what to do. */
  run(input: unknown, context: ToolContext): Promise<ToolOutcome>;
}

export interface ToolContext {
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The project, as an absolute path. */
  readonly folder: string;
  /** Number of the session's newest entry: the result of this call gets a higher one. */
  readonly newestEntry: number;
  /** Is told what a command puts out, while it runs: for the screen. */
  readonly onOutput?: (text: string) => void;
}

export interface ToolOutcome {
  readonly content: string | readonly Part[] | AsyncIterable<Uint8Array | string>;
  readonly status: "ok" | "error";
}

export interface ToolSketch<Shape extends InputShape> extends Omit<AgentTool, "inputSchema" | "run"> {
  readonly input: Shape;
  run(input: Fields<Shape>, context: ToolContext): Promise<ToolOutcome>;
}

/** A tool whose input is checked before it runs. What it throws becomes an outcome: a failed tool must not end the turn. */
export function defineTool<const Shape extends InputShape>({
  input: shape,
  run,
  ...rest
}: ToolSketch<Shape>): AgentTool {
  return {
    ...rest,
    inputSchema: toJsonSchema(shape),
    async run(input, context) {
      context.signal.throwIfAborted();
      try {
        return await run(toValues(shape, input), context);
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof InputError) return failed(`${rest.name}: ${error.message}`);
        return failed(`${rest.name} failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

export function done(content: ToolOutcome["content"]): ToolOutcome {
  return { content, status: "ok" };
}

export function failed(message: string): ToolOutcome {
  return { content: message, status: "error" };
}
