import type { Agent } from "./agent.ts";

/** Shows new mail when it arrives, and not only when a turn reads it. Ends when the session is closed. */
export async function hearMail({ waitForMail, session }: Agent): Promise<void> {
  while ((await waitForMail(session.signal)) === "mail");
}
