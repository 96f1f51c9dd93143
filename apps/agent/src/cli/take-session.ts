import { hostname } from "node:os";
import { openSession, type Session, SessionBusyError, type SessionOptions } from "palimpsest";

/** Any provider's. */
export type AgentSession = Session<unknown, unknown>;
export type TakeOptions = SessionOptions<unknown, unknown, unknown>;

/**
 * Opens a session. One whose process has died is taken over at once: its lease would hold for half a minute, and nobody is
 * left to write. One that another machine or a living process holds is left alone.
 */
export async function takeSession(options: TakeOptions): Promise<AgentSession> {
  const owner = `process ${process.pid} on ${hostname()}`;
  try {
    return await openSession({ ...options, owner });
  } catch (error) {
    if (!(error instanceof SessionBusyError) || isAlive(error.owner)) throw error;
    return openSession({ ...options, owner, takeover: "always" });
  }
}

function isAlive(owner: string): boolean {
  const [, id, host] = /^process (\d+) on (.+)$/.exec(owner) ?? [];
  if (id === undefined || host !== hostname()) return true;
  try {
    process.kill(Number(id), 0);
    return true;
  } catch (error) {
    // Another user's process lives, too.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
