import { expect, test } from "vitest";
import { hashOf, type LoadedFile } from "../../workspace/open-inside.ts";
import { checkSaved } from "./change-file.ts";

function loaded(text: string): LoadedFile {
  const bytes = Buffer.from(text);
  return { bytes, facts: { mtimeMs: 0, sizeBytes: bytes.length, hash: hashOf(bytes) } };
}

test("checkSaved rejects a file with unsaved changes, ignoring line ends and byte order marks", async () => {
  const inEditor = (text: string | undefined) => async () => text;
  expect(await checkSaved("a.ts", loaded("a\n"), inEditor("b\n"))).toContain("not saved");
  expect(await checkSaved("a.ts", loaded("\ufeffa\r\n"), inEditor("a\n"))).toBeUndefined();
  expect(await checkSaved("a.ts", loaded("a\n"), inEditor(undefined))).toBeUndefined();
  expect(await checkSaved("a.ts", loaded("a\n"), undefined)).toBeUndefined();
  expect(await checkSaved("a.ts", undefined, inEditor("b\n"))).toBeUndefined();
});
