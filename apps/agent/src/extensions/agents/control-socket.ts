import { randomBytes, randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Agents } from "@palimpsest/agents";
import { listenOnSocket, sendToSocket } from "@palimpsest/coordination";
import type { Places } from "../../workspace/places.ts";
import { writePrivateFile } from "../../workspace/private-files.ts";

/** A user's order to the agents of a session that another process runs. */
export type AgentOrder =
  /** The user is viewing the agents, so running agents write status lines for a while. */
  | { readonly kind: "watch" }
  | { readonly kind: "stop"; readonly id: string }
  | { readonly kind: "send"; readonly to: string; readonly text: string };

/**
 * The path of the socket on which a process receives the user's orders for its agents. Messages of other sessions use
 * another socket, because a message is never an order.
 */
export function controlPath({ socketOf }: Pick<Places, "socketOf">, session: string): string {
  return `${socketOf(session)}.control`;
}

/**
 * The file with the secret of the control socket. Senders of messages read `<path>.token` instead, so a model that
 * sends a message to the control socket has no secret and is rejected.
 */
const keyOf = (path: string): string => `${path}.key`;

/** Receives orders until it is closed. */
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
  // A killed process may have left its file.
  await rm(keyOf(path), { force: true });
  await writeFile(keyOf(path), token, { mode: 0o600, flag: "wx" });
  return {
    async close() {
      await rm(keyOf(path), { force: true });
      await listening.socket.close();
    },
  };
}

/** Sends an order. `absent`: no process runs agents of this session. */
export async function giveOrder(path: string, order: AgentOrder): Promise<"done" | "absent" | "failed"> {
  const token = await readFile(keyOf(path), "utf8").catch(() => undefined);
  if (token === undefined) return "absent";
  const message = { id: randomUUID(), from: "user", body: JSON.stringify(order) };
  const outcome = await sendToSocket({ path, message, token });
  if (outcome.kind === "taken") return "done";
  return outcome.kind === "failed" && outcome.because === "absent" ? "absent" : "failed";
}

/** Status lines that running agents write while the user views them. */
interface Phrases {
  /** Called when the user views the agents: running agents write status lines for a while. */
  watch(): void;
  close(): Promise<void>;
}

interface PhrasesOptions {
  readonly agents: Pick<Agents, "list" | "follow">;
  /** The folder of the session. */
  readonly folder: string;
  /** How long agents write status lines after a view. @default 120,000, with a line every 30 seconds */
  readonly watchMs?: number;
}

const FILE = "phrases.json";

/**
 * Collects status lines in a file that other processes can read. Agents write them only while the user views them,
 * because each line costs a model call.
 */
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
    // A failed write is ignored, because nothing else depends on the status lines.
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
