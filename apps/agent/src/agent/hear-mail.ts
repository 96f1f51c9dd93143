import type { Agent } from "./agent.ts";

/**
 * Shows new mail when it arrives, and not only when a turn reads it. Ends when the session is closed. @param onWake called for mail
 * that is to start a turn, as the setting `agents.wakeOnMail` says
 */
export async function hearMail(
  { waitForMail, session }: Pick<Agent, "waitForMail" | "session">,
  onWake: () => void = () => {},
): Promise<void> {
  while ((await waitForMail(session.signal)) === "mail")
    if (session.settings().settings["agents.wakeOnMail"] === "on") onWake();
}
