// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expansions of the shell

import { expect, test } from "vitest";
import { parseLine } from "./parse-line.ts";
import { touchedPaths } from "./touched-paths.ts";

test("of a path that is not known as a whole, only the part before counts", () => {
  for (const [text, path] of [
    ["cat src/a.ts", "src/a.ts"],
    ["cat src/$X/../../../etc/passwd", "src/"],
    ["cat /etc/${X}d", "/etc/"],
    ["cat ~/$X/b", "~/"],
  ] as const)
    expect([text, touchedPaths(parseLine(text)).map((one) => one.path)]).toEqual([text, [path]]);
});
