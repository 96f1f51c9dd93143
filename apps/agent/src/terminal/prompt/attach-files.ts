import { readdir, readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { commandOutput, type NewContent, type Part, user } from "palimpsest";
import { sanitize } from "palimpsest/sanitize";
import { imagePart, imageTypeOf, MAX_IMAGE_BYTES } from "../../extensions/files/image.ts";
import { showLines } from "../../extensions/files/show-lines.ts";
import { runRipgrep } from "../../extensions/search/enclose-search.ts";

interface Attached {
  /** The user's text with its images, and behind it the files and folders that it names. */
  readonly content: readonly NewContent[];
  /** Why something could not be attached, one line each. */
  readonly problems: readonly string[];
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
 * Attaches what the user's text names: images, text files with their line numbers, and the names in folders. They may be outside of the
 * project, since the user named them. Their text is data: the model sees it between marks.
 */
export async function attachFiles(text: string, folder: string): Promise<Attached> {
  const named = [...text.matchAll(NAMED)].map(([, quoted, word]) => quoted ?? word!);
  const found = await Promise.all([...new Set(named)].map((name) => find(name, folder)));
  const images = found.flatMap((one) => (one.kind === "image" ? [one.part] : []));
  const files = found.flatMap((one) => (one.kind === "text" ? [one.content] : []));
  const problems = found.flatMap((one) => (one.kind === "problem" ? [one.text] : []));
  const said = images.length === 0 ? text : user([{ kind: "text", text }, ...images]);
  return { content: [said, ...files], problems };
}

async function find(name: string, folder: string): Promise<Found> {
  const whole = await factsOf(name, folder);
  const [, part, from, to] = whole === undefined ? (RANGE.exec(name) ?? []) : [];
  const facts = whole ?? (part === undefined ? undefined : await factsOf(part, folder));
  if (facts === undefined) {
    const isFile = imageTypeOf(name) !== undefined || from !== undefined || /\.\w{1,5}$/.test(name);
    return isFile ? problem(name, "the file does not exist") : { kind: "word" };
  }
  try {
    if (facts.kind === "folder") return await listing(name, facts.path);
    const mediaType = imageTypeOf(facts.path);
    if (mediaType !== undefined) return await image(name, mediaType, facts);
    const range = from === undefined ? undefined : { from: Number(from), to: Number(to ?? from) };
    return await textFile(name, facts, range);
  } catch (error) {
    return problem(name, (error as Error).message);
  }
}

interface Facts {
  readonly kind: "file" | "folder";
  readonly path: string;
  readonly size: number;
}

async function factsOf(name: string, folder: string): Promise<Facts | undefined> {
  const path = resolve(folder, name.replace(/^~(?=\/)/, homedir()));
  const found = await stat(path).catch(() => undefined);
  return found && { kind: found.isDirectory() ? "folder" : "file", path, size: found.size };
}

function problem(name: string, why: string): Found {
  return { kind: "problem", text: `Could not attach ${name}: ${why}.` };
}

async function image(name: string, mediaType: string, { path, size }: Facts): Promise<Found> {
  if (size > MAX_IMAGE_BYTES)
    return problem(name, `it has ${size} bytes, and the limit is ${MAX_IMAGE_BYTES}. Make the image smaller`);
  const part = imagePart(await readFile(path));
  return part === undefined ? problem(name, `the file is not a valid ${mediaType}`) : { kind: "image", part };
}

async function textFile(
  name: string,
  { path, size }: Facts,
  range: { readonly from: number; readonly to: number } | undefined,
): Promise<Found> {
  if (size > MOST_BYTES)
    return problem(name, `it has ${size} bytes, and the limit is ${MOST_BYTES}. The model can read parts of it`);
  const bytes = await readFile(path);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) return problem(name, "it is not text");
  const lines = sanitize(text).replace(/\n$/, "").split("\n");
  const { from: offset, to } = range ?? { from: 1, to: MOST_LINES };
  const shown = showLines(lines, { offset, limit: Math.max(1, to - offset + 1) });
  if (shown === undefined) return problem(name, `it has only ${lines.length} lines`);
  return { kind: "text", content: data(`@${name}`, shown.text) };
}

async function listing(name: string, path: string): Promise<Found> {
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`).toSorted();
  const more = names.length > MOST_NAMES ? [`[${names.length - MOST_NAMES} more. List them with Glob.]`] : [];
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
