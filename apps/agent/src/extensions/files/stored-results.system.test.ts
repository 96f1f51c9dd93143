import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { answer, callTool, callTools } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../../testing/run-cli.ts";
import { sentRequests } from "../../testing/sent-requests.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";

const pathIn = (text: string): string => /It is in (\S+)/.exec(text)![1]!;

test("Read opens a stored result by the path in its preview, but other tools and sessions cannot", async () => {
  const project = temporaryProject();
  const results: string[] = [];
  let path = "";
  const cli = await startCli(project, ({ toolResults, userText }) => {
    results.push(...toolResults.map(({ text }) => text));
    if (userText.includes("another")) {
      return toolResults.length === 0 ? callTools(callTool("Read", { file_path: path })) : answer("Done.");
    }
    if (results.length === 0) return callTools(callTool("Bash", { command: "seq 1 40000" }));
    path = pathIn(results[0]!);
    if (results.length === 1) return callTools(callTool("Read", { file_path: path, offset: 30_000, limit: 3 }));
    if (results.length === 2) return callTools(callTool("Write", { file_path: path, content: "gone" }));
    if (results.length === 3) return callTools(callTool("Grep", { path, pattern: "30001" }));
    return answer("Done.");
  });
  expect(await cli.run(["-p", "Count", "--allow", "Bash", "--mode", "accept-edits"])).toMatchObject({ code: 3 });
  expect(results[0]).toContain("<persisted-output>");
  expect(results[1]).toBe(
    " 30000\t30000\n 30001\t30001\n 30002\t30002\n[40000 lines in all. Read on with offset 30003.]",
  );
  expect(results[2]).toContain("outside of the project");
  expect(results[3]).toContain("Search it with recall");
  expect(readFileSync(path, "utf8").startsWith("1\n2\n")).toBe(true);

  expect((await cli.run(["-p", "In another session"])).code).toBe(0);
  expect(results.at(-1)).toContain("lies outside of");
  expect(cli.refused()).toEqual([]);
});

test("reads a long file page by page without storing any page", async () => {
  const project = temporaryProject();
  const lines = Array.from({ length: 6_000 }, (_, at) => `line ${at + 1} ${"word ".repeat(at % 20)}`.trimEnd());
  project.put("long.txt", `${lines.join("\n")}\n`);
  const pages: string[] = [];
  const cli = await startCli(project, ({ toolResults }) => {
    pages.push(...toolResults.map(({ text }) => text));
    const next = /Read on with offset (\d+)/.exec(pages.at(-1) ?? "")?.[1];
    if (pages.length > 0 && next === undefined) return answer("Done.");
    return callTools(
      callTool("Read", { file_path: "long.txt", ...(next === undefined ? {} : { offset: Number(next) }) }),
    );
  });
  expect((await cli.run(["-p", "Read it"])).code).toBe(0);
  const read = pages.flatMap((page) => page.split("\n").filter((line) => !line.startsWith("[")));
  expect(read.map((line) => line.slice(7))).toEqual(lines);
  expect(JSON.stringify(sentRequests(cli).at(-1))).not.toContain("persisted-output");
  const projects = join(project.home, ".palimpsest/projects");
  expect(existsSync(join(projects, readdirSync(projects)[0]!, "sessions/tool-results"))).toBe(false);
});
