import type { SlashCommand } from "../../extension/slash-command.ts";

export const clear: SlashCommand = {
  name: "clear",
  about: "begins a new session; the old one is kept, /resume finds it",
  async open({ reopen, say }) {
    await reopen();
    say("── A new session", { colour: "warning" });
  },
};
