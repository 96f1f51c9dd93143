import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Attack, Family } from "./attack.ts";
import type { FreezeThreadData } from "./freeze-thread.ts";
import { guardMissingAt } from "./load-without.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** Patterns that make a matcher try again and again, with an end that never fits. */
const PATTERNS = [
  "* * * * *\u0001",
  "*a*a*a*a*a*a*a*b",
  "a*a*a*a*a*a*a*a*a*c",
  "**/**/**/**/**/**/**/x\u0001",
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

interface FreezePlayground extends Playground {
  /** Whether a decision about a text comes in time. */
  decide(text: string): Promise<"decided" | "frozen">;
}

/** A repository that nobody trusts brings rules that forbid; they count at once. They must not stop the agent. */
export const freezes: Family<FreezePlayground> = {
  name: "freezes",
  guard: "linear matcher",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: (act) =>
    inPlayground(
      async (playground) => {
        let thread: Worker | undefined;
        const end = async (): Promise<void> => {
          await thread?.terminate();
          thread = undefined;
        };
        try {
          return await act({
            ...playground,
            async decide(text) {
              thread ??= startThread(playground);
              const decided = await inTime(thread, text);
              // A frozen one cannot be asked to stop.
              if (decided === "frozen") await end();
              return decided;
            },
          });
        } finally {
          await end();
        }
      },
      { shell: "none" },
    ),
  attacks: ({ folder, decide }) =>
    PATTERNS.flatMap((pattern) =>
      TEXTS.map(
        ([name, text]): Attack => ({
          name: `${JSON.stringify(pattern)} against ${name}`,
          async run() {
            const file = join(folder, ".palimpsest/settings.json");
            await mkdir(dirname(file), { recursive: true });
            await writeFile(file, JSON.stringify({ permissions: { deny: [`Bash(${pattern})`, `Read(${pattern})`] } }));
            return decide(text);
          },
          harm: (said) => (said === "frozen" ? `no decision within ${LIMIT_MS} ms` : undefined),
        }),
      ),
    ),
};

function startThread({ folder, agentHome }: Playground): Worker {
  const without = guardMissingAt(import.meta.url);
  const workerData: FreezeThreadData = { folder, agentHome, ...(without === undefined ? {} : { without }) };
  return new Worker(new URL("./freeze-thread.ts", import.meta.url.split("?")[0]), { workerData });
}

function inTime(thread: Worker, text: string): Promise<"decided" | "frozen"> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const onMessage = (message: "begun" | "decided"): void => {
      if (message === "begun") {
        timer = setTimeout(() => finish("frozen"), LIMIT_MS);
        return;
      }
      finish("decided");
    };
    const finish = (decided: "decided" | "frozen"): void => {
      clearTimeout(timer);
      thread.off("message", onMessage);
      resolve(decided);
    };
    thread.on("message", onMessage);
    thread.once("error", reject);
    thread.postMessage(text);
  });
}
