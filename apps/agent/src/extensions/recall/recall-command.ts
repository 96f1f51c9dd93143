import { readRecallInput, recalledText } from "palimpsest";
import type { SlashCommand } from "../../extension/slash-command.ts";

export const recallCommand: SlashCommand = {
  name: "recall",
  takes: "WORDS | ENTRY",
  about: "finds what was stored, cleared or folded, and shows it to you",
  when: "always",
  async open({ words, session, say }) {
    if (words === "") return say("What? /recall WORDS finds entries, /recall 12 shows one.", { color: "warning" });
    const request = /^\d+$/.test(words) ? { entry: Number(words) } : { search: words };
    say(recalledText(await session.recall(readRecallInput(request))));
  },
};
