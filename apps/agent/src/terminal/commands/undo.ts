import { undoNewest, undoneText } from "../../commands/undo.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";

export const undo: SlashCommand = {
  name: "undo",
  about: "takes the newest compaction back",
  open: async ({ agent: { session }, say }) => say(undoneText(await undoNewest(session, "/undo"))),
};
