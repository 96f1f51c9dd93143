import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** Patterns that make a matcher try again and again, with an end that never fits. */
const PATTERNS = [
  "* * * * *\u0001",
  "*a*a*a*a*a*a*a*b",
  "a*a*a*a*a*a*a*a*a*c",
  "**/**/**/**/**/x\u0001",
  "*.*.*.*.*.*.*.*\u0001",
];
const TEXTS: readonly [name: string, text: string][] = [
  ["words", "a ".repeat(300)],
  ["one letter", "a".repeat(600)],
  ["folders", "a/".repeat(300)],
  ["dots", "a.".repeat(300)],
];
/** A decision takes less than a millisecond. On a machine that is very busy: */
const LIMIT_MS = 2_000;

/** A repository that nobody trusts brings rules that forbid; they count at once. They must not stop the agent. */
export const freezes: Family<Playground> = {
  name: "freezes",
  inWorld: inPlayground,
  attacks: (playground) =>
    PATTERNS.flatMap((pattern) =>
      TEXTS.map(
        ([name, text]): Attack => ({
          name: `${JSON.stringify(pattern)} against ${name}`,
          async run() {
            const file = join(playground.folder, ".palimpsest/settings.json");
            await mkdir(dirname(file), { recursive: true });
            await writeFile(file, JSON.stringify({ permissions: { deny: [`Bash(${pattern})`, `Read(${pattern})`] } }));
            const decided = playground.guards === "kept" ? DECIDE : MATCH_BY_EXPRESSION;
            return inTime(decided, { pattern, text, folder: playground.folder, agentHome: playground.agentHome });
          },
          harm: (said) => (said === "frozen" ? `no decision within ${LIMIT_MS} ms` : undefined),
        }),
      ),
    ),
};

/** The agent's own way, from the file to the decision. */
const DECIDE = `
  const { createPathGuard, decidePermission, loadSettings, toPermissionCall } = await import("palimpsest-agent");
  const guard = await createPathGuard(data.folder);
  const { settings } = await loadSettings({ guard, agentHome: data.agentHome });
  const tools = [
    [{ name: "Bash", effect: "execute", commands: "none" }, { command: data.text }],
    [{ name: "Read", effect: "read" }, { file_path: data.text }],
  ];
  begin();
  for (const [tool, input] of tools) {
    decidePermission(settings.mode, settings.rules, await toPermissionCall(tool, input, { guard }));
  }
`;

/** Without the guard: a pattern is translated to a regular expression, which goes back for each star. */
const MATCH_BY_EXPRESSION = `
  const source = data.pattern.replaceAll(/[.+?^$|(){}[\\]\\\\]/g, "\\\\$&").replaceAll(/\\*+/g, ".*");
  begin();
  new RegExp("^" + source + "$", "s").test(data.text);
`;

/** Runs in a thread that can be ended, since a frozen one cannot be asked to stop. */
function inTime(program: string, data: object): Promise<string> {
  const source = `
    const { parentPort, workerData: data } = await import("node:worker_threads");
    const begin = () => parentPort.postMessage("begun");
    ${program}
    parentPort.postMessage("decided");
  `;
  const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  const worker = new Worker(url, { workerData: data, execArgv: ["--conditions=palimpsest-source", "--no-warnings"] });
  return new Promise<string>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    worker.on("error", reject);
    worker.on("message", (message) => {
      if (message === "begun") timer = setTimeout(() => resolve("frozen"), LIMIT_MS);
      else resolve(message);
    });
    worker.on("exit", () => clearTimeout(timer));
  }).finally(() => worker.terminate());
}
