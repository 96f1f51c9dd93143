import { condition, defineSignal, proxyActivities, type SignalDefinition, setHandler } from "@temporalio/workflow";
import type { SentRun } from "../../relay.ts";
import type { SessionActivities } from "./session-activities.ts";

export const sentSignal: SignalDefinition<[SentRun]> = defineSignal("sent");

const { runSession } = proxyActivities<SessionActivities>({
  // As often as needed: the queue counts attempts, and sets sessions aside.
  retry: { initialInterval: 100, maximumInterval: "2 seconds" },
  startToCloseTimeout: "1 day",
  heartbeatTimeout: "10 seconds",
});

/** Runs one session whenever it is sent, once at a time, and ends when there is nothing more: its history stays at a few events. */
export async function sessionWorkflow(): Promise<void> {
  const waiting: SentRun[] = [];
  setHandler(sentSignal, (sent) => void waiting.push(sent));
  while (await condition(() => waiting.length > 0, "1 second")) await runSession(waiting.shift()!);
}
