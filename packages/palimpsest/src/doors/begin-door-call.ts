import type { WantedConfiguration } from "../session/change-configuration.ts";
import type { PrepareOptions } from "../session/session.ts";
import { SessionLostError } from "../session/session-errors.ts";
import type { SessionTurn } from "../session/session-turn.ts";
import { leadingSystem } from "../session/sync/leading-system.ts";
import type { SyncMessage } from "../session/sync/sync-message.ts";
import { type CompactionData, toCompactionData } from "./compaction-data.ts";
import type { CallIdentity, DoorSessions } from "./door-sessions.ts";
import { findNotices, type Notice } from "./find-notices.ts";
import { chainOf } from "./recognize.ts";
import type { SessionReport } from "./session-report.ts";

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

type Interruption<Request> = Parameters<SessionTurn<Request>["recordInterrupted"]>;

/** One call of a model for a session, from the list of messages to the recorded answer. */
export interface DoorCall<Request, Response> {
  /** The request to send now. */
  request(): Request;
  /** What the caller should know: once. */
  takeReports(): { readonly notices: readonly Notice[]; readonly compactions: readonly CompactionData[] };
  /** After a failure: makes the conversation smaller where that helps, and says whether to send again. */
  recover(error: unknown): Promise<"retry" | "give-up">;
  record(response: Response): Promise<SessionReport>;
  recordInterrupted(answer: Interruption<Request>[0] | undefined, options: Interruption<Request>[2]): Promise<void>;
  /** Whatever became of it. */
  end(): void;
}

/** Adopts a framework's list of messages, and prepares the request that is sent instead of it. */
export async function beginDoorCall<Request, Response, Live>(
  context: DoorContext<Request, Response, Live>,
  call: FrameworkCall<Live>,
): Promise<DoorCall<Request, Response>> {
  try {
    return await adopt(context, call);
  } catch (error) {
    // Another process had the session in between. It is opened again, and has what that process wrote.
    if (!SessionLostError.isInstance(error)) throw error;
    return adopt(context, call);
  }
}

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
    held.release();
  };

  const prepare = (): Promise<Request> => session.prepare({ answer, ...(signal && { signal }) });
  let request: Request;
  try {
    request = await held.inOrder(async () => {
      const synced = await session.sync(messages);
      for (const notice of findNotices(messages, synced, clearedResults)) {
        if (!told.has(notice.kind)) notices.push(notice);
        told.add(notice.kind);
      }
      const system = leadingSystem(messages).join("\n\n");
      await session.configure({ ...configuration, model: identity.model, system });
      return prepare();
    });
  } catch (error) {
    end();
    if (SessionLostError.isInstance(error)) sessions.drop(held);
    throw error;
  }

  /** The answer is paid for and good: the caller gets it, and the next list brings it again. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (SessionLostError.isInstance(error)) sessions.drop(held);
      onProblem(error instanceof Error ? error : new Error(String(error)));
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
      const { kind } = await session.recover(error, signal);
      if (kind === "retry") request = await held.inOrder(prepare);
      return kind;
    },
    async record(response) {
      await attempt(async () => {
        const { blocks, stop } = provider.readResponse(response);
        await session.record(response, request);
        const point = chainOf([...messages, { role: "assistant", content: blocks }]).points.at(-1);
        if (point !== undefined) await held.note(point, stop === "tools" ? "here" : "durable");
      });
      const { tokens, percentLeft } = session.view.size();
      return { session: session.id, tokens, percentLeft };
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
