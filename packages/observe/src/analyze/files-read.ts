import { fileOf, type ShellToken, shellTokens } from "palimpsest/inspect";
import { asList, asObject, asString } from "palimpsest/schema";

/** Returns the file that a call reads, by the usual names of such tools; for shells, by the command. */
export function fileRead(name: string, input: unknown): string | undefined {
  const fields = asObject(input) ?? {};
  const absolute = asString(fields["absolute_path"]);
  const file = fileOf({ kind: "tool_call", id: "", name, input: absolute === undefined ? input : { path: absolute } });
  if (file?.access === "read") return file.path;
  const command = commandOf(fields);
  return command === undefined ? undefined : fileOfCommand(command);
}

/** The command of a shell: a text, or a list of words of which the last is the script. */
export function commandOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  const command = fields["command"] ?? fields["cmd"];
  const words = asList(command)?.filter((word) => typeof word === "string");
  if (words === undefined) return asString(command);
  const isShell = /(^|\/)(ba|z|da)?sh$/.test(words[0] ?? "");
  return isShell ? words.at(-1) : words.join(" ");
}

const PRINTERS = new Set(["cat", "nl", "head", "tail", "bat", "sed"]);
/** A command that only shows a file is short. */
const MAX_PRINTING_CHARACTERS = 2_000;

/** `cat FILE`, `sed -n '1,200p' FILE`, `head -n 20 FILE`, `nl -ba FILE`; nothing that joins commands. */
function fileOfCommand(command: string): string | undefined {
  if (command.length > MAX_PRINTING_CHARACTERS) return undefined;
  const [program, ...words] = shellTokens(command.trim());
  const file = words.pop();
  if (program === undefined || !PRINTERS.has(program.text) || file?.kind !== "word" || file.state !== "bare") {
    return undefined;
  }
  const isBeforeFile = ({ kind, text, state }: ShellToken, at: number): boolean =>
    kind === "word" &&
    (state === "quoted" ||
      text.startsWith("-") ||
      (/^\d+$/.test(text) && words[at - 1]?.text.startsWith("-") === true));
  return words.every(isBeforeFile) ? file.text : undefined;
}
