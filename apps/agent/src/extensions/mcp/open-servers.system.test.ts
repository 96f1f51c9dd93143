import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ask, answer, callTool, callTools } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "../../testing/run-cli.ts";
import { sentRequests } from "../../testing/sent-requests.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";
import { SDK_FOLDER, startHttpToolServer, TOOL_SERVER } from "../../testing/tool-server.ts";

/** Uses the tool that the user names. */
function think({ userText, toolResults }: Ask) {
  const tool = /^Use (\S+)$/m.exec(userText)?.[1];
  return toolResults.length > 0 || tool === undefined ? answer("Fine.") : callTools(callTool(tool, { a: 1 }));
}

async function started(settings: object, files: Readonly<Record<string, string>> = {}) {
  const project = temporaryProject({ "server.mjs": TOOL_SERVER, ...files });
  mkdirSync(join(project.home, ".palimpsest"));
  const set = (wanted: object): void =>
    writeFileSync(
      join(project.home, ".palimpsest/settings.json"),
      JSON.stringify({ readablePaths: [SDK_FOLDER], ...wanted }),
    );
  set(settings);
  const cli = await startCli(project, think);
  return { cli, set, project, last: () => sentRequests(cli).at(-1)! };
}

const files = (environment: object) => ({ command: [process.execPath, "server.mjs"], environment });

test("offers server tools in a stable order, asks before calls, and survives the end of a server", async () => {
  const web = await startHttpToolServer("open sesame");
  const ofWeb = { url: web.url, headers: { authorization: "Bearer open sesame" } };
  const instructions = { INSTRUCTIONS: "Alpha comes first." };
  const { cli, set, last } = await started({
    servers: { files: files(instructions), web: ofWeb, broken: { command: ["no-such-program"] } },
  });
  const denied = await cli.run(["-p", "Use mcp__files__alpha"]);
  expect(denied).toMatchObject({ code: 3, said: expect.stringContaining("--allow 'mcp__files__alpha'") });
  expect(denied.said).toContain("The tool server broken cannot be used");
  const first = last();
  const names = ["alpha", "fail", "mid_dle", "zeta"].map((name) => `mcp__files__${name}`);
  expect(first.tools.map(({ name }) => name).slice(-7, -2)).toEqual([...names, "mcp__web__echo"]);
  expect(first.texts.filter((text) => text.includes("# Server "))).toEqual([
    '<marked-data from="tool" name="files">\n# Server files\n\nAlpha comes first.\n</marked-data>',
    '<marked-data from="tool" name="web">\n# Server web\n\nAsk echo for everything.\n</marked-data>',
  ]);

  const allow = ["--allow", "mcp__*"];
  expect(await cli.run(["-c", "-p", "Use mcp__web__echo", ...allow])).toMatchObject({ code: 0 });
  expect(last().texts.at(-1)).toBe('echo of {"a":1}');
  expect(last().tools).toEqual(first.tools);

  // The server cannot be used now. Its tools stay in the list, so the cache still serves all earlier content.
  set({ servers: { files: files({ FAIL: "1" }), web: ofWeb } });
  const before = last();
  const without = await cli.run(["-c", "-p", "Use mcp__files__alpha", ...allow]);
  expect(without).toMatchObject({ code: 0, said: expect.stringContaining("The licence has ended.") });
  expect(last().tools).toEqual(first.tools);
  expect(last().texts.at(-1)).toMatch(/files cannot be used: .*Go on without it\./s);
  const [asked] = sentRequests(cli).slice(-2);
  expect(asked!.cacheReadTokens).toBe(before.cacheReadTokens + before.cacheWriteTokens);

  // A server that was removed from the settings is gone, which is announced. Instructions of a new server are appended.
  set({ servers: { web: ofWeb, other: files({ INSTRUCTIONS: "I am new here." }) } });
  const changed = await cli.run(["-c", "-p", "Go on"]);
  expect(changed.said).toMatch(/tools have changed .*new: mcp__other__alpha.*gone: mcp__files__alpha/);
  expect(
    last()
      .tools.map(({ name }) => name)
      .slice(-7)[0],
  ).toBe("mcp__web__echo");
  expect(last().texts.at(-2)).toContain("# Server other\n\nI am new here.");
  expect(last().texts.at(-2)).not.toContain("Server web");
  const cost = JSON.parse((await cli.run(["sessions", "cost", "--json"])).out);
  expect(cost.breaks.map(({ causes }: { readonly causes: readonly string[] }) => causes)).toEqual([["tools"]]);
  expect(cli.refused()).toEqual([]);
});

test("starts a project's servers only after the user has trusted its settings", async () => {
  const servers = { own: { command: ["sh", "-c", `touch started; exec ${process.execPath} server.mjs`] } };
  const { cli, last, project } = await started({}, { ".palimpsest/settings.json": JSON.stringify({ servers }) });
  const untrusted = await cli.run(["-p", "Hello"]);
  expect(untrusted.said).toContain("server own: sh -c touch started");
  expect(last().tools.some(({ name }) => name.startsWith("mcp__"))).toBe(false);
  expect(existsSync(join(project.folder, "started"))).toBe(false);
  expect((await cli.run(["trust", "--yes"])).code).toBe(0);
  await cli.run(["-p", "Hello"]);
  expect(last().tools.filter(({ name }) => name.startsWith("mcp__own__"))).toHaveLength(4);
});
