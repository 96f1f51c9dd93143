import { join } from "node:path";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import { commandEnvironment } from "../../workspace/command-environment.ts";
import { createBackgroundCommands } from "./background-commands.ts";
import { bashTool } from "./bash.ts";
import { bashOutputTool, killBashTool } from "./bash-output.ts";
import { findSandbox, type Sandbox } from "./sandbox.ts";
import { tasksCommand } from "./tasks-command.ts";

export interface ShellExtension extends Extension {
  readonly sandbox: Sandbox;
}

/** Commands, in a sandbox where the system has one, in the foreground and in the background. */
export async function shellExtension(
  context: Pick<ExtensionContext, "guard" | "settings" | "environment" | "places" | "sessionFolder">,
): Promise<ShellExtension> {
  const { guard, settings, places, sessionFolder } = context;
  const sandboxFolder = join(sessionFolder, "sandbox");
  const sandbox = await findSandbox({ roots: guard.roots, home: places.home, sandboxFolder });
  const background = createBackgroundCommands(join(sessionFolder, "background"));
  const environment = commandEnvironment(context.environment, settings.keptEnvironment);
  const enclosure = settings.sandbox;
  return {
    name: "shell",
    sandbox,
    tools: () => [
      bashTool({ guard, sandbox, background, enclosure, environment }),
      bashOutputTool(background),
      killBashTool(background),
    ],
    commands: [tasksCommand(background)],
    status: () => background.list().map(({ id, command }) => ({ what: `${id} ${command}`, shownBy: "/tasks" })),
    problems: sandbox.kind === "none" && enclosure === "required" ? [sandbox.reason] : [],
    close: background.close,
  };
}
