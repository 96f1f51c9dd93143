import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { type HookSetting, hookLine, programText } from "../../permissions/program-setting.ts";
import { table } from "../../text/table.ts";
import { commandEnvironment } from "../../workspace/command-environment.ts";
import { commandHooks } from "./command-hooks.ts";

/** Runs the hook commands of the settings. */
export function hooksExtension(context: ExtensionContext): Extension {
  const { settings, folder, person, environment, notify } = context;
  const { hooks, keptEnvironment } = settings;
  // Hooks do not get the agent's API keys.
  const hookEnvironment = commandEnvironment(environment, keptEnvironment);
  const onHook = person?.onHook ?? (() => {});
  return {
    name: "hooks",
    hooks: (whose) =>
      commandHooks(hooks, { whose, folder, environment: hookEnvironment, programs: context, onHook, onNote: notify }),
    commands: [hooksCommand(hooks)],
  };
}

/** `/hooks` lists the commands in the settings that run at events. */
function hooksCommand(hooks: readonly HookSetting[]): SlashCommand {
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
