import type { SlashCommand } from "../../extension/slash-command.ts";
import { type HookSetting, hookLine } from "../../permissions/hook-setting.ts";
import { programText } from "../../permissions/program-setting.ts";
import { table } from "../../text/table.ts";

/** `/hooks`: the commands of the settings that run at events. */
export function hooksCommand(hooks: readonly HookSetting[]): SlashCommand {
  return {
    name: "hooks",
    about: "list the commands that run at events",
    when: "always",
    async open({ say }) {
      const rows = hooks.map((hook) => [hook.event, hook.tools ?? "", `${hookLine(hook)}${programText(hook)}`]);
      say(rows.length === 0 ? "There are no hooks. To add one: settings.json, under hooks." : table(rows));
    },
  };
}
