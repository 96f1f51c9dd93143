import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Agents } from "@palimpsest/agents";
import { writePrivateFile } from "../../workspace/private-files.ts";

/** Status lines that running agents write while the user looks at them. */
export interface Phrases {
  /** The user looks now: running agents write status lines for a while. */
  watch(): void;
  close(): Promise<void>;
}

export interface PhrasesOptions {
  readonly agents: Pick<Agents, "list" | "follow">;
  /** The folder of the session. */
  readonly folder: string;
  /** How long agents write status lines after a look. @default 120,000: one line every half minute */
  readonly watchMs?: number;
}

const FILE = "phrases.json";

/** Collects status lines. Each costs a model call, so none is requested unless the user looks. Another process can read them. */
export function createPhrases({ agents, folder, watchMs = 120_000 }: PhrasesOptions): Phrases {
  const phrases = new Map<string, string>();
  const followed = new Map<string, () => void>();
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const end = (): void => {
    for (const unfollow of followed.values()) unfollow();
    followed.clear();
  };

  function take(id: string, phrase: string): void {
    phrases.set(id, phrase);
    const text = `${JSON.stringify(Object.fromEntries(phrases))}\n`;
    // Nothing else depends on the status lines, so a failed write is ignored.
    last = last.then(() => writePrivateFile(join(folder, FILE), text)).catch(() => undefined);
  }

  return {
    watch() {
      clearTimeout(timer);
      timer = setTimeout(end, watchMs).unref();
      for (const { id, live } of agents.list()) {
        if (live === undefined || followed.has(id)) continue;
        followed.set(
          id,
          agents.follow(id, (event) => {
            if (event.kind === "phrase") take(id, event.phrase);
          }),
        );
      }
    },
    async close() {
      clearTimeout(timer);
      end();
      await last;
    },
  };
}

/** Reads the status lines, by agent id. */
export async function readPhrases(folder: string): Promise<Readonly<Record<string, string>>> {
  try {
    const read: unknown = JSON.parse(await readFile(join(folder, FILE), "utf8"));
    return Object.fromEntries(Object.entries(read as object).filter(([, phrase]) => typeof phrase === "string"));
  } catch {
    return {};
  }
}
