import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { commandEnvironment } from "../../workspace/command-environment.ts";
import { commandHooks } from "./command-hooks.ts";
import { hooksCommand } from "./hooks-command.ts";

/** Commands of the settings that run at events. */
export function hooksExtension(context: ExtensionContext): Extension {
  const { settings, folder, person, environment, notify } = context;
  const { hooks, keptEnvironment } = settings;
  // A hook need not know the keys of the agent.
  const given = commandEnvironment(environment, keptEnvironment);
  const onHook = person?.onHook ?? (() => {});
  return {
    name: "hooks",
    hooks: (whose) =>
      commandHooks(hooks, { whose, folder, environment: given, programs: context, onHook, onNote: notify }),
    commands: [hooksCommand(hooks)],
  };
}
