import { expect, test } from "vitest";
import type { Block } from "../../log/block.ts";
import type { MessagePayload } from "../../log/payload.ts";
import { evidenceText } from "../parts/record.ts";
import { createEvidence } from "./evidence.ts";

const WINDOWS = 10;
const FACTS = 40;
const ROUNDS = 60;
const BUDGET_TOKENS = 8_000;
const countTokens = (text: string): number => Math.ceil(text.length / 3.5);

/** The same on every machine. */
function createRandom(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

const SORTS = ["path", "command", "number", "id", "constraint", "decision", "error"] as const;

interface Planted {
  readonly sort: (typeof SORTS)[number];
  /** What must be there to answer a question about it. */
  readonly text: string;
}

function plant(window: number, index: number, random: (below: number) => number): Planted {
  const tag = `${window}${index}${random(9_000) + 1_000}`;
  const sort = SORTS[index % SORTS.length]!;
  switch (sort) {
    case "path":
      return { sort, text: `services/billing/handlers/invoice_${tag}.ts` };
    case "command":
      return { sort, text: `make verify-${tag} --jobs 4` };
    case "number":
      return { sort, text: `${tag} ms` };
    case "id":
      return { sort, text: `req_${tag}_${random(1_000_000).toString(36)}` };
    case "constraint":
      return { sort, text: `Never write to table ledger_${tag}.` };
    case "decision":
      return { sort, text: `Let's use queue_${tag} instead of polling.` };
    case "error":
      return { sort, text: `Error: lease ${tag} expired while renewing` };
  }
}

test("of facts planted in ten windows, those used again stand in 8,000 tokens", () => {
  const random = createRandom();
  const fold = createEvidence();
  const planted: (Planted & { readonly used: boolean })[] = [];
  let sequence = 0;
  const ask = (origin: MessagePayload["origin"], ...blocks: Block[]): void => {
    const role = origin === "model" ? "assistant" : "user";
    fold.take({ kind: "message", sequence: ++sequence, payload: { role, origin, blocks } });
  };
  const text = (words: string): Block => ({ kind: "text", text: words });
  const run = (command: string, content: string, status: "ok" | "error" = "ok"): void => {
    ask("model", { kind: "tool_call", id: `c${sequence}`, name: "run", input: { command } });
    ask("tool", { kind: "tool_result", callId: `c${sequence - 1}`, content, status });
  };
  const filler = (): string =>
    Array.from(
      { length: 40 },
      () => `src/module${random(40)}/part${random(99)}.ts: handleEvent${random(5_000)} took ${random(9_999)} ms`,
    ).join("\n");

  for (let window = 0; window < WINDOWS; window++) {
    const facts = Array.from({ length: FACTS }, (_, index) => plant(window, index, random));
    for (const [index, fact] of facts.entries()) {
      const used = index % 2 === 0;
      planted.push({ ...fact, used });
      if (fact.sort === "command") run(fact.text, "Exit code 3\nnot verified", "error");
      else if (fact.sort === "error") run(`deploy ${index}`, `Exit code 1\n${fact.text}`, "error");
      else if (fact.sort === "constraint" || fact.sort === "decision")
        ask("human", text(`Go on with the next step. ${fact.text}`));
      else run(`inspect ${index}`, `${filler()}\nvalue: ${fact.text}\n${filler()}`);
      if (index % 4 === 3)
        ask(
          "model",
          text(`Looking at handleEvent${random(5_000)} and src/module${random(40)}/part${random(99)}.ts next.`),
        );
    }
    for (const [index, fact] of facts.entries())
      if (index % 2 === 0) ask("model", text(`As seen before: ${fact.text}`));
    for (let round = 0; round < ROUNDS; round++) run(`probe ${random(500)}`, filler());
  }

  const shown = evidenceText(fold.state(), { budgetTokens: BUDGET_TOKENS, countTokens });
  const has = ({ text: fact }: Planted): boolean => shown.includes(fact) || shown.includes(fact.split("/").at(-1)!);
  const used = planted.filter((fact) => fact.used);
  const missing = used.filter((fact) => !has(fact));
  expect(countTokens(shown)).toBeLessThanOrEqual(BUDGET_TOKENS);
  expect(missing.length / used.length, missing.map((fact) => fact.text).join("\n")).toBeLessThanOrEqual(0.05);
  for (const { text: command } of used.filter(({ sort }) => sort === "command")) {
    expect(shown).toContain(`${command} -> exit 3`);
  }
});
