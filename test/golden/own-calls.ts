import { openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { readPayload } from "palimpsest/inspect";
import type { ExtraModels } from "palimpsest/provider-parts";
import { fromLine } from "palimpsest/store-parts";
import { createClient, SESSION, writeGoldenLogs } from "./golden-log.ts";
import { type Form, type Logs, SERVICES, storeWith, type Texts } from "./golden-texts.ts";

const MODEL = "claude-opus-5-5";

/** Requests that only keep a prompt in the cache, and those that have the service compact a conversation. */
export const OTHER_REQUESTS: Readonly<Record<string, Form>> = Object.fromEntries(
  Object.entries(SERVICES).flatMap(([name, form]) => {
    const { renderPing, renderCompaction } = form.provider;
    const ping = (request: unknown) => JSON.stringify(renderPing?.(request) ?? "none");
    const compaction = (request: unknown) => JSON.stringify(renderCompaction?.(request) ?? "none");
    return [
      ...(renderPing === undefined ? [] : [[`${name}, ping`, { ...form, sent: ping }]]),
      ...(renderCompaction === undefined ? [] : [[`${name}, compaction`, { ...form, sent: compaction }]]),
    ];
  }),
);

/** The bodies of calls that a session makes by itself: questions, notes, and each way to a summary that asks a model. */
export async function ownCallTexts(logs: Logs): Promise<Texts> {
  const { calls } = await writeGoldenLogs();
  const texts = new Map(calls.map((body, at) => [`own call ${at + 1}`, body]));
  const summaries = {
    "a summary from a transcript": {},
    "a summary in parts": { [MODEL]: { windowTokens: 16_000, maxInputTokens: 16_000, maxOutputTokens: 4_000 } },
  };
  for (const [name, models] of Object.entries(summaries)) {
    for (const [at, body] of (await compactionCalls(logs, models)).entries())
      texts.set(`${name}, call ${at + 1}`, body);
  }
  return texts;
}

/** What is sent to compact the golden session where it was compacted, if only the part before the newest message is summarized. */
async function compactionCalls({ session: lines }: Logs, models: ExtraModels): Promise<readonly string[]> {
  const compacted = lines.findIndex((line) => {
    const read = readPayload(fromLine(line)!);
    return read.kind === "boundary" && read.payload.compaction?.summary.way === "fork";
  });
  const clock = { now: () => 1_700_000_100_000 };
  const { client, calls } = createClient(clock);
  const session = await openSession({
    store: await storeWith({ [SESSION]: lines.slice(0, compacted) }),
    id: SESSION,
    model: MODEL,
    provider: anthropic(client, { models }),
    takeover: "always",
    settingsFrom: { environment: {} },
    clock,
  });
  await session.compact({ upTo: session.history.newestEntry });
  await session.close();
  return calls;
}
