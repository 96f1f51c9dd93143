import { randomUUID } from "node:crypto";
import type { Agents } from "@palimpsest/agents";
import { listenOnSocket, sendToSocket } from "@palimpsest/coordination";
import type { Places } from "../../workspace/places.ts";
import type { Phrases } from "./phrases.ts";

/** What the user wants of the agents of a session that runs in another process. */
export type AgentOrder =
  /** Somebody looks: those that run are asked for a phrase now and then. */
  | { readonly kind: "watch" }
  | { readonly kind: "stop"; readonly id: string }
  | { readonly kind: "send"; readonly to: string; readonly text: string };

/**
 * Where a process that runs agents takes orders of its user. Not the place where other sessions send messages: what a message
 * says is never an order.
 */
export function controlPath({ socketOf }: Pick<Places, "socketOf">, session: string): string {
  return `${socketOf(session)}.control`;
}

/** Takes orders for as long as it is open. */
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
      if (outcome !== "stopped" && outcome !== "sent") throw new Error(`The order was not carried out: ${outcome}.`);
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
