import { opendir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { commandOutput, type NewContent, type Part, user } from "palimpsest";
import { sanitize } from "palimpsest/sanitize";
import { imagePart, imageTypeOf, MAX_IMAGE_BYTES } from "../../extensions/files/image.ts";
import { showLines } from "../../extensions/files/show-lines.ts";
import { runRipgrep } from "../../extensions/search/enclose-search.ts";
import { openInside } from "../../workspace/open-inside.ts";
import type { PathGuard } from "../../workspace/path-guard.ts";

interface Attached {
  /** The user's text with its images, and behind it the files and folders that it names. */
  readonly content: readonly NewContent[];
  /** Why something could not be attached, one line each. */
  readonly problems: readonly string[];
}

/** What limits the files that a message can attach. */
export interface AttachRules {
  /** The folders of the project. Files outside of them need an answer. */
  readonly guard: PathGuard;
  /** Whether a rule such as `deny Read(.env)` forbids to read a file. */
  readonly isHidden: (path: string) => boolean;
  /** Asks the user whether a file outside of the project may be attached. */
  readonly askOutside: (path: string) => Promise<boolean>;
}

/** Matches a file name in the user's text: `@name`, or `@"a name"` if it has spaces. Punctuation after it is not part of the name. */
const NAMED = /(?<=^|\s)@(?:"([^"\n]+)"|(\S+?))(?=[,.;:!?)]*(?:\s|$))/g;
/** `src/a.ts:10-20`, `src/a.ts:10` or `src/a.ts#L10-L20`. */
const RANGE = /^(.+?)(?::|#L)(\d+)(?:-L?(\d+))?$/;
/** Without a range, the lines of a file that are sent; the model can read on. */
const MOST_LINES = 2_000;
const MOST_NAMES = 500;
/** Larger files are for the tools, which read parts of them. */
const MOST_BYTES = 5_000_000;

type Found =
  | { readonly kind: "image"; readonly part: Part }
  | { readonly kind: "text"; readonly content: NewContent }
  | { readonly kind: "problem"; readonly text: string }
  /** Not a file: a word that begins with @. */
  | { readonly kind: "word" };

/**
 * Attaches what the user's typed text names: images, text files with their line numbers, and the names in folders. Their text is data: the
 * model sees it between marks. Pasted text attaches nothing, because somebody else may have written the names.
 */
export async function attachFiles(text: string, rules: AttachRules): Promise<Attached> {
  const named = [...text.matchAll(NAMED)].map(([, quoted, word]) => quoted ?? word!);
  const found: Found[] = [];
  // One after another: two questions cannot stand at once.
  for (const name of new Set(named)) found.push(await find(name, rules));
  const images = found.flatMap((one) => (one.kind === "image" ? [one.part] : []));
  const files = found.flatMap((one) => (one.kind === "text" ? [one.content] : []));
  const problems = found.flatMap((one) => (one.kind === "problem" ? [one.text] : []));
  const said = images.length === 0 ? text : user([{ kind: "text", text }, ...images]);
  return { content: [said, ...files], problems };
}

/** Makes pasted text data: the model sees it between marks, and it never counts as the user's words. */
export function pastedContent({ name, text }: { readonly name: string; readonly text: string }): NewContent {
  return data(name, text);
}

async function find(name: string, rules: AttachRules): Promise<Found> {
  const whole = await factsOf(name, rules.guard);
  const [, part, from, to] = whole === undefined ? (RANGE.exec(name) ?? []) : [];
  const facts = whole ?? (part === undefined ? undefined : await factsOf(part, rules.guard));
  if (facts === undefined) {
    const isFile = imageTypeOf(name) !== undefined || from !== undefined || /\.\w{1,5}$/.test(name);
    return isFile ? problem(name, "the file does not exist") : { kind: "word" };
  }
  try {
    const { path } = facts;
    if (rules.isHidden(path)) return problem(name, "a rule forbids to read it");
    if (facts.place === "outside" && !(await rules.askOutside(path))) return problem(name, "you said no");
    if (facts.kind === "folder") return await listing(name, path);
    const mediaType = imageTypeOf(path);
    if (mediaType !== undefined) return await image(name, mediaType, path);
    const range = from === undefined ? undefined : { from: Number(from), to: Number(to ?? from) };
    return await textFile(name, path, range);
  } catch (error) {
    return problem(name, (error as Error).message.replace(/\.$/, ""));
  }
}

interface Facts {
  readonly kind: "file" | "folder";
  /** With links resolved. */
  readonly path: string;
  readonly place: "inside" | "outside";
}

async function factsOf(name: string, guard: PathGuard): Promise<Facts | undefined> {
  const located = await guard.locate(resolve(guard.roots[0]!, name.replace(/^~(?=\/)/, homedir())));
  if (located.kind !== "inside" && located.kind !== "outside") return undefined;
  const found = await stat(located.path).catch(() => undefined);
  return found && { kind: found.isDirectory() ? "folder" : "file", path: located.path, place: located.kind };
}

function problem(name: string, why: string): Found {
  return { kind: "problem", text: `Could not attach ${name}: ${why}.` };
}

async function image(name: string, mediaType: string, path: string): Promise<Found> {
  const { bytes, size } = await readAtMost(path, MAX_IMAGE_BYTES);
  if (bytes === undefined)
    return problem(name, `it has ${size} bytes, and the limit is ${MAX_IMAGE_BYTES}. Make the image smaller`);
  const part = imagePart(bytes);
  return part === undefined ? problem(name, `the file is not a valid ${mediaType}`) : { kind: "image", part };
}

async function textFile(
  name: string,
  path: string,
  range: { readonly from: number; readonly to: number } | undefined,
): Promise<Found> {
  const { bytes, size } = await readAtMost(path, MOST_BYTES);
  if (bytes === undefined)
    return problem(name, `it has ${size} bytes, and the limit is ${MOST_BYTES}. The model can read parts of it`);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) return problem(name, "it is not text");
  const lines = sanitize(text).replace(/\n$/, "").split("\n");
  const { from: offset, to } = range ?? { from: 1, to: MOST_LINES };
  const shown = showLines(lines, { offset, limit: Math.max(1, to - offset + 1) });
  if (shown === undefined) return problem(name, `it has only ${lines.length} lines`);
  return { kind: "text", content: data(`@${name}`, shown.text) };
}

/** Reads a regular file: no pipe that never ends, and no more bytes than the limit, even if the file grows. */
async function readAtMost(path: string, limit: number): Promise<{ readonly bytes?: Buffer; readonly size: number }> {
  const file = await openInside(path, path);
  try {
    const { size } = await file.stat();
    if (size > limit) return { size };
    const bytes = Buffer.alloc(size);
    let read = 0;
    while (read < size) {
      const { bytesRead } = await file.read(bytes, read, size - read, read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return { bytes: bytes.subarray(0, read), size };
  } finally {
    await file.close();
  }
}

/** Names that are looked at; what is sent is fewer. */
const MOST_LISTED = 20_000;

async function listing(name: string, path: string): Promise<Found> {
  const all: string[] = [];
  for await (const entry of await opendir(path)) {
    if (all.length === MOST_LISTED) break;
    all.push(`${entry.name}${entry.isDirectory() ? "/" : ""}`);
  }
  const names = all.toSorted();
  const count = all.length === MOST_LISTED ? `${MOST_LISTED - MOST_NAMES} or more` : `${names.length - MOST_NAMES}`;
  const more = names.length > MOST_NAMES ? [`[${count} more. List them with Glob.]`] : [];
  return { kind: "text", content: data(`@${name}`, sanitize([...names.slice(0, MOST_NAMES), ...more].join("\n"))) };
}

/** Text of a file is not the user's words. */
function data(name: string, text: string): NewContent {
  return { ...commandOutput(text), provenance: { kind: "outside", name } };
}

/** Lists the files of a project that its ignore rules allow, for completion. */
export async function findFiles(folder: string): Promise<readonly string[]> {
  const found = await runRipgrep({
    args: ["--files", "--sort", "path"],
    folder,
    mostLines: 20_000,
    mostCharacters: 2_000_000,
    signal: new AbortController().signal,
  });
  return found.kind === "found" ? found.lines.map((line) => line.replace(/^\.\//, "")) : [];
}
