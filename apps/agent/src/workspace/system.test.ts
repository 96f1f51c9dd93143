import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { findProgram, findShell } from "../sandbox/find-program.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { systemOf } from "./system.ts";

const windows = systemOf("win32");

test("finds .exe files on Windows, and skips the bash of WSL", () => {
  const { base, folder } = temporaryProject();
  const [wsl, git] = ["System32", "Git"].map((name) => join(base, name)) as [string, string];
  for (const path of [wsl, git]) {
    mkdirSync(path);
    writeFileSync(join(path, "bash.exe"), "");
    chmodSync(join(path, "bash.exe"), 0o755);
  }
  const path = [wsl, git].join(delimiter);
  expect(findProgram("bash", path, [folder], windows)).toBe(join(git, "bash.exe"));
  expect(findProgram("bash", path, [folder], systemOf("linux"))).toBeUndefined();
  const environment = { PATH: wsl, ProgramFiles: "D:\\Programs" };
  expect(findShell(environment, [folder], windows)).toBe("D:\\Programs\\Git\\bin\\bash.exe");
  expect(findShell({ PATH: "" }, [folder], systemOf("darwin"))).toBe("/bin/bash");
});

test("editorLine accepts an editor with arguments and a file with spaces", () => {
  const [program, ...args] = systemOf("darwin").editorLine("printf %s:%s --wait", "/tmp/my message.md");
  expect(execFileSync(program, args, { encoding: "utf8" })).toBe("--wait:/tmp/my message.md");
  expect(windows.editorLine("code --wait", "C:\\my message.md").at(-1)).toBe('"code --wait "C:\\my message.md""');
  expect([windows.usualEditor, systemOf("linux").usualEditor]).toEqual(["notepad", "vi"]);
});

test("ends a process tree with a program on Windows, and with a group signal elsewhere", () => {
  expect(windows.endTree(7)).toEqual(["taskkill", "/pid", "7", "/t", "/f"]);
  expect(systemOf("darwin").endTree(7)).toBeUndefined();
});
