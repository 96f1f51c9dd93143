import { expect, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import { recallTool } from "../recall/recall.ts";
import { LOOK, openOffline } from "../session/testing/open-offline.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { boundaryAt } from "./boundary-at.ts";
import { openInspected, searchInspected } from "./inspected.ts";

async function fold(tools: readonly (typeof LOOK)[]) {
  const store = memoryStore({ leaseMs: 0 });
  const session = await openOffline(store, { tools });
  const [message] = await session.append("Keep the limit at 40.\nUse tabs.");
  await session.append({
    role: "assistant",
    origin: "model",
    blocks: [{ kind: "tool_call", id: "1", name: "look", input: {} }],
  });
  const [result] = await session.append(toolResult("1", "line one\nline two"));
  await session.append("Go on.");
  const summary = {
    role: "user",
    origin: "summary",
    blocks: [{ kind: "text", text: "> Use tabs.\nline one" }],
  } as const;
  const boundary = await session.history.fold({ from: message!, to: result! }, [summary], "test");
  const inspected = (await openInspected(store, "s"))!;
  return { message, result, boundary, inspected, at: await boundaryAt(inspected, boundary) };
}

test("boundaryAt returns the replaced range, the summary, and the fate of each item", async () => {
  const { message, result, at } = await fold([LOOK, recallTool]);
  expect(at).toMatchObject({ from: message, to: result, because: "test", summary: "> Use tabs.\nline one" });
  expect(at!.before.totalTokens).toBeGreaterThan(at!.after.totalTokens);
  expect(at!.survivors).toMatchObject([
    { entry: message, place: "human", fate: "recallable", shownShare: 0.5 },
    { place: "tool-call", fate: "recallable", shownShare: 0 },
    { entry: result, place: "tool-result", fate: "recallable", shownShare: 0.5 },
  ]);
});

test("boundaryAt reports an earlier summary as a summary, not as a user message", async () => {
  const store = memoryStore({ leaseMs: 0 });
  const session = await openOffline(store, { tools: [LOOK] });
  const [first] = await session.append("One.");
  const [second] = await session.append("Two.");
  const summary = (text: string) => ({ role: "user", origin: "summary", blocks: [{ kind: "text", text }] }) as const;
  await session.history.fold({ from: first!, to: second! }, [summary("Of one and two.")], "test");
  const [third] = await session.append("Three.");
  const boundary = await session.history.fold({ from: first!, to: third! }, [summary("Of all.")], "test");
  const at = await boundaryAt((await openInspected(store, "s"))!, boundary);
  expect(at!.survivors).toMatchObject([
    { place: "summary", preview: "Of one and two." },
    { place: "human", preview: "Three." },
  ]);
});

test("boundaryAt reports items that are not in view as lost if the model lacks the tool recall", async () => {
  const { at } = await fold([LOOK]);
  expect(at!.survivors.map(({ fate }) => fate)).toEqual(["lost", "lost", "lost"]);
});

test("boundaryAt returns undefined for another entry; searchInspected finds compacted content", async () => {
  const { inspected, message } = await fold([LOOK]);
  expect(await boundaryAt(inspected, message!)).toBeUndefined();
  expect((await searchInspected(inspected, "tabs")).map(({ sequence }) => sequence)).toContain(message);
});
