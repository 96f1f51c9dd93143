import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createExtractions, EXTRACTION_SOURCE, memoryTool, openMemory, readStatements } from "@palimpsest/memory";
import { type Ask, answer, callTool, callTools, type Reply } from "@palimpsest/provider-simulator";
import { memoryStore, openSession, query, type Tool } from "palimpsest";
import { simulatedAnthropic } from "../simulated-anthropic.ts";
import { factOf, type LabelledDialogue } from "./labelled.ts";

/** As in recorded sessions: 13.7 requests for each message of the user (321 messages of 39 sessions). */
const CALLS_PER_TURN = 12;
const RESULT_WORDS = 700;
const ANSWER_WORDS = 120;
const SYSTEM_WORDS = 6_000;
/** For one message in this many a model is asked: for 24% of those. */
const LASTING_EVERY = 4;

export interface CostShare {
  readonly turns: number;
  readonly asked: number;
  readonly sharePercent: number;
}

/** What looking for memories costs, of all that a session costs: by the prices and the cache of the simulated service. */
export async function measureCostShare(dialogues: readonly LabelledDialogue[], turns: number): Promise<CostShare> {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-extraction-cost-"));
  const memory = await openMemory({ folder });
  const store = memoryStore({ leaseMs: 0 });
  const lasting = dialogues.filter(({ kind }) => kind === "remember");
  const idle = dialogues.filter(({ kind }) => kind === "one-off");
  let turn = 0;
  let asked = 0;
  /** Turns wait until the session has cost enough: then the model saves what all of them said. */
  const waiting: LabelledDialogue[] = [];
  const current = (): LabelledDialogue =>
    turn % LASTING_EVERY === 0 ? lasting[turn % lasting.length]! : idle[turn % idle.length]!;
  const script = (ask: Ask): Reply => {
    if (JSON.stringify(ask.request["messages"]).includes("a task beside the conversation")) {
      if (ask.toolResults.length === 0) asked++;
      const saves = ask.toolResults.length > 0 ? [] : waiting.splice(0).flatMap(savesOf);
      return saves.length === 0 ? answer("nothing") : callTools(...saves);
    }
    const calls = callsSincePrompt(ask);
    return calls < CALLS_PER_TURN ? callTools(callTool("Look", { at: calls })) : answer(words(ANSWER_WORDS, turn));
  };
  const session = await openSession({
    id: "s",
    store,
    provider: simulatedAnthropic(script),
    model: "claude-opus-5-5",
    system: words(SYSTEM_WORDS, 1),
    settings: { notes: "off" },
  });
  try {
    const look: Tool = {
      name: "Look",
      description: "Reads a file.",
      inputSchema: { type: "object", properties: { at: { type: "number" } } },
      execute: (given) => words(RESULT_WORDS, turn * 10 + ((given as { at: number }).at ?? 0)),
    };
    const said = async () => {
      const reader = (await store.openReader("s"))!;
      return (await readStatements(reader, 1, session.history.newestEntry)).said;
    };
    const tools = [look, memoryTool({ memory, session: "s", said })];
    const extractions = createExtractions({ memory, store, tools, readOnlyTools: ["Look"] });
    for (turn = 1; turn <= turns; turn++) {
      if (turn % LASTING_EVERY === 0) waiting.push(current());
      const prompt = current().said.find(([who]) => who === "user")![1];
      for await (const _ of query(session, { tools, prompt, afterTurn: extractions.afterTurn }));
      await extractions.drain(60_000);
    }
    const { bySource } = await session.ledger.cost();
    const spent = bySource[EXTRACTION_SOURCE]?.priceUsd ?? 0;
    return { turns, asked, sharePercent: (100 * spent) / session.ledger.totals().priceUsd };
  } finally {
    await session.close();
    await memory.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function savesOf({ claims, type = "feedback" }: LabelledDialogue) {
  return claims.map((claim) =>
    callTool("Memory", { command: "save", name: "n", type, fact: factOf(claim), quote: claim.quote }),
  );
}

/** How many tools were called since the user spoke. */
function callsSincePrompt({ request }: Ask): number {
  const messages = request["messages"] as readonly { readonly role: string; readonly content: unknown }[];
  const isResult = (content: unknown): boolean =>
    Array.isArray(content) && content.some((block: { type?: string }) => block.type === "tool_result");
  const last = messages.findLastIndex(({ role, content }) => role === "user" && !isResult(content));
  return messages.slice(last + 1).filter(({ content }) => isResult(content)).length;
}

function words(count: number, seed: number): string {
  return Array.from({ length: count }, (_, at) => `w${(seed * 7_919 + at * 104_729) % 9_973}`).join(" ");
}
