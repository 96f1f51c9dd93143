import type { Inbox } from "palimpsest";
import { waitingInbox } from "../extensions/agents/open-agents.ts";
import type { Agent } from "./agent.ts";

/** The inbox of a turn that ends when its agents have ended, or after `agents.waitSeconds`. @param onWait says so */
export function untilAgentsEnd({ agents, session }: Agent, onWait: (text: string) => void): Inbox {
  return waitingInbox({
    agents,
    waitMs: () => session.settings().settings["agents.waitSeconds"] * 1_000,
    onWait: (running) => onWait(`Waiting for ${running} ${running === 1 ? "agent" : "agents"}`),
  });
}
