import type { ScreenCommand } from "./screen-command.ts";

export const clear: ScreenCommand = {
  name: "clear",
  about: "begins a new session; the old one is kept, /resume finds it",
  async open({ reopen, say }) {
    await reopen();
    say("── A new session", { color: "warning" });
  },
};
