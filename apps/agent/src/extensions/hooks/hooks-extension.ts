import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { commandEnvironment } from "../../workspace/command-environment.ts";
import { commandHooks } from "./command-hooks.ts";
import { hooksCommand } from "./hooks-command.ts";

/** Commands of the settings that run at events. */
export function hooksExtension({
  settings: { hooks, keptEnvironment },
  folder,
  person,
  environment,
}: Pick<ExtensionContext, "settings" | "folder" | "person" | "environment">): Extension {
  // A hook runs with the user's rights, and still need not know the keys of the agent.
  const given = commandEnvironment(environment, keptEnvironment);
  const onHook = person?.onHook ?? (() => {});
  return {
    name: "hooks",
    hooks: (whose) => commandHooks(hooks, { whose, folder, environment: given, onHook }),
    commands: [hooksCommand(hooks)],
  };
}
