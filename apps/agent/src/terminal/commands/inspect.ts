import type { ScreenCommand } from "./screen-command.ts";

export const inspect: ScreenCommand = {
  name: "inspect",
  about: "show this session in a browser: what the model saw, what it cost, what was lost",
  when: "always",
  open: async ({ inspect: addressOf, say }) =>
    say(`${await addressOf()}\nOpen this address in a browser of this machine. It lets one browser in, once.`),
};
