import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryProject } from "../testing/temporary-project.ts";
import { createPathGuard, isInside } from "./path-guard.ts";

test("a folder whose name starts with the project's name is outside", async () => {
  const { folder } = temporaryProject();
  mkdirSync(`${folder}-backup`);
  writeFileSync(join(`${folder}-backup`, "notes.txt"), "");
  const guard = await createPathGuard(folder);
  expect(await guard.locate(`${folder}-backup/notes.txt`)).toMatchObject({ kind: "outside" });
  expect(await guard.locate("../project-backup/new.txt")).toMatchObject({ kind: "outside" });
  expect(await guard.locate("notes.txt")).toMatchObject({ kind: "inside", path: join(guard.roots[0]!, "notes.txt") });
  expect([isInside("/", "/"), isInside("/work", "/"), isInside("/work-backup", "/work")]).toEqual([true, true, false]);
});

test("resolves links, even for a file that does not exist yet", async () => {
  const { folder } = temporaryProject({ "inner/a.txt": "" });
  mkdirSync(`${folder}-backup`);
  symlinkSync(`${folder}-backup`, join(folder, "out"));
  symlinkSync(join(folder, "inner"), join(folder, "in"));
  symlinkSync(join(folder, "gone"), join(folder, "nowhere"));
  symlinkSync(join(folder, "circle"), join(folder, "circle"));
  const guard = await createPathGuard(folder);
  expect(await guard.locate("out/new.txt")).toMatchObject({ kind: "outside" });
  expect(await guard.locate("in/new.txt")).toMatchObject({
    kind: "inside",
    path: join(guard.roots[0]!, "inner/new.txt"),
  });
  for (const path of ["nowhere", "circle", "in/a.txt/deeper", "", "a\0b", "x".repeat(5_000)])
    expect(await guard.locate(path), path.slice(0, 20)).toMatchObject({ kind: "invalid" });
});

test("other allowed folders are inside", async () => {
  const [project, other] = [temporaryProject(), temporaryProject()];
  const guard = await createPathGuard(project.folder, [other.folder]);
  expect(await guard.locate(join(other.folder, "a.txt"))).toMatchObject({ kind: "inside", root: guard.roots[1] });
});
