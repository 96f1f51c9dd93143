import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Agents } from "@palimpsest/agents";
import { writePrivateFile } from "../../workspace/private-files.ts";

/** What the agents of a session say they are doing, for as long as somebody looks. */
export interface Phrases {
  /** Somebody looks: those that run are followed for a while. */
  watch(): void;
  close(): Promise<void>;
}

export interface PhrasesOptions {
  readonly agents: Pick<Agents, "list" | "follow">;
  /** The session's own. */
  readonly folder: string;
  /** How long one look counts. @default 120,000: a phrase comes every half minute */
  readonly watchMs?: number;
}

const FILE = "phrases.json";

/** Phrases cost a call each, so none is asked for unless somebody looks. They are left where another process reads them. */
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
    // What cannot be written is not seen, and nothing else hangs on it.
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

/** By the ids of agents. */
export async function readPhrases(folder: string): Promise<Readonly<Record<string, string>>> {
  try {
    const read: unknown = JSON.parse(await readFile(join(folder, FILE), "utf8"));
    return Object.fromEntries(Object.entries(read as object).filter(([, phrase]) => typeof phrase === "string"));
  } catch {
    return {};
  }
}
