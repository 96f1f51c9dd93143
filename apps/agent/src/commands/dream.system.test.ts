import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openMemory } from "@palimpsest/memory";
import { type Ask, answer, callTool, callTools, type Reply, stallStream } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { MEMORY_LIMITS } from "../extensions/memory/memory-limits.ts";
import { startCli } from "../testing/run-cli.ts";
import { createHere } from "../testing/run-here.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

const HOUR_MS = 3_600_000;
const TOPICS = 12;
const isDream = ({ tools }: Ask): boolean => tools.includes("SearchSessions");

interface SetUp {
  readonly forgets: number;
  readonly fails?: () => boolean;
  /** Whether an answer starts and never ends. */
  readonly stalls?: (ask: Ask) => boolean;
  /** The model's reply. @default forgets the given number of topics */
  readonly think?: (ask: Ask) => Reply;
}

/** Creates a project whose memory has topics of the model, and a dream that forgets some of them. */
async function setUp({ forgets, fails = () => false, stalls = () => false, think }: SetUp) {
  let offered: readonly string[] = [];
  const versions: string[] = [];
  const script = (ask: Ask): Reply => {
    if (!isDream(ask)) return answer("Done.");
    offered = ask.tools.toSorted();
    if (think !== undefined) return think(ask);
    if (stalls(ask)) return { ...answer("x"), fault: stallStream(1, 600_000) };
    if (fails()) return { ...answer("x"), fault: { kind: "spend-limit" } };
    if (ask.toolResults.length > 0) return answer("Tidied up.");
    const calls = versions
      .slice(0, forgets)
      .map((version, number) =>
        callTool("Topics", { command: "forget", slug: `topic-${number}`, because: "Over.", version }),
      );
    return calls.length === 0 ? answer("Nothing to do.") : callTools(...calls);
  };
  const project = temporaryProject({ "a.txt": "begun", "hidden.txt": "A SECRET has begun" });
  mkdirSync(join(project.home, ".palimpsest"), { recursive: true });
  const own = { permissions: { deny: ["Read(hidden.txt)"] } };
  writeFileSync(join(project.home, ".palimpsest", "settings.json"), JSON.stringify(own));
  const cli = await startCli(project, script);
  let nowMs = Date.now();
  const here = createHere({ ...cli, clock: { now: () => nowMs } });
  const folder = (await here.run(["memory"])).out.split("\n").at(-1)!;
  const memory = await openMemory({ folder });
  for (let number = 0; number < TOPICS; number++) {
    const draft = { name: `Topic ${number}`, description: `About ${number}.`, body: `Parser ${number} was rewritten.` };
    const written = await memory.write({ ...draft, type: "project" }, "model", "none");
    if (written.kind === "written") versions.push(written.version);
  }
  await memory.close();
  const url = ["--base-url", cli.server.url];
  for (let session = 0; session < MEMORY_LIMITS.dreamMinSessions; session++) await here.run(["-p", "Hello.", ...url]);
  return {
    project,
    cli,
    here,
    offered: () => offered,
    dream: (...args: readonly string[]) =>
      here.run(["memory", "dream", ...args, ...(args.includes("--yes") ? [] : url)]),
    topics: async () => JSON.parse((await here.run(["memory", "--json"])).out) as readonly { slug: string }[],
    pass: (hours: number) => {
      nowMs += hours * HOUR_MS;
    },
    dreams: () => cli.server.recorder.exchanges.filter(({ body }) => String(body).includes("SearchSessions")).length,
  };
}

test("a dream makes one change that can be undone, prints its cost, and the next waits a day", async () => {
  const { here, dream, topics, pass } = await setUp({ forgets: 1 });
  const { code, out, said } = await dream("--if-due");
  expect(code).toBe(0);
  expect(out).toMatch(/removed: topic-0\nTo undo this change: palimpsest memory undo \w{10}/);
  expect(said).toMatch(/Cost: \$0\.\d*[1-9]\d*\./);
  expect(await topics()).toHaveLength(TOPICS - 1);
  await here.run(["memory", "undo", /memory undo (\w+)/.exec(out)![1]!]);
  expect(await topics()).toHaveLength(TOPICS);
  pass(23);
  expect((await dream("--if-due")).out).toContain("the last run was 23.0 hours ago, and 24 hours must pass");
});

test("a dream reads the project with read-only tools, within the user's rules", async () => {
  const heard: string[] = [];
  const { project, dream, offered } = await setUp({
    forgets: 0,
    think: ({ toolResults }) => {
      heard.push(...toolResults.map(({ text }) => text));
      if (toolResults.length > 0) return answer("Nothing to do.");
      const read = (file_path: string) => callTool("Read", { file_path });
      const bash = (command: string) => callTool("Bash", { command });
      return callTools(
        ...[read("a.txt"), read("hidden.txt"), read("/etc/passwd"), callTool("Grep", { pattern: "begun" })],
        ...[bash("cat a.txt"), bash("cat hid*.txt || true"), bash("echo changed > a.txt")],
      );
    },
  });
  expect(await dream()).toMatchObject({ code: 0 });
  expect(offered()).toEqual(["Bash", "Glob", "Grep", "Read", "SearchSessions", "Topics"]);
  expect(heard).toHaveLength(7);
  expect(heard[0]).toContain("begun");
  expect(heard.slice(1, 3).join("\n")).not.toMatch(/A SECRET|root:/);
  expect(heard[3]).toContain("a.txt");
  expect(heard[3]).not.toContain("hidden.txt");
  expect(heard[4]).toContain("begun");
  expect(heard[5]).not.toContain("A SECRET");
  expect(heard[6]).toContain("Read-only file system");
  expect(project.text("a.txt")).toBe("begun");
});

test("a dream that needs approval changes nothing until the user approves", async () => {
  const { dream, topics, pass, dreams } = await setUp({ forgets: 6 });
  const held = await dream("--if-due");
  expect(held).toMatchObject({ code: 1, out: expect.stringContaining("it takes away 6") });
  expect(await topics()).toHaveLength(TOPICS);
  const asked = dreams();
  pass(1);
  expect((await dream("--if-due")).out).toMatch(/^Not needed yet: the last run was 1\.0 hours ago/);
  expect(dreams()).toBe(asked);
  expect(await dream("--yes")).toMatchObject({ code: 0, out: expect.stringContaining("Applied as change") });
  expect(await topics()).toHaveLength(TOPICS - 6);
  expect(await dream("--yes")).toMatchObject({ code: 1, out: expect.stringContaining("No changes wait") });
  // The approval counts as the last run, so earlier sessions do not count again.
  pass(30);
  expect((await dream("--if-due")).out).toContain("0 of 5 needed sessions were used");
});

test("a refused dream changes nothing, and the next waits for new sessions", async () => {
  const { dream, topics, pass, dreams } = await setUp({ forgets: 6 });
  expect(await dream()).toMatchObject({
    code: 1,
    out: expect.stringContaining("To refuse them: palimpsest memory dream --no"),
  });
  const asked = dreams();
  expect(await dream("--no")).toMatchObject({ code: 0, out: expect.stringContaining("Refused.") });
  expect(await topics()).toHaveLength(TOPICS);
  for (const answer of ["--no", "--yes"])
    expect(await dream(answer)).toMatchObject({ code: 1, out: expect.stringContaining("No changes wait") });
  pass(30);
  expect((await dream("--if-due")).out).toContain("0 of 5 needed sessions were used");
  expect(dreams()).toBe(asked);
  await expect(dream("--yes", "--no")).rejects.toThrow("not both");
});

test("a dream that is killed at any step changes nothing, and the next one does its work", async () => {
  let stallsAt: number | undefined = 0;
  let reached = Promise.withResolvers<void>();
  const { cli, dream, topics } = await setUp({
    forgets: 1,
    stalls({ toolResults }) {
      if (toolResults.length !== stallsAt) return false;
      reached.resolve();
      return true;
    },
  });
  // Before the first answer, and after the run has forgotten a topic.
  for (const step of [0, 1]) {
    [stallsAt, reached] = [step, Promise.withResolvers()];
    const started = cli.start(["memory", "dream", "--base-url", cli.server.url]);
    await reached.promise;
    started.process.kill("SIGKILL");
    await started.ended;
    expect(await topics()).toHaveLength(TOPICS);
  }
  stallsAt = undefined;
  expect(await dream()).toMatchObject({ code: 0, out: expect.stringContaining("removed: topic-0") });
  expect(await topics()).toHaveLength(TOPICS - 1);
});

test("a failed dream waits a day, then a week after three failures, but a manual run starts at once", async () => {
  let state: "down" | "up" = "down";
  const { dream, pass, topics, dreams } = await setUp({ forgets: 1, fails: () => state === "down" });
  for (let run = 1; run <= 3; run++) {
    expect(await dream("--if-due")).toMatchObject({ code: 1, out: expect.stringContaining("Nothing was changed") });
    pass(1);
    expect((await dream("--if-due")).out).toContain("the last run was 1.0 hours ago");
    pass(24);
  }
  const asked = dreams();
  expect((await dream("--if-due")).out).toContain("the last 3 runs have failed, so the next waits 168 hours");
  expect(dreams()).toBe(asked);
  state = "up";
  expect(await dream()).toMatchObject({ code: 0 });
  expect(await topics()).toHaveLength(TOPICS - 1);
});
