import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { type FolderMemory, openMemory } from "@palimpsest/memory";
import { answer, createAnthropic, fetchInProcess } from "@palimpsest/provider-simulator";
import {
  attachment,
  memoryStore,
  openSession,
  type Provider,
  readStream,
  type Session,
  type Store,
  toolResult,
} from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

/** Runs if any text of a session becomes markup, an attribute, an address or a script. */
export const HOSTILE: string = [
  `<script>window.hit = 1</script>`,
  `<img src=x onerror="window.hit = 2">`,
  `"><svg onload="window.hit = 3">`,
  `javascript:window.hit=4`,
  `<a href="http://evil.example/">click</a><iframe srcdoc="<script>parent.hit = 5</script>">`,
  `</pre></td><style>@import "http://evil.example/x.css"</style>`,
  `\u202e\u0000\ud800{{constructor.constructor('window.hit=6')()}}`,
].join("\n");
const HOSTILE_LINE = HOSTILE.split("\n").slice(0, -1).join(" ");

export interface HostileSession {
  readonly store: Store;
  readonly session: Session;
  readonly memory: FolderMemory;
  readonly provider: Provider<unknown, unknown, unknown>;
  readonly boundary: number;
}

/** A session that has such a text in every field, with a compaction, a fork, mail, and a memory that quotes it. */
export async function openHostileSession(): Promise<HostileSession> {
  const fetch = fetchInProcess({ face: createAnthropic({ script: () => answer(HOSTILE) }) });
  const provider = anthropic(new Anthropic({ apiKey: "none", baseURL: "http://simulator.local", fetch }));
  const store = memoryStore({ leaseMs: 0 });
  const session = await openSession({
    id: "s",
    store,
    provider,
    model: "claude-opus-5-5",
    system: HOSTILE,
    tools: [{ name: "look", description: HOSTILE, inputSchema: { type: "object", title: HOSTILE } }],
    settings: { compaction: "off" },
  });
  const [said] = await session.append(HOSTILE);
  const body = await session.prepare();
  await session.record(await readStream(provider.send(body)), body);
  const call = { kind: "tool_call", id: HOSTILE, name: HOSTILE, input: { [HOSTILE]: HOSTILE } } as const;
  await session.append("Look.");
  await session.append({ role: "assistant", origin: "model", blocks: [{ kind: "text", text: HOSTILE }, call] });
  const [result] = await session.append(toolResult(HOSTILE, HOSTILE));
  await session.append(attachment("agent-message", HOSTILE, { kind: "agent", name: HOSTILE }));
  await session.prepare();
  const summary = { role: "user", origin: "summary", blocks: [{ kind: "text", text: HOSTILE }] } as const;
  const boundary = await session.history.fold({ from: said!, to: result! }, [summary], HOSTILE);
  await session.append(HOSTILE);
  await session.prepare();
  const fork = await session.fork({ source: "side", id: "s-fork" });
  await fork.append(HOSTILE);
  await fork.close();
  const memory = await openMemory({ folder: await mkdtemp(join(tmpdir(), "palimpsest-inspector-memory-")) });
  const topic = {
    name: "Hostile",
    description: HOSTILE_LINE.slice(0, 100),
    type: "project",
    body: HOSTILE_LINE,
  } as const;
  const evidence = [{ session: "s", entry: said!, quote: HOSTILE_LINE }];
  await memory.write({ ...topic, slug: "hostile", evidence }, "model", "none");
  await memory.propose({ ...topic, slug: "other" }, "model", HOSTILE_LINE);
  return { store, session, memory, provider: provider as never, boundary };
}
