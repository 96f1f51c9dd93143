import type { ExtensionContext } from "../../extension/context.ts";
import type { Extension } from "../../extension/extension.ts";
import type { SlashCommand } from "../../extension/slash-command.ts";
import { readFrontmatter } from "../../text/frontmatter.ts";
import type { MarkdownFile } from "../../workspace/read-folder.ts";
import { loadCommandFiles } from "./load-command-files.ts";

/** What stands for the words behind the command's name. */
const ARGUMENTS = "$ARGUMENTS";
const NAME = /^[\w-]{1,64}$/;
const MOST_ABOUT_CHARACTERS = 100;

/** Slash commands that are markdown files: the text is sent to the model as a prompt. */
export async function commandFilesExtension({
  guard,
  places,
}: Pick<ExtensionContext, "guard" | "places">): Promise<Extension> {
  const { files, heldBack } = await loadCommandFiles({ guard, agentHome: places.agentHome });
  const usable = files.filter(({ name }) => NAME.test(name));
  const held = heldBack.map(({ name }) => `/${name}`).join(", ");
  return {
    name: "command-files",
    commands: usable.map(toCommand),
    problems: [
      ...files
        .filter((file) => !usable.includes(file))
        .map(({ path }) => `${path} is no slash command: its name may only have letters, digits, "-" and "_".`),
      ...(held === ""
        ? []
        : [`This project's slash commands are not trusted and cannot be used: ${held}. (palimpsest trust)`]),
    ],
  };
}

/** Pure: what a file means as a command. */
function toCommand({ name, path, text }: MarkdownFile): SlashCommand {
  const { field, body } = readFrontmatter(text);
  const hint = field("argument-hint") ?? (body.includes(ARGUMENTS) ? "[WORDS]" : undefined);
  return {
    name: name.toLowerCase(),
    about: (field("description") ?? `the prompt in ${path}`).slice(0, MOST_ABOUT_CHARACTERS),
    when: "always",
    ...(hint === undefined ? {} : { takes: hint }),
    open: ({ words, submit }) => submit(promptOf(body, words)),
  };
}

/** The prompt with the words in their place; behind it, if the file has no place for them. */
function promptOf(body: string, words: string): string {
  if (body.includes(ARGUMENTS)) return body.replaceAll(ARGUMENTS, () => words);
  return words === "" ? body : `${body}\n\n${words}`;
}
