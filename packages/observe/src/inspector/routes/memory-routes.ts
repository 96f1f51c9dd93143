import type { Memory } from "@palimpsest/memory";
import { json, type Route, refuse } from "./route.ts";

/** The memory across sessions, as far as the page shows it. Nothing of it is changed. */
export interface ShownMemory {
  readonly memory: Pick<Memory, "list" | "read" | "inbox" | "forgotten" | "problems" | "log" | "diff">;
  /** The key of a session that a memory quotes. @default its evidence is no link */
  readonly keyOf?: (session: string) => string;
}

const COMMITS = 100;
const TEXT_CHARACTERS = 100_000;

/** Topics with their evidence, proposals that wait for the user, and the history. */
export function memoryRoutes(shown: ShownMemory | undefined): readonly Route[] {
  const ofMemory = (
    path: string,
    answer: (shown: ShownMemory, name: string) => ReturnType<Route["answer"]>,
  ): Route => ({
    path,
    answer: async ({ parameters }) =>
      shown === undefined
        ? refuse(
            404,
            "no-memory",
            "This inspector shows no memory. `palimpsest inspect` shows that of its folder, and with --tenant that of --memory NAME.",
          )
        : answer(shown, parameters["name"] ?? ""),
  });
  return [
    ofMemory("/api/memory", async ({ memory }) => {
      const log = await memory.log(COMMITS);
      return json({
        topics: await memory.list(),
        inbox: await memory.inbox(),
        forgotten: await memory.forgotten(),
        problems: await memory.problems(),
        history: log.kind === "log" ? { commits: log.commits } : { commits: [], why: log.why },
      });
    }),
    ofMemory("/api/memory/topics/:name", async ({ memory, keyOf }, slug) => {
      const topic = await memory.read(slug);
      if (topic === undefined) return refuse(404, "no-topic", "There is no such memory any more.");
      const evidence = topic.evidence.map((one) => ({ ...one, ...(keyOf && { key: keyOf(one.session) }) }));
      return json({ ...topic, body: topic.body.slice(0, TEXT_CHARACTERS), text: "", evidence });
    }),
    ofMemory("/api/memory/commits/:name", async ({ memory }, commit) => {
      const diff = await memory.diff(commit);
      if (diff.kind !== "diff") return refuse(404, diff.kind, "There is no such change in the history.");
      return json({ commit: diff.commit, text: diff.text.slice(0, TEXT_CHARACTERS) });
    }),
  ];
}
