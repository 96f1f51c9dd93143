import { answer, callTool, callTools } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../testing/run-cli.ts";
import { createHere } from "../testing/run-here.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

/** Sets up a model that writes the given text into the given file. */
async function setUp(files: Readonly<Record<string, string>>) {
  const project = temporaryProject(files);
  const cli = await startCli(project, ({ userText, toolResults }) => {
    const [, content, file_path] = /Write (\w+) into (\S+)/.exec(userText) ?? [];
    if (toolResults.length > 0 || content === undefined) return answer("Done.");
    return callTools(callTool("Read", { file_path }), callTool("Write", { file_path, content }));
  });
  const here = createHere({ ...cli, clock: { now: Date.now } });
  const say = (words: string, ...more: readonly string[]) =>
    here.run([...more, "-p", words, "--mode", "accept-edits", "--base-url", cli.server.url]);
  const newest = () => String(cli.server.recorder.last?.body);
  return { project, cli, here, say, newest };
}

test("rewinds the newest message with its changes, and then the message before", async () => {
  const { project, cli, here, say, newest } = await setUp({ "a.txt": "begun" });
  await say("Write one into a.txt");
  await say("Write two into a.txt", "-c");
  await say("Write new into b.txt", "-c");
  const rewound = await here.run(["sessions", "rewind"]);
  expect(rewound).toMatchObject({ code: 0, out: expect.stringMatching(/Write new into b\.txt\nremoved b\.txt$/) });
  expect(() => project.text("b.txt")).toThrow();
  expect(project.text("a.txt")).toBe("two");

  expect(JSON.parse((await here.run(["sessions", "rewind", "--json"])).out)).toMatchObject({
    kind: "rewound",
    text: "Write two into a.txt",
    restored: ["a.txt"],
    removed: [],
    changedByOthers: [],
  });
  expect(project.text("a.txt")).toBe("one");
  await say("And now?", "-c");
  expect(newest()).toContain("Write one into");
  expect(newest()).not.toMatch(/Write (two|new) into/);
  expect(cli.refused()).toEqual([]);
});

test("rewinds a message by its number, and keeps files that another program changed", async () => {
  const { project, here, say, newest } = await setUp({ "a.txt": "begun", "b.txt": "begun" });
  await say("Hello");
  await say("Write one into a.txt", "-c");
  await say("Write two into b.txt", "-c");
  project.put("b.txt", "by hand");
  const [, entry] = /--- (\d+) human[^\n]*\nWrite one/.exec((await here.run(["sessions", "show"])).out) ?? [];
  expect(JSON.parse((await here.run(["sessions", "rewind", entry!, "--json"])).out)).toMatchObject({
    before: Number(entry),
    restored: ["a.txt"],
    changedByOthers: ["b.txt"],
  });
  expect([project.text("a.txt"), project.text("b.txt")]).toEqual(["begun", "by hand"]);
  await say("And now?", "-c");
  expect(newest()).toContain("Hello");
  expect(newest()).not.toMatch(/Write (one|two) into/);
});

test("refuses an entry that is not a user message", async () => {
  const { here, say } = await setUp({});
  await say("Hello");
  await expect(here.run(["sessions", "rewind", "1"])).rejects.toThrow("Entry 1 is not one of your messages");
  expect((await here.run(["sessions", "rewind"])).code).toBe(0);
  expect(await here.run(["sessions", "rewind"])).toMatchObject({
    code: 1,
    out: "Nothing to rewind: the session has no message of yours.",
  });
});
