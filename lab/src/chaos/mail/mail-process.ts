/**
 * An agent that sends its messages and takes in those of others, until it is killed or told to finish. Its session is a
 * log: a message that it was given is appended with its key, then acknowledged. Each message that it sent is told on
 * standard output, after the send has resolved and not before.
 *
 * Argument: as JSON the terms of `AgentPlan`. Anything on standard input: nobody sends any more, so finish.
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Coordination,
  type Mailbox,
  type Message,
  openCoordination,
  separateRecorded,
} from "@palimpsest/coordination";
import { openPostgresCoordination } from "@palimpsest/postgres";
import { sqliteStore } from "palimpsest/sqlite";
import { type Draft, sealEntries, sha256 } from "palimpsest/store-parts";
import pg from "pg";
import { takeLog } from "../open-log.ts";
import { receiverOf } from "./mail-ledger.ts";

export interface AgentPlan {
  readonly folder: string;
  /** The folder of a server's socket, if mail is kept in PostgreSQL. @default a file in the folder */
  readonly database?: string;
  readonly agents: readonly string[];
  readonly name: string;
  /** The first message that was not acknowledged, and the last. */
  readonly fromStep: number;
  readonly toStep: number;
}

/** One line of output. */
export type AgentLine =
  | { readonly kind: "sent"; readonly step: number }
  | { readonly kind: "sent-all" }
  | { readonly kind: "failed"; readonly reason: string };

/** What a log keeps of a message. */
export interface MailPayload {
  readonly key: string;
  readonly from: string;
  readonly step: number;
}

await live(JSON.parse(process.argv[2] ?? "{}") as AgentPlan);

async function live(options: AgentPlan): Promise<void> {
  const finishing = new AbortController();
  process.stdin.once("data", () => finishing.abort());
  // The disk may be full already when it starts.
  const mailbox = await persist(() => openMailbox(options));
  const sending = send(mailbox, options).then(() => emit({ kind: "sent-all" }));
  const record = await persist(() => openRecord(options));
  for (;;) {
    const isLast = finishing.signal.aborted;
    const count = await persist(() => takeIn(mailbox, record));
    if (count > 0) continue;
    if (isLast) break;
    await mailbox.wait({ timeoutMs: 100 });
  }
  await sending;
  process.exit();
}

async function openMailbox({ folder, database, name }: AgentPlan): Promise<Mailbox> {
  const coordination =
    database === undefined ? await openCoordination({ file: join(folder, "home.sqlite") }) : openInDatabase(database);
  // Nobody can tell that the process before was killed if it may have been on another machine; its successor knows.
  const takeover = database === undefined ? "if-free" : "always";
  const result = await coordination.mailboxes.register({ team: "team", name, session: `session-${name}`, takeover });
  if (result.kind === "registered") return result.mailbox;
  await coordination.close();
  throw new Error(JSON.stringify(result));
}

function openInDatabase(host: string): Coordination {
  const pool = new pg.Pool({ host, user: "service", database: "postgres", max: 2 });
  // A server that goes away ends idle connections; the next query opens another.
  pool.on("error", () => undefined);
  return openPostgresCoordination({ pool, tenant: "chaos", pollMs: 50 });
}

async function send(mailbox: Mailbox, { agents, name, fromStep, toStep }: AgentPlan): Promise<void> {
  for (let step = fromStep; step <= toStep; step++) {
    const body = JSON.stringify({ step, text: "y".repeat((step * 37) % 400) });
    await persist(async () => {
      const outcome = await mailbox.send({ id: `m${step}`, to: receiverOf(agents, name, step), body });
      // Those that are not up yet, or whose mailbox is full, are there later.
      if (outcome.kind !== "sent") throw new Error(JSON.stringify(outcome));
    });
    emit({ kind: "sent", step });
    await sleep(Math.random() * 3);
  }
}

interface Record {
  has(key: string): boolean;
  append(messages: readonly Message[]): Promise<void>;
}

async function openRecord({ folder, name }: AgentPlan): Promise<Record> {
  const store = sqliteStore({ folder });
  const writer = await takeLog(store, `session-${name}`);
  const keys = new Set<string>();
  const learn = async (): Promise<void> => {
    const { sequence } = await writer.head();
    for (const { payload = "{}" } of await writer.read(1, sequence)) keys.add((JSON.parse(payload) as MailPayload).key);
  };
  await learn();
  return {
    has: (key) => keys.has(key),
    async append(messages) {
      const drafts = messages.map(({ key, from, body }): Draft => {
        const { step } = JSON.parse(body) as { step: number };
        const payload: MailPayload = { key, from: from.name, step };
        return { kind: "message", version: 1, payload: JSON.stringify(payload) };
      });
      const entries = sealEntries(drafts, { head: await writer.head(), atMs: Date.now(), digest: sha256 });
      const result = await writer.append(entries);
      if (result.kind !== "appended") throw new Error(`not appended: ${result.kind}`);
      for (const { key } of messages) keys.add(key);
    },
  };
}

/** Returns how many messages there were. */
async function takeIn(mailbox: Mailbox, record: Record): Promise<number> {
  const received = await mailbox.receive({ limit: 50 });
  if (received.kind === "lost") throw new Error("the address was taken");
  const { fresh, recorded } = separateRecorded(received.messages, (key) => record.has(key));
  if (fresh.length > 0) await record.append(fresh);
  await mailbox.acknowledge([...recorded, ...fresh].map(({ key }) => key));
  return received.messages.length;
}

/** Until it succeeds: a disk that is full has room again later, and a server that was shut down comes back. */
async function persist<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const { reason, message } = error as { reason?: string; message: string };
      emit({ kind: "failed", reason: reason ?? message });
      await sleep(5 + Math.random() * 20);
    }
  }
}

function emit(line: AgentLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
