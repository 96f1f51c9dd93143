import { COMMANDS } from "../cli/command-list.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { inProject } from "../cli/open-project.ts";
import { readArguments } from "../cli/read-arguments.ts";
import type { Terminal } from "../cli/terminal.ts";
import { createPathGuard } from "../files/path-guard.ts";
import { loadSettings, trustSettings } from "../permissions/load-settings.ts";

/** Shows what the project's settings want; with `--yes` they hold from now on, as they are. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS.trust);
  return inProject(terminal, async ({ folder, places: { agentHome } }) => {
    const { project, heldBack } = await loadSettings({ guard: await createPathGuard(folder), agentHome });
    if (project === undefined) await terminal.print("This project has no .palimpsest/settings.json.");
    else if (project.trust === "trusted") await terminal.print(`${project.path} is trusted as it is.`);
    else if (values.yes) {
      await trustSettings(project, agentHome);
      await terminal.print(`Trusted as it is: ${project.path}. Once it changes, this is asked again.`);
    } else {
      const wants = heldBack.length === 0 ? "nothing that needs trust" : heldBack.join("\n  ");
      await terminal.print(`${project.path} wants:\n  ${wants}\n\nIf that is right: palimpsest trust --yes`);
    }
    return EXIT.done;
  });
}
