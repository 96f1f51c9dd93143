import { fileOf } from "palimpsest/inspect";
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

// `cat FILE`, `sed -n '1,200p' FILE`, `head -n 20 FILE`, `nl -ba FILE`; nothing that joins commands.
const PRINTS =
  /^\s*(?:cat|nl|head|tail|bat|sed)\s+(?:-[A-Za-z]+\s*\d*\s+|'[^']*'\s+|"[^"]*"\s+)*([^\s'"|;&<>$`*]+)\s*$/;

function fileOfCommand(command: string): string | undefined {
  return PRINTS.exec(command)?.[1];
}
