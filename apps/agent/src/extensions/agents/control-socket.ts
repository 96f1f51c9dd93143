import { randomUUID } from "node:crypto";
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

/** Takes orders until it is closed. */
export async function takeOrders(
  path: string,
  agents: Pick<Agents, "stop" | "send">,
  phrases: Pick<Phrases, "watch">,
): Promise<{ close(): Promise<void> }> {
  const listening = await listenOnSocket({
    path,
    async onMessage({ body }) {
      const order = JSON.parse(body) as AgentOrder;
      if (order.kind === "watch") return phrases.watch();
      const outcome =
        order.kind === "stop" ? await agents.stop(order.id) : (await agents.send(order.to, order.text)).kind;
      if (outcome !== "stopped" && outcome !== "sent") throw new Error(`The order failed: ${outcome}.`);
    },
  });
  return listening.kind === "listening" ? listening.socket : { close: async () => {} };
}

/** `absent`: no process runs agents of this session. */
export async function giveOrder(path: string, order: AgentOrder): Promise<"done" | "absent" | "failed"> {
  const message = { id: randomUUID(), from: "user", body: JSON.stringify(order) };
  const outcome = await sendToSocket({ path, message });
  if (outcome.kind === "taken") return "done";
  return outcome.kind === "failed" && outcome.because === "absent" ? "absent" : "failed";
}
