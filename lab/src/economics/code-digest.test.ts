import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createCodeDigest } from "./code-digest.ts";

function project(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-digest-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { write, digest: (name: string) => createCodeDigest()([pathToFileURL(join(folder, name))]) };
}

test("a change makes stale what imports the file, however far, and nothing else", () => {
  const { write, digest } = project({
    "one.ts": 'import { a } from "./shared.ts";\n',
    "other.ts": 'import type { A } from "./shared.ts";\nexport const b = 1;\n',
    "shared.ts": 'export {\n  deep,\n} from "./deep.ts";\n',
    "deep.ts": "export const deep = 1;\n",
  });
  const [one, other] = [digest("one.ts"), digest("other.ts")];
  write("deep.ts", "export const deep = 2;\n");
  expect(digest("one.ts")).not.toBe(one);
  expect(digest("other.ts")).toBe(other);
});
