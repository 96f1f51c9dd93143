import { time } from "../../text/table.ts";
import { listSessions } from "../../workspace/stored-sessions.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const resume: ScreenCommand = {
  name: "resume",
  about: "goes on with another session of this folder",
  async open({ agent: { session }, project, ask, reopen, say }) {
    const others = (await listSessions(project.store)).filter(({ id }) => id !== session.id);
    if (others.length === 0) return say("There is no other session in this folder.");
    const answer = await ask({
      title: "Which session?",
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
