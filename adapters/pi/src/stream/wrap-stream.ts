// Wraps a stream function, so that a session handles its calls.

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

/** Wraps a stream function, so that sessions handle its calls. It never throws, as pi requires: a failure is the last event. */
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

  /** Sends the request once. `retry`: the request was too long, and the session was compacted. */
  async function attempt(): Promise<"ended" | "retry"> {
    const request = call.request() as PiRequest;
    const maxTokens = Math.min(options.maxTokens ?? request.maxTokens, request.maxTokens);
    // Held back until the answer begins, because a call that fails before can be sent again.
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

  /** Records the answer before passing its end on, because the next call may follow at once. */
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

/** Creates the answer that ends a failed call: pi's agents read failures from it. */
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
