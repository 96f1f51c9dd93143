import { findDeparture } from "../../fork/check-prefix.ts";
import type { ForkPayload } from "../../log/payload.ts";
import type { ModelFacts } from "../../providers/models.ts";
import type { Provider } from "../../providers/provider.ts";
import { readStream } from "../../providers/read-stream.ts";
import type { Emit } from "../../session-event.ts";
import type { LogWriter } from "../../stores/store.ts";
import type { Clock } from "../clock.ts";
import type { EnterUsage } from "../enter-usage.ts";
import type { Requests } from "../requests.ts";
import type { Session } from "../session.ts";
import { ForkError } from "../session-errors.ts";
import type { SessionState } from "../session-state.ts";
import type { Answer, AskOptions, ForkOptions } from "./fork-options.ts";
import type { ForkWatch } from "./fork-request-options.ts";
import type { Base } from "./forked-reader.ts";
import { sendStandalone } from "./send-standalone.ts";
import { watchFork } from "./watch-fork.ts";

export interface OpenSession<Request, Response> {
  readonly session: Session<Request, Response>;
  readonly requests: Requests<Request>;
}

export interface ForkOpening {
  readonly id: string;
  readonly writer: LogWriter;
  readonly base: Base & { readonly fork: ForkPayload };
  /** The session that its results are kept for: they must be found as long as its log is. */
  readonly resultSession: string;
  readonly cacheWrites: "none" | "as-usual";
  readonly signal: AbortSignal;
  readonly watch: ForkWatch;
}

export interface ForksOptions<Request, Response, Message> {
  readonly session: string;
  readonly state: SessionState;
  readonly provider: Provider<Request, Response, Message>;
  readonly requests: Requests<Request>;
  readonly factsOf: (model: string) => ModelFacts;
  readonly enterUsage: EnterUsage;
  /** What this session itself continues, if it is a fork. */
  readonly base: ForkOpening["base"] | undefined;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  readonly clock: Pick<Clock, "now">;
  /** A log for a fork of that name; one that nobody keeps, if it has none. */
  readonly openLog: (id: string | undefined) => Promise<LogWriter>;
  readonly open: (opening: ForkOpening) => Promise<OpenSession<Request, Response>>;
}

/** A talk with the model on a fork that is forgotten afterwards. */
export interface ForkConversation {
  ask(words: string): Promise<void>;
  /** What the model says to it. After a call that failed, it may be asked for again. */
  answer(options?: { readonly signal?: AbortSignal; readonly onPart?: AskOptions["onPart"] }): Promise<Answer>;
  close(): Promise<void>;
}

export interface Forks<Request, Response> {
  fork(options: ForkOptions): Promise<Session<Request, Response>>;
  converse(options: Pick<ForkOptions, "source" | "signal">): Promise<ForkConversation>;
  ask(question: string, options: AskOptions): Promise<Answer>;
}

/** Sessions that share this one's prompt, and have all else for themselves. */
export function createForks<Request, Response, Message>(
  options: ForksOptions<Request, Response, Message>,
): Forks<Request, Response> {
  const { session, state, provider, requests, enterUsage, base, emit } = options;

  async function open(wanted: ForkOptions, cacheWrites: ForkOpening["cacheWrites"]) {
    const { source, id, allowedTools, signal = options.signal } = wanted;
    if (base !== undefined) throw new ForkError(session, `it is a fork itself, of session ${base.fork.session}`);
    const at = wanted.at ?? state.newestEntry;
    const [parting] = await state.log.read(at, at);
    if (parting === undefined) throw new ForkError(session, `it has no entry ${at}`);
    const { sequence, hash } = parting;
    const allowed = allowedTools === undefined ? {} : { allowedTools };
    const ends = AbortSignal.any([options.signal, signal]);
    const opened = await options.open({
      id: id ?? `${session}:${source}`,
      resultSession: id ?? session,
      writer: await options.openLog(id),
      base: { reader: state.log, sequence, fork: { session, sequence, hash, source, ...allowed } },
      cacheWrites,
      signal: ends,
      watch: watchFork({ source, signal: ends, enterUsage, emit }),
    });
    const departure = findDeparture(requests.prefix(), opened.requests.prefix());
    if (departure === undefined) return opened;
    await opened.session.close();
    throw new ForkError(
      session,
      `its prompt is rendered in another way from ${departure} on, which would miss the cache`,
    );
  }

  async function converse({ source, signal }: Pick<ForkOptions, "source" | "signal">): Promise<ForkConversation> {
    const wanted = { source, allowedTools: [], ...(signal === undefined ? {} : { signal }) };
    const { session: fork } = await state.inOrder(() => open(wanted, "none"));
    return {
      async ask(words) {
        await fork.append({ role: "user", origin: "host", blocks: [{ kind: "text", text: words }] });
      },
      async answer({ signal: ends = fork.signal, onPart } = {}) {
        const request = await fork.prepare();
        const response = await readStream(
          provider.send(request, { signal: AbortSignal.any([fork.signal, ends]) }),
          onPart,
        );
        const { text, stop, usage, model, refusedCalls = [] } = await fork.record(response, request);
        return { text, stop, usage, model, refusedCalls: refusedCalls.length };
      },
      close: () => fork.close(),
    };
  }

  return {
    async fork(wanted) {
      return (await state.inOrder(() => open(wanted, "as-usual"))).session;
    },

    converse,

    async ask(question, { source, signal, onPart, standalone }) {
      if (standalone !== undefined) {
        const ends = signal === undefined ? options.signal : AbortSignal.any([options.signal, signal]);
        const said = [{ role: "user" as const, blocks: [{ kind: "text" as const, text: question }] }];
        return sendStandalone(options, {
          ...standalone,
          source,
          said,
          signal: ends,
          ...(onPart === undefined ? {} : { onPart }),
        });
      }
      const conversation = await converse({ source, ...(signal === undefined ? {} : { signal }) });
      try {
        await conversation.ask(question);
        return await conversation.answer(onPart === undefined ? {} : { onPart });
      } finally {
        await conversation.close();
      }
    },
  };
}
