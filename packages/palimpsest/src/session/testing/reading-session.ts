// A session for tests whose model reads files until the window is full.

import { answer, callTool, callTools, type ManualClock, type Reply, type Script } from "@palimpsest/provider-simulator";
import type { LedgerLine } from "../../cost/ledger.ts";
import { readPayload } from "../../log/entry.ts";
import { toolResult } from "../../log/messages.ts";
import { readStream } from "../../providers/stream.ts";
import type { SessionOptions } from "../../state/options.ts";
import { memoryStore } from "../../stores/memory-store.ts";
import { openSession } from "../open.ts";
import type { Session } from "../session.ts";

/** Creates a script whose next reply can be set. */
export function createVoice(): { next: Reply; readonly script: Script } {
  const voice = { next: answer("Done."), script: () => voice.next };
  return voice;
}

export interface ReadingSession<Request, Response> {
  readonly clock: ManualClock;
  /** The session. After `reopen`, the newest one. */
  readonly session: Session<Request, Response>;
  reopen(more?: object): Promise<void>;
  /** Runs one round with this reply of the model. Resolves to the ids of its calls. */
  ask(reply: Reply): Promise<readonly string[]>;
  /** Reads this many files of about 1,500 tokens each. */
  read(count: number, tool?: string): Promise<void>;
  entries(): Promise<readonly ReturnType<typeof readPayload>[]>;
  lines(): Promise<readonly LedgerLine[]>;
}

/**
 * Opens a session whose model reads one file after another, to fill the window with results. `options` also apply to
 * reopened sessions.
 * @param callWith builds the reply with which the model calls a tool
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
  async function ask(reply: Reply): Promise<readonly string[]> {
    voice.next = reply;
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
