import type { ScreenCommand } from "./screen-command.ts";

export const inspect: ScreenCommand = {
  name: "inspect",
  about: "show in a browser what the model saw, and what it cost",
  when: "always",
  open: async ({ inspect: addressOf, say }) =>
    say(`${await addressOf()}\nOpen this address in a browser of this machine. It lets one browser in, once.`),
};
