import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { answer, type Script, stallStream } from "@palimpsest/provider-simulator";
import { query, SessionBusyError } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite-store";
import { openWorld } from "../library-world.ts";
import type { PromiseCase } from "../promise-case.ts";
import { startAgent } from "../start-agent.ts";

/** One writer of a session at a time: who is at work keeps it, who is gone does not. */
export const writerCases: readonly PromiseCase[] = [
  {
    promise: "a session that waits for its model longer than its lease is not taken over, and its answer is kept",
    side: "library",
    async check({ folder, random, holds, reported }) {
      const leaseMs = 900 + random.below(300);
      const script: Script = () => ({ ...answer("At last."), fault: stallStream(2, 3 * leaseMs) });
      await using world = await openWorld(folder, script);
      const at = join(folder, "leases");
      const [mine, other] = [sqliteStore({ folder: at, leaseMs }), sqliteStore({ folder: at, leaseMs })];
      try {
        const session = await world.open({ store: mine, id: "s", owner: "the first" });
        const turn = (async () => {
          for await (const event of query(session, { prompt: "Think." }))
            if (event.kind === "turn-ended") return event.outcome.kind;
          return "nothing";
        })();
        await sleep(2 * leaseMs);
        const error = await world.open({ store: other, id: "s" }).catch((thrown) => thrown);
        holds(error instanceof SessionBusyError, "a second process opened it while the model was at work");
        reported(error instanceof SessionBusyError && error.owner === "the first", "it is not said who has it");
        reported(error instanceof SessionBusyError && error.freeAtMs > Date.now() - 50, "it is not said until when");
        holds((await turn) === "done", "the first lost its answer");
        await session.close();
        await (await world.open({ store: other, id: "s" })).close();
      } finally {
        await Promise.all([mine.close(), other.close()]);
      }
    },
  },
  {
    promise: "a session whose process was killed is opened at once on the same machine",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder, () => answer("Yes."));
      const sessions = Array.from({ length: 1 + random.below(3) }, (_, index) => `session-${index}`);
      const child = holdElsewhere(join(folder, "sessions"), sessions);
      try {
        await once(child.stdout, "data");
        const busy = await world.open({ id: sessions[0]! }).catch((thrown: unknown) => thrown);
        reported(busy instanceof SessionBusyError && busy.owner === "the other process", "it is not said who has it");
        child.kill("SIGKILL");
        await once(child, "exit");
        for (const id of sessions) {
          const opened = await world.open({ id }).catch((thrown: unknown) => thrown);
          holds(!(opened instanceof Error), `${id} is still busy: ${opened}`);
        }
      } finally {
        child.kill("SIGKILL");
      }
    },
  },
  {
    promise: "who waits for a session gets it when the other closes it, and is told if that takes too long",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder, () => answer("Yes."));
      const other = sqliteStore({ folder: join(folder, "sessions") });
      try {
        const first = await world.open({ id: "s" });
        const impatient = await world
          .open({ id: "s", store: other, takeover: { waitMs: 300 } })
          .catch((thrown: unknown) => thrown);
        reported(impatient instanceof SessionBusyError, "it was not told that the session is in use");
        const waiting = world.open({ id: "s", store: other, takeover: { waitMs: 20_000 } });
        await sleep(200 + random.below(400));
        await first.append("My last words.");
        await first.close();
        const second = await waiting;
        const all = (await Array.fromAsync(second.history.export())).join();
        holds(all.includes("My last words."), "it does not go on from where the other was");
      } finally {
        await other.close();
      }
    },
  },
  {
    promise: "a session that is open in another agent is refused in plain words, and what that one does is not lost",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const script: Script = ({ userText }) =>
        userText.includes("slowly")
          ? { ...answer("It took me a while."), fault: stallStream(2, 6_000 + random.below(1_000)) }
          : answer("Hello.");
      await using agent = await startAgent(folder, script);
      await agent.run(["-p", "Begin."]);
      const first = agent.run(["-c", "-p", "Think slowly."]);
      while (agent.exchanges().length < 2) await sleep(50);
      const { code, said } = await agent.run(["-c", "-p", "Me too."]);
      holds(code !== 0, "a second agent took the session");
      reported(/is open in process \d+ on /.test(said), `it is not said who has it: ${said}`);
      reported(/Close it there/.test(said) && !/takeover|lease/.test(said), `it is not said what to do: ${said}`);
      const { code: ended, out } = await first;
      holds(ended === 0 && out.includes("It took me a while."), `the first ended with ${ended}: ${out}`);
    },
  },
];

/** Another process that has sessions open and waits. */
function holdElsewhere(folder: string, sessions: readonly string[]) {
  const script = `import { sqliteStore } from "palimpsest/sqlite-store";
    const store = sqliteStore({ folder: ${JSON.stringify(folder)} });
    for (const id of ${JSON.stringify(sessions)}) await store.openWriter(id, { owner: "the other process" });
    process.stdout.write("open");
    setInterval(() => {}, 1_000);`;
  const args = ["--no-warnings", "--conditions=palimpsest-source", "--input-type=module", "--eval", script];
  return spawn(process.execPath, args, { cwd: import.meta.dirname });
}
