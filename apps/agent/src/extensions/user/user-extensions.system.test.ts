import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { answer, callTool, callTools } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import type { Agent } from "../../agent/agent.ts";
import type { CommandContext } from "../../extension/slash-command.ts";
import { openOfflineAgent } from "../../testing/offline-agent.ts";
import { startCli } from "../../testing/run-cli.ts";
import { sentRequests } from "../../testing/sent-requests.ts";
import { temporaryProject } from "../../testing/temporary-project.ts";

const GUIDE = new URL("../../../../../docs/guides/write-an-extension.md", import.meta.url);
/** The extension in the guide, unchanged. */
const EXAMPLE = /```ts\n([\s\S]*?)```/.exec(readFileSync(GUIDE, "utf8"))![1]!;

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

async function typed(agent: Agent, name: string, words: string): Promise<readonly string[]> {
  const done: string[] = [];
  const context = {
    words,
    session: agent.session,
    say: (text: string) => void done.push(`said: ${text}`),
    submit: async (text: string) => void done.push(`sent: ${text}`),
  };
  await agent.commands.find((command) => command.name === name)!.open(context as unknown as CommandContext);
  return done;
}

test("an installed package adds its tool and its slash command", async () => {
  const project = temporaryProject({ "TODO.md": "- mend the loader\n- ship it\n" });
  const agentHome = join(project.home, ".palimpsest");
  const source = join(project.base, "palimpsest-open-work");
  const { stripTypeScriptTypes } = await import("node:module");
  const manifest = { name: "palimpsest-open-work", version: "1.0.0", type: "module", exports: "./index.js" };
  write(join(source, "package.json"), JSON.stringify(manifest));
  write(join(source, "index.js"), stripTypeScriptTypes(EXAMPLE));
  write(join(agentHome, "settings.json"), JSON.stringify({ extensions: [manifest.name] }));
  const environment = { PATH: process.env["PATH"], HOME: project.home };
  const packed = execFileSync("npm", ["pack", "--silent"], { cwd: source, env: environment, encoding: "utf8" }).trim();
  const install = ["install", "--offline", "--no-audit", "--no-fund", "--prefix", agentHome, join(source, packed)];
  execFileSync("npm", install, { cwd: agentHome, env: environment });

  const cli = await startCli(project, ({ toolResults }) =>
    toolResults.length === 0 ? callTools(callTool("OpenWork", {})) : answer(toolResults[0]!.text),
  );
  expect(await cli.run(["-p", "What is left?"])).toMatchObject({ code: 0, out: "mend the loader\nship it\n" });
  expect(sentRequests(cli)[0]!.tools.map(({ name }) => name)).toContain("OpenWork");
  expect(cli.refused()).toEqual([]);
  expect(await typed(await openOfflineAgent(project), "open-work", "")).toEqual([
    "said: 2 points are open in TODO.md.",
  ]);
});

test("opens TypeScript files as extensions, and names an extension that fails", async () => {
  const project = temporaryProject({ "TODO.md": "- ship it\n" });
  const agentHome = join(project.home, ".palimpsest");
  write(join(agentHome, "open-work.ts"), EXAMPLE);
  write(join(agentHome, "empty.ts"), "export const nothing = 1;\n");
  const extensions = ["./missing.ts", "./empty.ts", "./open-work.ts"];
  write(join(agentHome, "settings.json"), JSON.stringify({ extensions }));
  const agent = await openOfflineAgent(project);
  expect(agent.tools.map(({ name }) => name)).toContain("OpenWork");
  expect(agent.problems).toEqual([
    expect.stringContaining("Could not load the extension ./missing.ts: Cannot find module"),
    "Could not load the extension ./empty.ts: it must export a function `open(context)`.",
  ]);
});

test("opens a repository's extension only after the user has trusted its settings", async () => {
  const project = temporaryProject({
    ".palimpsest/settings.json": JSON.stringify({ extensions: ["./open-work.ts"] }),
    ".palimpsest/open-work.ts": EXAMPLE,
  });
  const before = await openOfflineAgent(project);
  expect(before.tools.map(({ name }) => name)).not.toContain("OpenWork");
  expect(before.settings.heldBack).toEqual(["extension ./open-work.ts"]);
  const cli = await startCli(project, () => answer("Fine."));
  expect((await cli.run(["trust", "--yes"])).code).toBe(0);
  expect((await openOfflineAgent(project)).tools.map(({ name }) => name)).toContain("OpenWork");
});

test("offers Markdown files as slash commands, a repository's only after the user has trusted them", async () => {
  const project = temporaryProject({ ".palimpsest/commands/deploy.md": "Deploy it." });
  write(
    join(project.home, ".palimpsest/commands/review.md"),
    "---\ndescription: Review a file\n---\nReview $ARGUMENTS with care.",
  );
  const agent = await openOfflineAgent(project);
  expect(agent.commands.find(({ name }) => name === "review")).toMatchObject({ about: "Review a file" });
  expect(await typed(agent, "review", "src/$&.ts")).toEqual(["sent: Review src/$&.ts with care."]);
  expect(agent.commands.some(({ name }) => name === "deploy")).toBe(false);
  expect(agent.problems.join()).toContain("/deploy. To review them: palimpsest trust");
  const cli = await startCli(project, () => answer("Fine."));
  expect((await cli.run(["trust"])).out).toContain("a slash command /deploy");
  await cli.run(["trust", "--yes"]);
  expect(await typed(await openOfflineAgent(project), "deploy", "now")).toEqual(["sent: Deploy it.\n\nnow"]);
});
