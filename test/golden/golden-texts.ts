import { readFileSync } from "node:fs";
import { importLog, memoryStore, openSession, type Provider, type Session, type Store } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { bedrock } from "palimpsest/bedrock";
import { gemini } from "palimpsest/gemini";
import { openaiChat, openaiResponses } from "palimpsest/openai";
import { fromLine, sha256 } from "palimpsest/store-parts";
import { FORK, SESSION } from "./golden-log.ts";

/** Texts that are sent, by name. */
export type Texts = ReadonlyMap<string, string>;

/** What turns a session into a text that is sent. */
export interface Form {
  readonly model: string;
  readonly provider: Provider<unknown, unknown, unknown>;
  /** The text that leaves this project for a request. */
  sent(request: unknown): Promise<string> | string;
}

export interface Logs {
  readonly session: readonly string[];
  readonly fork: readonly string[];
}

/** Clients are never called: rendering is pure. */
const noClient = {} as never;

/** The requests of the five services, as their clients get them. */
export const SERVICES: Readonly<Record<string, Form>> = {
  anthropic: form("claude-opus-5-5", anthropic(noClient, { cacheDiagnostics: "asked" })),
  "anthropic-edits": form("claude-opus-5-5", anthropic(noClient, { edits: "asked" })),
  "openai-chat": form("gpt-4.1", openaiChat(noClient)),
  "openai-chat-compatible": form(
    "local",
    openaiChat(noClient, { dialect: "compatible", models: { local: { windowTokens: 100_000 } } }),
  ),
  "openai-responses": form("gpt-6-sol", openaiResponses(noClient)),
  gemini: form("gemini-3-pro-preview", gemini(noClient)),
  bedrock: form("anthropic.claude-sonnet-4-6", bedrock(noClient)),
};

function form(model: string, provider: unknown): Form {
  return { model, provider: provider as Form["provider"], sent: (request) => JSON.stringify(request) };
}

/** The committed logs. */
export function readLogs(): Logs {
  const read = (name: string) => readFileSync(`test/golden/${name}`, "utf8").trimEnd().split("\n");
  return { session: read("every-kind.jsonl"), fork: read("every-kind.fork.jsonl") };
}

/** Every text for the golden logs: at each request of theirs, and at their ends. */
export async function goldenTexts(logs: Logs, forms: Readonly<Record<string, Form>>): Promise<Texts> {
  const texts = new Map<string, string>();
  for (const [name, one] of Object.entries(forms)) {
    for (const at of pointsOf(logs.session)) {
      const store = await storeWith({ [SESSION]: logs.session.slice(0, at) });
      texts.set(`${name} at entry ${at}`, await textAtEnd(store, SESSION, one));
    }
    for (const at of pointsOf(logs.fork)) {
      const store = await storeWith({ [SESSION]: logs.session, [FORK]: logs.fork.slice(0, at) });
      texts.set(`${name} at entry ${at} of the fork`, await textAtEnd(store, FORK, one));
    }
  }
  return texts;
}

/** The text that is sent next in a session. */
export async function textAtEnd(store: Store, id: string, { model, provider, sent }: Form): Promise<string> {
  const session: Session = await openSession({
    store,
    id,
    model,
    provider,
    takeover: "always",
    modelFacts: "table",
    settings: { "compaction.auto": "off" },
    settingsFrom: { environment: {} },
    clock: { now: () => 1_700_000_100_000 },
  });
  try {
    return await sent(await session.prepare());
  } finally {
    await session.close();
  }
}

export function digestsOf(texts: Texts): Record<string, string> {
  return Object.fromEntries([...texts].map(([name, text]) => [name, sha256(text)]));
}

function pointsOf(lines: readonly string[]): readonly number[] {
  const requests = lines.flatMap((line, index) => (fromLine(line)?.kind === "request" ? [index + 1] : []));
  return [...new Set([...requests, lines.length])];
}

async function storeWith(logs: Readonly<Record<string, readonly string[]>>): Promise<Store> {
  const store = memoryStore({ leaseMs: 0 });
  for (const [id, lines] of Object.entries(logs)) {
    const opened = await store.openWriter(id, { owner: "golden" });
    if (opened.kind !== "opened") throw new Error(`The log ${id} is free.`);
    const imported = await importLog(opened.writer, lines);
    if (imported.kind !== "imported") throw new Error(`The log ${id} was not imported: ${JSON.stringify(imported)}`);
    await opened.writer.close();
  }
  return store;
}
