import type { Session } from "palimpsest";

/** Runs work on a session that is being opened, and closes the session. */
export async function inSession<Result>(
  opening: Promise<Session>,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await opening;
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}
