import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inProject } from "../cli/open-project.ts";
import { readArguments } from "../cli/read-arguments.ts";
import type { Terminal } from "../cli/terminal.ts";
import { loadDefinitions } from "../extensions/agents/load-definitions.ts";
import { loadCommandFiles } from "../extensions/command-files/load-command-files.ts";
import { loadSettings, trustFile } from "../permissions/load-settings.ts";
import { createPathGuard } from "../workspace/path-guard.ts";

/** Shows what the project's settings ask for; with `--yes`, trusts the files as they are now. */
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
          ? "Nothing to trust: this project has no .palimpsest/settings.json."
          : `${project.path} is already trusted.`,
      );
    } else if (values.yes) {
      for (const file of files) {
        await trustFile(file, agentHome);
        await terminal.print(`Trusted ${file.path}. After a change it needs your trust again.`);
      }
    } else {
      for (const { path } of files) {
        const agent = agents.find((one) => one.path === path);
        const command = commands.find((one) => one.path === path);
        const wants =
          agent !== undefined
            ? [`an agent named ${agent.name}, with the instructions in this file`]
            : command !== undefined
              ? [`a slash command /${command.name}, which sends the text of this file to the model`]
              : heldBack;
        await terminal.print(`${path} asks for:\n  ${wants.join("\n  ") || "nothing that needs trust"}\n`);
      }
      await terminal.print("To trust these files: palimpsest trust --yes");
    }
    return EXIT.done;
  });
}
