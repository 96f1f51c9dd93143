import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const SOURCES = "packages/palimpsest/src";
const MOST_LINES = 60;

const sources = globSync(`${SOURCES}/**/*.ts`).filter((path) => !path.endsWith(".test.ts"));
const words = new Set(sources.flatMap((path) => readFileSync(path, "utf8").match(/[A-Za-z_$][\w$]*/g) ?? []));

/** Names and files in backticks of a page that the sources do not have. */
function findMissing(page: string, markdown: string): string[] {
  const quoted = [...markdown.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text!);
  return quoted.filter((text) => {
    if (/^[\w./*-]+\.ts$/.test(text)) {
      const places = [dirname(page), SOURCES, "."].map((folder) => join(folder, text));
      return !places.some((path) => globSync(path).length > 0);
    }
    if (/^[\w-]+\/$/.test(text)) return !existsSync(join(dirname(page), text)) && !existsSync(join(SOURCES, text));
    if (!/^[A-Za-z_$][\w$]*(\.[\w$]+)*(\(\))?$/.test(text)) return false;
    return !text
      .replace("()", "")
      .split(".")
      .every((word) => words.has(word));
  });
}

describe("the pages of the engine's folders", () => {
  const folders = globSync(`${SOURCES}/*/`).map((path) => path.replace(/\/$/, ""));

  test.each(folders)("%s has a page of at most 60 lines that names only files and code that exist", (folder) => {
    const page = join(folder, "README.md");
    const markdown = readFileSync(page, "utf8");
    expect(markdown.trim().split("\n").length).toBeLessThanOrEqual(MOST_LINES);
    expect(findMissing(page, markdown)).toEqual([]);
  });

  test("a file and a name that do not exist are found", () => {
    const page = `${SOURCES}/view/README.md`;
    expect(findMissing(page, "`fold.ts` has `foldEntry`, `gone.ts` has `foldNothing`, see `gone/`.")).toEqual([
      "gone.ts",
      "foldNothing",
      "gone/",
    ]);
  });
});
