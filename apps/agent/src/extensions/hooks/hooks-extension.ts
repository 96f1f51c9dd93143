import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { commandHooks } from "./command-hooks.ts";
import { hooksCommand } from "./hooks-command.ts";

/** Commands of the settings that run at events. */
export function hooksExtension({
  settings: { hooks },
  folder,
  person,
}: Pick<ExtensionContext, "settings" | "folder" | "person">): Extension {
  const onHook = person?.onHook ?? (() => {});
  return {
    name: "hooks",
    hooks: (whose) => commandHooks(hooks, { whose, folder, onHook }),
    commands: [hooksCommand(hooks)],
  };
}
