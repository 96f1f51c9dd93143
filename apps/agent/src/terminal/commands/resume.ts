import { time } from "../../text/table.ts";
import { listSessions } from "../../workspace/stored-sessions.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const resume: ScreenCommand = {
  name: "resume",
  about: "resume another session of this folder",
  async open({ agent: { session }, project, ask, reopen, say }) {
    const others = (await listSessions(project.store)).filter(({ id }) => id !== session.id);
    if (others.length === 0) return say("This folder has no other session.");
    const answer = await ask({
      title: "Choose a session",
      body: [],
      shown: "searched",
      options: others.map(({ id, title, usedAtMs, entries }) => ({
        value: id,
        label: title,
        about: `${time(usedAtMs)}, ${entries} entries`,
      })),
    });
    if (answer.kind === "chosen" && answer.values[0] !== undefined) await reopen(answer.values[0]);
  },
};
