import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { answer, createAnthropic, serve, stallStream } from "@palimpsest/provider-simulator";
import { expect, test } from "vitest";
import { InvalidOptionError, SessionBusyError } from "../errors.ts";

import { memoryStore } from "../stores/memory-store.ts";
import { sqliteStore } from "../stores/sqlite-store.ts";
import { openWriter } from "./log.ts";

test("a session in use says who has it, since when, until when and what to do, in plain words", async () => {
  const store = memoryStore({ clock: { now: () => 1_800_000_000_000 } });
  await openWriter(store, "trip", { owner: "process 7 on mercury" });
  const error = await openWriter(store, "trip", {}).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SessionBusyError);
  expect(error).toMatchObject({ owner: "process 7 on mercury", freeAtMs: 1_800_000_030_000 });
  expect((error as Error).message).toBe(
    "Session trip is open in process 7 on mercury, which was active at 2027-01-15 08:00:00 UTC. Close it there, or end that " +
      "process, then try again. If that process has died, the session is free at 2027-01-15 08:00:30 UTC.",
  );
});

test("a session in use is waited for, and given up after that time", async () => {
  const waits: number[] = [];
  const store = memoryStore();
  const { writer: first } = await openWriter(store, "s", {});
  const clock = {
    now: Date.now,
    async wait(ms: number) {
      waits.push(ms);
      if (waits.length === 8) await first.close();
    },
  };
  await expect(openWriter(store, "s", { takeover: { waitMs: 500 }, clock })).rejects.toThrow(SessionBusyError);
  expect(waits).toEqual([200, 200, 100]);
  const { writer: second } = await openWriter(store, "s", { takeover: { waitMs: 60_000 }, clock });
  expect(waits).toHaveLength(8);
  expect(second.fence).toBe(first.fence + 1);
  for (const takeover of [{ waitMs: -1 }, { waitMs: Number.NaN }, {}, "alway"])
    await expect(openWriter(store, "s", { takeover: takeover as never })).rejects.toThrow(InvalidOptionError);
});

test("a session whose model takes longer than the lease is busy to other processes, and loses nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "open-writer-"));
  const script = () => ({ ...answer("At last."), fault: stallStream(2, 6_000) });
  const server = await serve({ faces: [createAnthropic({ script })] });
  const asker = fileURLToPath(new URL("testing/ask-in-another-process.ts", import.meta.url));
  const leaseMs = 2_500;
  const args = ["--no-warnings", "--conditions=palimpsest-source", asker, folder, server.url, `${leaseMs}`];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const store = sqliteStore({ folder, leaseMs });
  try {
    const seen: string[] = [];
    let tries = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      seen.push(line);
      if (line === "closed") break;
      if (line !== "open") continue;
      const waiting = openWriter(store, "s", { takeover: { waitMs: 4_500 } });
      await expect(waiting).rejects.toMatchObject({ code: "session-busy", owner: "the asker" });
      tries++;
    }
    expect(tries).toBe(1);
    expect(seen).toEqual(["open", "done", "closed"]);
    const { writer } = await openWriter(store, "s", {});
    const texts = (await writer.read(1, 99)).map(({ payload }) => payload).join();
    expect(texts).toContain("At last.");
  } finally {
    child.kill("SIGKILL");
    await store.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
