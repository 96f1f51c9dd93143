import { answer, callTool, callTools, type ManualClock, type Reply, type Script } from "@palimpsest/provider-simulator";
import type { LedgerLine } from "../../cost/ledger.ts";
import { readPayload } from "../../log/draft.ts";
import { toolResult } from "../../log/messages.ts";
import { readStream } from "../../providers/stream.ts";
import type { SessionOptions } from "../../state/options.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import { openSession } from "../open.ts";
import type { Session } from "../session.ts";

/** What the model of a reading session says next. */
export function createVoice(): { next: Reply; readonly script: Script } {
  const voice = { next: answer("Done."), script: () => voice.next };
  return voice;
}

export interface ReadingSession<Request, Response> {
  readonly clock: ManualClock;
  /** The newest, if it was reopened. */
  readonly session: Session<Request, Response>;
  reopen(more?: object): Promise<void>;
  /** One round, in which the model says this. Resolves to the ids of its calls. */
  ask(said: Reply): Promise<readonly string[]>;
  /** Reads so many files, about 1,500 tokens each. */
  read(count: number, tool?: string): Promise<void>;
  entries(): Promise<readonly ReturnType<typeof readPayload>[]>;
  lines(): Promise<readonly LedgerLine[]>;
}

/**
 * A session whose model reads file after file, to fill the window with results. `options` hold on reopening, too.
 * @param callWith how the model says that it calls a tool
 */
export async function openReading<Request extends object, Response, Message>(
  options: Omit<SessionOptions<Request, Response, Message>, "store"> & { readonly clock: ManualClock },
  voice: ReturnType<typeof createVoice>,
  callWith: (reply: Reply) => Reply = (reply) => reply,
): Promise<ReadingSession<Request, Response>> {
  const { clock, provider } = options;
  const store = memoryStore({ clock, leaseMs: 0 });
  const open = (more: object = {}) => openSession({ store, id: "s", ...options, ...more });
  let session = await open();
  let index = 0;
  async function ask(said: Reply): Promise<readonly string[]> {
    voice.next = said;
    const request = await session.prepare();
    const { calls } = await session.record(await readStream(provider.send(request)), request);
    return calls.map(({ id }) => id);
  }
  return {
    clock,
    ask,
    get session() {
      return session;
    },
    async reopen(more = {}) {
      session = await open({ takeover: "always", ...more });
    },
    async read(count, tool = "Read") {
      for (let left = count; left > 0; left--) {
        const path = `${index++}.ts`;
        const [id] = await ask(callWith(callTools(callTool(tool, { file_path: path }))));
        await session.append(toolResult(id!, `content of ${path} `.repeat(300)));
      }
    },
    async entries() {
      const reader = (await store.openReader("s"))!;
      return (await reader.read(1, session.history.newestEntry)).map(readPayload);
    },
    lines: () => Array.fromAsync(session.ledger.lines()),
  };
}
