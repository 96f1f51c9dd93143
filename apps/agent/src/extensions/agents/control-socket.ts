import { randomBytes, randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import type { Agents } from "@palimpsest/agents";
import { listenOnSocket, sendToSocket } from "@palimpsest/coordination";
import type { Places } from "../../workspace/places.ts";
import type { Phrases } from "./phrases.ts";

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
