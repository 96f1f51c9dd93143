// Makes a model call that streams its answer.

import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { createPartialAnswer } from "palimpsest/adapter-parts";
import { createStreamCollector } from "../provider/collect-stream.ts";
import { beginCall, type Call, type CallContext, type WantedCall } from "./begin-call.ts";

type Parts = ReadableStream<LanguageModelV4StreamPart>;

/** Makes a call that streams its answer. */
export async function stream(
  context: CallContext,
  { params, model }: Omit<WantedCall, "answer">,
): Promise<LanguageModelV4StreamResult> {
  const call = await beginCall(context, { params, model, answer: "streamed" });
  const open = async (): Promise<LanguageModelV4StreamResult> => {
    for (;;) {
      try {
        return await model.doStream(call.sent());
      } catch (error) {
        if ((await call.recover(error)) === "give-up") throw error;
      }
    }
  };
  try {
    const opened = await open();
    const again = async (): Promise<Parts> => (await open()).stream;
    return { ...opened, stream: toStream(passOn(call, opened.stream, again, params.abortSignal)) };
  } catch (error) {
    call.end();
    throw error;
  }
}

/** Passes an answer on while it arrives. Records the answer before passing its end on, because the next call may follow at once. */
async function* passOn(
  call: Call,
  first: Parts,
  again: () => Promise<Parts>,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const partial = createPartialAnswer();
  let ending: "open" | "recorded" | "failed" = "open";
  try {
    let collector = createStreamCollector();
    for (let stream: Parts | undefined = first; stream !== undefined; ) {
      let begun: "no" | "yes" = "no";
      const opened: Parts = stream;
      stream = undefined;
      for await (const part of opened) {
        if (part.type === "error") {
          // Some services refuse a request that is too long only at the start of the stream.
          if (begun === "no" && (await call.recover(part.error)) === "retry") {
            collector = createStreamCollector();
            stream = await again();
            break;
          }
          ending = "failed";
          yield part;
          continue;
        }
        if (!BEFORE.includes(part.type)) begun = "yes";
        for (const shown of collector.add(part)) partial.add(shown);
        if (part.type === "finish" && ending === "open") {
          const whole = collector.whole();
          const metadata = whole && (await call.record(whole));
          if (whole === undefined) await call.recordInterrupted(partial.answer(), { view: "kept" });
          ending = "recorded";
          yield { ...part, providerMetadata: { ...part.providerMetadata, ...metadata } };
          continue;
        }
        if (part.type !== "stream-start") {
          yield part;
          continue;
        }
        const { warnings, parts } = call.takeReports();
        yield { ...part, warnings: [...warnings, ...part.warnings] };
        yield* parts;
      }
    }
  } catch (error) {
    if (ending === "open" && signal?.aborted !== true) ending = "failed";
    throw error;
  } finally {
    // A user who stops an answer has read its beginning. After a failure, the caller sends the request again.
    const view = ending === "failed" ? "left-out" : "kept";
    if (ending !== "recorded") await call.recordInterrupted(partial.answer(), { view });
    call.end();
  }
}

/** The types of parts that arrive before the answer begins. */
const BEFORE: readonly string[] = ["stream-start", "response-metadata", "custom", "raw", "ping"];

function toStream(parts: AsyncGenerator<LanguageModelV4StreamPart>): Parts {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}
