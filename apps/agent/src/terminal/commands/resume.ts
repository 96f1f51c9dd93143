import type { Dialog } from "../../extension/slash-command.ts";
import { time } from "../../text/table.ts";
import { withTitles } from "../../workspace/session-title.ts";
import { listSessions, type StoredSession } from "../../workspace/stored-sessions.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const resume: ScreenCommand = {
  name: "resume",
  about: "resume another session of this folder",
  async open({ agent: { session }, project, ask, reopen, say }) {
    const others = (await withTitles(await listSessions(project.store), project.places)).filter(
      ({ id }) => id !== session.id,
    );
    if (others.length === 0) return say("This folder has no other session.");
    const answer = await ask(sessionsDialog(others));
    if (answer.kind === "chosen" && answer.values[0] !== undefined) await reopen(answer.values[0]);
  },
};

/** Which session? Typing searches their titles, models and dates. */
export function sessionsDialog(sessions: readonly StoredSession[]): Dialog {
  return {
    title: "Choose a session",
    body: [],
    shown: "searched",
    options: sessions.map(({ id, title, usedAtMs, entries, usedBefore }) => ({
      value: id,
      label: title,
      about: [time(usedAtMs), `${entries} entries`, ...(usedBefore === undefined ? [] : [usedBefore.model])].join(", "),
    })),
  };
}
