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
import type { CallIdentity, DoorSessions } from "./sessions.ts";

export interface DoorContext<Request, Response, Live> {
  readonly sessions: DoorSessions<Request, Response, Live>;
  /** Is told what could not be recorded. The answer is passed on all the same. */
  readonly onProblem: (problem: Error) => void;
}

/** A call of a framework: its list of messages, and what it sets beside them. The list begins with the system prompt. */
export interface FrameworkCall<Live> extends Omit<CallIdentity<Live>, "chain"> {
  readonly messages: readonly SyncMessage[];
  readonly configuration: Omit<WantedConfiguration, "model" | "system">;
  readonly answer: NonNullable<PrepareOptions["answer"]>;
  readonly signal: AbortSignal | undefined;
  /** How many results of the list say themselves that a program has cleared them. @default 0 */
  readonly clearedResults?: number;
}

/** One call of a model for a session, from the list of messages to the recorded answer. */
export interface DoorCall<Request, Response> {
  /** The request to send now. */
  request(): Request;
  /** What the caller should know: once. */
  takeReports(): { readonly notices: readonly Notice[]; readonly compactions: readonly CompactionData[] };
  /** After a failure: makes the conversation smaller where that helps, and says whether to send again. */
  recover(error: unknown): Promise<"retry" | "give-up">;
  record(response: Response): Promise<SessionReport>;
  recordInterrupted(answer: InterruptedAnswer | undefined, options: InterruptionOptions): Promise<void>;
  /** Whatever became of it. */
  end(): void;
}

/** Adopts a framework's list of messages, and prepares the request that is sent instead of it. */
export async function beginDoorCall<Request, Response, Live>(
  context: DoorContext<Request, Response, Live>,
  call: FrameworkCall<Live>,
): Promise<DoorCall<Request, Response>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await adopt(context, call);
    } catch (error) {
      // Another process had the session in between. It is opened again, and has what that process wrote.
      if (!SessionLostError.isInstance(error)) throw error;
      if (attempt === ATTEMPTS) throw new SessionContendedError(error, attempt);
    }
  }
}

/** How often a session is opened again that other processes take over in between. */
const ATTEMPTS = 3;

async function adopt<Request, Response, Live>(
  { sessions, onProblem }: DoorContext<Request, Response, Live>,
  { messages, configuration, answer, signal, clearedResults = 0, ...identity }: FrameworkCall<Live>,
): Promise<DoorCall<Request, Response>> {
  const held = await sessions.find({ ...identity, chain: chainOf(messages) });
  const { session, provider, told } = held;
  held.use(identity.live);
  let notices: Notice[] = [];
  let compactions: CompactionData[] = [];
  const unlisten = session.events.listen((event) => {
    const data = toCompactionData(event);
    if (data !== undefined) compactions.push(data);
  });
  const end = (): void => {
    unlisten();
    held.release(onProblem);
  };

  const prepare = (): Promise<Request> => session.prepare({ answer, ...(signal && { signal }) });
  /** Makes the session say what the list says. From then on, answers to older calls only cost money. */
  const load = async (): Promise<Request> => {
    held.newest = messages;
    const synced = await session.sync(messages);
    for (const notice of findNotices(messages, synced, clearedResults)) {
      if (!told.has(notice.kind)) notices.push(notice);
      told.add(notice.kind);
    }
    const system = leadingSystem(messages).join("\n\n");
    await session.configure({ ...configuration, model: identity.model, system });
    return prepare();
  };
  const isNewest = (): boolean => held.newest === messages;

  let request: Request;
  try {
    for (const owed of sessions.takeOwed(held)) await session.turn.recordInterrupted(owed, undefined, ONLY_PRICE);
    request = await held.inOrder(load);
  } catch (error) {
    end();
    if (SessionLostError.isInstance(error)) sessions.drop(held);
    throw error;
  }

  /** The answer is paid for and good: the caller gets it, and the next list brings it again. */
  async function attempt(work: () => Promise<unknown>, answered: () => InterruptedAnswer): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isLost = SessionLostError.isInstance(error);
      if (isLost) sessions.drop(held, answered());
      onProblem(new UnrecordedAnswerError(session.id, error, isLost ? "later" : "unknown"));
    }
  }

  return {
    request: () => request,
    takeReports() {
      const taken = { notices, compactions };
      [notices, compactions] = [[], []];
      return taken;
    },
    async recover(error) {
      try {
        const { kind } = await session.recover(error, signal);
        // Another call may have brought another list in the meantime: this call sends its own.
        if (kind === "retry") request = await held.inOrder(isNewest() ? prepare : load);
        return kind;
      } catch (problem) {
        // The caller should see why the model did not answer, not why that could not be mended.
        if (SessionLostError.isInstance(problem)) sessions.drop(held);
        onProblem(toError(problem));
        return "give-up";
      }
    },
    async record(response) {
      const answered = (): InterruptedAnswer => toPaid(provider.readResponse(response));
      await attempt(async () => {
        const { blocks, stop } = provider.readResponse(response);
        if (isNewest()) await session.record(response, request);
        else await session.turn.recordInterrupted(answered(), request, ONLY_PRICE);
        const point = chainOf([...messages, { role: "assistant", content: blocks }]).points.at(-1);
        if (point !== undefined) await held.note(point, stop === "tools" ? "here" : "durable");
      }, answered);
      const { tokens, percentLeft } = session.view.size();
      return { session: session.id, tokens, percentLeft };
    },
    async recordInterrupted(partial, options) {
      if (partial === undefined) return;
      const how = isNewest() ? options : ONLY_PRICE;
      await attempt(
        () => session.turn.recordInterrupted(partial, request, how),
        () => partial,
      );
    },
    end,
  };
}

/** An answer that no longer belongs to what the session shows: its price does. */
const ONLY_PRICE: InterruptionOptions = { view: "left-out" };

/** An answer with its price, of which nothing else is entered. */
function toPaid({ blocks, responseId, model, usage }: ResponseContent): InterruptedAnswer {
  const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");
  return { text, responseId, model, usage };
}

function toError(problem: unknown): Error {
  return problem instanceof Error ? problem : new Error(String(problem));
}

/** Answers a call of the tool `recall`, in the session that has recorded the call. */
export async function recallForCall(
  sessions: readonly Session[],
  callId: string | undefined,
  input: unknown,
): Promise<string> {
  const asked = sessions.filter((session) => session.view.openCalls().some(({ id }) => id === callId));
  const [only, ...others] = asked;
  if (only === undefined) return "Nothing can be recalled: this call belongs to no open session.";
  if (others.length > 0) return `Nothing can be recalled: ${asked.length} sessions have a call with the id ${callId}.`;
  return recalledText(await only.recall(readRecallInput(input)));
}

/** Other processes have taken a session over again and again. Nothing was sent. */
class SessionContendedError extends PalimpsestError {
  static readonly code = "session-contended";
  readonly code: string = SessionContendedError.code;
  readonly session: string;

  constructor({ session, message }: SessionLostError, attempts: number) {
    super(
      `Other processes took session ${session} over ${attempts} times in a row, so nothing was sent to the model. Run the call ` +
        `again, and let one process at a time answer a conversation. The last time: ${message}`,
    );
    this.session = session;
  }
}

/** The caller has an answer that is not in the log. */
class UnrecordedAnswerError extends PalimpsestError {
  static readonly code = "unrecorded-answer";
  readonly code: string = UnrecordedAnswerError.code;
  readonly session: string;

  /** @param price `later`: the next call enters it. `unknown`: nobody knows whether the store has it. */
  constructor(session: string, cause: unknown, price: "later" | "unknown") {
    const why = cause instanceof Error ? cause.message : String(cause);
    const spent =
      price === "later" ? "The next call of this process enters its price." : "Its price may be missing in the ledger.";
    super(
      `The model's answer was passed on but not recorded in session ${session}. The next call brings it again. ${spent} ` +
        `The cause: ${why}`,
      { cause },
    );
    this.session = session;
  }
}
