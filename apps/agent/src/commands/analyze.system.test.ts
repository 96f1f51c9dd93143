import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answer } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { writeHome } from "../../../../test/transcripts/write-home.ts";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

test("analyzes a session as text, JSON and a page, and a folder as a whole", async () => {
  const project = temporaryProject({ "note.jsonl": '{"no":"session"}\n' });
  writeHome(project.home);
  const cli = await startCli(project, () => answer("Nobody asks."));
  const path = join(project.home, ".claude/projects/-work-sums/c1a0de00-0000-4000-8000-000000000001.jsonl");

  const text = await cli.run(["analyze", path], { environment: { COLUMNS: "70" } });
  expect({ code: text.code, out: text.out }).toMatchObject({ code: 0, out: expect.stringContaining("Spent on") });

  const page = join(project.folder, "page.html");
  const both = await cli.run(["analyze", path, "--json", "--html", page]);
  const analysis = JSON.parse(both.out);
  expect(analysis).toMatchObject({ path, session: { agent: "claude-code" }, totals: { responses: 6 } });
  expect(analysis.points).toHaveLength(6);
  expect(readFileSync(page, "utf8")).toMatch(/^<!doctype html>[\s\S]*"start":"#\/s\/\w+\/spent"[\s\S]*<\/html>\n$/);

  const sums = JSON.parse((await cli.run(["analyze", project.home, "--json"])).out);
  expect(sums).toMatchObject({ sessions: 15, compactions: 11 });
  expect(sums.expensiveSessions[0]).not.toHaveProperty("points");

  const several = await cli.run(["analyze", project.home, "--html", page]);
  expect(several).toMatchObject({ code: 0, said: expect.stringContaining(`Wrote ${page}`) });
  const answers = JSON.parse(/id="answers">(.*?)<\/script>/s.exec(readFileSync(page, "utf8"))![1]!).answers;
  const { sessions, total, spent } = answers["/api/sessions"];
  expect({ total, listed: sessions.length }).toEqual({ total: 15, listed: 15 });
  expect(spent.tables.map(({ title }: { title: string }) => title)).toContain("Where the money went");
  // The page contains each session that has responses, with every request.
  for (const { id, copied } of sessions) expect({ id, leftOut: copied?.leftOut ?? 0 }).toEqual({ id, leftOut: 0 });
  expect(sessions.filter(({ copied }: { copied?: unknown }) => copied !== undefined).length).toBeGreaterThan(10);

  const nothing = await cli.run(["analyze", "note.jsonl"]);
  expect(nothing).toMatchObject({ code: 1, said: expect.stringContaining("no transcript that can be read") });
  expect(await cli.run(["analyze", path, "--price", "model"])).toMatchObject({
    code: 2,
    said: expect.stringContaining("--price takes"),
  });
  expect((await cli.run(["analyze"])).code).toBe(2);
});
