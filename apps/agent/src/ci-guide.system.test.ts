import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { EXIT } from "./commands/exit-codes.ts";
import { programInPath } from "./testing/program-in-path.ts";
import { startCli } from "./testing/run-cli.ts";
import { temporaryProject } from "./testing/temporary-project.ts";

const GUIDE = readFileSync(new URL("../../../docs/guides/run-it-in-ci.md", import.meta.url), "utf8");

/** The commands on the page, in order, except the installation, which needs a network. */
const commands = [...GUIDE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code!);
const steps = [...GUIDE.matchAll(/- name: (?!Install)(\w+)\n(?: {8}.*\n)*? {8}run: \|\n((?: {10}.*\n)+)/g)].map(
  ([, , code]) => code!.replaceAll(/^ {10}/gm, ""),
);

/** A model that fixes the failing test, if its tools are allowed. */
const script: Script = ({ userText, toolResults, request }) => {
  const said = JSON.stringify(request["messages"]);
  if (userText.includes("Run the tests")) return callTools(callTool("Bash", { command: "npm test" }));
  if (userText.includes("Which files")) return callTools(callTool("Glob", { pattern: "*.js" }));
  if (userText.includes("The tests fail")) return callTools(callTool("Read", { file_path: "add.js" }));
  if (toolResults.length === 0 || !said.includes("The tests fail")) return answer("Done.");
  if (!said.includes("old_string")) {
    return callTools(callTool("Edit", { file_path: "add.js", old_string: "a - b", new_string: "a + b" }));
  }
  return said.includes("npm test")
    ? answer("add.js subtracted.")
    : callTools(callTool("Bash", { command: "npm test" }));
};

test("every command in the guide works as described", async () => {
  expect([commands.length, steps.length]).toEqual([7, 2]);
  const project = temporaryProject({
    "package.json": '{ "private": true, "type": "module", "scripts": { "test": "node test.js" } }',
    "add.js": "export const add = (a, b) => a - b;\n",
    "test.js": 'import { add } from "./add.js";\nif (add(1, 2) !== 3) throw new Error("1 + 2 is not 3");\n',
  });
  const cli = await startCli(project, script);
  const git = ["-c", "user.name=a", "-c", "user.email=a@b"];
  for (const args of [
    ["init", "-q"],
    ["add", "."],
    [...git, "commit", "-qm", "Begin"],
  ]) {
    expect(spawnSync("git", args, { cwd: project.folder }).status).toBe(0);
  }
  const type = async (code: string): Promise<string> => {
    const child = spawn("bash", ["-euo", "pipefail", "-c", code], {
      cwd: project.folder,
      env: {
        ...programInPath(project),
        PALIMPSEST_HOME: join(project.base, "kept"),
        ANTHROPIC_API_KEY: "none",
        ANTHROPIC_BASE_URL: cli.server.url,
      },
    });
    child.stdin.end();
    const closed = new Promise((resolve) => child.on("close", resolve));
    const [out, said, status] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    expect({ code, status, said }).toMatchObject({ status: 0 });
    return out;
  };

  const [plain, denied, events, piped, , , kept] = await (async () => {
    const outs: string[] = [];
    for (const code of commands) outs.push(await type(code));
    return outs;
  })();
  expect(plain).toBe("Done.\n");
  expect(denied).toContain("not allowed: Bash, needs Bash(npm test *)");
  expect(events).toMatch(/^Glob\n/);
  expect(events).toContain('"outcome": "done"');
  expect(piped).toBe("Done.\n");
  expect(kept).toMatch(/spent on +responses[\s\S]*Done\.\n$/);
  expect(project.text("session.jsonl").split("\n").length).toBeGreaterThan(5);

  await type(steps[0]!);
  expect(project.text("add.js")).toContain("a + b");
  expect(await type(steps[1]!)).toMatch(/^add\.js subtracted\.\n/);
  expect(project.text("changes.patch")).toContain("+export const add = (a, b) => a + b;");
  expect(cli.refused()).toEqual([]);
}, 240_000);

test("the guide names every exit code and every outcome", () => {
  const table = GUIDE.slice(GUIDE.indexOf("## Exit codes"), GUIDE.indexOf("```sh\ncode=0"));
  for (const code of Object.values(EXIT)) expect(table).toMatch(new RegExp(`^\\|.*\\b${code}\\b.*\\|`, "m"));
  const outcomes = ["done", "refused", "aborted", "window-full", "rounds-used-up", "budget-used-up", "failed"];
  for (const outcome of outcomes) expect(GUIDE).toContain(`\`${outcome}\``);
});
