import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTranscripts, importSession, RECORDED_AGENTS, readTranscript } from "@palimpsest/observe";
import { createAnthropic } from "@palimpsest/provider-simulator";
import { memoryStore, openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeHome } from "./write-home.ts";

let home: string;
beforeAll(() => {
  home = writeHome(mkdtempSync(join(tmpdir(), "palimpsest-home-")));
});
afterAll(() => rmSync(home, { recursive: true }));

test("a session of any agent goes on here, with a request that the provider takes", async () => {
  const agents = new Set<string>();
  let imports = 0;
  for await (const reference of findTranscripts(home)) {
    const store = memoryStore();
    const id = `session-${imports}`;
    imports++;
    const imported = await importSession(readTranscript(reference), { store, id });
    // The subagent of opencode has said nothing.
    if (reference.session === "ses_2") expect(imported.kind).toBe("nothing");
    if (imported.kind !== "imported") continue;
    agents.add(imported.agent);
    const session = await openSession({
      store,
      id,
      provider: anthropic({} as never),
      model: "claude-opus-5-5",
      settingsFrom: { environment: {} },
      tools: [{ name: "read", inputSchema: { type: "object" } }],
    });
    const { responses } = session.ledger.totals();
    expect(responses).toBe(imported.responses + imported.subagentResponses);
    await session.append("Go on.");
    const verdict = createAnthropic().judge(await session.prepare());
    expect({ path: reference.path, verdict: verdict.kind }).toEqual({ path: reference.path, verdict: "accepted" });
    await session.close();
  }
  expect(imports).toBe(15);
  expect([...agents].sort()).toEqual([...RECORDED_AGENTS].sort());
});
