import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { methods, type NewSessionRequest, type SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { type EditorOptions, saidIn, startEditor } from "../testing/acp-editor.ts";
import { findProcesses } from "../testing/find-processes.ts";
import { type Cli, startCli } from "../testing/run-cli.ts";
import { scriptedModel } from "../testing/scripted-model.ts";
import { type TemporaryProject, temporaryProject } from "../testing/temporary-project.ts";
import { QUERY_SERVER, SDK_FOLDER } from "../testing/tool-server.ts";
import { ZED_INITIALIZE } from "../testing/zed-handshake.ts";
import { mergeJsonFile } from "../workspace/private-files.ts";

const ZED = ZED_INITIALIZE.clientCapabilities;
const LIMIT = "export const limit = 10;\n";

async function setUp(files: Readonly<Record<string, string>> = {}): Promise<TemporaryProject & { readonly cli: Cli }> {
  const project = temporaryProject({ "limit.ts": LIMIT, ...files });
  return { ...project, cli: await startCli(project, scriptedModel) };
}

async function begin(
  { cli, folder }: Pick<TemporaryProject, "folder"> & { readonly cli: Cli },
  options: EditorOptions = {},
  mcpServers: NewSessionRequest["mcpServers"] = [],
) {
  const editor = await startEditor(cli, ["--mode", "default", "--allow", "mcp__db__query"], options);
  const session = await editor.agent.request(methods.agent.session.new, { cwd: folder, mcpServers });
  await editor.until(({ sessionUpdate }) => sessionUpdate === "usage_update");
  return { ...editor, ...session };
}

/** Describes the updates about tool calls in a few words. */
function calls(updates: readonly SessionUpdate[]): readonly string[] {
  return updates.flatMap((update) => {
    if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") return [];
    const { status, title, kind, content = [] } = update;
    const parts = content?.map(({ type }) => type) ?? [];
    return [[status, kind, title, ...parts].filter(Boolean).join(" ")];
  });
}

test("a turn in an editor like Zed shows diffs, questions, output and the plan, and keeps unsaved text", async () => {
  const project = await setUp();
  const { folder, text } = project;
  let inEditor: string | undefined;
  let answer = "once";
  const editor = await begin(project, {
    capabilities: ZED,
    choose: () => answer,
    fill: () => ({ answer: "50" }),
    textOf: () => inEditor,
  });
  const { sessionId: id, take, prompt, asked } = editor;
  expect(editor.handshake).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: "palimpsest" },
    agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, resume: {}, close: {} } },
  });
  expect(editor.modes).toMatchObject({ currentModeId: "default" });
  expect(editor.configOptions?.map(({ category }) => category)).toEqual(["mode", "model", "thought_level"]);

  expect(await prompt(id, "read it")).toBe("end_turn");
  const read = take();
  expect(read[0]).toEqual({ sessionUpdate: "session_info_update", title: "read it" });
  expect(calls(read)).toEqual(["pending read Read `limit.ts`", "in_progress", "completed content"]);
  expect(read.find((update) => "locations" in update)).toMatchObject({
    locations: [{ path: join(folder, "limit.ts") }],
  });
  expect(saidIn(read)).toContain("The tool said:");
  expect(read.filter(({ sessionUpdate }) => sessionUpdate === "usage_update").at(-1)).toMatchObject({
    used: expect.any(Number),
    size: expect.any(Number),
    cost: { currency: "USD" },
    _meta: { palimpsest: { level: "ok" } },
  });

  // The agent does not overwrite the user's unsaved text.
  inEditor = "export const limit = 11;\n";
  await prompt(id, "edit it");
  expect(JSON.stringify(take())).toContain("not saved");
  expect(text("limit.ts")).toBe(LIMIT);
  inEditor = LIMIT.replaceAll("\n", "\r\n");

  await prompt(id, "edit it");
  const edited = take();
  const diff = { type: "diff", path: join(folder, "limit.ts"), oldText: LIMIT, newText: "export const limit = 20;\n" };
  expect(calls(edited)).toEqual(["pending edit Edit limit.ts", "in_progress", "completed diff"]);
  expect(edited).toContainEqual(expect.objectContaining({ status: "completed", content: [diff] }));
  expect(asked.at(-1)).toMatchObject({
    sessionId: id,
    toolCall: { title: "Edit limit.ts", content: [{ type: "content" }, diff] },
    options: [
      { kind: "allow_once" },
      { kind: "allow_always" },
      { kind: "allow_always" },
      { kind: "allow_always" },
      { kind: "reject_once" },
    ],
  });
  expect(text("limit.ts")).toBe("export const limit = 20;\n");

  // A call that is allowed for the session is asked about once. The rule has the terminal's form.
  answer = "session";
  await prompt(id, "run it");
  const ran = take();
  expect(ran.filter((update) => "_meta" in update).map(({ _meta }) => Object.keys(_meta!)[0])).toContain(
    "terminal_output",
  );
  expect(calls(ran)).toContain("pending execute seq 1 30 && echo done terminal");
  const questions = asked.length;
  await prompt(id, "run it");
  expect(asked).toHaveLength(questions);
  take();

  answer = "deny";
  await prompt(id, "write it");
  expect(calls(take()).at(-1)).toBe("failed content");
  expect(readdirSync(folder)).not.toContain("new.txt");

  await prompt(id, "ask me");
  expect(saidIn(take())).toContain("50");

  // The agent plans, the person approves the plan, and the editor gets the new mode.
  await editor.agent.request(methods.agent.session.setConfigOption, { sessionId: id, configId: "mode", value: "plan" });
  await editor.until(({ sessionUpdate }) => sessionUpdate === "config_option_update");
  await prompt(id, "plan it");
  expect(take()).not.toContainEqual(expect.objectContaining({ currentModeId: "auto" }));

  await editor.agent.request(methods.agent.session.setConfigOption, {
    sessionId: id,
    configId: "effort",
    value: "high",
  });
  await prompt(id, "run it");
  expect(JSON.parse(project.cli.server.recorder.exchanges.at(-1)!.body)).toMatchObject({
    output_config: { effort: "high" },
  });
  take();

  await prompt(id, "/cost");
  expect(saidIn(take())).toContain("$");
  expect(project.cli.refused()).toEqual([]);
});

test("another process can list, load, compact and close a session", async () => {
  const { cli, folder } = await setUp({ "big.txt": "All work and no play.\n".repeat(2_000) });
  await cli.run(["-p", "big it"]);
  const editor = await startEditor(cli, [], { capabilities: { session: { compaction: {}, notices: {} } } });
  const { agent, take, prompt, until } = editor;
  const { sessions } = await agent.request(methods.agent.session.list, { cwd: folder });
  expect(sessions).toMatchObject([{ cwd: folder, title: "big it", updatedAt: expect.any(String) }]);
  const { sessionId } = sessions[0]!;
  const loading = { sessionId, cwd: folder, mcpServers: [] };
  expect(await agent.request(methods.agent.session.load, loading)).toMatchObject({ modes: { currentModeId: "auto" } });
  const loaded = take();
  const history = loaded.map((update) =>
    "content" in update && !Array.isArray(update.content) ? update.content : update,
  );
  expect(history.slice(0, 2)).toMatchObject([
    { type: "text", text: "big it" },
    { sessionUpdate: "tool_call", status: "completed", kind: "read", title: "Read `big.txt`" },
  ]);
  expect(JSON.stringify(history[1])).toMatch(/more characters\]/);
  expect(history[2]).toMatchObject({ type: "text", text: expect.stringContaining("The tool said:") });
  // The update may arrive together with the answer.
  const isUsage = ({ sessionUpdate }: SessionUpdate) => sessionUpdate === "usage_update";
  if (!loaded.some(isUsage)) await until(isUsage);

  expect(await prompt(sessionId, "/compact")).toBe("end_turn");
  const updates = take().filter(({ sessionUpdate }) => sessionUpdate === "compaction_update");
  expect(updates.map((update) => "status" in update && update.status)).toEqual(["in_progress", "completed"]);
  expect(await prompt(sessionId, "hello")).toBe("end_turn");
  expect(saidIn(take())).toContain("You said: hello");

  // Opens the session a second time, without its history.
  await agent.request(methods.agent.session.resume, { sessionId, cwd: folder });
  expect(calls(take())).toEqual([]);
  expect(await prompt(sessionId, "still there")).toBe("end_turn");
  // Opens the session twice at once, like an editor with two views.
  await Promise.all([
    agent.request(methods.agent.session.load, loading),
    agent.request(methods.agent.session.load, loading),
  ]);
  expect(await prompt(sessionId, "still there")).toBe("end_turn");
  // Another editor learns which process has the session.
  const other = await startEditor(cli, []);
  const held = { message: expect.stringContaining(`is open in process ${editor.process.pid}`) };
  await expect(other.agent.request(methods.agent.session.load, loading)).rejects.toMatchObject(held);
  await agent.request(methods.agent.session.close, { sessionId });
  await expect(prompt(sessionId, "hello")).rejects.toMatchObject({ code: -32_002 });
  const unknown = { sessionId, modeId: "bypass" };
  await expect(agent.request(methods.agent.session.setMode, unknown)).rejects.toMatchObject({ code: -32_002 });
  editor.process.stdin.end();
  expect(await editor.ended).toMatchObject({ code: 0, said: "" });
  expect(cli.refused()).toEqual([]);
});

test("runs the editor's MCP server, cancels tools and questions, joins prompts, and ends with the editor", async () => {
  const project = await setUp({ "server.mjs": QUERY_SERVER });
  await mergeJsonFile(join(project.home, ".palimpsest/settings.json"), { readablePaths: [SDK_FOLDER] });
  let answer: "once" | "20" | "silent" = "20";
  const server = { name: "db", command: process.execPath, args: ["server.mjs"], env: [] };
  const editor = await begin(project, { choose: () => answer }, [server]);
  const { sessionId: id, agent, prompt, take, until } = editor;
  await prompt(id, "query it");
  expect(saidIn(take())).toContain("The tool said: no rows");
  // An editor without forms shows the options of a question.
  await prompt(id, "ask me");
  expect(editor.asked.pop()).toMatchObject({
    options: [{ name: "20 (as the docs say)" }, { name: "50" }, { name: "Skip" }],
  });
  expect(saidIn(take())).toContain("The user's answer: 20");
  const isRunning = (update: SessionUpdate): boolean => "status" in update && update.status === "in_progress";
  const cancel = () => agent.notify(methods.agent.session.cancel, { sessionId: id });

  // The editor shows the todo list as a plan. The next command sleeps for ten minutes.
  answer = "once";
  const stopped = prompt(id, "todo it");
  const plan = await until(({ sessionUpdate }) => sessionUpdate === "plan");
  expect(plan).toMatchObject({ entries: [{ status: "completed" }, { status: "in_progress" }, { status: "pending" }] });
  await until(isRunning);
  const sleeping = () => findProcesses(project.folder).filter((line) => line.includes("sleep 600"));
  await expect.poll(sleeping).not.toEqual([]);
  await cancel();
  expect(await stopped).toBe("cancelled");
  expect(calls(take()).at(-1)).toMatch(/^failed/);
  await expect.poll(sleeping).toEqual([]);

  // This editor never answers the question.
  await prompt(id, "hello");
  answer = "silent";
  const asking = prompt(id, "write it");
  await expect.poll(() => editor.asked.length).toBe(2);
  await cancel();
  expect(await asking).toBe("cancelled");
  await cancel();
  await prompt(id, "hello");

  // The second message joins the turn of the first message.
  answer = "once";
  take();
  const both = Promise.all([prompt(id, "run it"), prompt(id, "hello")]);
  expect(await both).toEqual(["end_turn", "end_turn"]);
  expect(JSON.stringify(project.cli.server.recorder.exchanges.at(-1))).toContain("hello");

  take();
  const lost = prompt(id, "todo it").catch(() => "lost");
  await until(isRunning);
  editor.process.stdout.destroy();
  editor.process.stdin.destroy();
  expect(await editor.ended).toMatchObject({ code: 0 });
  await lost;
  await expect.poll(() => findProcesses(project.folder)).toEqual([]);
});

test("answers invalid requests and keeps the connection, except after an endless line", async () => {
  const { cli, folder } = await setUp();
  const environment = { ANTHROPIC_API_KEY: "" };
  const { process: child, ended } = cli.start(["acp"], { input: "open", output: "open", environment });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let id = 0;
  const sendLine = async (line: string): Promise<unknown> => {
    child.stdin.write(`${line}\n`);
    return JSON.parse((await lines.next()).value!);
  };
  const send = (method: string, params: object): Promise<unknown> =>
    sendLine(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }));
  const error = (code: number, message = "") => ({ error: { code, message: expect.stringContaining(message) } });

  expect(await sendLine("{nonsense")).toMatchObject({ id: null, ...error(-32_700) });
  expect(await sendLine("[]")).toMatchObject({ id: null, ...error(-32_600) });
  const session = { cwd: folder, mcpServers: [] };
  expect(await send("session/new", session)).toMatchObject(error(-32_600));
  expect(await send("initialize", ZED_INITIALIZE)).toMatchObject({
    result: { protocolVersion: 1, authMethods: [{ id: "api-key" }] },
  });
  expect(await send("no/such", {})).toMatchObject(error(-32_601));
  expect(await send("session/prompt", { prompt: 7 })).toMatchObject(error(-32_602));
  const large = { sessionId: "x".repeat(10_000_000), prompt: [] };
  expect(await send("session/prompt", large)).toMatchObject(error(-32_002));

  expect(await send("session/new", session)).toMatchObject(error(-32_000, "ANTHROPIC_API_KEY is not set"));
  expect(await send("authenticate", { methodId: "api-key" })).toMatchObject(error(-32_000));
  expect(await send("session/new", { ...session, cwd: "here" })).toMatchObject(error(-32_602, "not an absolute path"));
  const nowhere = join(folder, "none");
  expect(await send("session/new", { ...session, cwd: nowhere })).toMatchObject(error(-32_602, "there is no folder"));
  expect(await send("session/load", { ...session, sessionId: "none" })).toMatchObject(error(-32_002));

  child.stdin.on("error", () => {});
  child.stdin.write("x".repeat(40_000_000));
  expect(await ended).toMatchObject({ code: 1, said: expect.stringContaining("too large") });
});
