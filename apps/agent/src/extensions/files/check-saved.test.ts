import { expect, test } from "vitest";
import { hashOf, type LoadedFile } from "../../workspace/open-inside.ts";
import { checkSaved } from "./change-file.ts";

function loaded(text: string): LoadedFile {
  const bytes = Buffer.from(text);
  return { bytes, facts: { mtimeMs: 0, sizeBytes: bytes.length, hash: hashOf(bytes) } };
}

test("a file with changes in the editor is left alone; line ends and byte order marks are no changes", async () => {
  const inEditor = (text: string | undefined) => async () => text;
  expect(await checkSaved("a.ts", loaded("a\n"), inEditor("b\n"))).toContain("not saved");
  expect(await checkSaved("a.ts", loaded("\ufeffa\r\n"), inEditor("a\n"))).toBeUndefined();
  expect(await checkSaved("a.ts", loaded("a\n"), inEditor(undefined))).toBeUndefined();
  expect(await checkSaved("a.ts", loaded("a\n"), undefined)).toBeUndefined();
  expect(await checkSaved("a.ts", undefined, inEditor("b\n"))).toBeUndefined();
});
