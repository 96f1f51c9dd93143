import { addedContext } from "../hooks/added-context.ts";
import type { ToolCall, ToolResult } from "../log/block.ts";
import { HOOK } from "../log/provenance.ts";
import type { Clock } from "../session/clock.ts";
import { watchCall } from "../session/compact/watch-call.ts";
import { attachment, toolResult } from "../session/messages.ts";
import type { Session } from "../session/session.ts";
import type { ToolStream } from "../tools/tool.ts";
import { type AdmitOptions, admitCall } from "./admit-call.ts";
import { NOT_RUN } from "./open-calls.ts";
import { messageOf } from "./permission.ts";
import type { QueryEvent, ToolEnding } from "./query-event.ts";
import { runTool, type ToolEnd } from "./run-tool.ts";

export interface AnswerOptions extends AdmitOptions {
  readonly session: Pick<Session, "id" | "events" | "append">;
  readonly clock: Required<Clock>;
  readonly toolTimeoutMs: number;
  readonly emit: (event: QueryEvent) => void;
}

/** The part of a stream that hooks get: they get it in one piece, and a stream may have gigabytes. */
const SHOWN_CHARACTERS = 20_000;

/** Gives a call its result, whatever happens. Rejects only if the log cannot be written. */
export async function answerCall(call: ToolCall, options: AnswerOptions): Promise<void> {
  const { session, clock, toolTimeoutMs, signal, emit } = options;

  async function answer(how: ToolEnding, content: ToolResult["content"], status: ToolResult["status"]): Promise<void> {
    await session.append(toolResult(call.id, content, status));
    emit({ kind: "tool-ended", call, status, how });
  }

  // Hooks, policies and people may take long; an abort does not wait for them.
  const patience = { clock, stallMs: Number.POSITIVE_INFINITY, signal };
  const admitted = await watchCall(() => admitCall(call, options), patience);
  if (admitted.kind === "failed") return answer("threw", `The call was not run: ${messageOf(admitted.error)}`, "error");
  if (admitted.kind !== "done" || signal.aborted) return answer("not-run", NOT_RUN, "error");
  const admission = admitted.result;
  if (admission.kind === "turned-away") return answer(admission.how, admission.text, "error");

  const { tool, input } = admission;
  emit({ kind: "tool-started", call, input });
  const watch = { clock, stallMs: tool.timeoutMs ?? toolTimeoutMs, signal };
  const running = await runTool(tool, { call, input }, watch);
  if (running.kind === "whole") {
    await answer(running.how, running.content, running.status);
    return afterTool(call, { input, text: textOf(running.content), ...running }, options);
  }
  const shown = createExcerpt(running.chunks);
  await session.append(toolResult(call.id, shown.chunks, () => running.end().status));
  const end = running.end();
  emit({ kind: "tool-ended", call, ...end });
  return afterTool(call, { input, text: shown.text(), ...end }, options);
}

interface RanTool extends ToolEnd {
  readonly input: unknown;
  readonly text: string;
}

/** Messages of hooks about a result follow it. The call has run: blocking it is only a message to the model. */
async function afterTool(
  call: ToolCall,
  { input, text, status }: RanTool,
  { session, signal }: AnswerOptions,
): Promise<void> {
  if (signal.aborted) return;
  const told = { sessionId: session.id, toolName: call.name, toolInput: input, callId: call.id };
  const results = await session.events.runHooks("PostToolUse", { ...told, toolResult: text, status }, { signal });
  const said = [results.blocked?.reason, addedContext(results)].filter((words) => words !== undefined);
  if (said.length > 0) await session.append(attachment("hook", said.join("\n\n"), HOOK));
}

function textOf(content: ToolResult["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("\n");
}

/** Passes chunks on, and keeps the beginning. */
function createExcerpt(source: ToolStream): { readonly chunks: ToolStream; text(): string } {
  const decoder = new TextDecoder();
  let text = "";
  async function* chunks(): ToolStream {
    for await (const chunk of source) {
      if (text.length < SHOWN_CHARACTERS) {
        text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      }
      yield chunk;
    }
  }
  return { chunks: chunks(), text: () => text.slice(0, SHOWN_CHARACTERS) };
}
