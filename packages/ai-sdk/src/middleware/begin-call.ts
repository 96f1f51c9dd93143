import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4CustomContent,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { SessionLostError, type SyncMessage } from "palimpsest";
import { toSyncMessages } from "../provider/read-messages.ts";
import { readResponse } from "../provider/read-response.ts";
import type { AiSdkRequest, AiSdkResponse } from "../provider/wire.ts";
import { toCompactionPart } from "./compaction-part.ts";
import { findNotices } from "./find-notices.ts";
import type { OpenSession, Sessions } from "./open-sessions.ts";
import { readConfiguration, sessionKeyOf, toSent } from "./read-params.ts";
import { chainOf } from "./recognize.ts";

export interface CallContext {
  readonly sessions: Sessions;
  /** Is told what could not be recorded. The answer is passed on all the same. */
  readonly onProblem: (problem: Error) => void;
}

export interface WantedCall {
  readonly params: LanguageModelV4CallOptions;
  readonly model: LanguageModelV4;
  readonly answer: "streamed" | "whole";
}

type Interruption = Parameters<OpenSession["session"]["turn"]["recordInterrupted"]>;

/** One call of a model for a session, from the list of messages to the recorded answer. */
export interface Call {
  /** What is to be sent now. */
  sent(): LanguageModelV4CallOptions;
  /** What the caller should know: once. */
  takeReports(): {
    readonly warnings: readonly SharedV4Warning[];
    readonly parts: readonly LanguageModelV4CustomContent[];
  };
  /** After a failure: makes the conversation smaller where that helps, and says whether to send again. */
  recover(error: unknown): Promise<"retry" | "give-up">;
  /** Records the answer. Resolves to what the session says about itself, for the caller. */
  record(response: AiSdkResponse): Promise<SharedV4ProviderMetadata>;
  recordInterrupted(answer: Interruption[0] | undefined, options: Interruption[2]): Promise<void>;
  /** Whatever became of it. */
  end(): void;
}

/** Adopts the caller's list of messages, and prepares the request that is sent instead of it. */
export async function beginCall(context: CallContext, wanted: WantedCall): Promise<Call> {
  const messages = toSyncMessages(wanted.params.prompt);
  try {
    return await adopt(context, wanted, messages);
  } catch (error) {
    // Another process had the session in between. It is opened again, and has what that process wrote.
    if (!SessionLostError.isInstance(error)) throw error;
    return adopt(context, wanted, messages);
  }
}

async function adopt(
  { sessions, onProblem }: CallContext,
  { params, model, answer }: WantedCall,
  messages: readonly SyncMessage[],
): Promise<Call> {
  const { prompt, headers, abortSignal: signal } = params;
  const open = await sessions.find({ prompt, key: sessionKeyOf(params), chain: chainOf(messages), model });
  const { session, told } = open;
  open.use(model, headers);
  let warnings: SharedV4Warning[] = [];
  let parts: LanguageModelV4CustomContent[] = [];
  const unlisten = session.events.listen((event) => {
    const part = toCompactionPart(event);
    if (part !== undefined) parts.push(part);
  });
  const end = (): void => {
    unlisten();
    open.release();
  };

  const prepare = (): Promise<AiSdkRequest> => session.prepare({ answer, ...(signal && { signal }) });
  let request: AiSdkRequest;
  try {
    request = await open.inOrder(async () => {
      const synced = await session.sync(messages);
      for (const { kind, message } of findNotices(messages, synced)) {
        if (!told.has(kind)) warnings.push({ type: "other", message });
        told.add(kind);
      }
      await session.configure({ model: model.modelId, ...readConfiguration(params, messages) });
      return prepare();
    });
  } catch (error) {
    end();
    if (SessionLostError.isInstance(error)) sessions.drop(open);
    throw error;
  }

  /** The answer is paid for and good: the caller gets it, and the next list brings it again. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (SessionLostError.isInstance(error)) sessions.drop(open);
      onProblem(error instanceof Error ? error : new Error(String(error)));
    }
  }

  return {
    sent: () => toSent(params, request),
    takeReports() {
      const taken = { warnings, parts };
      [warnings, parts] = [[], []];
      return taken;
    },
    async recover(error) {
      const { kind } = await session.recover(error, signal);
      if (kind === "retry") request = await open.inOrder(prepare);
      return kind;
    },
    async record(response) {
      const whole = withId(response, model);
      const { blocks, stop } = readResponse(whole);
      await attempt(async () => {
        await session.record(whole, request);
        const point = chainOf([...messages, { role: "assistant", content: blocks }]).points.at(-1);
        if (point !== undefined) await open.note(point, stop === "tools" ? "here" : "durable");
      });
      const { tokens, percentLeft } = session.view.size();
      return { palimpsest: { session: session.id, tokens, percentLeft } };
    },
    async recordInterrupted(partial, options) {
      if (partial === undefined) return;
      await attempt(async () => {
        await session.turn.recordInterrupted(partial, request, options);
      });
    },
    end,
  };
}

/** Some services give their responses no id, and the log knows responses by theirs. */
function withId(whole: AiSdkResponse, { modelId }: LanguageModelV4): AiSdkResponse {
  const { response } = whole;
  return {
    ...whole,
    response: { ...response, id: response?.id ?? crypto.randomUUID(), modelId: response?.modelId ?? modelId },
  };
}
