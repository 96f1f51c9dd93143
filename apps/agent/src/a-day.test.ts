import { execFileSync } from "node:child_process";
import { type Ask, answer, callTool, callTools, type Reply, summarise } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { startCli } from "./testing/run-cli.ts";
import { temporaryProject } from "./testing/temporary-project.ts";

const SUMMARY = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  .map((number) => `## ${number}. Section\nadd.js is being worked on, one step after the other, and tested each time.`)
  .join("\n");
const STEPS = 8;
const TEST = "node --test";

/** What the model does is told by the user's words, so that any process can die at any time. */
function think({ userText, toolResults, request }: Ask): Reply {
  if (userText.includes("nine sections")) return summarise(SUMMARY);
  if (userText.includes("<session-notes>")) return answer("<session-notes>\n</session-notes>");
  const step = Number(/step (\d+)/i.exec(newestWords(request["messages"]))?.[1] ?? Number.NaN);
  if (Number.isNaN(step)) return answer("What is to be done?");
  const last = toolResults.at(-1)?.text ?? "";
  // A call that was running when its process was killed is answered by words that say so.
  if (last === "" || last.includes("may have")) return callTools(callTool("Read", { file_path: "add.js" }));
  if (last.includes("pass 1")) return answer(`Step ${step} is done.`);
  const marker = `// step ${step} is done\n`;
  if (last.includes("return a + b") && !last.includes(marker.trim())) {
    const edit = { file_path: "add.js", old_string: "// next\n", new_string: `${marker}// next\n` };
    return callTools(callTool("Edit", edit));
  }
  return callTools(callTool("Bash", { command: TEST }));
}

/** The user's newest message with words of his own. */
function newestWords(messages: unknown): string {
  const all = messages as readonly {
    readonly role: string;
    readonly content: string | readonly { readonly text?: string }[];
  }[];
  const texts = all.flatMap(({ role, content }) =>
    role !== "user" ? [] : typeof content === "string" ? [content] : content.flatMap(({ text }) => text ?? []),
  );
  return (
    texts
      .findLast((text) => /^Do step \d+/m.test(text))
      ?.match(/Do step \d+/g)
      ?.at(-1) ?? ""
  );
}

test("a day: turns, resumes, compactions, undo, and processes that are killed; no edit is lost, no request refused", async () => {
  const project = temporaryProject({
    "add.js": "export function add(a, b) {\n  return a + b;\n}\n// next\n",
    "add.test.js":
      'import assert from "node:assert";\nimport { test } from "node:test";\nimport { add } from "./add.js";\ntest("adds", () => assert.equal(add(1, 2), 3));\n',
    "package.json": '{ "type": "module" }\n',
  });
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: project.folder,
      encoding: "utf8",
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "begun");
  const cli = await startCli(project, think);
  const permissions = ["--mode", "accept-edits", "--allow", "Bash(node --test *)", "--max-rounds", "8"];

  for (let step = 1; step <= STEPS; step++) {
    const goOn = step === 1 ? [] : ["--continue"];
    const args = ["-p", `Do step ${step}`, ...goOn, ...permissions, "--output-format", "stream-json"];
    if (step % 3 === 0) {
      // Killed as soon as a tool runs; whatever it has done by then, the next process goes on from the log.
      const { process: child, ended } = cli.start(args);
      let seen = "";
      child.stdout.on("data", (chunk) => {
        seen += String(chunk);
        if (seen.includes("tool-started")) child.kill("SIGKILL");
      });
      const { code } = await ended;
      expect(code).toBe(null);
      const resumed = await cli.run(["-c", "-p", `Do step ${step} again`, ...permissions]);
      expect({ step, code: resumed.code, said: resumed.said }).toMatchObject({ code: 0 });
    } else {
      const { code, said } = await cli.run(args);
      expect({ step, code, said }).toMatchObject({ code: 0 });
    }
    if (step === 4 || step === 6) expect((await cli.run(["compact"])).code).toBe(0);
    if (step === 6) expect((await cli.run(["undo"])).code).toBe(0);
    git("commit", "-qam", `step ${step}`);
  }

  const lines = project.text("add.js").split("\n");
  for (let step = 1; step <= STEPS; step++) {
    expect(lines.filter((line) => line === `// step ${step} is done`).length).toBeGreaterThanOrEqual(1);
  }
  expect(git("log", "--oneline").trim().split("\n")).toHaveLength(STEPS + 1);
  expect(cli.refused().map(({ outcome }) => outcome)).toEqual([]);
  expect(JSON.parse((await cli.run(["sessions", "--json"])).out)).toHaveLength(1);
  const cost = JSON.parse((await cli.run(["cost", "--json"])).out);
  expect(cost.breaks.filter(({ sort }: { readonly sort: string }) => sort === "alarm")).toEqual([]);
}, 120_000);
