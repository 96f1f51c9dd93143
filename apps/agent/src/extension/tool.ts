import type { Part, Tool, ToolDefinition } from "palimpsest";
import type { PermittedTool } from "../permissions/permission-call.ts";
import { type Fields, InputError, type InputShape, toJsonSchema, toValues } from "./input.ts";

/** A tool of the agent: its definition for the model, and its function. */
export interface AgentTool extends ToolDefinition, PermittedTool {
  readonly description: string;
  /** `safe`: may run in parallel. `alone`: changes what other tools see. */
  readonly concurrency: "safe" | "alone";
  /** Its time limit, if it needs longer than other tools. */
  readonly timeoutMs?: number;
  /**
   * What may be done about a call that was open when Palimpsest ended: run it again, or tell the model that its outcome is
   * unknown. @default "free" for a tool that only reads, "never" for any other
   */
  readonly repeat?: NonNullable<Tool["repeat"]>;
  /** Rejects only if the call was aborted. Any other failure is an outcome that tells the model what to do. */
  run(input: unknown, context: ToolContext): Promise<ToolOutcome>;
}

/** What a tool gets besides its input: the call, the folder, and a signal that cancels it. */
export interface ToolContext {
  readonly signal: AbortSignal;
  readonly callId: string;
  /** The same whenever this call is run: for services that must not do a thing twice. */
  readonly key: string;
  /** The project, as an absolute path. */
  readonly folder: string;
  /** The number of the session's newest entry. The result of this call gets a higher number. */
  readonly newestEntry: number;
  /** Receives the output of a running command, for the screen. */
  readonly onOutput?: (text: string) => void;
}

/** The result of a tool call. A stream is stored while it arrives. */
export interface ToolOutcome {
  readonly content: string | readonly Part[] | AsyncIterable<Uint8Array | string>;
  readonly status: "ok" | "error";
}

export interface ToolSketch<Shape extends InputShape> extends Omit<AgentTool, "inputSchema" | "run"> {
  readonly input: Shape;
  run(input: Fields<Shape>, context: ToolContext): Promise<ToolOutcome>;
}

/** Creates a tool whose input is checked before it runs. An exception becomes an outcome, since a failed tool must not end the turn. */
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
