import type { QueryEvent, Tool } from "palimpsest";
import { MEMORY_TOOL } from "./memory-tool.ts";

export interface WatchedRound {
  /** The tools, which note how writes of memory ended. */
  readonly tools: readonly Tool[];
  begin(): void;
  see(event: QueryEvent): void;
  /** How many calls have saved something. */
  saves(): number;
  /** Whether all calls wrote memory, and none has to be made again. */
  isFinal(): boolean;
}

const WRITES = new Set<unknown>(["save", "forget"]);
/** The beginning of a result that asks for another try. */
const UNWRITTEN = "Nothing was written";

/** Watches the tool calls of one response. */
export function watchRound(tools: readonly Tool[]): WatchedRound {
  let [calls, writes, saves, unwritten] = [0, 0, 0, 0];
  return {
    tools: tools.map((tool): Tool => {
      if (tool.name !== MEMORY_TOOL) return tool;
      const run: Tool["execute"] = async (input, context) => {
        const result = await tool.execute(input, context);
        if (typeof result === "string" && result.startsWith(UNWRITTEN)) unwritten++;
        return result;
      };
      return { ...tool, execute: run };
    }),
    begin() {
      [calls, writes, saves, unwritten] = [0, 0, 0, 0];
    },
    see(event) {
      if (event.kind !== "tool-ended") return;
      calls++;
      const command = (event.call.input as { command?: unknown } | undefined)?.command;
      if (event.call.name !== MEMORY_TOOL || event.status !== "ok") return;
      if (WRITES.has(command)) writes++;
      if (command === "save") saves++;
    },
    saves: () => saves,
    isFinal: () => calls > 0 && writes === calls && unwritten === 0,
  };
}
