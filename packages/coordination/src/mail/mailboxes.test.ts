import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Processes } from "palimpsest/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bodies, receive, register } from "../contract/coordination-case.ts";
import type { Coordination } from "../coordination.ts";
import { type CoordinationOptions, openCoordination } from "../open-coordination.ts";

/** The longest that a timer can wait: some 25 days. */
const NEVER_MS = 2 ** 31 - 1;

let folder: string;
let file: string;
let running: Set<number>;
const homes: Coordination[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mail-"));
  file = join(folder, "home.sqlite");
  running = new Set();
});
afterEach(async () => {
  for (const coordination of homes.splice(0)) await coordination.close();
  rmSync(folder, { recursive: true });
});

/** A process of a machine whose table says who is alive. */
async function startProcess(pid: number, options: Partial<CoordinationOptions> = {}): Promise<Coordination> {
  running.add(pid);
  const processes: Processes = {
    self: { pid, started: "s", realm: "r" },
    find: (wanted) => (running.has(wanted) ? { kind: "running", started: "s" } : { kind: "absent" }),
    ticksMs: () => 0,
  };
  const coordination = await openCoordination({ file, processes, pollMs: 60_000, ...options });
  homes.push(coordination);
  return coordination;
}

test("the name of a process that is gone is free at once, with its mail; a running one keeps it, however silent", async () => {
  let nowMs = 0;
  const clock = { now: () => nowMs };
  const [one, two] = [await startProcess(1, { clock }), await startProcess(2, { clock })];
  const [sender, before] = [await register(one, "sender"), await register(two, "agent")];
  await sender.send({ id: "a", to: "agent", body: "a" });
  await receive(before);
  nowMs += 3_600_000;
  const third = await startProcess(3, { clock });
  const registration = { team: "team", name: "agent", session: "s" };
  expect(await third.mailboxes.register(registration)).toMatchObject({ kind: "taken", by: { pid: 2 } });
  running.delete(2);
  expect(await one.mailboxes.addresses("team")).toMatchObject([
    { name: "agent", state: "stopped", host: expect.any(String), pid: 2 },
    { name: "sender", state: "running", host: expect.any(String), pid: 1 },
  ]);
  expect(bodies(await receive(await register(third, "agent")))).toEqual(["a"]);
  expect(await before.receive()).toEqual({ kind: "lost" });
});

test("mail from another process wakes at once, without polling", async () => {
  const coordination = await startProcess(1, { pollMs: NEVER_MS });
  const mailbox = await register(coordination, "one");
  const module = new URL("../open-coordination.ts", import.meta.url).href;
  const script = `const { openCoordination } = await import(${JSON.stringify(module)});
    const home = await openCoordination({ file: ${JSON.stringify(file)} });
    const { mailbox } = await home.mailboxes.register({ team: "team", name: "child", session: "c" });
    process.stdin.once("data", async () => {
      await mailbox.send({ id: "m", to: "one", body: "hello" });
      process.kill(process.pid, "SIGKILL");
    });
    console.log("ready");`;
  const child = spawn(process.execPath, [
    "--conditions=palimpsest-source",
    "--no-warnings",
    "--input-type=module",
    "--eval",
    script,
  ]);
  await once(child.stdout, "data");
  const waiting = mailbox.wait({ timeoutMs: NEVER_MS });
  child.stdin.write("now\n");
  expect(await waiting).toBe("mail");
  expect(bodies(await receive(mailbox))).toEqual(["hello"]);
});
