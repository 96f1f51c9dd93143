import { existsSync, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, callTool, callTools, inOrder, stallStream } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { barePath } from "../testing/bare-path.ts";
import { createStreamCheck } from "../testing/check-stream.ts";
import { startCli } from "../testing/run-cli.ts";
import { temporaryProject } from "../testing/temporary-project.ts";

const READ_THEN_SAY = inOrder([callTools(callTool("Read", { file_path: "a.txt" }))], ({ toolResults }) =>
  answer(`It says ${toolResults[0]?.text.includes("forty-two") ? "forty-two" : "nothing"}.`),
);

test("prints the answer on standard output, and everything else on standard error", async () => {
  const project = temporaryProject({ "a.txt": "forty-two\n" });
  const cli = await startCli(project, READ_THEN_SAY);
  const { code, out, said } = await cli.run(["-p", "What does a.txt say?"]);
  expect({ code, out }).toEqual({ code: 0, out: "It says forty-two.\n" });
  expect(said).toContain("> Read a.txt");
  expect(cli.refused()).toEqual([]);
});

test("streams events that match the schema, with the version first and tool output before its end", async () => {
  const project = temporaryProject({ "a.txt": `forty-two\n${"more\n".repeat(20_000)}` });
  const cli = await startCli(project, READ_THEN_SAY);
  const { out } = await cli.run(["-p", "What does a.txt say?", "--output-format", "stream-json"]);
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const at = events.findIndex(({ kind }) => kind === "tool-output");
  expect(events[at]).toMatchObject({ text: expect.stringContaining("forty-two"), lines: expect.any(Number) });
  const ended = events.findIndex(({ kind }) => kind === "tool-ended");
  expect(ended).toBeGreaterThan(at);
  expect(events[ended].call.id).toBe(events[at].callId);
  const folder = realpathSync(project.folder);
  expect(events[0]).toMatchObject({ kind: "stream-started", version: 1, session: events.at(-1).session, folder });
  expect(createStreamCheck()(events)).toEqual([]);
});

test("stores every file for this user only", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, () => answer("Done."));
  await cli.run(["-p", "Hello"]);
  const kept = join(project.home, ".palimpsest");
  const modes = readdirSync(kept, { recursive: true, withFileTypes: true }).map((entry) => ({
    path: join(entry.parentPath, entry.name),
    mode: (statSync(join(entry.parentPath, entry.name)).mode & 0o777).toString(8),
    expected: entry.isDirectory() ? "700" : "600",
  }));
  expect(modes.length).toBeGreaterThan(2);
  // Files that commands create under /tmp and Node's cache have other modes, inside folders that only this user can
  // enter.
  const ours = modes.filter(({ path }) => !/\/(sandbox\/tmp|compiled)\//.test(path));
  expect(ours.filter(({ mode, expected }) => mode !== expected)).toEqual([]);
  expect((statSync(kept).mode & 0o777).toString(8)).toBe("700");
});

test("reads the prompt from a pipe, continues the session, and prints JSON formats", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, ({ request, userText }) =>
    answer(`${(request["messages"] as unknown[]).length} messages, the newest: ${withoutReminders(userText)}`),
  );
  const first = await cli.run(["--output-format", "json"], { input: "From a pipe\n" });
  const result = JSON.parse(first.out);
  expect(result).toMatchObject({ kind: "result", outcome: "done", exitCode: 0, rounds: 1, denied: [] });
  // The person at the prompt is not the author of piped text.
  const piped = '<marked-data from="outside" name="standard input">\nFrom a pipe\n</marked-data>';
  expect(result.text).toBe(`1 messages, the newest: ${piped}`);

  const second = await cli.run([
    "--resume",
    result.session.slice(0, 8),
    "-p",
    "Again",
    "--output-format",
    "stream-json",
  ]);
  const events = second.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.at(-1)).toMatchObject({
    kind: "result",
    session: result.session,
    text: "3 messages, the newest: Again",
  });
  expect(events.map(({ kind }) => kind)).toContain("response");

  const both = await cli.run(["-c", "-p", "Behind this:", "-"], { input: "the pipe" });
  expect(both.out).toMatch(
    /5 messages, the newest: Behind this:\s+<marked-data from="outside" name="standard input">\nthe pipe\n/,
  );
  expect(cli.refused()).toEqual([]);
});

test("runs a turn for each input line, and reports an invalid line", async () => {
  const project = temporaryProject();
  const cli = await startCli(project, ({ userText }) => answer(`You said ${withoutReminders(userText)}.`));
  const args = ["--input-format", "stream-json", "--output-format", "json"];
  const { process: child, ended } = cli.start(args, { input: "open" });
  child.stdin.write('{"kind":"user","text":"one"}\n');
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdin.end('no message\n{"kind":"user","text":"two"}\n');
  const { code, out, said } = await ended;
  expect(
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).text),
  ).toEqual(["You said one.", "You said two."]);
  expect(code).toBe(2);
  expect(said).toContain("no message");
});

test("denies a call without a person to ask, and names the rule that would allow it", async () => {
  const project = temporaryProject();
  const script = inOrder([callTools(callTool("Bash", { command: "echo made > made.txt" }))], ({ toolResults, turn }) =>
    turn > 2 || toolResults.length === 0 ? callTools(callTool("Bash", { command: "ls -a" })) : answer("That is all."),
  );
  const cli = await startCli(project, script);
  const denied = await cli.run(["-p", "Make a file", "--mode", "default"]);
  expect(denied).toMatchObject({ code: 3, out: "That is all.\n" });
  expect(denied.said).toContain("To allow it: --allow 'Bash(echo made)' --allow 'Edit(made.txt)'");
  expect(() => project.text("made.txt")).toThrow();

  const cliAllowed = await startCli(project, script);
  const allowed = await cliAllowed.run(["-p", "Make a file", "--allow", "Bash"]);
  expect(allowed.code).toBe(0);
  expect(project.text("made.txt")).toBe("made\n");
  expect([...cli.refused(), ...cliAllowed.refused()]).toEqual([]);
});

test.each([
  [["--modle", "x", "-p", "x"], "Did you mean --model?"],
  [["--mode", "pla", "-p", "x"], "Did you mean plan?"],
  [["sesions"], "Did you mean sessions?"],
  [["-p", ""], "The prompt is empty"],
  [["--max-rounds", "0", "-p", "x"], "a whole number above 0"],
  [["--allow", "Bash(", "-p", "x"], "is not a valid rule"],
  [["--continue", "-p", "x"], "This folder has no session yet"],
])("exits with 2 and a correction for the command line %j", async (args, hint) => {
  const cli = await startCli(temporaryProject(), () => answer(""));
  const { code, said } = await cli.run(args);
  expect({ code, said }).toMatchObject({ code: 2, said: expect.stringContaining(hint) });
  expect(cli.server.recorder.exchanges).toEqual([]);
});

test("says what to do without an API key", async () => {
  const cli = await startCli(temporaryProject(), () => answer(""));
  const { code, said } = await cli.run(["-p", "Hello"], { environment: { ANTHROPIC_API_KEY: "" } });
  expect(code).toBe(1);
  expect(said).toMatch(/ANTHROPIC_API_KEY[\s\S]*palimpsest demo/);
});

test("ends a turn cleanly on an interrupt, and resumes the session", async () => {
  const project = temporaryProject();
  const script = inOrder([{ ...answer("This takes long."), fault: stallStream(2, 60_000) }], () => answer("Went on."));
  const asked = Promise.withResolvers<void>();
  const cli = await startCli(project, (call) => {
    asked.resolve();
    return script(call);
  });
  const { process: child, ended } = cli.start(["-p", "Hello", "--output-format", "stream-json"]);
  await asked.promise;
  await new Promise((resolve) => setTimeout(resolve, 300));
  child.kill("SIGINT");
  const interrupted = await ended;
  expect(interrupted.code).toBe(130);
  expect(JSON.parse(interrupted.out.trim().split("\n").at(-1)!)).toMatchObject({ outcome: "aborted", exitCode: 130 });
  expect(await cli.run(["--continue", "-p", "Go on"])).toMatchObject({ code: 0, out: "Went on.\n" });
  expect(cli.refused()).toEqual([]);
});

test("limits rounds, and continues a turn that reached the limit", async () => {
  const project = temporaryProject({ "a.txt": "forty-two\n" });
  const cli = await startCli(project, READ_THEN_SAY);
  expect(await cli.run(["-p", "Read it", "--max-rounds", "1"])).toMatchObject({ code: 4, out: "" });
  expect(await cli.run(["--continue"])).toMatchObject({ code: 0, out: "It says forty-two.\n" });
  expect(cli.refused()).toEqual([]);
});

test("stops a turn at its cost limit before its next call, and continues it", async () => {
  const project = temporaryProject({ "a.txt": "forty-two\n" });
  const cli = await startCli(project, READ_THEN_SAY);
  const stopped = await cli.run(["-p", "Read it", "--max-usd", "0.0001", "--output-format", "json"]);
  const result = JSON.parse(stopped.out);
  expect(result).toMatchObject({ outcome: "budget-used-up", rounds: 1, exitCode: 5 });
  expect(result.problem).toMatch(/^Stopped after spending \$0\.0\d+ \(--max-usd\), before the model was done/);
  expect(stopped.code).toBe(5);
  expect(await cli.run(["--continue", "--max-usd", "5"])).toMatchObject({ code: 0 });
  expect(cli.refused()).toEqual([]);
  const unpriced = await cli.run(["-p", "Read it", "--max-usd", "1", "--model", "nobody-knows"]);
  expect(unpriced).toMatchObject({ code: 2, said: expect.stringContaining("its price is unknown") });
});

test.each(["openai", "openai-chat"])("uses any endpoint of %s, and resumes the session there", async (provider) => {
  const project = temporaryProject({ "a.txt": "forty-two\n" });
  const cli = await startCli(project, READ_THEN_SAY);
  const to = ["--base-url", `${cli.server.url}/v1`];
  const first = await cli.run(["-p", "Read a.txt", "--provider", provider, "--model", "gpt-6-luna", ...to]);
  expect(first).toMatchObject({ code: 0, out: "It says forty-two.\n" });
  const second = await cli.run(["-c", "-p", "Once more"]);
  expect(second.code).toBe(0);
  const last = cli.server.recorder.last!;
  expect({ path: last.path, model: JSON.parse(last.body).model }).toEqual({
    path: provider === "openai" ? "/v1/responses" : "/v1/chat/completions",
    model: "gpt-6-luna",
  });
  expect(cli.refused().filter(({ path }) => !path.includes("/models"))).toEqual([]);
});

test("runs Claude on Bedrock with AWS credentials or a key, and reuses the prompt cache", async () => {
  const project = temporaryProject({ "a.txt": "forty-two\n" });
  const cli = await startCli(project, READ_THEN_SAY);
  const to = ["--provider", "bedrock", "--base-url", cli.server.url];
  const signed = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "none" };
  const first = await cli.run(["-p", "Read a.txt", ...to], { environment: signed });
  expect(first, first.said).toMatchObject({ code: 0, out: "It says forty-two.\n" });
  const { path, headers } = cli.server.recorder.last!;
  expect(path).toBe("/model/global.anthropic.claude-sonnet-5/converse-stream");
  expect(headers["authorization"]).toContain("/eu-west-1/bedrock/aws4_request");
  const key = { AWS_REGION: "eu-west-1", AWS_BEARER_TOKEN_BEDROCK: "key" };
  const second = await cli.run(["-c", "-p", "Once more"], { environment: key });
  expect(second.code, second.said).toBe(0);
  expect(cli.server.recorder.last!.headers["authorization"]).toBe("Bearer key");
  expect(cli.refused().filter(({ path }) => !path.includes("/count-tokens"))).toEqual([]);
});

test("runs no command if the settings require a sandbox and none is available", async () => {
  const project = temporaryProject();
  mkdirSync(join(project.home, ".palimpsest"));
  writeFileSync(join(project.home, ".palimpsest/settings.json"), '{ "sandbox": "required" }');
  const runs = inOrder([callTools(callTool("Bash", { command: "echo ran > ran.txt" }))], ({ toolResults }) =>
    answer(toolResults[0]?.text ?? ""),
  );
  const cli = await startCli(project, runs);
  const { out } = await cli.run(["-p", "Run it", "--mode", "bypass"], { environment: { PATH: barePath(project) } });
  expect(out).toContain("the settings require a sandbox");
  expect(existsSync(join(project.folder, "ran.txt"))).toBe(false);
});

/** Removes the reminders that the program added for the model. */
function withoutReminders(text: string): string {
  return text.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "").trim();
}
