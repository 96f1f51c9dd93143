// What fills the windows of the course beside the facts: source code, documentation and changelogs of published packages.

import { readdirSync, readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, extname, join } from "node:path";
import type { Random } from "../random.ts";

/**
 * Packages whose files fill the windows. lab/package.json pins their versions, so everybody draws the same texts. The list mixes
 * languages: TypeScript, JavaScript, C++, Markdown, JSON, and words in a hundred human languages.
 */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  axios: ["lib", "CHANGELOG.md", "MIGRATION_GUIDE.md"],
  moment: ["locale", "src/lib", "CHANGELOG.md"],
  nan: ["doc", "CHANGELOG.md", "nan.h", "nan_callbacks_12_inl.h", "nan_maybe_43_inl.h", "nan_object_wrap.h"],
  nodemailer: ["dist/cjs", "CHANGELOG.md", "README.md"],
  rxjs: ["src/internal", "CHANGELOG.md"],
  undici: ["lib", "docs", "types"],
};
const TEXTS = new Set([".ts", ".js", ".cjs", ".mjs", ".h", ".md", ".json"]);
/** A longer line belongs to generated code. */
const MAX_LINE_CHARACTERS = 400;
/** The smallest and the largest piece of a file that one call reads. */
const PART_CHARACTERS = { least: 4_000, most: 11_000 } as const;
/** Shorter pieces at the end of a file are left out. */
const LEAST_LAST_CHARACTERS = 1_500;
/** Sentences that people and models could have written. */
const SENTENCE_CHARACTERS = { least: 40, most: 240 } as const;

/** Texts of a course, each given out once until all were used. */
export interface Material {
  /** A piece of a file, as one call reads it. */
  part(): string;
  /** Sentences of documentation and changelogs, of about so many characters together. */
  prose(characters: number): readonly string[];
}

/** The texts in an order that depends on the seed alone. */
export function createMaterial(random: Random): Material {
  const files = Object.entries(PACKAGES).flatMap(([name, paths]) => filesOf(name, paths));
  const parts = endless(
    files.flatMap(({ text }) => partsOf(text, random)),
    random,
  );
  const markdown = files.filter(({ path }) => extname(path) === ".md");
  const sentences = endless([...new Set(markdown.flatMap(({ text }) => sentencesOf(text)))], random);
  return {
    part: () => parts.next().value,
    prose(characters) {
      const some: string[] = [];
      for (let length = 0; length < characters; length += some.at(-1)!.length) some.push(sentences.next().value);
      return some;
    },
  };
}

/** The packages that fill the windows, with their versions. */
export function materialVersions(): readonly string[] {
  return Object.keys(PACKAGES).map((name) => `${name}@${JSON.parse(readFileSync(manifestOf(name), "utf8")).version}`);
}

function manifestOf(name: string): string {
  const manifest = findPackageJSON(name, import.meta.url);
  if (manifest === undefined) throw new Error(`The package ${name} is not installed. Run: npm ci`);
  return manifest;
}

interface TextFile {
  readonly path: string;
  readonly text: string;
}

function filesOf(name: string, paths: readonly string[]): readonly TextFile[] {
  const folder = dirname(manifestOf(name));
  const found = paths.flatMap((path) => {
    if (TEXTS.has(extname(path))) return [path];
    const below = readdirSync(join(folder, path), { recursive: true, encoding: "utf8" });
    return below.filter((file) => TEXTS.has(extname(file))).map((file) => join(path, file));
  });
  return found
    .map((path) => ({ path: path.replaceAll("\\", "/"), text: readFileSync(join(folder, path), "utf8") }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Cuts a file at lines, into pieces of different sizes. */
function partsOf(text: string, random: Random): readonly string[] {
  const { least, most } = PART_CHARACTERS;
  const parts: string[] = [];
  let [lines, characters, size] = [[] as string[], 0, least + random.below(most - least)];
  for (const line of text.split("\n")) {
    if (line.length > MAX_LINE_CHARACTERS) continue;
    lines.push(line);
    characters += line.length + 1;
    if (characters < size) continue;
    parts.push(lines.join("\n"));
    [lines, characters, size] = [[], 0, least + random.below(most - least)];
  }
  if (characters >= LEAST_LAST_CHARACTERS) parts.push(lines.join("\n"));
  return parts;
}

/** The sentences of paragraphs and list items, without code, headings and tables. */
function sentencesOf(markdown: string): readonly string[] {
  const { least, most } = SENTENCE_CHARACTERS;
  const words = markdown.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").replaceAll(/^\s*(?:[*-]|\d+\.)\s+/gm, "\n\n");
  return words
    .split(/\n\s*\n/)
    .filter((paragraph) => !/^\s*[#|>[<]/.test(paragraph))
    .flatMap((paragraph) =>
      paragraph
        .replaceAll(/\s+/g, " ")
        .trim()
        .split(/(?<=[.!?]) (?=\p{Lu})/u),
    )
    .filter((sentence) => sentence.length >= least && sentence.length <= most && /^[\p{Lu}`].*[.!?]$/u.test(sentence));
}

/** All texts in a random order, again and again. */
function* endless(texts: readonly string[], random: Random): Generator<string, never> {
  for (;;) {
    const shuffled = [...texts];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = random.below(last + 1);
      [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
    }
    yield* shuffled;
  }
}
