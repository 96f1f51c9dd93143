import { join } from "node:path";
import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { refusalOfCommands } from "../../permissions/session-sandbox.ts";
import { findShell } from "../../sandbox/find-program.ts";
import { commandEnvironment } from "../../workspace/command-environment.ts";
import { type BackgroundCommands, createBackgroundCommands } from "./background-commands.ts";
import { bashOutputTool, bashTool, killBashTool } from "./bash.ts";

/** Adds commands in the foreground and the background, in a sandbox if the system has one. */
export function shellExtension(
  context: Pick<
    ExtensionContext,
    "guard" | "settings" | "permissions" | "environment" | "sessionFolder" | "sandbox" | "commandTimes" | "notify"
  >,
): Extension {
  const { guard, settings, sandbox, permissions, sessionFolder, commandTimes, notify } = context;
  const background = createBackgroundCommands(join(sessionFolder, "background"));
  const environment = commandEnvironment(context.environment, settings.keptEnvironment);
  const shell = findShell(context.environment, guard.roots);
  const refusal = () => refusalOfCommands(sandbox, settings.sandbox, permissions.rules);
  return {
    name: "shell",
    tools: () => [
      bashTool({ guard, sandbox, background, refusal, environment, shell, commandTimes, notify }),
      bashOutputTool(background),
      killBashTool(background),
    ],
    commands: [backgroundCommand(background)],
    status: () =>
      background.list().map(({ id, command }) => ({
        id,
        kind: "command",
        what: `${id} ${command}`,
        shownBy: "/tasks",
        output: async () => (await background.tail(id)) ?? "",
        stop: async () => void (await background.kill(id)),
      })),
    close: background.close,
  };
}

/** Moves the running command to the background, so that the model continues. */
function backgroundCommand(background: Pick<BackgroundCommands, "take">): SlashCommand {
  return {
    name: "background",
    about: "move the running command to the background (ctrl-b)",
    when: "always",
    async open({ say }) {
      if ((await background.take()) === 0) say("No command is running that can be moved to the background.");
    },
  };
}
