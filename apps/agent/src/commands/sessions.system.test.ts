import { answer, callTool, callTools, stallStream, summarize } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

const LINES = Array.from({ length: 900 }, (_, index) => `line ${index}: ${"word ".repeat(5)}`).join("\n");

test("a session can be listed, shown, measured, billed, compacted, restored and exported", async () => {
  const project = temporaryProject({ "a.txt": LINES });
  const cli = await startCli(project, ({ toolResults, userText }) => {
    if (userText.includes("<summary>")) return summarize("The user had a.txt read; it holds 900 lines.");
    if (toolResults.length > 0) return answer("Read.");
    return userText.includes("Read") ? callTools(callTool("Read", { file_path: "a.txt" })) : answer("Fine.");
  });
  const done = async (...args: string[]): Promise<string> => {
    const { code, out, said } = await cli.run(args);
    expect({ args, code, said }).toMatchObject({ code: 0 });
    return out;
  };
  await done("-p", "Read a.txt for me");
  await done("-c", "-p", "Thank you");

  const [listed] = JSON.parse(await done("sessions", "--json"));
  expect(listed).toMatchObject({ title: "Read a.txt for me", usedBefore: { provider: "anthropic" } });
  expect(await done("sessions")).toContain(listed.id.slice(0, 8));
  expect(await done("sessions", "show", listed.id.slice(0, 6))).toMatch(
    /human[\s\S]*Read a\.txt for me[\s\S]*more lines: show --entry/,
  );

  const before = JSON.parse(await done("sessions", "context", "--json"));
  expect(before.accounting.toolResultTokens.Read).toBeGreaterThan(4_000);
  expect(await done("sessions", "context")).toMatch(/tool results: Read +[\d,]+ +#{40}/);

  const compacted = JSON.parse(await done("sessions", "compact", "Keep", "the", "numbers", "--json"));
  expect(compacted).toMatchObject({ kind: "compacted", instructions: "Keep the numbers", session: listed.id });
  const after = JSON.parse(await done("sessions", "context", "--json"));
  expect(after.size.tokens).toBeLessThan(before.size.tokens);

  expect(await done("sessions", "undo")).toContain("the model sees entries");
  const again = JSON.parse(await done("sessions", "context", "--json"));
  expect(again.accounting.toolResultTokens).toEqual(before.accounting.toolResultTokens);
  expect((await cli.run(["sessions", "undo"])).code).toBe(1);

  const cost = JSON.parse(await done("sessions", "cost", "--json"));
  expect(Object.keys(cost.bySource)).toContain("main");
  expect(cost.priceUsd).toBeGreaterThan(0);
  expect(await done("sessions", "cost")).toMatch(/conversation +3 /);

  const lines = (await done("sessions", "export"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.length).toBeGreaterThan(10);
  await done("-c", "-p", "Still there?");
  expect(cli.refused()).toEqual([]);
});

test("measures and bills a session that another process has open", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, ({ userText }) =>
    userText.includes("slowly")
      ? { ...answer("At last. ".repeat(40)), fault: stallStream(2, 600_000) }
      : answer("Fine."),
  );
  await cli.run(["-p", "Hello"]);
  const busy = cli.start(["-c", "-p", "Now slowly", "--output-format", "stream-json"], { output: "open" });
  await new Promise<void>((resolve) => {
    busy.process.stdout.on("data", (chunk) => String(chunk).includes("request-started") && resolve());
  });
  expect(await cli.run(["sessions", "context"])).toMatchObject({ code: 0, out: expect.stringContaining("tokens") });
  const { out } = await cli.run(["sessions", "cost", "--json"]);
  expect(JSON.parse(out)).toMatchObject({ responses: 1 });
  busy.process.kill("SIGINT");
  expect((await busy.ended).code).not.toBe(0);
});

test("deletes only the named session, with its results", async () => {
  const project = temporaryProject({ "a.txt": LINES });
  const cli = await startCli(project, () => answer("Fine."));
  await cli.run(["-p", "The first"]);
  await cli.run(["-p", "The second"]);
  const list = async () => JSON.parse((await cli.run(["sessions", "--json"])).out) as { id: string; title: string }[];
  const [second, first] = await list();
  expect(await cli.run(["sessions", "delete", "ffff-nobody"])).toMatchObject({ code: 2 });
  expect(await cli.run(["sessions", "delete"])).toMatchObject({ code: 2 });
  expect(await cli.run(["sessions", "delete", first!.id])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Deleted ${first!.id}: The first`),
  });
  expect((await list()).map(({ id }) => id)).toEqual([second!.id]);
  expect((await cli.run(["sessions", "show", first!.id])).code).toBe(2);
});
