import type { Block, Part } from "palimpsest";

/** Facts as the lab finds them by its own rules: paths, commands, and names of 8 and more characters. */
export type UsedFact = `${"path" | "command" | "name"} ${string}`;

const PATH = /(?<![\w.@~/-])(?:[\w.@~-]{0,200}\/){1,40}[\w.@-]{0,200}\.[A-Za-z]\w{0,5}\b/g;
const NAME = /[A-Za-z_]\w{7,}/g;
/** Names that nobody writes without having seen them: capitals inside, digits, underscores between letters. */
const IS_MADE_UP = /[a-z][A-Z]|[A-Za-z]_+[A-Za-z0-9]|[A-Za-z]\d/;

export interface FactScope {
  /** The session's working folder: paths are relative to it, and it is no fact itself. */
  readonly cwd: string | undefined;
}

export function factsOf(blocks: readonly (Block | Part)[], scope: FactScope): Set<UsedFact> {
  const facts = new Set<UsedFact>();
  for (const block of blocks) {
    if (block.kind === "text") addText(block.text, scope, facts);
    if (block.kind === "tool_result") {
      const parts =
        typeof block.content === "string" ? [{ kind: "text", text: block.content } as const] : block.content;
      for (const fact of factsOf(parts, scope)) facts.add(fact);
    }
    if (block.kind !== "tool_call") continue;
    for (const text of stringsIn(block.input)) addText(text, scope, facts);
    for (const command of commandsIn(block.input)) facts.add(`command ${command}`);
  }
  return facts;
}

function addText(text: string, { cwd }: FactScope, facts: Set<UsedFact>): void {
  const rest = text.replace(PATH, (path) => {
    facts.add(`path ${fromFolder(path, cwd)}`);
    return " ";
  });
  for (const [name] of rest.matchAll(NAME)) if (IS_MADE_UP.test(name)) facts.add(`name ${name}`);
}

/** Whether a text has a fact, in any form. */
export function createSearch(text: string): (fact: UsedFact) => boolean {
  const paths = withFolders(text);
  const names = new Set(text.match(NAME));
  const inOneLine = text.replace(/\s+/g, " ");
  return (fact) => {
    const [sort, ...words] = fact.split(" ");
    const value = words.join(" ");
    if (sort === "name") return names.has(value);
    if (sort === "path") return paths.includes(value);
    return inOneLine.includes(value);
  };
}

/** Lines of the form `folder/: one; two` name the files of a folder, below `Files in root/:` without it: each gets its folder back. */
function withFolders(text: string): string {
  const whole: string[] = [];
  let root = "";
  for (const line of text.split("\n")) {
    if (!line.startsWith("- ")) root = /^Files in (\S+\/):$/.exec(line)?.[1] ?? "";
    const [, folder = "", names] = /^- (?:(\S+\/): )?(.+)$/.exec(line) ?? [];
    if (names === undefined || (root === "" && folder === "")) continue;
    for (const name of names.split("; ")) whole.push(`${root}${folder}${name.split(" ")[0]}`);
  }
  return [text, ...whole].join("\n");
}

function fromFolder(path: string, cwd: string | undefined): string {
  return cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path.replace(/^\.\//, "");
}

/** Commands that anybody writes without having seen them: navigation, listing, filtering, plain version control. */
const COMMONPLACE =
  /^(?:cd|ls|cat|head|tail|wc|sort|uniq|echo|grep|rg|sed|awk|find|mkdir|rm|cp|mv|chmod|sleep|true|xargs|which|pwd|date|git (?:status|diff|add|push|pull|log|show|commit|checkout|stash|fetch|branch))\b/;

/** The single commands of a command line, up to where a text is put in. */
function commandsIn(input: unknown): string[] {
  const command = (input as { command?: unknown } | null)?.command;
  const text = Array.isArray(command) ? String(command.at(-1)) : command;
  if (typeof text !== "string") return [];
  const parts = text
    .split("<<")[0]!
    .split(/\n|&&|\|\||;|\|/)
    .map((part) =>
      part
        .replace(/\d?>\S+/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
    );
  return parts.filter(
    (part) => part.length >= 8 && part.length <= 200 && part.includes(" ") && !COMMONPLACE.test(part),
  );
}

export function stringsIn(input: unknown): string[] {
  if (typeof input === "string") return [input];
  return typeof input === "object" && input !== null ? Object.values(input).flatMap(stringsIn) : [];
}
