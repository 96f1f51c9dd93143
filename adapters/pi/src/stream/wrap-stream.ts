import {
  type AssistantMessageEvent,
  type AssistantMessageEventStream,
  createAssistantMessageEventStream,
  type TranscriptContext,
} from "@earendil-works/pi-ai";
import { type AdapterContext, beginAdapterCall, createPartialAnswer, type Notice } from "palimpsest/adapter-parts";
import { shownBy, withId } from "../provider/collect-events.ts";
import { toError } from "../provider/failures.ts";
import { toContext } from "../provider/pi-model.ts";
import type { PiModel, PiOptions, PiRequest, PiResponse, PiStream } from "../provider/wire.ts";
import { withSession } from "./compactions.ts";
import { readConfiguration, readTools, readTranscript } from "./read-call.ts";
import type { LiveCall } from "./sessions.ts";

export interface StreamContext extends AdapterContext<LiveCall> {
  readonly onNotice: (notice: Notice) => void;
}

/** A stream function with sessions behind its calls. As pi asks for, it never throws: a failure is the last event. */
export function wrapStream(context: StreamContext, stream: PiStream): PiStream {
  return (model, transcript, options = {}) => {
    const events = createAssistantMessageEventStream();
    run(context, { model, transcript, options, stream }, events).catch((error: unknown) => {
      const reason = options.signal?.aborted === true ? "aborted" : "error";
      events.push({ type: "error", reason, error: failedAnswer(model, error, reason) });
      events.end();
    });
    return events;
  };
}

interface Call {
  readonly model: PiModel;
  readonly transcript: TranscriptContext;
  readonly options: PiOptions;
  readonly stream: PiStream;
}

async function run(
  { onNotice, ...context }: StreamContext,
  { model, transcript, options, stream }: Call,
  events: AssistantMessageEventStream,
): Promise<void> {
  const tools = readTools(transcript);
  const call = await beginAdapterCall(context, {
    list: transcript.messages,
    key: options.sessionId || undefined,
    model: model.id,
    live: { id: model.id, model, stream, tools, options },
    messages: readTranscript(transcript),
    configuration: readConfiguration(tools, options),
    answer: "streamed",
    signal: options.signal,
  });
  const partial = createPartialAnswer();

  /** Sends the request once. `retry`: it did not fit, and the session is smaller now. */
  async function attempt(): Promise<"ended" | "retry"> {
    const request = call.request() as PiRequest;
    const maxTokens = Math.min(options.maxTokens ?? request.maxTokens, request.maxTokens);
    // Held back until something is said: an answer that fails before can still be asked for again.
    let start: AssistantMessageEvent | undefined;
    let begun: "no" | "yes" = "no";
    for await (const event of await stream(model, toContext(request, tools), { ...options, maxTokens })) {
      for (const shown of shownBy(event)) partial.add(shown);
      if (event.type === "start") {
        start = event;
        continue;
      }
      const isRefused = event.type === "error" && begun === "no";
      if (isRefused && (await call.recover(toError(event.error))) === "retry") return "retry";
      if (start !== undefined) events.push(start);
      start = undefined;
      begun = "yes";
      if (event.type === "error") await call.recordInterrupted(partial.answer(), { view: "left-out" });
      events.push(event.type === "done" ? { ...event, message: await record(event.message) } : event);
    }
    return "ended";
  }

  /** Before its end is passed on: the next call may follow at once. */
  async function record(message: PiResponse): Promise<PiResponse> {
    const whole = withId(message);
    const report = await call.record(whole);
    const { notices, compactions } = call.takeReports();
    for (const notice of notices) onNotice(notice);
    return withSession(whole, report, compactions);
  }

  try {
    while ((await attempt()) === "retry");
    events.end();
  } finally {
    call.end();
  }
}

/** pi's agents read failures from the answer that they end with. */
function failedAnswer(
  { api, provider, id: model }: PiModel,
  error: unknown,
  stopReason: "aborted" | "error",
): PiResponse {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const usage = { ...none, totalTokens: 0, cost: { ...none, total: 0 } };
  const errorMessage = error instanceof Error ? error.message : String(error);
  const ending = { stopReason, errorMessage, timestamp: Date.now() };
  return { role: "assistant", content: [], api, provider, model, usage, ...ending };
}
