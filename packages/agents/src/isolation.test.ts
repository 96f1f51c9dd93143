import { answer, callTool, callTools, type Script } from "@palimpsest/provider-simulator";
import { memoryStore } from "palimpsest";
import { expect, test } from "vitest";
import { openTeam } from "./testing/open-team.ts";

const OPERATIONS = process.env["PALIMPSEST_SLOW"] === undefined ? 120 : 10_000;
const WAYS = ["background", "fork"] as const;

test("two sessions with agents in one process and one store: what is said in one is never sent in the other", async () => {
  const store = memoryStore({ leaseMs: 0 });
  const script: Script = ({ toolResults }) =>
    toolResults.length % 2 === 0 ? callTools(callTool("Look", { what: "x" })) : answer("Done.");
  const canaries = ["canary-of-north", "canary-of-south"] as const;
  const teams = await Promise.all(
    canaries.map((canary) =>
      openTeam({ script, store, id: canary, system: `You lead. ${canary}`, settings: { compaction: "off" } }),
    ),
  );
  for (let operations = 0; operations < OPERATIONS; operations++) {
    const { agents, session, turn } = teams[operations % 2]!;
    const what = `${canaries[operations % 2]!} number ${operations}`;
    const step = Math.floor(operations / 2) % 5;
    if (step === 0) await session.append(what);
    else if (step === 1) await agents.start({ prompt: what, description: what, way: WAYS[operations % 4 < 2 ? 0 : 1] });
    else if (step === 2) await agents.send("*", what);
    else if (step === 3) await agents.inbox.deliver(session);
    else if (operations % 50 < 10) await turn(what);
    // The conversations would fill the window otherwise.
    if (operations % 200 >= 198) await session.history.rewind(1);
  }
  for (const { agents } of teams) await agents.drain(60_000);
  for (const [at, { sent, session, agents }] of teams.entries()) {
    expect(sent.length).toBeGreaterThan(OPERATIONS / 10);
    const [own, other] = [canaries[at]!, canaries[1 - at]!];
    expect(sent.every((body) => body.includes(own) || !body.includes("You lead."))).toBe(true);
    expect(sent.filter((body) => body.includes(other))).toEqual([]);
    await agents.inbox.deliver(session);
    for await (const line of session.history.export()) expect(line).not.toContain(other);
  }
}, 600_000);
