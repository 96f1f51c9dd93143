// Answers the tool calls of a response: asks for permission, runs the tools and logs the results.

import { type Clock, NO_LONGER_NEEDED, type Watched, type WatchOptions, watchCall } from "../clock.ts";
import { addedContext } from "../hooks/hook.ts";
import { TOOL_SEARCH, type ToolCall, type ToolResult } from "../log/block.ts";
import { isPart } from "../log/entry.ts";
import { attachment, toolResult } from "../log/messages.ts";
import { HOOK } from "../log/provenance.ts";
import type { ReadInput } from "../schema/standard.ts";
import { readInput, repeatOf, type Tool, type ToolContext, type ToolStream } from "../schema/tool.ts";
import type { Session } from "../session/session.ts";
import { CUT_OFF, ELSEWHERE, MAY_HAVE_RUN, NOT_RUN, notAllowed, SUPERSEDED } from "../session/turn.ts";
import type { OpenCall } from "../view/turn.ts";
import {
  decidePermission,
  messageOf,
  type OpenQuestion,
  type PermissionOptions,
  type QueryEvent,
  type ToolEnding,
} from "./permission.ts";
import { watchStream } from "./send.ts";

/** The tools of the session, and who may run them. */
interface AdmitOptions extends PermissionOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Whether a tool is deferred and not loaded: no result in view contains its definition. */
  readonly unloaded: (tool: string) => boolean;
}

/** Whether a call runs. */
type Admission =
  | { readonly kind: "admitted"; readonly tool: Tool; readonly input: unknown }
  /** The call waits for a decision. `newInput`: the input after a hook changed it. */
  | { readonly kind: "waits"; readonly reason?: string; readonly newInput?: unknown }
  /** The call does not run. The model gets `text` instead of a result. */
  | { readonly kind: "turned-away"; readonly how: ToolEnding; readonly text: string };

/** Decides whether a call runs: its tool exists, its input is valid, and neither a hook nor a rule denies it. */
async function admitCall(call: ToolCall, options: AdmitOptions): Promise<Admission> {
  const { session, signal } = options;
  const asWritten = await admitAllowed(call, call.input, options);
  if (asWritten.kind !== "admitted") return asWritten;
  const { tool } = asWritten;
  const told = { sessionId: session.id, toolName: call.name, toolInput: call.input, callId: call.id };
  const { blocked, outputs } = await session.events.runHooks("PreToolUse", told, { signal });
  if (blocked !== undefined) return turnAway("denied", `This call was not run: ${blocked.reason}`);
  const changed = outputs.findLast(({ output }) => output.newToolInput !== undefined);
  const read: ReadInput =
    changed === undefined
      ? { kind: "valid", value: asWritten.input }
      : await readInput(tool, changed.output.newToolInput);
  if (read.kind === "invalid") {
    const text = `This call was not run: the hook ${changed?.by} gave it an input that does not fit: ${read.problems.join("; ")}.`;
    return turnAway("denied", text);
  }
  // A search only shows tool definitions. Calls to these tools need permission.
  if (call.name === TOOL_SEARCH) return { kind: "admitted", tool, input: read.value };
  const decision = await decidePermission({ call, input: read.value }, options);
  if (decision.kind === "deny") return turnAway("denied", notAllowed(decision.reason));
  if (decision.kind === "allow") return { kind: "admitted", tool, input: read.value };
  const { reason } = decision;
  return {
    kind: "waits",
    reason,
    newInput: changed === undefined ? undefined : changed.output.newToolInput,
  };
}

/** Checks a call that is already allowed: only its tool and its input. */
async function admitAllowed(
  { name }: ToolCall,
  input: unknown,
  { tools, unloaded }: Pick<AdmitOptions, "tools" | "unloaded">,
): Promise<Exclude<Admission, { kind: "waits" }>> {
  const tool = tools.get(name);
  if (tool !== undefined && unloaded(name)) return turnAway("unknown-tool", notLoaded(name));
  if (tool === undefined) {
    const names = tools.size === 0 ? "There are no tools." : `There are: ${[...tools.keys()].join(", ")}.`;
    return turnAway("unknown-tool", `There is no tool of the name ${JSON.stringify(name)}. ${names}`);
  }
  const read = await readInput(tool, input);
  if (read.kind === "invalid") return turnAway("invalid-input", invalidText(tool, read.problems));
  return { kind: "admitted", tool, input: read.value };
}

function turnAway(how: ToolEnding, text: string): Extract<Admission, { kind: "turned-away" }> {
  return { kind: "turned-away", how, text };
}

/** The text for a call of a deferred tool that is not loaded. The model has guessed its input. */
function notLoaded(name: string): string {
  return `The call of ${name} was not run: the tool is not loaded. Call ${TOOL_SEARCH} with the name ${JSON.stringify(name)} first, then call it as its schema says.`;
}

function invalidText({ name }: Tool, problems: readonly string[]): string {
  return `The call of ${name} was not run, its input is wrong: ${problems.join("; ")}. Call it again with a right one.`;
}

/** How a tool run ended. */
interface ToolEnd {
  readonly how: ToolEnding;
  readonly status: ToolResult["status"];
}

/** A tool result: whole, or as a stream. */
type RunningTool =
  | ({ readonly kind: "whole"; readonly content: ToolResult["content"] } & ToolEnd)
  /** `end` is known after the last chunk. If the stream fails, its last chunk reports the failure. */
  | { readonly kind: "stream"; readonly chunks: ToolStream; readonly end: () => ToolEnd };

/** Runs a tool until it ends or its time is over. Never rejects: an error becomes a result for the model. */
async function runTool(
  tool: Tool,
  { input, ...call }: Pick<ToolContext, "call" | "key"> & { readonly input: unknown },
  watch: WatchOptions,
): Promise<RunningTool> {
  // The watch ends when the stream begins, so the tool gets a separate signal.
  const over = new AbortController();
  const signal = AbortSignal.any([watch.signal, over.signal]);
  const started = await watchCall(async () => {
    const output: unknown = await tool.execute(input, { signal, ...call });
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

/**
 * Converts a tool's return value to a result. Plain JavaScript can return anything, so unknown values become JSON text.
 */
function toContent(output: unknown): Pick<ToolResult, "content" | "status"> {
  const isBare = Array.isArray(output) || typeof output === "string";
  const result: Readonly<Record<string, unknown>> = isBare ? { content: output } : Object(output);
  const { content, status } = result;
  const isContent = typeof content === "string" || (Array.isArray(content) && content.every(isPart));
  if (isContent) return { content: content as ToolResult["content"], status: status === "error" ? "error" : "ok" };
  return { content: JSON.stringify(output) ?? "", status: "ok" };
}

/** What a tool call needs to run: the session, the tools, the permissions and the time limits. */
export interface AnswerOptions extends AdmitOptions {
  readonly session: Pick<Session, "id" | "events" | "append" | "turn">;
  /** Throws if this process may no longer write to the session. */
  readonly ensureRight: () => void;
  readonly clock: Required<Clock>;
  readonly toolTimeoutMs: number;
  readonly emit: (event: QueryEvent) => void;
}

/** Hooks get the beginning of a stream, up to this many characters, because a stream may have gigabytes. */
const SHOWN_CHARACTERS = 20_000;

/**
 * Answers a call with a result, or logs the question for permission that is answered later. Rejects only if the log
 * cannot be written.
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
  // Hooks, policies and users may take long. An abort does not wait for them.
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
      reason,
      input: newInput,
    };
    await session.turn.enterCall({ step: "waiting", call: call.id, ...asked });
    emit({ kind: "tool-waiting", question: questionOf({ ...open, ...asked }, session.id) });
    return;
  }

  const { tool, input } = admission;
  // Logged before the run, so that another process does not run the call again. A replaced process cannot log and stops
  // here.
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

/** Returns the answer to a call that must not run; undefined if the call can run. */
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
      // If the beginning of a call was not logged, the call ran without a key.
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

/** Returns the question for permission of a waiting call. */
export function questionOf(open: OpenCall, sessionId: string): OpenQuestion {
  const { call, reason } = open;
  const why = reason === undefined ? {} : { reason };
  return { sessionId, callId: call.id, tool: call.name, input: inputOf(open), ...why };
}

/** The end of a tool run, with the input and the beginning of the result. */
interface RanTool extends ToolEnd {
  readonly input: unknown;
  readonly text: string;
}

/**
 * Runs the hooks after a call and appends their messages. The call has already run, so blocking only informs the model.
 */
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

/** Passes the chunks of a stream on, and keeps its beginning. */
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

/** The maximum number of calls that run at the same time. */
const MAX_AT_ONCE = 10;

/** Groups calls in order. Neighboring calls run together if their tools are safe in parallel. Pure. */
export function groupCalls<Call extends { readonly call: Pick<ToolCall, "name"> }>(
  calls: readonly Call[],
  tools: ReadonlyMap<string, Pick<Tool, "concurrency">>,
): readonly (readonly Call[])[] {
  const groups: Call[][] = [];
  let last: "safe" | "alone" = "alone";
  for (const call of calls) {
    const concurrency = tools.get(call.call.name)?.concurrency ?? "alone";
    const group = groups.at(-1);
    const joins = group !== undefined && last === "safe" && concurrency === "safe" && group.length < MAX_AT_ONCE;
    if (joins) group.push(call);
    else groups.push([call]);
    last = concurrency;
  }
  return groups;
}
