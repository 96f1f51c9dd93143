import { expect, test } from "vitest";
import { toDraft } from "../log/draft.ts";
import { resolveSettings } from "../settings/resolve.ts";
import { budgetOf } from "../size/budget.ts";
import { SessionState, takeSnapshot } from "../state/state.ts";

import { memoryStore } from "../stores/memory-store.ts";
import { composeView } from "./compose.ts";
import { planCompaction } from "./plan.ts";

const { settings } = resolveSettings({});

/** A plan of a conversation in which the user has said a lot. */
async function planned() {
  const opened = await memoryStore().openWriter("s", { owner: "test" });
  if (opened.kind !== "opened") throw new Error("busy");
  const state = await SessionState.open({ session: "s", writer: opened.writer, clock: { now: () => 0 } });
  const said = Array.from({ length: 60 }, (_, index) =>
    toDraft("message", {
      ...(index % 2 === 0
        ? ({ role: "user", origin: "human" } as const)
        : ({ role: "assistant", origin: "model" } as const)),
      blocks: [{ kind: "text", text: `message ${index} `.repeat(400) }],
    }),
  );
  const configuration = {
    provider: "p",
    model: "m",
    system: { value: "Be brief." },
    tools: { value: [] },
    parameters: {},
    cause: "opened",
  } as const;
  await state.append([toDraft("configuration", configuration), ...said]);
  const snapshot = takeSnapshot(state, budgetOf({ windowTokens: 200_000 }));
  const plan = await planCompaction(
    snapshot,
    { variant: "full" },
    { log: state.log, settings, trigger: "auto", attendance: "attended", todos: undefined, head: undefined },
  );
  if ("kind" in plan) throw new Error(plan.kind);
  return plan;
}

test("without a summary, less and less is told until it fits; a summary that does not fit is not cut", async () => {
  const plan = await planned();
  const options = { settings, surroundings: {}, filesRead: new Map<string, number>() };
  const sizes: number[] = [];
  for (let targetTokens = plan.targetTokens; ; targetTokens = sizes.at(-1)!) {
    const view = await composeView(undefined, { ...plan, targetTokens }, options);
    if (view === undefined) break;
    expect(view.tokensAfter).toBeLessThan(targetTokens);
    sizes.push(view.tokensAfter);
  }
  // In steps that leave out no more than is needed, down to a few facts.
  for (const [index, size] of sizes.slice(1).entries()) {
    expect(size / sizes[index]!).toBeGreaterThan(0.3);
    expect(size / sizes[index]!).toBeLessThan(0.6);
  }
  expect(sizes.at(-1)).toBeLessThan(sizes[0]! / 20);
  const summary = { text: "What was done. ".repeat(100) };
  const whole = await composeView(summary, plan, options);
  expect(whole!.text).toContain(summary.text.trim());
  expect(await composeView(summary, { ...plan, targetTokens: whole!.tokensAfter }, options)).toBeUndefined();
});
