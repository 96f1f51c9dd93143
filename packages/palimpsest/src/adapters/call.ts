import { SessionLostError } from "../errors.ts";
import type { ToolDefinition } from "../log/payload.ts";
import type { ResponseContent } from "../providers/provider.ts";
import { asObject, asString, type JsonObject } from "../schema/json-fields.ts";
import type { InterruptedAnswer, InterruptionOptions } from "../session/record-interrupted.ts";
import type { PrepareOptions } from "../session/session.ts";
import type { Synced, SyncMessage } from "../session/sync/conversation.ts";
import { leadingSystem } from "../session/sync/sync.ts";
import type { WantedConfiguration } from "../state/options.ts";
import { SessionContendedError, UnrecordedAnswerError } from "./errors.ts";
import { chainOf } from "./recognize.ts";
import { type CompactionData, type SessionReport, toCompactionData } from "./report.ts";
import type { CallIdentity, DoorSessions } from "./sessions.ts";

/** Something about the list of messages that its owner should know. */
export interface Notice {
  readonly kind: "trimmed" | "pruned" | "replaced" | "cleared" | "edited";
  readonly message: string;
}

const ADVICE = "Palimpsest compacts by itself: switch the other one off.";

/** More entries than so many are not named. */
const MOST_ENTRIES = 5;

/**
 * Finds signs that another program manages the same messages: two managers undo each other's savings.
 * @param clearedResults how many results of the list say themselves that a program has cleared them
 */
export function findNotices(
  messages: readonly SyncMessage[],
  synced: Synced,
  clearedResults: number,
): readonly Notice[] {
  const { head, pruned, rewoundTo, kept, edited } = synced;
  const notices: Notice[] = [];
  if (head === "trimmed") {
    const message = `The list of messages lacks the beginning of the conversation: something drops or summarizes messages. The session keeps them. ${ADVICE}`;
    notices.push({ kind: "trimmed", message });
  }
  if (pruned.length > 0) {
    const message = `The list of messages lacks ${pruned.length} tool calls and results that were sent: something prunes messages. The session keeps them. ${ADVICE}`;
    notices.push({ kind: "pruned", message });
  }
  if (clearedResults > 0) {
    const message = `${clearedResults} tool results of the list were cleared: something edits messages. The session keeps what was sent. ${ADVICE}`;
    notices.push({ kind: "cleared", message });
  }
  // A user who edits a message removes what follows it. Answers that follow come from somewhere else.
  const isReplaced = rewoundTo !== undefined && messages.slice(kept).some(({ role }) => role === "assistant");
  if (isReplaced) {
    const message = `Messages before the end of the list were replaced, and answers follow that this session has not recorded: something summarizes messages, or another branch is shown. ${ADVICE}`;
    notices.push({ kind: "replaced", message });
  }
  // What another program has changed is told already.
  if (notices.length === 0 && edited.length > 0) {
    const entries = `${edited.length === 1 ? "entry" : "entries"} ${edited.slice(0, MOST_ENTRIES).join(", ")}`;
    const message = `The list of messages says something else under the same ids (${entries} of the session). The model still gets what was sent before. If you edited a result or an answer on purpose, give its call or message a new id; to remove a secret, use session.erase(entry).`;
    notices.push({ kind: "edited", message });
  }
  return notices;
}

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

/** How often a session is opened again that other processes take over in between. */
const ATTEMPTS = 3;

/** An answer that no longer belongs to what the session shows: its price does. */
const ONLY_PRICE: InterruptionOptions = { view: "left-out" };

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

/** An answer with its price, of which nothing else is entered. */
function toPaid({ blocks, responseId, model, usage }: ResponseContent): InterruptedAnswer {
  const text = blocks.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("");
  return { text, responseId, model, usage };
}

function toError(problem: unknown): Error {
  return problem instanceof Error ? problem : new Error(String(problem));
}

/** A tool of a framework in its parts; undefined for one that the service runs, which has no schema. */
export interface ToolParts {
  readonly name: unknown;
  readonly description: unknown;
  readonly schema: unknown;
}

/** What a framework's call sets beside its messages, as the configuration of a session. Settings must not have secrets. */
export function toConfiguration<Tool>(
  tools: readonly Tool[],
  partsOf: (tool: Tool) => ToolParts | undefined,
  settings: JsonObject,
): Pick<WantedConfiguration, "tools" | "parameters"> {
  const definitions = tools.map((tool) => toDefinition(partsOf(tool)));
  const others = tools.filter((_, index) => definitions[index] === undefined);
  return {
    tools: definitions.filter((definition) => definition !== undefined),
    parameters: {
      ...(Object.keys(settings).length === 0 ? {} : { settings: toPlain(settings) }),
      ...(others.length === 0 ? {} : { tools: others.map(toPlain) }),
    },
  };
}

function toDefinition(parts: ToolParts | undefined): ToolDefinition | undefined {
  const name = asString(parts?.name);
  if (parts === undefined || name === undefined || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return undefined;
  const description = asString(parts.description);
  const inputSchema = (asObject(toPlain(parts.schema)) ?? { type: "object" }) as ToolDefinition["inputSchema"];
  return { name, ...(description === undefined ? {} : { description }), inputSchema };
}

/** As JSON keeps it. */
function toPlain(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}
