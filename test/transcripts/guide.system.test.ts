import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AGENT_PROGRAM, COMPILED } from "../../apps/agent/src/testing/agent-program.ts";
import { writeHome } from "./write-home.ts";

const GUIDE = "docs/guides/what-did-my-agent-spend.md";
/** Blocks of commands, and what they print. */
const BLOCK = /```console\n\$ palimpsest (.*)\n([\s\S]*?)```/g;

let base: string;
let folder: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "palimpsest-guide-"));
  writeHome(join(base, "home"));
  folder = join(base, "project");
  mkdirSync(folder);
  cpSync("examples/transcripts", join(folder, "examples/transcripts"), { recursive: true });
});
afterAll(() => rmSync(base, { recursive: true }));

test("the guide's commands print what the guide says", () => {
  const blocks = [...readFileSync(GUIDE, "utf8").matchAll(BLOCK)];
  expect(blocks.length).toBe(5);
  for (const [, command, output] of blocks) {
    const [node, ...words] = AGENT_PROGRAM;
    const env = { PATH: process.env["PATH"], HOME: join(base, "home"), COLUMNS: "100", ...COMPILED };
    const printed = execFileSync(node, [...words, ...command!.split(" ")], {
      cwd: folder,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = command!.includes("--html") ? "Wrote spent.html\n" : printed;
    expect(said).toBe(output);
  }
  expect(readFileSync(join(folder, "spent.html"), "utf8")).toContain("Where the money went");
});

test("the example is the session that the tests are about", () => {
  const path = ".claude/projects/-work-sums/c1a0de00-0000-4000-8000-000000000001.jsonl";
  expect(readFileSync("examples/transcripts/sums.jsonl", "utf8")).toBe(readFileSync(join(base, "home", path), "utf8"));
});
