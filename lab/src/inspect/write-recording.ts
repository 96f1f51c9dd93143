import { toolResult } from "palimpsest";
import { openRecorder } from "palimpsest/inspect";
import { knownModel } from "palimpsest/provider-parts";
import { sqliteStore } from "palimpsest/sqlite";

export interface RecordingPlan {
  /** A request, its answer with one call, its usage, and the result: four entries. */
  readonly rounds: number;
  readonly resultBytes: number;
}

const MODEL = "claude-sonnet-4-6";
/** So many rounds fill a window; then everything is folded. */
const ROUNDS_PER_WINDOW = 12;
const MINUTE_MS = 60_000;

/** Writes a session of many requests, with compactions and cache breaks. */
export async function writeRecording(folder: string, { rounds, resultBytes }: RecordingPlan): Promise<void> {
  const store = sqliteStore({ folder });
  const opened = await openRecorder({ store, id: "large", owner: "lab" });
  if (opened.kind !== "opened") throw new Error("The folder of the lab is not empty.");
  const { recorder } = opened;
  const known = knownModel(MODEL);
  const provenance = { kind: "outside", name: "lab" } as const;
  await recorder.configure({ model: MODEL, provider: "anthropic", provenance, system: "You are a careful engineer." });
  for (let round = 0; round < rounds; round++) {
    const atMs = round * MINUTE_MS;
    recorder.setTime(atMs);
    if (round % 10 === 0) await recorder.append(`Question ${round}: what does src/${round}.ts do?`);
    const inputTokens = 2_000 + (round % ROUNDS_PER_WINDOW) * 9_000;
    // Every hundredth request has lost its cache.
    const cacheReadTokens = round % 100 === 99 ? 0 : Math.max(0, inputTokens - 9_000);
    await recorder.appendResponse({
      sentAtMs: atMs,
      atMs: atMs + 5_000,
      model: MODEL,
      known,
      cacheTtl: "5m",
      message: {
        role: "assistant",
        origin: "model",
        responseId: `r${round}`,
        provider: "anthropic",
        blocks: [{ kind: "tool_call", id: `c${round}`, name: "read_file", input: { path: `src/${round}.ts` } }],
      },
      usage: {
        responseId: `r${round}`,
        freshTokens: 100,
        cacheReadTokens,
        cacheWriteTokens: inputTokens - cacheReadTokens,
        outputTokens: 50,
        outputCount: "final",
      },
    });
    const [written] = await recorder.append(toolResult(`c${round}`, textOf(round, resultBytes)));
    if (round % ROUNDS_PER_WINDOW !== ROUNDS_PER_WINDOW - 1) continue;
    const summary = {
      role: "user",
      origin: "summary",
      blocks: [{ kind: "text", text: textOf(round, 2_000) }],
    } as const;
    await recorder.fold({ from: 1, to: written!.entry, with: [summary], reason: "the window is full" });
  }
  await recorder.flush();
  await recorder.close();
  await store.close();
}

function textOf(seed: number, bytes: number): string {
  return `line ${seed} of what a tool returned\n`.repeat(Math.ceil(bytes / 30)).slice(0, bytes);
}
