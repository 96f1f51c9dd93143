import { watchCall } from "../clock.ts";
import { addedContext } from "../hooks/added-context.ts";
import type { ToolCall, ToolResult } from "../log/block.ts";
import { attachment, toolResult } from "../log/messages.ts";
import { HOOK } from "../log/provenance.ts";
import { type AdmitOptions, admitAllowed, admitCall } from "../query/admit-call.ts";
import { messageOf, type OpenQuestion } from "../query/permission.ts";
import { runTool, type ToolEnd } from "../query/run-tool.ts";
import { repeatOf, type Tool, type ToolStream } from "../schema/tool.ts";
import type { Clock } from "../session/clock.ts";
import type { Session } from "../session/session.ts";
import { CUT_OFF, ELSEWHERE, MAY_HAVE_RUN, NOT_RUN, notAllowed, SUPERSEDED } from "../session/turn/call-texts.ts";
import type { OpenCall } from "../view/next-in-turn.ts";
import type { QueryEvent, ToolEnding } from "./permission.ts";

export interface AnswerOptions extends AdmitOptions {
  readonly session: Pick<Session, "id" | "events" | "append" | "turn">;
  /** Throws if this process may not write any more. */
  readonly ensureRight: () => void;
  readonly clock: Required<Clock>;
  readonly toolTimeoutMs: number;
  readonly emit: (event: QueryEvent) => void;
}

/** The part of a stream that hooks get: they get it in one piece, and a stream may have gigabytes. */
const SHOWN_CHARACTERS = 20_000;

/**
 * Brings a call as far as it comes in one step: to its result, or to a question that somebody answers later. Rejects only if the
 * log cannot be written.
 */
export async function answerCall(open: OpenCall, options: AnswerOptions): Promise<void> {
  const { session, clock, toolTimeoutMs, signal, emit } = options;
  const { call, key } = open;

  async function answer(how: ToolEnding, content: ToolResult["content"], status: ToolResult["status"]): Promise<void> {
    await session.append(toolResult(call.id, content, status));
    emit({ kind: "tool-ended", call, status, how });
  }

  const settled = settledBy(open, options.tools.get(call.name));
  if (settled !== undefined) return answer(settled.how, settled.text, "error");
  // Hooks, policies and people may take long; an abort does not wait for them.
  const patience = { clock, stallMs: Number.POSITIVE_INFINITY, signal };
  const admit = () => (open.step === "allowed" ? admitAllowed(call, inputOf(open), options) : admitCall(call, options));
  const admitted = await watchCall(admit, patience);
  if (admitted.kind === "failed") return answer("threw", `The call was not run: ${messageOf(admitted.error)}`, "error");
  if (admitted.kind !== "done" || signal.aborted) return answer("not-run", NOT_RUN, "error");
  const admission = admitted.result;
  if (admission.kind === "turned-away") return answer(admission.how, admission.text, "error");
  if (admission.kind === "waits") {
    const { reason, newInput } = admission;
    const asked = {
      ...(reason === undefined ? {} : { reason }),
      ...(newInput === undefined ? {} : { input: newInput }),
    };
    await session.turn.enterCall({ step: "waiting", call: call.id, ...asked });
    emit({ kind: "tool-waiting", question: questionOf({ ...open, ...asked }, session.id) });
    return;
  }

  const { tool, input } = admission;
  // Before it runs: who finds it begun does not run it again. A process that was replaced cannot write, and so does not begin.
  if (repeatOf(tool) === "never") await session.turn.enterCall({ step: "begun", call: call.id });
  emit({ kind: "tool-started", call, input });
  const watch = { clock, stallMs: tool.timeoutMs ?? toolTimeoutMs, signal };
  const running = await runTool(tool, { call, key, input }, watch);
  if (running.kind === "whole") {
    await answer(running.how, running.content, running.status);
    return afterTool(call, { input, text: textOf(running.content), ...running }, options);
  }
  const shown = createExcerpt(running.chunks, options.ensureRight);
  await session.append(toolResult(call.id, shown.chunks, () => running.end().status));
  const end = running.end();
  emit({ kind: "tool-ended", call, ...end });
  return afterTool(call, { input, text: shown.text(), ...end }, options);
}

/** What a call is answered with that is not run; undefined if it is to be run. */
function settledBy(
  { step, reason }: OpenCall,
  tool: Tool | undefined,
): { readonly how: ToolEnding; readonly text: string } | undefined {
  switch (step) {
    case "denied":
      return { how: "denied", text: notAllowed(reason ?? "the answer was no") };
    case "superseded":
      return { how: "not-run", text: SUPERSEDED };
    case "cut":
      return { how: "not-run", text: CUT_OFF };
    case "refused":
      return { how: "not-run", text: NOT_RUN };
    case "elsewhere":
      return { how: "not-run", text: ELSEWHERE };
    case "begun":
    case "unlogged": {
      const repeat = tool === undefined ? "never" : repeatOf(tool);
      // Whoever ran a call without a log of its beginning gave it no key.
      const mayRun = repeat === "free" || (repeat === "by-key" && step === "begun");
      return mayRun ? undefined : { how: "unknown", text: MAY_HAVE_RUN };
    }
    default:
      return undefined;
  }
}

function inputOf({ call, input }: OpenCall): unknown {
  return input === undefined ? call.input : input;
}

/** The question that a waiting call waits with. */
export function questionOf(open: OpenCall, sessionId: string): OpenQuestion {
  const { call, reason } = open;
  const why = reason === undefined ? {} : { reason };
  return { sessionId, callId: call.id, tool: call.name, input: inputOf(open), ...why };
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
function createExcerpt(source: ToolStream, atEnd: () => void): { readonly chunks: ToolStream; text(): string } {
  const decoder = new TextDecoder();
  let text = "";
  async function* chunks(): ToolStream {
    for await (const chunk of source) {
      if (text.length < SHOWN_CHARACTERS) {
        text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      }
      yield chunk;
    }
    atEnd();
  }
  return { chunks: chunks(), text: () => text.slice(0, SHOWN_CHARACTERS) };
}
