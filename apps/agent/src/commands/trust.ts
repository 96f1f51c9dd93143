import { loadDefinitions } from "../extensions/agents/load-definitions.ts";
import { loadCommandFiles } from "../extensions/command-files/command-files-extension.ts";
import { loadSettings, trustFile } from "../permissions/load-settings.ts";
import { readInstructing, type UnseenFile, unseenFiles } from "../permissions/unseen-file.ts";
import { visibleText } from "../text/visible-text.ts";
import { openCommandTimes } from "../workspace/command-times.ts";
import { createPathGuard } from "../workspace/path-guard.ts";
import type { Places } from "../workspace/places.ts";
import { COMMANDS } from "./definitions.ts";
import { EXIT } from "./exit-codes.ts";
import { inProject } from "./open-project.ts";
import { readArguments } from "./read-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Shows what the project's settings ask for. With `--yes`, trusts the current files. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = readArguments(args, COMMANDS.trust);
  return inProject(terminal, async ({ folder, places }) => {
    const { agentHome } = places;
    const guard = await createPathGuard(folder);
    const { project, heldBack } = await loadSettings({ guard, agentHome });
    const agents = (await loadDefinitions({ guard, agentHome })).heldBack;
    const commands = (await loadCommandFiles({ guard, agentHome })).heldBack;
    const unseen = await findChanged(places);
    const files = [...(project?.trust === "untrusted" ? [project] : []), ...agents, ...commands, ...unseen];
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
      for (const { path, bytes } of unseen) {
        await terminal.print(
          `A command has changed ${path}. It contains instructions for the model. Its current text:\n${quoted(Buffer.from(bytes).toString("utf8"))}\n`,
        );
      }
      for (const { path } of files.filter((file) => !unseen.some((one) => one.path === file.path))) {
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

/** Finds instructions and skills that commands have changed since the user last reviewed them. */
async function findChanged({ commandTimes, agentHome }: Places): Promise<readonly UnseenFile[]> {
  const times = openCommandTimes(commandTimes);
  const findUnseen = unseenFiles(times, agentHome);
  const found = await Promise.all(
    (await times.unseen()).map(async (path) => {
      const file = await readInstructing(path).catch(() => undefined);
      return file && findUnseen(file);
    }),
  );
  return found.filter((file) => file !== undefined);
}

/** Quotes a text with hidden characters spelled out, so that it cannot imitate the program's own output. */
function quoted(text: string): string {
  return visibleText(text.trimEnd())
    .split("\n")
    .map((line) => `  | ${line}`)
    .join("\n");
}
