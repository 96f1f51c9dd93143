// One model call of a framework: adopts the list of messages, prepares the request, and records the answer.

import { PalimpsestError, SessionLostError } from "../errors.ts";
import type { ResponseContent } from "../providers/provider.ts";
import { readRecallInput, recalledText } from "../recall/recall.ts";
import type { InterruptedAnswer, InterruptionOptions } from "../session/record-interrupted.ts";
import type { PrepareOptions, Session } from "../session/session.ts";
import type { SyncMessage } from "../session/sync/conversation.ts";
import { leadingSystem } from "../session/sync/sync.ts";
import type { WantedConfiguration } from "../state/options.ts";
import { findNotices, type Notice } from "./notices.ts";
import { chainOf } from "./recognize.ts";
import { type CompactionData, type SessionReport, toCompactionData } from "./report.ts";
import type { AdapterSessions, CallIdentity } from "./sessions.ts";

/** The sessions of an adapter, and the listener for its problems. */
export interface AdapterContext<Live> {
  readonly sessions: AdapterSessions<Live>;
  /** Called with the problem if an answer could not be recorded. The caller still gets the answer. */
  readonly onProblem: (problem: Error) => void;
}

/** A call of a framework: its list of messages, which begins with the system prompt, and its other options. */
export interface FrameworkCall<Live> extends Omit<CallIdentity<Live>, "chain"> {
  readonly messages: readonly SyncMessage[];
  readonly configuration: Omit<WantedConfiguration, "model" | "system">;
  readonly answer: NonNullable<PrepareOptions["answer"]>;
  readonly signal: AbortSignal | undefined;
  /** The number of results in the list that are marked as cleared by a program. @default 0 */
  readonly clearedResults?: number;
}

/** One model call of a session, from the list of messages to the recorded answer. */
export interface AdapterCall {
  /** The request to send now. */
  request(): unknown;
  /** Returns the notices and compactions since the last call of this method. */
  takeReports(): { readonly notices: readonly Notice[]; readonly compactions: readonly CompactionData[] };
  /** Call it after a failure. Compacts the conversation if that helps, and returns whether to send again. */
  recover(error: unknown): Promise<"retry" | "give-up">;
  /** Records a complete answer. */
  record(response: unknown): Promise<SessionReport>;
  /** Records the part of an answer that arrived before an interruption. */
  recordInterrupted(answer: InterruptedAnswer | undefined, options: InterruptionOptions): Promise<void>;
  /** Ends the call, whether it succeeded or failed. */
  end(): void;
}

/** Adopts a framework's list of messages, and prepares the request that is sent in place of the list. */
export async function beginAdapterCall<Live>(
  context: AdapterContext<Live>,
  call: FrameworkCall<Live>,
): Promise<AdapterCall> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await adopt(context, call);
    } catch (error) {
      // Another process took over the session. The next attempt opens it again, with the entries of that process.
      if (!SessionLostError.isInstance(error)) throw error;
      if (attempt === ATTEMPTS) throw new SessionContendedError(error, attempt);
    }
  }
}

/** The number of attempts to open a session that other processes keep taking over. */
const ATTEMPTS = 3;

async function adopt<Live>(
  { sessions, onProblem }: AdapterContext<Live>,
  { messages, configuration, answer, signal, clearedResults = 0, ...identity }: FrameworkCall<Live>,
): Promise<AdapterCall> {
  const opened = await sessions.find({ ...identity, chain: chainOf(messages) });
  const { session, provider, reportedNotices } = opened;
  opened.use(identity.live);
  let notices: Notice[] = [];
  let compactions: CompactionData[] = [];
  const unlisten = session.events.listen((event) => {
    const data = toCompactionData(event);
    if (data !== undefined) compactions.push(data);
  });
  const end = (): void => {
    unlisten();
    opened.release(onProblem);
  };

  const prepare = (): Promise<unknown> => session.prepare({ answer, ...(signal && { signal }) });
  /** Adopts the list in the session. Of answers to older calls, only the price is recorded from then on. */
  const load = async (): Promise<unknown> => {
    opened.newestList = messages;
    const synced = await session.sync(messages);
    for (const notice of findNotices(messages, synced, clearedResults)) {
      if (!reportedNotices.has(notice.kind)) notices.push(notice);
      reportedNotices.add(notice.kind);
    }
    const system = leadingSystem(messages).join("\n\n");
    await session.configure({ ...configuration, model: identity.model, system });
    return prepare();
  };
  const isNewest = (): boolean => opened.newestList === messages;

  let request: unknown;
  try {
    for (const unrecorded of sessions.takeUnrecorded(opened))
      await session.turn.recordInterrupted(unrecorded, undefined, ONLY_PRICE);
    request = await opened.inOrder(load);
  } catch (error) {
    end();
    if (SessionLostError.isInstance(error)) sessions.drop(opened);
    throw error;
  }

  /** Reports a failure without throwing: the caller gets the answer anyway, and the next list brings the answer again. */
  async function attemptRecord(work: () => Promise<unknown>, answered: () => InterruptedAnswer): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isLost = SessionLostError.isInstance(error);
      if (isLost) sessions.drop(opened, answered());
      onProblem(new UnrecordedAnswerError(session.id, error, isLost ? "later" : "unknown"));
    }
  }

  return {
    request: () => request,
    takeReports() {
      const reports = { notices, compactions };
      [notices, compactions] = [[], []];
      return reports;
    },
    async recover(error) {
      try {
        const { kind } = await session.recover(error, signal);
        // If another call has brought a newer list, this call must adopt its own list again.
        if (kind === "retry") request = await opened.inOrder(isNewest() ? prepare : load);
        return kind;
      } catch (problem) {
        // The caller should see the model's failure, not the failure of the recovery.
        if (SessionLostError.isInstance(problem)) sessions.drop(opened);
        onProblem(toError(problem));
        return "give-up";
      }
    },
    async record(response) {
      const answered = (): InterruptedAnswer => toPaid(provider.readResponse(response));
      await attemptRecord(async () => {
        const { blocks, stop } = provider.readResponse(response);
        if (isNewest()) await session.record(response, request);
        else await session.turn.recordInterrupted(answered(), request, ONLY_PRICE);
        const point = chainOf([...messages, { role: "assistant", content: blocks }]).points.at(-1);
        if (point !== undefined) await opened.rememberPoint(point, stop === "tools" ? "here" : "durable");
      }, answered);
      const { tokens, percentLeft } = session.view.size();
      return { session: session.id, tokens, percentLeft };
    },
    async recordInterrupted(partial, options) {
      if (partial === undefined) return;
      const how = isNewest() ? options : ONLY_PRICE;
      await attemptRecord(
        () => session.turn.recordInterrupted(partial, request, how),
        () => partial,
      );
    },
    end,
  };
}

/** For an answer to an older list: the view leaves the answer out, and only the price counts. */
const ONLY_PRICE: InterruptionOptions = { view: "left-out" };

/** Reduces a response to its text and its price. */
function toPaid({ blocks, responseId, model, usage }: ResponseContent): InterruptedAnswer {
  const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");
  return { text, responseId, model, usage };
}

function toError(problem: unknown): Error {
  return problem instanceof Error ? problem : new Error(String(problem));
}

/** Answers a call to the tool `recall` in the session that recorded the call. */
export async function recallForCall(
  sessions: readonly Session[],
  callId: string | undefined,
  input: unknown,
): Promise<string> {
  const callers = sessions.filter((session) => session.view.openCalls().some(({ id }) => id === callId));
  const [only, ...others] = callers;
  if (only === undefined) return "Nothing can be recalled: this call belongs to no open session.";
  if (others.length > 0)
    return `Nothing can be recalled: ${callers.length} sessions have a call with the id ${callId}.`;
  return recalledText(await only.recall(readRecallInput(input)));
}

/** Other processes kept taking over the session. Nothing was sent. */
class SessionContendedError extends PalimpsestError {
  static readonly code = "session-contended";
  readonly code: string = SessionContendedError.code;
  readonly session: string;

  constructor({ session, message }: SessionLostError, attempts: number) {
    super(
      `Other processes took session ${session} over ${attempts} times in a row, so nothing was sent to the model. Run the call ` +
        `again, and let only one process at a time answer a conversation. The last error: ${message}`,
    );
    this.session = session;
  }
}

/** The caller got an answer that is not in the log. */
class UnrecordedAnswerError extends PalimpsestError {
  static readonly code = "unrecorded-answer";
  readonly code: string = UnrecordedAnswerError.code;
  readonly session: string;

  /** @param price `later`: the next call records the price. `unknown`: the store may or may not have it. */
  constructor(session: string, cause: unknown, price: "later" | "unknown") {
    const why = cause instanceof Error ? cause.message : String(cause);
    const spent =
      price === "later"
        ? "The next call of this process records its price."
        : "Its price may be missing from the ledger.";
    super(
      `The model's answer was passed on but not recorded in session ${session}. The next call brings it again. ${spent} ` +
        `The cause: ${why}`,
      { cause },
    );
    this.session = session;
  }
}
