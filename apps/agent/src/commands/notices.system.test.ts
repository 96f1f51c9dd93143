import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { answer, callTool, callTools, inOrder, type Script, summarize } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { createHere } from "../testing/run-here.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { type TemporaryProject, temporaryProject } from "../testing/temporary-project.ts";

async function startHere(project: TemporaryProject, script: Script) {
  const cli = await startCli(project, script);
  const here = createHere({ ...cli, clock: { now: Date.now } });
  const run = (args: readonly string[]) => here.run([...args, "--base-url", cli.server.url]);
  return { here, run };
}

function putSettings({ home }: TemporaryProject, name: "settings.json" | "engine.json", values: object): void {
  mkdirSync(join(home, ".palimpsest"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, ".palimpsest", name), JSON.stringify(values));
}

function linesWith(text: string, words: string): readonly string[] {
  return text.split("\n").filter((line) => line.includes(words));
}

test("reports a hook that fails at the opening once, and in the result", async () => {
  const project = temporaryProject();
  putSettings(project, "settings.json", { hooks: [{ event: "SessionStart", command: "exit 7" }] });
  const { run } = await startHere(project, () => answer("Done."));
  const { code, out, said } = await run(["-p", "Hello", "--output-format", "json"]);
  expect({ code, said }).toMatchObject({ code: 0 });
  expect(linesWith(said, "Hook failed (SessionStart: exit 7)")).toHaveLength(1);
  expect(JSON.parse(out).notices).toEqual([expect.stringContaining("Hook failed")]);
});

test("streams events from the opening on, and puts notices into the result", async () => {
  const project = temporaryProject();
  putSettings(project, "settings.json", { hooks: [{ event: "SessionStart", command: "exit 7" }] });
  const { run } = await startHere(project, () => answer("Done."));
  const { out, said } = await run(["-p", "Hello", "--output-format", "stream-json"]);
  const events = out.split("\n").map((line) => JSON.parse(line));
  expect(events[0]).toMatchObject({ kind: "stream-started" });
  expect(events[1]).toMatchObject({ kind: "session-event", event: { kind: "hooks-ran", event: "SessionStart" } });
  const emitted = events.filter(({ kind, event }) => kind === "session-event" && event.kind === "response-recorded");
  expect(emitted).toHaveLength(1);
  expect(events.at(-1).notices).toEqual([expect.stringContaining("Hook failed")]);
  expect(said).not.toContain("Hook failed");
});

test("reports a result that cannot be stored, with the consequence", async () => {
  const project = temporaryProject();
  const script = inOrder([() => answer("Ready."), callTools(callTool("Bash", { command: "seq 1 20000" }))], () =>
    answer("Counted."),
  );
  const { run } = await startHere(project, script);
  await run(["-p", "Hello"]);
  blockResults(project);
  const { said } = await run(["-c", "-p", "Count", "--mode", "bypass"]);
  expect(linesWith(said, "Could not store a tool result of")).toHaveLength(1);
  expect(said).toContain("The model sees only its beginning");
});

/** Puts a file where the folder for results would be. */
function blockResults({ home }: TemporaryProject): void {
  const kept = join(home, ".palimpsest");
  const folders = readdirSync(kept, { recursive: true, encoding: "utf8" });
  const results = join(kept, folders.find((path) => basename(path) === "sessions")!, "tool-results");
  rmSync(results, { recursive: true, force: true });
  writeFileSync(results, "");
}

test("compacts a part of the conversation, and checks the arguments", async () => {
  const project = temporaryProject({ "big.txt": "a row of a table that fills the window\n".repeat(900) });
  const { here, run } = await startHere(project, scriptedModel);
  await run(["-p", "big file please"]);
  await run(["-c", "-p", "big file again"]);
  const { out } = await here.run(["sessions", "show", "--json"]);
  const entries = out.split("\n").map((line) => JSON.parse(line));
  const { sequence } = entries.find(({ payload }) => payload.includes("big file again"));
  const upTo = await run(["sessions", "compact", "--up-to", String(sequence), "--json"]);
  expect(JSON.parse(upTo.out)).toMatchObject({ kind: "compacted" });
  await expect(run(["sessions", "compact", "--from", "3", "--up-to", "9"])).rejects.toThrow("not both");
});

const SUMMARY = Array.from({ length: 9 }, (_, at) => `## ${at + 1}. Part\nThe tables were read up to ${at}.`).join(
  "\n",
);

describe("a compaction that is due in a turn without a screen", () => {
  const ROWS = "a row of a table that fills the window\n".repeat(900);

  /** Runs a turn that reads more than the window holds without a compaction. */
  async function fillWindow(engine: object, settings: object = {}) {
    const names = [1, 2, 3, 4, 5].map((number) => `table-${number}.txt`);
    const project = temporaryProject(Object.fromEntries(names.map((name) => [name, `${name}\n${ROWS}`])));
    putSettings(project, "engine.json", { compactAt: 4, profile: "quality", ...engine });
    putSettings(project, "settings.json", settings);
    const left = [...names];
    const { here, run } = await startHere(project, ({ purpose }) => {
      if (purpose === "summary") return summarize(SUMMARY);
      const name = left.shift();
      return name === undefined ? answer("Done.") : callTools(callTool("Read", { file_path: name }));
    });
    const { code, said } = await run(["-p", "Read the tables"]);
    expect(code).toBe(0);
    const { out } = await here.run(["sessions", "show", "--json"]);
    const isCompacted = out.split("\n").some((line) => JSON.parse(line).kind === "boundary");
    return { said, isCompacted };
  }

  test("is announced with its savings and how to undo it, and then runs", async () => {
    const { said, isCompacted } = await fillWindow({});
    expect(isCompacted).toBe(true);
    expect(said).toMatch(/saves [\s\S]*palimpsest sessions undo[\s\S]*Compacted: /);
  });

  test("does not run if the settings require approval, and the last line says how to run it", async () => {
    const { said, isCompacted } = await fillWindow({ compaction: "ask" });
    expect(isCompacted).toBe(false);
    expect(linesWith(said, "palimpsest sessions compact")).toHaveLength(2);
    expect(said).toMatch(/palimpsest sessions compact --session [0-9a-f]+$/);
  });

  test("does not run if a hook blocks it, and shows a notice", async () => {
    const hook = { event: "PreCompact", command: "exit 2" };
    const { said, isCompacted } = await fillWindow({}, { hooks: [hook] });
    expect(isCompacted).toBe(false);
    expect(said).toContain("Not compacted: a hook blocked it.");
  });
});

test("a resumed session announces an economic compaction with its first message, and compacts with its second", async () => {
  const project = temporaryProject();
  const { run } = await startHere(project, ({ purpose }) =>
    purpose === "summary" ? summarize(SUMMARY) : answer("Done."),
  );
  // 100,000 tokens are enough. A longer message would be stored in a file.
  const large = "a word of a long message ".repeat(3_900);
  await run(["-p", large]);
  for (let message = 0; message < 2; message++) await run(["-c", "-p", large]);
  const first = await run(["-c", "-p", large]);
  expect(first.said).toMatch(/compact/i);
  expect(first.said).not.toContain("Compacted: ");
  const second = await run(["-c", "-p", "Go on."]);
  expect(second.said).toContain("Compacted: ");
});
