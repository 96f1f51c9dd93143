import { notesText } from "../../commands/notes.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const notes: ScreenCommand = {
  name: "notes",
  takes: "[update]",
  about: "show the notes of this session; update writes new ones",
  async open({ words, agent: { session }, during, say }) {
    if (words === "update") {
      const outcome = await during("Updating the notes", (signal) => session.notes.update({ signal }));
      say(`Notes ${outcome.kind}${"why" in outcome ? `: ${outcome.why}` : "."}`, { color: "quiet" });
    }
    // Its path is longer than most screens are wide: `palimpsest notes` shows it.
    say(await notesText(session));
  },
};
