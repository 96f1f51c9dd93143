import { randomBytes, randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Agents } from "@palimpsest/agents";
import { listenOnSocket, sendToSocket } from "@palimpsest/coordination";
import type { Places } from "../../workspace/places.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";

/** An order of the user to the agents of a session that another process runs. */
export type AgentOrder =
  /** The user looks at the agents, so running agents write status lines for a while. */
  | { readonly kind: "watch" }
  | { readonly kind: "stop"; readonly id: string }
  | { readonly kind: "send"; readonly to: string; readonly text: string };

/**
 * The socket on which a process takes the user's orders for its agents. Messages of other sessions use another socket, since a
 * message is never an order.
 */
export function controlPath({ socketOf }: Pick<Places, "socketOf">, session: string): string {
  return `${socketOf(session)}.control`;
}

/**
 * The secret of the control socket. It has a name of its own, because whoever sends messages reads `<path>.token`: a model that
 * addresses its message to the control socket has no secret for it, and is refused.
 */
const keyOf = (path: string): string => `${path}.key`;

/** Takes orders for as long as it is open. */
export async function takeOrders(
  path: string,
  agents: Pick<Agents, "stop" | "send">,
  phrases: Pick<Phrases, "watch">,
): Promise<{ close(): Promise<void> }> {
  const token = randomBytes(32).toString("hex");
  const listening = await listenOnSocket({
    path,
    token,
    async onMessage({ body }) {
      const order = JSON.parse(body) as AgentOrder;
      if (order.kind === "watch") return phrases.watch();
      const outcome =
        order.kind === "stop" ? await agents.stop(order.id) : (await agents.send(order.to, order.text)).kind;
      if (outcome !== "stopped" && outcome !== "sent") throw new Error(`The order failed: ${outcome}.`);
    },
  });
  if (listening.kind !== "listening") return { close: async () => {} };
  // A process that was killed may have left its own.
  await rm(keyOf(path), { force: true });
  await writeFile(keyOf(path), token, { mode: 0o600, flag: "wx" });
  return {
    async close() {
      await rm(keyOf(path), { force: true });
      await listening.socket.close();
    },
  };
}

/** `absent`: no process runs agents of this session. */
export async function giveOrder(path: string, order: AgentOrder): Promise<"done" | "absent" | "failed"> {
  const token = await readFile(keyOf(path), "utf8").catch(() => undefined);
  if (token === undefined) return "absent";
  const message = { id: randomUUID(), from: "user", body: JSON.stringify(order) };
  const outcome = await sendToSocket({ path, message, token });
  if (outcome.kind === "taken") return "done";
  return outcome.kind === "failed" && outcome.because === "absent" ? "absent" : "failed";
}

/** Status lines that running agents write while the user looks at them. */
interface Phrases {
  /** The user looks now: running agents write status lines for a while. */
  watch(): void;
  close(): Promise<void>;
}

interface PhrasesOptions {
  readonly agents: Pick<Agents, "list" | "follow">;
  /** The folder of the session. */
  readonly folder: string;
  /** How long agents write status lines after a look. @default 120,000: one line every half minute */
  readonly watchMs?: number;
}

const FILE = "phrases.json";

/** Collects status lines. Each costs a model call, so none is requested unless the user looks. Another process can read them. */
export function createPhrases({ agents, folder, watchMs = 120_000 }: PhrasesOptions): Phrases {
  const phrases = new Map<string, string>();
  const followed = new Map<string, () => void>();
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const end = (): void => {
    for (const unfollow of followed.values()) unfollow();
    followed.clear();
  };

  function take(id: string, phrase: string): void {
    phrases.set(id, phrase);
    const text = `${JSON.stringify(Object.fromEntries(phrases))}\n`;
    // Nothing else depends on the status lines, so a failed write is ignored.
    last = last.then(() => writePrivateFile(join(folder, FILE), text)).catch(() => undefined);
  }

  return {
    watch() {
      clearTimeout(timer);
      timer = setTimeout(end, watchMs).unref();
      for (const { id, live } of agents.list()) {
        if (live === undefined || followed.has(id)) continue;
        followed.set(
          id,
          agents.follow(id, (event) => {
            if (event.kind === "phrase") take(id, event.phrase);
          }),
        );
      }
    },
    async close() {
      clearTimeout(timer);
      end();
      await last;
    },
  };
}

/** Reads the status lines, by agent id. */
export async function readPhrases(folder: string): Promise<Readonly<Record<string, string>>> {
  try {
    const read: unknown = JSON.parse(await readFile(join(folder, FILE), "utf8"));
    return Object.fromEntries(Object.entries(read as object).filter(([, phrase]) => typeof phrase === "string"));
  } catch {
    return {};
  }
}
