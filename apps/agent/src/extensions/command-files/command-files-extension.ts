import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";
import {
  type HeldBackFile,
  loadMarkdownFiles,
  type MarkdownFile,
  type MarkdownFilesOptions,
} from "../../permissions/load-markdown-files.ts";
import { readFrontmatter } from "../../text/frontmatter.ts";

/** The placeholder for the words after the command's name. */
const ARGUMENTS = "$ARGUMENTS";
const NAME = /^[\w-]{1,64}$/;
const MOST_ABOUT_CHARACTERS = 100;

/** Adds Markdown files as slash commands, which send their text to the model as a prompt. */
export async function commandFilesExtension({
  guard,
  places,
}: Pick<ExtensionContext, "guard" | "places">): Promise<Extension> {
  const { files, heldBack } = await loadCommandFiles({ guard, agentHome: places.agentHome });
  const usable = files.filter(({ name }) => NAME.test(name));
  const names = heldBack.map(({ name }) => `/${name}`).join(", ");
  return {
    name: "command-files",
    commands: usable.map(toCommand),
    problems: [
      ...files
        .filter((file) => !usable.includes(file))
        .map(({ path }) => `${path} is not used as a slash command: rename it to letters, digits, "-" and "_" only.`),
      ...(names === ""
        ? []
        : [
            `This project is not trusted, so these slash commands are not available: ${names}. To review them: palimpsest trust`,
          ]),
    ],
  };
}

/** Converts a file to a slash command. Pure. */
function toCommand({ name, path, text }: MarkdownFile): SlashCommand {
  const { field, body } = readFrontmatter(text);
  const hint = field("argument-hint") ?? (body.includes(ARGUMENTS) ? "[WORDS]" : undefined);
  return {
    name: name.toLowerCase(),
    about: (field("description") ?? `send the prompt in ${path}`).slice(0, MOST_ABOUT_CHARACTERS),
    when: "always",
    takes: hint,
    open: ({ words, submit }) => submit(promptOf(body, words)),
  };
}

/** Inserts the user's words at the placeholder, or appends them without one. */
function promptOf(body: string, words: string): string {
  if (body.includes(ARGUMENTS)) return body.replaceAll(ARGUMENTS, () => words);
  return words === "" ? body : `${body}\n\n${words}`;
}

interface LoadedCommandFiles {
  /** The user's commands, then the project's. For the same name, the user's command is used. */
  readonly files: readonly MarkdownFile[];
  /** The project's files that the user has not trusted. */
  readonly heldBack: readonly HeldBackFile[];
}

/**
 * Reads slash commands from `commands/NAME.md` of the user and `.palimpsest/commands/NAME.md` of the project. Uses the
 * project's files only after the user has trusted them.
 */
export async function loadCommandFiles(options: MarkdownFilesOptions): Promise<LoadedCommandFiles> {
  const found = await loadMarkdownFiles("commands", options);
  return {
    files: found.filter(({ trust }) => trust === "trusted"),
    heldBack: found.filter(({ trust }) => trust === "untrusted").map(({ name, path, hash }) => ({ name, path, hash })),
  };
}
