import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { printProgress, writePage } from "./write-page.ts";

test("a long export prints its progress every hundred requests", () => {
  const said: string[] = [];
  const tell = printProgress({ say: (line) => said.push(line) });
  for (let requests = 1; requests <= 250; requests++) tell({ session: 1, ofSessions: 1, requests, ofRequests: 250 });
  tell({ session: 2, ofSessions: 3, requests: 100, ofRequests: 120 });
  expect(said).toEqual([
    "Copying: request 100 of 250",
    "Copying: request 200 of 250",
    "Copying: session 2 of 3, request 100 of 120",
  ]);
});

test("names the requests that did not fit", async () => {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-page-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const said: string[] = [];
  const file = join(folder, "page.html");
  const terminal = { say: (line: string) => said.push(line) };
  const inspect = "palimpsest inspect old.jsonl";
  await writePage(file, { html: "<p>page</p>", requests: 3, leftOut: 2 }, { terminal, inspect });
  expect(await readFile(file, "utf8")).toBe("<p>page</p>");
  expect(said.join("\n")).toMatch(/2 older requests did not fit.* To see all: palimpsest inspect old\.jsonl$/);
});
