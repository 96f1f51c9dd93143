import { answer, callTool, callTools, type Reply, serve } from "@palimpsest/provider-simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { attachment, toolResult } from "../log/messages.ts";
import { readStream } from "../providers/stream.ts";
import { WORLDS, type WorldName } from "../providers/testing/worlds.ts";
import { openSession } from "../session/open.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { diffRequests } from "./diff-requests.ts";
import { openInspected } from "./inspected.ts";
import { type RequestAt, requestAt } from "./request-at.ts";

const TOOLS = [
  { name: "look", inputSchema: { type: "object" } },
  { name: "recall", inputSchema: { type: "object" } },
];

/** Three requests of a real client: a question, a tool's result, a second question. */
async function startWorld(name: WorldName) {
  const { model, face, connect } = WORLDS[name];
  let next: Reply = answer("Done.");
  const server = await serve({ faces: [face({ script: () => next })] });
  onTestFinished(() => server.close());
  const provider = connect(server.url);
  const store = memoryStore({ leaseMs: 0 });
  const session = await openSession({
    id: "s",
    store,
    provider,
    model,
    system: "Be brief.",
    tools: TOOLS,
    settings: { compaction: "off" },
  });
  const sent: { readonly entry: number; readonly json: string }[] = [];
  async function ask(reply: Reply) {
    next = reply;
    const request = await session.prepare();
    sent.push({ entry: session.history.newestEntry, json: JSON.stringify(request) });
    return session.record(await readStream(provider.send(request)), request);
  }
  await session.append("What is in a.txt?");
  const { calls } = await ask(callTools(callTool("look", { path: "a.txt" })));
  await session.append(toolResult(calls[0]!.id, "alpha\nbeta"));
  await session.append(attachment("reminder", "Today is Monday."));
  await ask(answer("Two letters."));
  await session.append("Thanks. And b.txt?");
  await ask(answer("Nothing."));
  const made: RequestAt[] = [];
  const inspected = (await openInspected(store, "s"))!;
  for (const { entry } of sent) {
    const found = await requestAt(inspected, entry, provider);
    if (found.kind !== "request") throw new Error(found.kind);
    made.push(found);
  }
  return { session, store, provider, inspected, sent, made };
}

describe.each(Object.keys(WORLDS) as WorldName[])("requestAt with %s", (name) => {
  test("rebuilds each request as it was sent, and names the entry of each segment", async () => {
    const { sent, made } = await startWorld(name);
    expect(made.map(({ body }) => body)).toEqual(sent.map(({ json }) => json));
    const places = made[2]!.segments.filter(({ place }) => place !== "settings").map(({ place }) => place);
    expect(new Set(places)).toEqual(
      new Set(["system", "tools", "human", "tool-call", "tool-result", "attachment", "assistant"]),
    );
    const textOf = (place: string): string =>
      made[2]!.segments
        .filter((segment) => segment.place === place)
        .map(({ from, to }) => made[2]!.body.slice(from, to))
        .join(" ");
    expect(textOf("human")).toMatch(/What is in a\.txt\?.*Thanks\. And b\.txt\?/s);
    expect(textOf("human")).not.toContain("Two letters");
    expect(textOf("tool-result")).toContain("beta");
    expect(textOf("system")).toContain("Be brief.");
    expect(textOf("tools")).toContain("recall");
    expect(made[2]!.segments.find(({ place }) => place === "tool-result")).toMatchObject({ name: "look" });
  });

  test("divides the counted tokens and the price among the segments", async () => {
    const { made } = await startWorld(name);
    for (const { segments, line } of made) {
      const sum = (of: "countedTokens" | "cachedTokens"): number =>
        segments.reduce((total, segment) => total + (segment[of] ?? 0), 0);
      expect(sum("countedTokens")).toBeCloseTo(line!.freshTokens + line!.cacheReadTokens + line!.cacheWriteTokens, 3);
      expect(sum("cachedTokens")).toBeCloseTo(line!.cacheReadTokens, 3);
    }
  });

  test("lets diffRequests find the segments that a request adds", async () => {
    const { made } = await startWorld(name);
    const diff = diffRequests(made[1]!, made[2]!);
    expect(diff).toMatchObject({ removed: [], changed: [], causes: [] });
    expect(diff.departsAt.before).toBeUndefined();
    expect(diff.added.map((index) => made[2]!.segments[index]!.place)).toEqual(["assistant", "human"]);
  });
});

test("requestAt distinguishes another provider, another kind of entry and a missing entry", async () => {
  const { inspected, sent, provider } = await startWorld("Anthropic");
  expect(await requestAt(inspected, 1, provider)).toMatchObject({ kind: "no-request", entryKind: "configuration" });
  expect(await requestAt(inspected, 999, provider)).toEqual({ kind: "no-request", entry: 999 });
  expect(
    await requestAt(inspected, sent[0]!.entry, async (name) => (name === "none" ? provider : undefined)),
  ).toMatchObject({
    kind: "no-provider",
    provider: "anthropic",
  });
});

test("diffRequests names the cause of a cache break and the entry that caused it", async () => {
  const { session, inspected, provider, made } = await startWorld("Anthropic");
  const message = made[0]!.segments.find(({ place }) => place === "human")!.entry!;
  await session.history.replace({ from: message, to: message }, [], "cleared for a test");
  await session.append("Again?");
  await session.prepare();
  const after = await requestAt(inspected, session.history.newestEntry, provider);
  if (after.kind !== "request") throw new Error(after.kind);
  const diff = diffRequests(made[2]!, after);
  expect(diff.causes).toMatchObject([
    { cause: "replace", words: "tool results cleared", what: ["cleared for a test"] },
  ]);
  expect(diff.causes[0]!.from).toBe(message);
  expect(diff.removed.map((index) => made[2]!.segments[index]!.place)).toContain("human");
});

test("requestAt rebuilds a fork's request as its parent's request with more at the end", async () => {
  const { session, store, provider, made } = await startWorld("Anthropic");
  const fork = await session.fork({ source: "side", id: "f" });
  await fork.append("And c.txt?");
  const request = await fork.prepare();
  const inspected = (await openInspected(store, "f"))!;
  expect(inspected).toMatchObject({ root: "s", session: "f" });
  const found = await requestAt(inspected, (await inspected.log.head()).sequence, provider);
  if (found.kind !== "request") throw new Error(found.kind);
  expect(found.body).toBe(JSON.stringify(request));
  expect(diffRequests(made[2]!, found)).toMatchObject({ removed: [], changed: [] });
});

test("requestAt names entries that were erased after the request", async () => {
  const { session, inspected, provider, made, sent } = await startWorld("Anthropic");
  const message = made[0]!.segments.find(({ place }) => place === "human")!.entry!;
  await session.erase(message);
  const found = await requestAt(inspected, sent[0]!.entry, provider);
  expect(found).toMatchObject({ kind: "request", erasedSince: [message] });
});
