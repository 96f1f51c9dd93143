import { undoNewest, undoneText } from "../../commands/undo.ts";
import type { ScreenCommand } from "./screen-command.ts";

export const undo: ScreenCommand = {
  name: "undo",
  about: "undo the newest compaction",
  open: async ({ agent: { session }, say }) => say(undoneText(await undoNewest(session, "/undo"))),
};
