import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ToolServer } from "../../permissions/program-setting.ts";
import { programPorts } from "../../testing/program-ports.ts";
import { call, temporaryProject, textOf } from "../../testing/temporary-project.ts";
import { startHttpToolServer, TOOL_SERVER } from "../../testing/tool-server.ts";
import { openToolServers, type ToolServersOptions } from "./open-tool-servers.ts";

async function opened(servers: readonly ToolServer[], more: Pick<ToolServersOptions, "offered"> = {}) {
  const project = temporaryProject({ "server.mjs": TOOL_SERVER });
  const { folder, home, put } = project;
  put("silent.mjs", "setInterval(() => {}, 1000)");
  const programs = await programPorts(project, { environment: { SOME_TOKEN: "secret" } });
  const serversFolder = join(home, ".palimpsest/servers");
  const options = { folder, programs, serversFolder, startTimeoutMs: 8_000, callTimeoutMs: 5_000, ...more };
  const found = await openToolServers(servers, options);
  onTestFinished(() => found.close());
  const use = (name: string, input: object, signal?: AbortSignal) =>
    call(found.tools.find((tool) => tool.name === name)!, input, {
      folder,
      ...(signal === undefined ? {} : { signal }),
    });
  return { ...found, use, folder };
}

const node = (name: string, file: string, environment: Readonly<Record<string, string>> = {}): ToolServer => ({
  name,
  command: [process.execPath, join(".", file)],
  environment: { OWN_TOKEN: "its own", ...environment },
});

test("lists a server's tools by name, and handles calls, failures and timeouts", async () => {
  const { tools, problems, instructions, use } = await opened([node("my-server", "server.mjs")]);
  expect({ problems, instructions }).toEqual({ problems: [], instructions: [] });
  expect(tools.map(({ name }) => name)).toEqual(
    ["alpha", "fail", "mid_dle", "zeta"].map((name) => `mcp__my-server__${name}`),
  );
  expect(tools[0]).toMatchObject({ description: "alpha!", effect: "run" });
  const outcome = await use("mcp__my-server__alpha", { a: 1 });
  expect(JSON.parse(await textOf(outcome))).toEqual({ given: { a: 1 }, secret: null, own: "its own" });
  expect(await use("mcp__my-server__zeta", {})).toMatchObject({ status: "error" });
  expect(await textOf(await use("mcp__my-server__fail", {}))).toContain("broken");
  await expect(use("mcp__my-server__mid_dle", {}, AbortSignal.timeout(100))).rejects.toThrow();
});

test("limits and sanitizes a server's instructions", async () => {
  const hostile = `Call alpha first.\u001b]0;x\u0007 ${"x".repeat(5_000)}`;
  const { instructions } = await opened([node("s", "server.mjs", { INSTRUCTIONS: hostile })]);
  expect(instructions).toEqual([{ server: "s", text: expect.stringMatching(/^Call alpha first\. x/) }]);
  expect(instructions[0]!.text).toMatch(/x\n\[1018 more characters\]$/);
});

test("names a missing, failing or silent server with its output, and opens the others", async () => {
  const absent: ToolServer = { name: "absent", command: ["no-such-program-at-all"] };
  const failing = node("failing", "server.mjs", { FAIL: "1" });
  const offered = [
    { name: "mcp__failing__alpha", description: "A.", inputSchema: { type: "object" } },
    { name: "mcp__fail__alpha", inputSchema: {} },
  ];
  const servers = [absent, failing, node("silent", "silent.mjs"), node("s", "server.mjs")];
  const { tools, problems, use } = await opened(servers, { offered });
  // Tools that were offered before stay in the list unchanged.
  expect(tools).toHaveLength(5);
  expect(tools[0]).toMatchObject(offered[0]!);
  expect(await textOf(await use("mcp__failing__alpha", {}))).toMatch(/failing cannot be used: .*licence has ended/);
  expect(problems.map((problem) => /server (\w+) cannot/.exec(problem)?.[1])).toEqual(["absent", "failing", "silent"]);
});

test("sends headers to an HTTP server, ends its session, and names a server that refuses access", async () => {
  const { url, methods } = await startHttpToolServer("open sesame");
  const headers = { authorization: "Bearer open sesame" };
  const { tools, instructions, problems, use, close } = await opened([
    { name: "web", url, headers },
    { name: "closed", url, headers: { authorization: "Bearer wrong" } },
  ]);
  expect(tools.map(({ name }) => name)).toEqual(["mcp__web__echo"]);
  expect(instructions).toEqual([{ server: "web", text: "Ask echo for everything." }]);
  expect(await textOf(await use("mcp__web__echo", { a: 1 }))).toBe('echo of {"a":1}');
  expect(problems).toEqual([expect.stringMatching(/closed cannot be used.*(401|Unauthorized|POST)/i)]);
  await close();
  expect(methods).toContain("DELETE");
});

test("fails only the calls to an HTTP server that is gone", async () => {
  const { url, stop } = await startHttpToolServer("w");
  const { use } = await opened([{ name: "web", url, headers: { authorization: "Bearer w" } }]);
  stop();
  expect(await use("mcp__web__echo", {})).toMatchObject({ status: "error", content: expect.stringContaining("web") });
});
