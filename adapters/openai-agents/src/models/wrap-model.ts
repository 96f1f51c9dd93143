// Wraps a model, so that a session handles its calls.

import type { Model, ModelRequest, ModelResponse, StreamEvent } from "@openai/agents";
import { createPartialAnswer } from "palimpsest/adapter-parts";
import { createEventCollector } from "../provider/collect-events.ts";
import { beginCall, type CallContext, type WrappedModel } from "./begin-call.ts";
import { hasServerHistory } from "./read-request.ts";

/** Wraps a model, so that sessions handle its calls. A call whose conversation the service stores is passed on unchanged. */
export function wrapModel(context: CallContext, wrapped: WrappedModel): Model {
  const { model } = wrapped;

  async function getResponse(request: ModelRequest): Promise<ModelResponse> {
    const call = await beginCall(context, wrapped, request, "whole");
    try {
      for (;;) {
        try {
          const response = await model.getResponse(call.sent());
          return { ...response, providerData: await call.record({ ...response, model: wrapped.id }) };
        } catch (error) {
          if ((await call.recover(error)) === "give-up") throw error;
        }
      }
    } finally {
      call.end();
    }
  }

  /** Passes an answer on while it arrives. Records the answer before passing its end on, because the next call may follow at once. */
  async function* getStreamedResponse(request: ModelRequest): AsyncGenerator<StreamEvent> {
    const call = await beginCall(context, wrapped, request, "streamed");
    const partial = createPartialAnswer();
    let ending: "open" | "recorded" | "failed" = "open";
    try {
      for (let isSent = false; !isSent; ) {
        let begun: "no" | "yes" = "no";
        const collector = createEventCollector(wrapped.id);
        try {
          for await (const event of model.getStreamedResponse(call.sent())) {
            if (!BEFORE.includes(event.type)) begun = "yes";
            for (const shown of collector.add(event)) partial.add(shown);
            const whole = collector.whole();
            if (whole === undefined || event.type !== "response_done") {
              yield event;
              continue;
            }
            const providerData = await call.record(whole);
            ending = "recorded";
            yield { ...event, response: { ...event.response, providerData } };
          }
          isSent = true;
        } catch (error) {
          // Some services refuse a request that is too long only at the start of the stream.
          if (begun === "no" && (await call.recover(error)) === "retry") continue;
          if (ending === "open" && request.signal?.aborted !== true) ending = "failed";
          throw error;
        }
      }
      if (ending === "open" && request.signal?.aborted !== true) ending = "failed";
    } finally {
      // A user who stops an answer has read its beginning. After a failure, the caller sends the request again.
      const view = ending === "failed" ? "left-out" : "kept";
      if (ending !== "recorded") await call.recordInterrupted(partial.answer(), { view });
      call.end();
    }
  }

  return {
    ...(model.supportsPromptModelSelection === undefined
      ? {}
      : { supportsPromptModelSelection: model.supportsPromptModelSelection }),
    getResponse: (request) => (hasServerHistory(request) ? model.getResponse(request) : getResponse(request)),
    getStreamedResponse: (request) =>
      hasServerHistory(request) ? model.getStreamedResponse(request) : getStreamedResponse(request),
    getRetryAdvice: (failed) => model.getRetryAdvice?.(failed),
  };
}

/** The types of events that arrive before the answer begins. */
const BEFORE: readonly string[] = ["response_started", "model"];
