import { join } from "node:path";
import { RECORDED_AGENTS } from "@palimpsest/observe";
import { answer } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { writeHome } from "../../../../test/transcripts/write-home.ts";
import { startCli } from "../testing/run-cli.ts";
import { sentRequests } from "../testing/sent-requests.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { COMMANDS } from "./definitions.ts";

test("other agents' sessions can be found, imported, shown, measured and resumed", async () => {
  const project = temporaryProject({ "note.jsonl": '{"no":"session"}\n' });
  writeHome(project.home);
  const cli = await startCli(project, () => answer("It is put right."));
  const done = async (...args: string[]): Promise<string> => {
    const { code, out, said } = await cli.run(args);
    expect({ args, code, said }).toMatchObject({ code: 0 });
    return out;
  };

  const [found] = JSON.parse(await done("sessions", "--from", "claude-code", "--json"));
  expect(found).toMatchObject({
    agent: "claude-code",
    title: "add(2, 2) gives 5. Please put it right.",
    cwd: "/work/sums",
  });
  expect(await done("sessions", "--from", "opencode")).toMatch(/~\/\.local\/share\/opencode\/opencode\.db \(ses_1\)/);
  expect(await done("sessions", "--from", "qwen")).toContain("palimpsest analyze FILE");

  const path = join(project.home, ".claude/projects/-work-sums/c1a0de00-0000-4000-8000-000000000001.jsonl");
  const [imported] = JSON.parse(await done("sessions", "import", path, "--json"));
  expect(imported).toMatchObject({ kind: "imported", agent: "claude-code", responses: 6, compactions: 1 });
  expect(await done("sessions", "import", path)).toContain("1 session already imported: left unchanged.");

  const { id } = imported;
  expect(await done("sessions", "show", id)).toMatch(/human 2026-11-01 10:00[\s\S]*add\(2, 2\) gives 5/);
  const cost = JSON.parse(await done("sessions", "cost", id, "--json"));
  expect(cost).toMatchObject({ session: id, responses: 6, unpricedResponses: 0 });
  expect(cost.breaks.map(({ causes }: { readonly causes: readonly string[] }) => causes)).toEqual([
    ["pause"],
    ["boundary"],
  ]);
  expect(JSON.parse(await done("sessions", "context", id, "--json")).accounting.toolResultTokens.Read).toBeGreaterThan(
    10,
  );
  expect((await done("sessions", "export", id)).trim().split("\n").length).toBe(imported.entries);

  await done("-r", id, "-p", "Is it right now?");
  // The session continues as ours, with our prompt and tools, which the other agent did not record.
  const { system, tools } = sentRequests(cli).at(-1)!;
  expect(system).toContain(project.folder);
  expect(tools.map(({ name }) => name)).toContain("Read");
  expect(cli.refused()).toEqual([]);

  expect(await done("sessions", "import", project.home)).toMatch(
    /codex-.* codex [\s\S]*gemini-.* gemini [\s\S]*without messages: skipped/,
  );
  // Each id is shortened to a unique start, even if ids begin alike.
  const listed = (await done("sessions"))
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(" ")[0]!);
  expect(new Set(listed).size).toBe(listed.length);
  for (const short of listed) await done("sessions", "show", short);
  const { code, said } = await cli.run(["sessions", "import", "note.jsonl"]);
  expect({ code, said }).toMatchObject({ code: 1, said: expect.stringContaining("no transcript that can be read") });
  expect((await cli.run(["sessions", "import"])).code).toBe(2);
  expect((await cli.run(["sessions", "import", "nowhere"])).code).toBe(1);
  expect((await cli.run(["sessions", "--from", "clade-code"])).said).toContain("Did you mean claude-code?");
});

test("--from accepts every agent that can be read", () => {
  expect(COMMANDS.sessions.options.from.of).toEqual(RECORDED_AGENTS);
});
