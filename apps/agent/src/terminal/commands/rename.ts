import { writeTitle } from "../../workspace/session-title.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const rename: ScreenCommand = {
  name: "rename",
  takes: "TITLE",
  about: "give this session a title for /resume and palimpsest sessions",
  when: "always",
  async open({ words, agent, project, say }) {
    if (words === "") return say("The title is missing: /rename TITLE", { color: "warning" });
    const title = await writeTitle(project.places, agent.session.id, words);
    say(`This session is now called ${JSON.stringify(title)}.`);
  },
};
