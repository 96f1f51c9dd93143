import { openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { sqliteStore } from "palimpsest/sqlite";
import { expect, onTestFinished, test } from "vitest";
import type { Terminal } from "../commands/terminal.ts";
import { temporaryProject } from "../testing/temporary-project.ts";
import { placesOf } from "../workspace/places.ts";
import { createInspection } from "./create-inspection.ts";

test("a page over the running session undoes its compaction, and waits for the end of a turn", async () => {
  const { folder, home } = temporaryProject();
  const environment = { HOME: home };
  const places = placesOf(folder, environment);
  const store = sqliteStore({ folder: places.sessions });
  const settings = { compaction: "off" } as const;
  const provider = anthropic({} as never);
  const session = await openSession({ id: "s", store, provider, model: "claude-opus-5-5", settings });
  const [said] = await session.append("A long question. ".repeat(100));
  await session.prepare();
  const summary = { role: "user", origin: "summary", blocks: [{ kind: "text", text: "A question." }] } as const;
  const boundary = await session.history.fold({ from: said!, to: said! }, [summary], "test");
  let state: "idle" | "busy" = "busy";
  let refreshed = 0;
  const inspection = createInspection({
    project: { folder, places, store },
    terminal: { folder, environment, clock: { now: Date.now } } as Pick<Terminal, "folder" | "environment"> as Terminal,
    session: () => session,
    isIdle: () => state === "idle",
    refresh: async () => void refreshed++,
  });
  onTestFinished(async () => {
    await inspection.close();
    await session.close();
    await store.close();
  });

  const { origin, hash } = new URL(await inspection.address());
  const given = new URLSearchParams(hash.slice(1));
  const entered = await fetch(`${origin}/api/enter`, { method: "POST", body: given.get("token")! });
  const cookie = entered.headers.getSetCookie()[0]!.split(";")[0]!;
  const at = `${origin}/api/sessions/${given.get("session")}`;
  const undo = (headers: Record<string, string>) =>
    fetch(`${at}/boundaries/${boundary}/undo`, { method: "POST", headers: { cookie, ...headers } });
  expect((await undo({})).status).toBe(403);
  const busy = await undo({ origin });
  expect({ status: busy.status, text: await busy.text() }).toMatchObject({
    status: 409,
    text: expect.stringContaining("A turn is running"),
  });
  state = "idle";
  const undone = await undo({ origin });
  expect(await undone.json()).toMatchObject({ kind: "undone" });
  expect((await session.history.explain())[0]).toMatchObject({ boundary, inEffect: "taken-back" });
  expect(refreshed).toBe(1);
  // One inspector for all: another address, the same server.
  expect(new URL(await inspection.address()).origin).toBe(origin);
});
