import { type Watched, type WatchOptions, watchCall } from "../clock.ts";
import type { ToolResult } from "../log/block.ts";
import { isPart } from "../log/draft.ts";
import type { Tool, ToolContext, ToolStream } from "../schema/tool.ts";
import { NO_LONGER_NEEDED } from "../session/no-longer-needed.ts";
import type { ToolEnding } from "../turn/permission.ts";
import { messageOf } from "./permission.ts";
import { watchStream } from "./watch-stream.ts";

/** How a tool ended. */
export interface ToolEnd {
  readonly how: ToolEnding;
  readonly status: ToolResult["status"];
}

export type RunningTool =
  | ({ readonly kind: "whole"; readonly content: ToolResult["content"] } & ToolEnd)
  /** The outcome is known once all chunks have been read. A stream that breaks off says so in its last chunk. */
  | { readonly kind: "stream"; readonly chunks: ToolStream; readonly end: () => ToolEnd };

/** Runs a tool. It ends in time whatever the tool does, and never rejects: an error becomes a result for the model. */
export async function runTool(
  tool: Tool,
  { input, ...call }: Pick<ToolContext, "call" | "key"> & { readonly input: unknown },
  watch: WatchOptions,
): Promise<RunningTool> {
  // Not the signal of the watch, which ends when the stream begins.
  const over = new AbortController();
  const signal = AbortSignal.any([watch.signal, over.signal]);
  const started = await watchCall(async () => {
    const output: unknown = await tool.run(input, { signal, ...call });
    return isStream(output) ? output : toContent(output);
  }, watch);
  if (started.kind !== "done") {
    over.abort(NO_LONGER_NEEDED);
    return { kind: "whole", ...failed(started, watch) };
  }
  const { result } = started;
  if (!isStream(result)) {
    over.abort(NO_LONGER_NEEDED);
    return { kind: "whole", how: "ran", ...result };
  }
  const source: ToolStream = result;
  let end: ToolEnd = { how: "ran", status: "ok" };
  async function* chunks(): ToolStream {
    let written = 0;
    const stream = watchStream(source, watch);
    for (let next = await stream.next(); ; next = await stream.next()) {
      if (next.done !== true) {
        written += next.value.length;
        yield next.value;
        continue;
      }
      over.abort(NO_LONGER_NEEDED);
      if (next.value.kind === "done") return;
      const { content, ...how } = failed(next.value, watch);
      end = how;
      yield written === 0 ? content : `\n\n${content}`;
      return;
    }
  }
  return { kind: "stream", chunks: chunks(), end: () => end };
}

function failed(
  ended: Exclude<Watched<unknown>, { kind: "done" }>,
  { stallMs }: WatchOptions,
): ToolEnd & { readonly content: string } {
  const status = "error";
  switch (ended.kind) {
    case "failed":
      return { how: "threw", status, content: `The tool failed: ${messageOf(ended.error)}` };
    case "stalled":
    case "too-late":
      return {
        how: "timed-out",
        status,
        content: `The tool was given up after ${stallMs / 1_000} seconds without an answer. It may have taken effect.`,
      };
    case "aborted":
      return { how: "aborted", status, content: "This was aborted while it ran. It may have taken effect." };
  }
}

function isStream(output: unknown): output is ToolStream {
  return typeof output === "object" && output !== null && Symbol.asyncIterator in output;
}

/** A return value that cannot be stored is turned into text: plain JavaScript can return anything. */
function toContent(output: unknown): Pick<ToolResult, "content" | "status"> {
  const isBare = Array.isArray(output) || typeof output === "string";
  const result: Readonly<Record<string, unknown>> = isBare ? { content: output } : Object(output);
  const { content, status } = result;
  const isContent = typeof content === "string" || (Array.isArray(content) && content.every(isPart));
  if (isContent) return { content: content as ToolResult["content"], status: status === "error" ? "error" : "ok" };
  return { content: JSON.stringify(output) ?? "", status: "ok" };
}
