import type { SlashCommand } from "../../extension/slash-command.ts";
import { table } from "../../text/table.ts";

export const hooks: SlashCommand = {
  name: "hooks",
  about: "the commands that are run at events",
  when: "always",
  async open({ agent: { settings }, say }) {
    const rows = settings.settings.hooks.map(({ event, tools = "", command }) => [
      ...[event, tools, typeof command === "string" ? command : command.join(" ")],
    ]);
    say(rows.length === 0 ? "There are no hooks. They stand in settings.json, under hooks." : table(rows));
  },
};
