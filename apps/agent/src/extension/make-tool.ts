import type { Tool, ToolOutput, ToolResult } from "palimpsest";
import { sanitizeStream } from "palimpsest/sanitize";
import type { AgentTool } from "../permissions/agent-tool.ts";
import type { AgentSession } from "./open-agent-session.ts";
import type { Person } from "./person.ts";

/** Defines a tool. The schema gives `execute` the type of its input. */
export function agentTool<Input>(made: AgentTool<Input>): AgentTool<Input> {
  return made;
}

/** The result of a call that has done what it should. */
export function done(content: ToolResult["content"]): Outcome {
  return { content, status: "ok" };
}

/** The result of a call that has failed. The message tells the model what to do. */
export function failed(message: string): Outcome {
  return { content: message, status: "error" };
}

type Outcome = Pick<ToolResult, "content" | "status">;

interface ContextOptions {
  readonly session: Pick<AgentSession, "history">;
  /** The project, as an absolute path. */
  readonly folder: string;
  /** @default the output of running commands is not shown */
  readonly onOutput?: Person["onOutput"];
  /** Receives the files and folders that a call has touched, before its result is recorded. @default nobody */
  readonly onTouched?: (paths: readonly string[]) => Promise<void>;
}

/** The tool for the turns of a session: its context has the fields that the agent adds, and its streams pass the gate. */
export function withContext(tool: AgentTool, { session, folder, onOutput, onTouched }: ContextOptions): Tool {
  return {
    ...tool,
    repeat: tool.repeat ?? (tool.effect === "read" ? "free" : "never"),
    async execute(input, context) {
      const { id } = context.call;
      const touched = (await tool.touches?.(input)) ?? [];
      const output = await tool.execute(input, {
        ...context,
        folder,
        newestEntry: session.history.newestEntry,
        onOutput: onOutput && ((text) => onOutput(id, text)),
      });
      if (touched.length > 0) await onTouched?.(touched);
      return isStream(output) ? sanitizeStream(output) : output;
    },
  };
}

function isStream(output: ToolOutput): output is Extract<ToolOutput, AsyncIterable<unknown>> {
  return typeof output === "object" && Symbol.asyncIterator in output;
}
