import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createProject } from "./create-project.ts";

const base = mkdtempSync(join(tmpdir(), "palimpsest-create-"));
afterEach(() => rmSync(base, { recursive: true, force: true }));

test("the printed steps are right with packages from npm and, as docs/start.md has it, with tarballs", () => {
  const main = join(import.meta.dirname, "main.ts");
  const printed = execFileSync(process.execPath, ["--no-warnings", main, "mine"], { cwd: base, encoding: "utf8" });
  expect(printed).toMatch(/^ {2}npm install$/m);
  const [tarballs] = /^ {2}(npm install FOLDER.*)$/m.exec(printed)?.slice(1) ?? [];
  const start = readFileSync(join(import.meta.dirname, "../../../docs/start.md"), "utf8");
  expect(start).toContain(`\n${tarballs?.replaceAll("FOLDER", "../packed")}\n`);
});

test("a new agent answers against the simulator, and continues its session when it is started again", () => {
  const folder = join(base, "My Agent!");
  expect(createProject(folder)).toEqual({ kind: "created", folder });
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  expect(manifest.name).toBe("my-agent");
  expect(manifest.dependencies.palimpsest).toMatch(/^\d+\.\d+\.\d+$/);
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toContain("node_modules");

  // In place of `npm install`, which test/packages does with the tarballs.
  symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(folder, "node_modules"));
  const run = (question: string): string =>
    execFileSync(process.execPath, ["--conditions=palimpsest-source", "--no-warnings", "agent.ts", question], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
  expect(run("Which files are here?")).toMatch(/agent\.ts[\s\S]*% of the window left/);
  expect(run("And again?")).toContain("Session my-agent: 1 earlier message of yours");
});

test("a folder with files in it is left alone", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-create-"));
  writeFileSync(join(folder, "mine.txt"), "mine");
  expect(createProject(folder)).toMatchObject({ kind: "refused", why: expect.stringContaining("is not empty") });
  rmSync(folder, { recursive: true });
});
