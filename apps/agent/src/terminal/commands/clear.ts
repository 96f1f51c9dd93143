import type { ScreenCommand } from "./screen-command.ts";

export const clear: ScreenCommand = {
  name: "clear",
  about: "start a new session; /resume finds the old one",
  async open({ reopen, say }) {
    await reopen();
    say("── New session", { color: "warning" });
  },
};
