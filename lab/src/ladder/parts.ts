import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Stage } from "./stage.ts";

/** About 5,500 tokens. */
const CHARACTERS = 17_500;
/** A package with enough source code, in the version that the lock file pins. */
const SOURCE_PACKAGE = "openai";

export function partPath(number: number): string {
  return `src/part-${twoDigits(number)}.ts`;
}

/** The last name in a part: a result with this name is whole. */
export function lastName(number: number): string {
  return `last_value_of_part_${twoDigits(number)}`;
}

/**
 * Writes the parts 1 to `count`: source code, and prose in every third part. From lines of a single shape, no estimator could learn how
 * words, numbers and marks count.
 */
export function writeParts({ write }: Pick<Stage, "write">, count: number): void {
  const [code, prose] = [textOf("src/**/*.ts", count * CHARACTERS), textOf("*.md", 0)];
  for (let number = 1; number <= count; number++) {
    const text = number % 3 === 0 ? partOf(prose, number / 3) : partOf(code, number);
    write(partPath(number), `${text}\nexport const ${lastName(number)} = 0;\n`);
  }
}

/** A slice of a text. The slices begin again at the start of a short text, a little later each time. */
function partOf(text: string, number: number): string {
  const from = ((number - 1) * CHARACTERS) % Math.max(1, text.length - CHARACTERS);
  return text.slice(from, from + CHARACTERS);
}

function textOf(pattern: string, characters: number): string {
  const { resolve } = createRequire(import.meta.url);
  const folder = dirname(resolve(SOURCE_PACKAGE));
  let text = "";
  for (const file of globSync(pattern, { cwd: folder }).toSorted()) {
    text += readFileSync(join(folder, file), "utf8");
    if (characters > 0 && text.length >= characters) return text;
  }
  if (text.length < Math.max(characters, CHARACTERS)) {
    throw new Error(
      `${pattern} of ${SOURCE_PACKAGE} has ${text.length} characters; ${Math.max(characters, CHARACTERS)} are needed.`,
    );
  }
  return text;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
