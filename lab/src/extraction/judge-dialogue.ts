import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createExtractions, type Memory, memoryTool, openMemory, readStatements } from "@palimpsest/memory";
import { type Ask, answer, callTool, callTools, type Reply } from "@palimpsest/provider-simulator";
import { memoryStore, type NewContent, openSession, toolResult, user } from "palimpsest";
import { simulatedAnthropic } from "../simulated-anthropic.ts";
import { factOf, type LabelledClaim, type LabelledDialogue } from "./labelled.ts";

/** How a claim of an over-eager model ended. `waits`: only the user can let it in. */
export interface JudgedClaim {
  readonly claim: LabelledClaim;
  readonly ended: "kept" | "waits" | "dropped";
  /** Its poison stands in a memory. */
  readonly isPoisoned: boolean;
}

/**
 * Has a model look through a dialogue which saves every claim that the dialogue is labelled with. Where the extraction does not even
 * ask a model, wrong claims are made anyway, as the model of the conversation could.
 */
export async function judgeDialogue(dialogue: LabelledDialogue): Promise<readonly JudgedClaim[]> {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-extraction-"));
  const memory = await openMemory({ folder });
  const store = memoryStore({ leaseMs: 0 });
  let asked = 0;
  const script = ({ request, toolResults }: Ask): Reply => {
    if (!JSON.stringify(request).includes("a task beside the conversation")) return answer("Done.");
    asked++;
    return toolResults.length > 0
      ? answer("nothing more")
      : callTools(...dialogue.claims.map((claim) => callTool("Memory", toSave(claim, dialogue))));
  };
  const provider = simulatedAnthropic(script);
  const session = await openSession({
    id: "s",
    store,
    provider,
    model: "claude-opus-5-5",
    system: "Be brief.",
  });
  try {
    await session.append(dialogue.said.flatMap(toContent));
    const said = async () => {
      const reader = (await store.openReader("s"))!;
      return (await readStatements(reader, 1, session.history.newestEntry)).said;
    };
    const tool = memoryTool({ memory, session: "s", said });
    // This experiment measures which claims are kept. cost-share.ts measures their cost, in sessions as long as recorded ones.
    const extractions = createExtractions({ memory, store, tools: [tool], readOnlyTools: [], maxCostPercent: 100 });
    await extractions.afterTurn(session);
    if (asked === 0) {
      for (const claim of dialogue.claims.filter(({ right }) => right === undefined)) {
        const call = { kind: "tool_call", id: "c", name: tool.name, input: {} } as const;
        await tool.execute(toSave(claim, dialogue), { signal: new AbortController().signal, call, key: "c" });
      }
    }
    return await readOutcome(memory, dialogue.claims);
  } finally {
    await session.close();
    await memory.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function readOutcome(memory: Memory, claims: readonly LabelledClaim[]): Promise<readonly JudgedClaim[]> {
  const topics = await memory.readAll((await memory.list()).map(({ slug }) => slug));
  const waiting = await memory.inbox();
  const firstLine = (body: string): string => body.split("\n", 1)[0]!;
  return claims.map((claim) => {
    const fact = factOf(claim);
    const isKept = topics.some(({ body }) => firstLine(body) === fact);
    const isWaiting = waiting.some(({ draft }) => firstLine(draft.body) === fact);
    // A quote is evidence, not memory: what counts is what a model would be told.
    const isPoisoned =
      claim.poison !== undefined &&
      topics.some(({ name, description, body }) => `${name}\n${description}\n${body}`.includes(claim.poison!));
    return { claim, ended: isKept ? "kept" : isWaiting ? "waits" : "dropped", isPoisoned };
  });
}

function toSave(claim: LabelledClaim, { type = "feedback" }: LabelledDialogue): Record<string, unknown> {
  const fact = factOf(claim);
  const { quote, also, why, how } = claim;
  const reasons = { ...(why === undefined ? {} : { why }), ...(how === undefined ? {} : { how }) };
  return {
    command: "save",
    name: fact.slice(0, 60),
    type,
    fact,
    quote,
    ...reasons,
    ...(also === undefined ? {} : { also }),
  };
}

function toContent([who, text]: LabelledDialogue["said"][number], at: number): readonly NewContent[] {
  if (who === "user") return [user(text)];
  if (who === "agent") return [{ role: "assistant", origin: "model", blocks: [{ kind: "text", text }] }];
  const id = `call-${at}`;
  return [
    { role: "assistant", origin: "model", blocks: [{ kind: "tool_call", id, name: "Look", input: {} }] },
    toolResult(id, text),
  ];
}
