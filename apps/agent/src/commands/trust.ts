import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inProject } from "../cli/open-project.ts";
import { readArguments } from "../cli/read-arguments.ts";
import type { Terminal } from "../cli/terminal.ts";
import { loadDefinitions } from "../extensions/agents/load-definitions.ts";
import { loadCommandFiles } from "../extensions/command-files/load-command-files.ts";
import { loadSettings, trustFile } from "../permissions/load-settings.ts";
import { createPathGuard } from "../workspace/path-guard.ts";

/** Shows what the project's settings want; with `--yes` they hold from now on, as they are. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS.trust);
  return inProject(terminal, async ({ folder, places: { agentHome } }) => {
    const guard = await createPathGuard(folder);
    const { project, heldBack } = await loadSettings({ guard, agentHome });
    const agents = (await loadDefinitions({ guard, agentHome })).heldBack;
    const commands = (await loadCommandFiles({ guard, agentHome })).heldBack;
    const files = [...(project?.trust === "untrusted" ? [project] : []), ...agents, ...commands];
    if (files.length === 0) {
      await terminal.print(
        project === undefined
          ? "This project has no .palimpsest/settings.json."
          : `${project.path} is trusted as it is.`,
      );
    } else if (values.yes) {
      for (const file of files) {
        await trustFile(file, agentHome);
        await terminal.print(`Trusted as it is: ${file.path}. Once it changes, this is asked again.`);
      }
    } else {
      for (const { path } of files) {
        const agent = agents.find((one) => one.path === path);
        const command = commands.find((one) => one.path === path);
        const wants =
          agent !== undefined
            ? [`an agent called ${agent.name}, told what stands there`]
            : command !== undefined
              ? [`a slash command /${command.name}: the model is sent what stands there`]
              : heldBack;
        await terminal.print(`${path} wants:\n  ${wants.join("\n  ") || "nothing that needs trust"}\n`);
      }
      await terminal.print("If that is right: palimpsest trust --yes");
    }
    return EXIT.done;
  });
}
