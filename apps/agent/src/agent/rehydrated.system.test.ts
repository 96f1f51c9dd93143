// What comes back after a compaction: one test through the program for each kind of content.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { type Ask, answer, callTool, callTools, type Script, summarize } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startEditor } from "../testing/acp-editor.ts";
import { startCli } from "../testing/run-cli.ts";
import { type SentRequest, sentRequests } from "../testing/sent-requests.ts";
import { settle } from "../testing/settle.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { SDK_FOLDER, TOOL_SERVER } from "../testing/tool-server.ts";

const SUMMARY = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  .map(
    (number) =>
      `## ${number}. Section\nFiles were read one after the other, and nothing was wrong in section ${number}.`,
  )
  .join("\n");

/** A pixel, whose color does not matter. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];

/** Makes the calls that the user's message lists as JSON, all in one round. */
function think({ userText, toolResults }: Ask): ReturnType<Script> {
  if (userText.includes("nine sections")) return summarize(SUMMARY);
  const calls = /^Do (\[.*\])$/m.exec(userText)?.[1];
  if (toolResults.length > 0 || calls === undefined) return answer("Done.");
  return callTools(...(JSON.parse(calls) as readonly Call[]).map(([name, input]) => callTool(name, input)));
}

interface Setting {
  readonly files?: Readonly<Record<string, string>>;
  /** Files in the user's folder of the agent. */
  readonly own?: Readonly<Record<string, string>>;
  readonly settings?: object;
  readonly args?: readonly string[];
  readonly script?: Script;
}

/** A session of the program in an editor, with enough content to compact. */
async function begin({
  files = {},
  own = {},
  settings = {},
  args = ["--mode", "bypass"],
  script = think,
}: Setting = {}) {
  const project = temporaryProject({ "log.txt": "A line of the log.\n".repeat(1_500), ...files });
  const put = (path: string, content: string): void => {
    const whole = join(project.home, ".palimpsest", path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
  };
  put("settings.json", JSON.stringify({ readablePaths: [SDK_FOLDER], ...settings }));
  for (const [path, content] of Object.entries(own)) put(path, content);
  const cli = await startCli(project, script);
  const editor = await startEditor(cli, args);
  const { sessionId } = await editor.agent.request(methods.agent.session.new, { cwd: project.folder, mcpServers: [] });
  const say = async (text: string): Promise<SentRequest> => {
    expect(await editor.prompt(sessionId, text)).toBe("end_turn");
    expect(cli.refused()).toEqual([]);
    return sentRequests(cli).at(-1)!;
  };
  const run = (...calls: readonly Call[]) => say(`Do ${JSON.stringify(calls)}`);
  return {
    project,
    cli,
    sessionId,
    say,
    run,
    /** Compacts the session, and returns the request after it. */
    async compacted(words = ""): Promise<SentRequest> {
      await run(["Read", { file_path: "log.txt" }]);
      await say(`/compact ${words}`.trim());
      const next = await say("Go on.");
      expect(next.texts.join()).toContain("nothing was wrong in section 9.");
      return next;
    },
    close: () => editor.process.stdin.end(),
  };
}

/** The texts of a request that fit. */
const shown = ({ texts }: SentRequest, part: string | RegExp): readonly string[] =>
  texts.filter((text) => (typeof part === "string" ? text.includes(part) : part.test(text)));

test("with `quality`, files that were used last come back with their current content, newest first, if they may be read", async () => {
  const names = ["a", "b", "c", "d", "e", "gone"].map((name) => `${name}.ts`);
  const { project, run, compacted } = await begin({
    files: {
      "AGENTS.md": "Use tabs.",
      ...Object.fromEntries(names.map((name) => [name, `export const name = "${name}";\n`])),
    },
    settings: { permissions: { deny: ["Read(secret.ts)"] } },
    own: { "engine.json": JSON.stringify({ profile: "quality" }) },
  });
  for (const file_path of names) await run(["Read", { file_path }]);
  await run(["Read", { file_path: "AGENTS.md" }]);
  await run(["Write", { file_path: "secret.ts", content: "export const secret = 1;\n" }]);
  project.put("b.ts", "export const changed = true;\n");
  rmSync(join(project.folder, "gone.ts"));
  const back = shown(await compacted(), /^<marked-data from="outside" name="[^"]+">\n\S+, (as it is now|the parts)/);
  expect(back.map((text) => /name="([^"]+)"/.exec(text)![1])).toEqual(
    [..."edcba"].map((letter) => `${letter}.ts`).concat("log.txt"),
  );
  expect(back[3]).toContain("export const changed = true;");
});

test("skills that were used come back, newest first, and others do not", async () => {
  const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\nThe steps of ${name}.\n`;
  const { run, compacted } = await begin({
    own: Object.fromEntries(["one", "two", "unused"].map((name) => [`skills/${name}.md`, skill(name)])),
  });
  await run(["Skill", { skill: "one" }]);
  await run(["Skill", { skill: "two" }]);
  const back = shown(await compacted(), /The steps of/);
  expect(back.map((text) => /The steps of (\w+)/.exec(text)![1])).toEqual(["two", "one"]);
});

test("the todo list comes back while a step is open", async () => {
  const { run, compacted } = await begin();
  const todos = (state: string) => ({ todos: [{ content: "Rename the loader", state }] });
  await run(["Todo", todos("doing")]);
  expect(shown(await compacted(), "[>] Rename the loader")).toHaveLength(1);
  await run(["Todo", todos("done")]);
  expect(shown(await compacted(), /\[[>x]\] Rename the loader/)).toEqual([]);
});

test("an approved plan comes back whole, and plan mode while it is on", async () => {
  const { run, say, compacted } = await begin({ args: ["--mode", "plan"] });
  const planning = /no file is changed before ExitPlan/;
  expect(shown(await compacted(), planning)).toHaveLength(1);
  const plan = Array.from({ length: 150 }, (_, step) => `${step + 1}. Rename loader ${step}.`).join("\n");
  await run(["ExitPlan", { plan }]);
  const next = await compacted();
  expect(shown(next, "The plan, as it stands:")).toEqual([expect.stringContaining(plan)]);
  expect(shown(next, planning)).toEqual([]);
  // The plan is still there after the next compaction, and the mode that the user chose holds.
  expect(shown(await compacted(), plan)).toHaveLength(1);
  expect(shown(await say('Do [["EnterPlan",{}]]'), "From now on nothing is changed.")).toHaveLength(1);
  expect(shown(await compacted(), planning)).toHaveLength(1);
});

test("agents that have ended come back with their status", async () => {
  const script: Script = (ask) => {
    if (!JSON.stringify(ask.request["system"]).includes("agent-message marks")) return think(ask);
    return answer("Report: no error found.");
  };
  const logs = ["1.txt", "2.txt", "3.txt"];
  const project = temporaryProject(Object.fromEntries(logs.map((log) => [log, `Line of ${log}.\n`.repeat(1_500)])));
  const cli = await startCli(project, script);
  const agent = (goal: string): Call => ["Agent", { way: "background", prompt: goal, description: goal }];
  const read = (file_path: string): Call => ["Read", { file_path }];
  const run = async (calls: readonly Call[], ...args: readonly string[]) => {
    const { code } = await cli.run(["-p", `Do ${JSON.stringify(calls)}`, "--mode", "bypass", ...args]);
    expect(code).toBe(0);
  };
  await run([agent("Look for errors"), read("1.txt")]);
  await run([read("2.txt")], "-c");
  await run([read("3.txt")], "-c", "--set", "compactAt=3");
  const after = sentRequests(cli).find((request) => shown(request, "nothing was wrong in section 9.").length > 0)!;
  const [text] = shown(after, "Agents that you have started; do not start them again:");
  expect(text).toMatch(/\(background\): Look for errors \[(ended|completed|done|finished)/);
});

test("deferred tools that were loaded are there again, and so are the instructions of servers", async () => {
  const { run, compacted, cli } = await begin({
    files: { "server.mjs": TOOL_SERVER },
    settings: {
      servers: {
        files: { command: [process.execPath, "server.mjs"], environment: { INSTRUCTIONS: "Alpha comes first." } },
      },
    },
    args: ["--mode", "bypass", "--allow", "mcp__*", "--set", "tools.deferAboveTokens=1"],
  });
  await run(["tool_search", { names: ["mcp__files__alpha"] }]);
  const next = await compacted();
  expect(shown(next, "# Server files\n\nAlpha comes first.")).toHaveLength(1);
  const { body } = cli.server.recorder.exchanges.at(-1)!;
  expect(body).toContain("mcp__files__alpha");
  expect((await run(["mcp__files__alpha", { a: 1 }])).texts.at(-1)).toContain('"given":{"a":1}');
});

test("hooks at the start of a session run again with the source compact", async () => {
  const { compacted } = await begin({
    settings: { hooks: [{ event: "SessionStart", command: 'echo It began by $(grep -o \'"source":"[a-z]*"\').' }] },
  });
  const next = await compacted();
  expect(shown(next, 'It began by "source":"compact".')).toHaveLength(1);
  expect(shown(next, 'It began by "source":"startup".')).toEqual([]);
});

test("instruction files are read again, and rules of folders come back with files of the folders", async () => {
  const { project, run, compacted } = await begin({
    files: {
      "AGENTS.md": "Use tabs.",
      "src/AGENTS.md": "No semicolons in src.",
      "src/deep/CLAUDE.md": "No classes in deep.",
      "src/deep/a.ts": "let a\n",
      "other/AGENTS.md": "Nobody has been in other.",
      "web/AGENTS.md": "Only commands have been in web.",
    },
  });
  await settle();
  await run(["Read", { file_path: "src/deep/a.ts" }], ["Bash", { command: "ls web" }]);
  await settle();
  project.put("AGENTS.md", "Use spaces.");
  project.put("src/AGENTS.md", "Semicolons in src.");
  const next = await compacted();
  expect(shown(next, "Use tabs.")).toEqual([]);
  expect(shown(next, "No semicolons")).toEqual([]);
  for (const text of ["Use spaces.", "Semicolons in src.", "No classes in deep.", "Only commands have been in web."])
    expect(shown(next, text)).toEqual([expect.stringMatching(/^<marked-data from="project" name="[^"]+\.md">/)]);
  expect(shown(next, "Nobody has been in other.")).toEqual([]);
  // They are in view: another call in the folder does not repeat them.
  expect(shown(await run(["Grep", { pattern: "a", path: "src" }]), "Semicolons in src.")).toHaveLength(1);
});

test("the two newest images come back as images", async () => {
  const { project, run, compacted, cli } = await begin({ files: { "long.txt": "A line of the log.\n".repeat(9_000) } });
  const names = ["one.png", "two.png", "three.png"];
  for (const [at, name] of names.entries()) {
    project.put(name, Buffer.from(PNG.replace("GAWjR9", `GA${"WXY"[at]}jR9`), "base64"));
    await run(["Read", { file_path: name }]);
  }
  for (let offset = 1; offset < 9_000; offset += 1_500)
    await run(["Read", { file_path: "long.txt", offset, limit: 1_500 }]);
  await compacted();
  const { body } = cli.server.recorder.exchanges.at(-1)!;
  expect([...body.matchAll(/GA([WXY])jR9/g)].map(([, letter]) => letter)).toEqual(["X", "Y"]);
  expect(body).toMatch(/Image from entry \d+, from before the summary:/);
});

/** Whether each request for a summary has the text. */
function askedWith(cli: Parameters<typeof sentRequests>[0], text: string): readonly boolean[] {
  const asked = sentRequests(cli).filter(({ texts }) => texts.join().includes("nine sections"));
  return asked.map(({ texts }) => texts.join().includes(text));
}

test("/compact TEXT passes the text on, and replaces everything but what the user said", async () => {
  const { compacted, say, cli } = await begin();
  await say("The harbor has nine piers.");
  const next = await compacted("Mind the numbers of the tickets.");
  expect(askedWith(cli, "Mind the numbers of the tickets.")).toEqual([true]);
  expect(shown(next, "The harbor has nine piers.")).toHaveLength(1);
  // The answer "Done." and the call are gone; the new message and the summary are all that is left.
  expect(next.messages.filter((message) => message.includes("Done."))).toEqual([]);
  expect(next.messages).toHaveLength(1);
});

test("a part of a session is compacted from an entry, or up to an entry, and the rest stays word for word", async () => {
  const { cli, sessionId, run, say, close } = await begin();
  for (const part of ["first", "second", "third"]) {
    await say(`This is the ${part} part. ${`${part} words `.repeat(1_500)}`);
    await run(["Read", { file_path: "log.txt", offset: part.length * 10 }]);
  }
  close();
  const parts = ["first", "second", "third"].map((part) => `This is the ${part} part.`);
  const command = async (...args: readonly string[]) => {
    const ended = await cli.run(args);
    expect(ended).toMatchObject({ code: 0 });
    return ended.out;
  };
  const sent = async () => {
    await command("--resume", sessionId, "-p", "Go on.");
    return sentRequests(cli).at(-1)!;
  };
  const whole = await sent();
  const entries = (await command("sessions", "show", "--json"))
    .trim()
    .split("\n")
    .map((line): { readonly sequence: number } => JSON.parse(line));
  const entryOf = (text: string): string => String(entries.find((one) => JSON.stringify(one).includes(text))!.sequence);

  await command("sessions", "compact", "--from", entryOf(parts[1]!), "Mind the piers.");
  expect(askedWith(cli, "Mind the piers.")).toEqual([true]);
  const from = await sent();
  const kept = whole.messages.findIndex((message) => message.includes(parts[1]!));
  expect(from.messages.slice(0, kept)).toEqual(whole.messages.slice(0, kept));
  expect(shown(from, "nothing was wrong in section 9.")).toHaveLength(1);
  expect(from.messages.join().indexOf("section 9.")).toBeGreaterThan(from.messages.join().indexOf(parts[0]!));

  await command("sessions", "undo");
  await command("sessions", "compact", "--up-to", entryOf(parts[2]!), "Mind", "the ships.");
  expect(askedWith(cli, "Mind the ships.")).toEqual([false, true]);
  const upTo = await sent();
  expect(shown(upTo, "nothing was wrong in section 9.")).toHaveLength(1);
  const third = upTo.messages.findIndex((message) => message.includes(`${parts[2]} third words third words`));
  expect(third).toBeGreaterThan(-1);
  const afterThird = whole.messages.slice(whole.messages.findIndex((message) => message.includes(parts[2]!)) + 1);
  expect(afterThird.length).toBeGreaterThan(3);
  expect(upTo.messages.slice(third + 1, third + 1 + afterThird.length)).toEqual(afterThird);
  // The user's words come back with the summary, and the answers to them do not.
  expect(upTo.messages.length).toBeLessThan(whole.messages.length);
  expect(cli.refused()).toEqual([]);
});
