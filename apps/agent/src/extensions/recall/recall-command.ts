import { readRecallInput, recalledText } from "palimpsest";
import type { SlashCommand } from "../../extension/slash-command.ts";

export const recallCommand: SlashCommand = {
  name: "recall",
  takes: "WORDS | ENTRY",
  about: "search everything that was stored, cleared or compacted",
  when: "always",
  async open({ words, session, say }) {
    if (words === "") return say("To search: /recall WORDS. To show an entry: /recall 12", { color: "warning" });
    const request = /^\d+$/.test(words) ? { entry: Number(words) } : { search: words };
    say(recalledText(await session.recall(readRecallInput(request))));
  },
};
