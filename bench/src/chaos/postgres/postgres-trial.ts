import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDatabase } from "@palimpsest/postgres/test-server";
import { startWriter, type Writer } from "../child.ts";
import { addLosses, audit, noLosses } from "../ledger.ts";
import { readLog } from "../open-log.ts";
import { heldIfZero, type Trial } from "../trial.ts";
import { startProxy } from "./start-proxy.ts";

const SIZES = {
  full: { kills: 200, databaseKills: 20, cuts: 200 },
  quick: { kills: 3, databaseKills: 1, cuts: 5 },
};
/** Two processes take each session from each other, over a network that is cut. */
const SESSIONS = ["first", "second"];
const PROCESSES_PER_SESSION = 2;

export const postgresTrial: Trial = {
  name: "postgres",
  about: "workers killed, PostgreSQL shut down in an instant, the network to it cut, while processes race for sessions",
  async run({ size, say }) {
    const { kills, databaseKills, cuts } = SIZES[size];
    const database = await startDatabase({ fsync: "on" });
    const proxy = await startProxy(join(database.host, ".s.PGSQL.5432"));
    const place = { port: proxy.port };
    const all: { readonly session: string; readonly owner: string; readonly writer: Writer }[] = [];
    const start = (session: string) => {
      const owner = `process ${all.length}`;
      const options = { owner, pauseMs: 4, largestPayload: 3_000, takeovers: 1_000_000, failures: "reopen" } as const;
      const one = { session, owner, writer: startWriter(place, session, options) };
      all.push(one);
      return one;
    };
    const running = SESSIONS.flatMap((session) => Array.from({ length: PROCESSES_PER_SESSION }, () => start(session)));
    /** Until every process has written since: what is broken next breaks work. */
    const settle = () => Promise.all(running.map(({ writer }) => writer.started));
    try {
      await settle();
      say(`killing a worker ${kills} times ...`);
      for (let kill = 0; kill < kills; kill++) {
        const at = Math.floor(Math.random() * running.length);
        const { session, writer } = running[at]!;
        await writer.started;
        await sleep(Math.random() * 40);
        writer.process.kill("SIGKILL");
        await writer.ended;
        running[at] = start(session);
      }
      await settle();
      say(`cutting the network ${cuts} times ...`);
      let connectionsCut = 0;
      for (let cut = 0; cut < cuts; cut++) {
        await sleep(20 + Math.random() * 60);
        connectionsCut += proxy.cut();
      }
      say(`shutting PostgreSQL down ${databaseKills} times ...`);
      for (let kill = 0; kill < databaseKills; kill++) {
        await sleep(100 + Math.random() * 300);
        await database.crash();
      }
      await sleep(300);
      for (const { writer } of running) writer.process.kill("SIGKILL");
      await Promise.all(all.map(({ writer }) => writer.ended));

      let losses = noLosses();
      let doubleWriters = 0;
      for (const session of SESSIONS) {
        const ours = all.filter((one) => one.session === session);
        const told = ours.flatMap(({ writer }) => writer.acknowledged);
        losses = addLosses(losses, audit(await readLog(place, session), told));
        const owners = new Map<number, string>();
        for (const { owner, writer } of ours)
          for (const { fence } of writer.acknowledged) {
            if ((owners.get(fence) ?? owner) !== owner) doubleWriters++;
            owners.set(fence, owner);
          }
      }
      const found = {
        kills,
        database_kills: databaseKills,
        network_cuts: cuts,
        connections_cut: connectionsCut,
        acknowledged: all.reduce((sum, { writer }) => sum + writer.acknowledged.length, 0),
        acknowledged_lost: losses.acknowledgedLost,
        entries_changed: losses.entriesChanged,
        double_writers: doubleWriters + losses.writtenByFenced,
        out_of_order: all.reduce((sum, { writer }) => sum + writer.outOfOrder.length, 0),
      };
      const wrong = [found.acknowledged_lost, found.entries_changed, found.double_writers, found.out_of_order];
      return { found, outcome: heldIfZero(...wrong) };
    } finally {
      for (const { writer } of running) writer.process.kill("SIGKILL");
      await proxy.stop();
      await database.stop();
    }
  },
};
