import { answer, createAnthropic } from "@palimpsest/provider-simulator";
import fc from "fast-check";
import { expect, test } from "vitest";
import { attachment } from "../log/messages.ts";
import type { AgentPayload } from "../log/payload-turn.ts";
import { anthropic } from "../providers/anthropic.ts";
import { readStream } from "../providers/stream.ts";
import { anthropicInProcess } from "../providers/testing/worlds.ts";
import { openSession } from "../session/open.ts";
import { memoryStore } from "../stores/memory-store.ts";

const MODEL = "claude-opus-5-5";
const SECTIONS = Array.from({ length: 9 }, (_, index) => `## ${index + 1}. Title\nWhat was done in part ${index + 1}.`);
const SUMMARY = `<summary>\n${SECTIONS.join("\n")}\n</summary>`;

const started = (id: string): AgentPayload => ({
  id,
  step: "started",
  way: "background",
  goal: `goal-${id}.`,
  session: `s-${id}`,
});
const ended = (id: string, outcome: "done" | "failed" = "done"): AgentPayload => ({
  id,
  step: "ended",
  outcome,
  told: "next-entry",
});
const resultOf = (id: string) => attachment("agent-result", `result-of-${id}.`);

async function open() {
  // What the model waits for before it answers with a summary: things can happen meanwhile.
  let meanwhile: () => Promise<void> = async () => undefined;
  const face = createAnthropic({
    script: (ask) => answer(ask.purpose === "summary" ? SUMMARY : "Done."),
  });
  const client = anthropicInProcess(face, async (body) => {
    if (body.includes("<summary> block")) await meanwhile();
    return undefined;
  });
  const provider = anthropic(client, { models: { [MODEL]: { windowTokens: 60_000 } } });
  const store = memoryStore({ leaseMs: 0 });
  const reopen = () => openSession({ store, provider, model: MODEL, id: "s", system: "Be brief." });
  const session = await reopen();
  const send = async () => {
    const request = await session.prepare();
    await session.record(await readStream(provider.send(request)), request);
    return JSON.stringify(request);
  };
  return {
    session,
    send,
    reopen,
    during(act: typeof meanwhile) {
      meanwhile = act;
    },
  };
}

test("while it is compacted, agents go on: each is in the new view, each result arrives once, none starts twice", async () => {
  const ids = Array.from({ length: 11 }, (_, index) => `agent${String(index).padStart(2, "0")}`);
  const seen = { endedMeanwhile: 0, endedBefore: 0, repeated: 0 };
  const when = fc.constantFrom("before" as const, "during" as const, "after" as const, "never" as const);
  await fc.assert(
    fc.asyncProperty(fc.array(when, { minLength: 11, maxLength: 11 }), fc.nat(10), async (ends, again) => {
      const { session, send, reopen, during } = await open();
      await session.append("«the task»");
      for (const id of ids) expect(await session.background.enterAgent(started(id))).toBe("entered");
      const end = async (moment: (typeof ends)[number]) => {
        for (const [index, id] of ids.entries()) {
          if (ends[index] !== moment) continue;
          expect(
            await session.background.enterAgent(ended(id, index % 3 === 0 ? "failed" : "done"), resultOf(id)),
          ).toBe("entered");
        }
      };
      await end("before");
      await send();
      await session.append(`More. ${"word ".repeat(4_000)}`);
      await send();
      during(() => end("during"));
      expect(await session.compact()).toMatchObject({ kind: "compacted" });
      await end("after");
      // A late or repeated end changes nothing, and neither does a second start.
      if (ends[again] !== "never") {
        seen.repeated++;
        expect(await session.background.enterAgent(ended(ids[again]!), resultOf(ids[again]!))).toBe("known");
      }
      expect(await session.background.enterAgent(started(ids[again]!))).toBe("known");
      expect(await session.background.enterAgent(ended("of a branch that is gone"), resultOf("x"))).toBe("unknown");

      await session.append("«on» Go on.");
      const request = await send();
      for (const [index, id] of ids.entries()) {
        expect(request.split(`goal-${id}.`), `${id} is named once`).toHaveLength(2);
        if (ends[index] === "during") seen.endedMeanwhile++;
        if (ends[index] === "before") seen.endedBefore++;
        const shown = ends[index] === "during" || ends[index] === "after" ? 2 : 1;
        // What ended before is folded with its result, which is named by its entry.
        expect(request.split(`result-of-${id}.`), `${id} ended ${ends[index]}`).toHaveLength(shown);
      }
      expect((await reopen()).background.agents()).toEqual(session.background.agents());
    }),
    { numRuns: process.env["PALIMPSEST_SLOW"] === undefined ? 60 : 1_000 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(10);
});
