import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ask, answer, callTool, callTools, summarize } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { sentRequests } from "../testing/sent-requests.ts";
import { type TemporaryProject, temporaryProject } from "../testing/temporary-project.ts";

const SUMMARY = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  .map(
    (number) =>
      `## ${number}. Section\nFiles were read one after the other, and nothing was found to be wrong in them.`,
  )
  .join("\n");

/** Reads the files that the user names, separated by commas. */
function think({ purpose, userText, toolResults }: Ask) {
  if (purpose === "summary") return summarize(SUMMARY);
  if (toolResults.length > 0) return answer("Read.");
  const files = /^Read (.+)$/m.exec(userText)?.[1]?.split(",") ?? [];
  return files.length === 0 ? answer("Fine.") : callTools(...files.map((file_path) => callTool("Read", { file_path })));
}

async function started(project: TemporaryProject) {
  const cli = await startCli(project, think);
  const done = async (...args: string[]): Promise<string> => {
    const { code, said } = await cli.run(args);
    expect({ args, code, said }).toMatchObject({ code: 0 });
    return said;
  };
  const last = () => sentRequests(cli).at(-1)!;
  return { cli, done, last };
}

test("the head keeps its instructions byte for byte, and changes are appended", async () => {
  const project = temporaryProject({ "AGENTS.md": `Use tabs. ${"And so on. ".repeat(600)}` });
  const { cli, done, last } = await started(project);
  await done("-p", "Hello");
  const first = last();
  expect(first.system).not.toContain("Use tabs.");
  expect(first.texts[0]).toMatch(/^<system-reminder>\nInstructions/);
  expect(first.texts[1]).toMatch(/^<marked-data from="project" name=".*AGENTS\.md">\n#.*\n\nUse tabs\./);
  expect(first.texts.at(-1)).toBe("Hello");

  project.put("AGENTS.md", "Use spaces.");
  await done("-c", "-p", "And now?");
  const second = last();
  expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
  // The cache still serves all earlier content, although the file has changed.
  expect(second.cacheReadTokens).toBe(first.cacheReadTokens + first.cacheWriteTokens);
  expect(second.texts.slice(-2)).toEqual([expect.stringContaining("Use spaces."), "And now?"]);

  await done("-c", "-p", "Once more");
  expect(last().texts.filter((text) => text.includes("Use spaces."))).toHaveLength(1);
  const cost = JSON.parse((await cli.run(["sessions", "cost", "--json"])).out);
  expect(cost.breaks).toEqual([]);
  expect(cli.refused()).toEqual([]);
});

test("a compaction updates the head, and undoing it restores the old head with its changes", async () => {
  const project = temporaryProject({ "AGENTS.md": "Use tabs.", "a.txt": "line of text\n".repeat(1_500) });
  const { cli, done, last } = await started(project);
  await done("-p", "Read a.txt");
  project.put("AGENTS.md", "Use spaces.");
  await done("-c", "-p", "And now?");
  await done("sessions", "compact");
  await done("-c", "-p", "Go on");
  const folded = last();
  expect(folded.texts[1]).toContain("Use spaces.");
  expect(folded.texts.join()).not.toContain("Use tabs.");
  expect(folded.texts.join().split("Use spaces.")).toHaveLength(2);

  await done("sessions", "undo");
  await done("-c", "-p", "And again?");
  expect(last().texts[1]).toContain("Use tabs.");
  expect(last().texts.filter((text) => text.includes("Use spaces."))).toHaveLength(1);

  rmSync(join(project.folder, "AGENTS.md"));
  await done("-c", "-p", "Whose word counts?");
  expect(last().texts.at(-2)).toMatch(/AGENTS\.md \(gone/);
  await done("sessions", "compact");
  await done("-c", "-p", "Go on");
  expect(last().texts.join()).not.toMatch(/Use (tabs|spaces)/);
  expect(cli.refused()).toEqual([]);
});

test("reading a file appends its folder's instructions once, and a compaction shows them again", async () => {
  const lines = "line of text\n".repeat(1_500);
  const project = temporaryProject({ "sub/AGENTS.md": "In sub: no semicolons.", "sub/a.txt": lines, "sub/b.txt": "b" });
  const { cli, done, last } = await started(project);
  await done("-p", "Read sub/a.txt,sub/b.txt");
  const isSent = (text: string): boolean => text.includes("no semicolons");
  expect(last().texts.filter(isSent)).toHaveLength(1);
  expect(last().texts.at(-1)).toMatch(/^<marked-data from="project" name=".*AGENTS\.md">\n# .*sub\/AGENTS\.md/);
  await done("-c", "-p", "Read sub/b.txt");
  expect(last().texts.filter(isSent)).toHaveLength(1);
  await done("sessions", "compact");
  project.put("sub/AGENTS.md", "In sub: semicolons after all.");
  await done("-c", "-p", "Go on");
  const again = last().texts.filter(isSent);
  expect(again).toEqual([
    expect.stringMatching(/^<marked-data from="project" name=".*AGENTS\.md">\nRules from .*\n# /),
  ]);
  expect(last().texts.filter((text) => text.includes("semicolons after all"))).toHaveLength(1);
  await done("-c", "-p", "Read sub/b.txt");
  expect(last().texts.filter((text) => text.includes("semicolons"))).toHaveLength(2);
  await done("sessions", "undo");
  await done("-c", "-p", "Go on");
  expect(last().texts.filter(isSent)).toHaveLength(1);
  expect(cli.refused()).toEqual([]);
});

test("hooks get each text that enters a request, and the user gets read errors", async () => {
  const project = temporaryProject({ "AGENTS.md": "@missing.md", "sub/CLAUDE.md": "below", "sub/a.txt": "a" });
  mkdirSync(join(project.home, ".palimpsest"));
  const command = "cat >> loaded.txt; echo >> loaded.txt";
  const settings = { hooks: [{ event: "InstructionsLoaded", command }] };
  writeFileSync(join(project.home, ".palimpsest/settings.json"), JSON.stringify(settings));
  const { done } = await started(project);
  expect(await done("-p", "Read sub/a.txt")).toContain("does not exist");
  project.put("AGENTS.md", "changed");
  await done("-c", "-p", "Go on");
  const loaded = readFileSync(join(project.folder, "loaded.txt"), "utf8").trim().split("\n");
  const paths = loaded.filter(Boolean).map((line) => JSON.parse(line).path.slice(project.folder.length));
  // The second process announces the texts that it sends: the changed text, and the text of the folder, which is still
  // in view.
  expect(paths).toEqual(["/AGENTS.md", "/sub/CLAUDE.md", "/AGENTS.md", "/sub/CLAUDE.md"]);
});
