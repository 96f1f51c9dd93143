import { notesText } from "../../commands/notes.ts";
import { notesFileOf } from "../../extensions/notes/notes-extension.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const notes: ScreenCommand = {
  name: "notes",
  takes: "[update]",
  about: "show the notes that the session keeps for after a compaction; update writes new ones",
  async open({ words, agent: { session }, project: { places }, during, say }) {
    if (words === "update") {
      const outcome = await during("Updating the notes", (signal) => session.notes.update({ signal }));
      say(`Notes ${outcome.kind}${"why" in outcome ? `: ${outcome.why}` : "."}`, { color: "quiet" });
    }
    say(await notesText(session, notesFileOf(places.folderOf(session.id))));
  },
};
