import { posix } from "node:path";
import { allCommands, programOf, type ShellCommand, type ShellLine, type ShellWord } from "./shell-line.ts";

/** A file or folder that a line names. */
export interface TouchedPath {
  /** From the folder of the line, absolute, or from the home (`~/`). The last part may be missing where it is not known. */
  readonly path: string;
  readonly access: "read" | "write";
  /** `redirect`: the shell itself opens it, whatever the command is. */
  readonly by: "word" | "redirect";
}

const READING =
  "cat head tail less more nl tac wc diff cmp stat file strings xxd od hexdump base64 sort uniq cut jq yq grep egrep fgrep rg ag ls " +
  "tree du find fd awk sed cd pushd realpath readlink source . bat md5sum sha256sum node python3 python";
const WRITING = "rm rmdir mv cp touch mkdir tee ln chmod chown install truncate dd patch rsync shred split unzip";
const READERS: ReadonlySet<string> = new Set(READING.split(" "));
const WRITERS: ReadonlySet<string> = new Set(WRITING.split(" "));
/** Their first word is a pattern or a script, though it may look like a path. */
const SEARCHERS: ReadonlySet<string> = new Set("grep egrep fgrep rg ag sed awk gawk jq yq perl".split(" "));
/** Their words are texts. */
const SPEAKERS: ReadonlySet<string> = new Set(
  "echo printf : true false export local declare readonly set unset expr".split(" "),
);
/** Options behind which a text stands, of programs that are not known better. */
const TEXT_OPTIONS =
  /^(-m|-e|-c|-p|--message|--body|--title|--eval|--print|--regexp|--expression|--grep|-S|-G|--format|--pretty|--header|-H|--data|-d|-t|--testNamePattern|--jq|-q)$/;

/** Of the programs that are: letters of such options. All others are flags, or a file stands behind them: `cat -e .env`. */
const TEXT_LETTERS: ReadonlyMap<string, string> = new Map(
  (
    "cut:cd sort:tS head:c tail:c grep:emd egrep:emd fgrep:emd rg:emtd ag:mG sed:e awk:e gawk:e perl:e touch:dt mkdir:m install:mS stat:c " +
    "node:ep python:c python3:c od:t xxd:c hexdump:e strings:et du:dt fd:etdSc less:p rsync:e split:t cp:S mv:S ln:S file:me patch:p"
  )
    .split(" ")
    .map((entry) => entry.split(":") as [string, string]),
);

/** The paths that the words and redirections of a line name, as far as they are known. */
export function touchedPaths(line: ShellLine): readonly TouchedPath[] {
  if (line.kind === "unparsed") return [];
  const redirects = line.redirects.flatMap(({ target, access, folder }): readonly TouchedPath[] => {
    const path = pathOf(target, folder);
    return path === undefined ? [] : [{ path, access, by: "redirect" }];
  });
  return [...redirects, ...allCommands(line.commands).flatMap(ofCommand)];
}

function ofCommand(command: ShellCommand): readonly TouchedPath[] {
  const { words, folder } = command;
  const program = programOf(command) ?? "";
  const [name, ...args] = words;
  if (name === undefined || SPEAKERS.has(program)) return [];
  const access = isWriting(program, args) ? "write" : "read";
  // Names without a slash are files to some programs only.
  const takesNames = access === "write" || READERS.has(program);
  const paths = [...programPath(name), ...fileWords(program, args)].flatMap((word) => {
    const isPath = /^(~|\.{1,2}$|\/)|\//.test(word.lead) && !/^\w+:\/\/|^[\w.-]+@[\w.-]+:/.test(word.text);
    return isPath || takesNames ? (pathOf(word, folder) ?? []) : [];
  });
  return paths.map((path) => ({ path, access, by: "word" }));
}

/** A program that is named by its path is a file as any other. */
function programPath(name: ShellWord): readonly ShellWord[] {
  return name.text.includes("/") ? [name] : [];
}

function isWriting(program: string, args: readonly ShellWord[]): boolean {
  if (program === "sed" || program === "perl") return args.some(({ text }) => /^-\w*i|^--in-place/.test(text));
  return WRITERS.has(program);
}

/** The words that may be names of files: no options, patterns or texts. */
function fileWords(program: string, args: readonly ShellWord[]): readonly ShellWord[] {
  const hasScript = args.some(({ text }) => /^(-e|-f|--regexp|--file|--expression)/.test(text));
  let toSkip = SEARCHERS.has(program) && !hasScript ? 1 : 0;
  return args.flatMap((word, at): readonly ShellWord[] => {
    if (at > 0 && isTextOption(program, args[at - 1]!.text)) return [];
    const value = /^(?:--?[\w-]+|[a-z]+)=(?=[/~.])/.exec(word.text)?.[0];
    if (value !== undefined)
      return [{ ...word, text: word.text.slice(value.length), lead: word.lead.slice(value.length) }];
    if (word.text.startsWith("-") || word.text === "") return [];
    if (toSkip-- > 0) return [];
    // A text in a sentence is none, unless it begins like a path.
    return /\s/.test(word.text) && !/^(\/|~\/|\.\.\/)\S/.test(word.text) ? [] : [word];
  });
}

function isTextOption(program: string, option: string): boolean {
  const isKnown = READERS.has(program) || WRITERS.has(program) || TEXT_LETTERS.has(program);
  if (option.startsWith("--") || !isKnown) return TEXT_OPTIONS.test(option);
  return option.length === 2 && option.startsWith("-") && (TEXT_LETTERS.get(program)?.includes(option[1]!) ?? false);
}

/** Joined with the folder that the command runs in; undefined: nothing of it is known. */
function pathOf({ lead, text, state }: ShellWord, folder: string | undefined): string | undefined {
  const known = state === "unknown" ? lead : text;
  if (known === "" || known.includes("\0")) return undefined;
  if (/^[/~]/.test(known)) return posix.normalize(known);
  return folder === undefined ? undefined : posix.normalize(posix.join(folder === "" ? "." : folder, known));
}
