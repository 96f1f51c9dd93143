import { expect, test } from "vitest";
import { InvalidContentError } from "../errors.ts";
import { readPayload } from "../log/draft.ts";
import { attachment, toolResult } from "../log/messages.ts";
import type { MessagePayload } from "../log/payload.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { LOOK, openOffline } from "./testing/open-offline.ts";

const CALLS: MessagePayload = {
  role: "assistant",
  origin: "model",
  blocks: ["a", "b", "c", "d"].map((id) => ({ kind: "tool_call", id, name: "look", input: {} })),
};

async function open() {
  const store = memoryStore();
  const session = await openOffline(store, { tools: [LOOK] });
  await session.append(["Look.", CALLS]);
  const provenanceOf = async (entry: number | undefined) => {
    const [found] = await (await store.openReader("s"))!.read(entry!, entry!);
    const read = readPayload(found!);
    return read.kind === "message" || read.kind === "attachment" ? read.payload.provenance : undefined;
  };
  return { session, provenanceOf };
}

test("a result is known to come from the tool that was called, unless it says itself where it comes from", async () => {
  const { session, provenanceOf } = await open();
  const said = { kind: "project", name: "notes" } as const;
  const [one, other, unknown] = await session.append([
    toolResult("a", "A tree."),
    { ...toolResult("b", "A lake."), provenance: said },
    toolResult("nobody asked", "A hill."),
  ]);
  expect(await provenanceOf(one)).toEqual({ kind: "tool", name: "look" });
  expect(await provenanceOf(other)).toEqual(said);
  expect(await provenanceOf(unknown)).not.toMatchObject({ name: "look" });
  async function* chunks() {
    yield "A moun";
    yield "tain.";
  }
  const [streamed] = await session.append({ callId: "c", chunks: chunks(), status: "ok" });
  expect(await provenanceOf(streamed)).toEqual({ kind: "tool", name: "look" });
});

test("an attachment of which nothing is said comes from outside, and does not speak for the host", async () => {
  const { session, provenanceOf } = await open();
  const { provenance: _, ...bare } = attachment("note", "Mind.");
  const [one, other] = await session.append([bare, attachment("note", "Mind.", { kind: "model" })]);
  expect(await provenanceOf(one)).toMatchObject({ kind: "outside" });
  expect(await provenanceOf(other)).toEqual({ kind: "model" });
});

test("what is no message or attachment is refused as that, and nothing of the batch is written", async () => {
  const { session } = await open();
  const { newestEntry } = session.history;
  for (const wrong of [
    { type: "note" },
    { type: "note", blocks: "Mind." },
    { role: "user", origin: "human" },
    { role: "user", origin: "human", blocks: "Hello." },
  ]) {
    await expect(session.append(["Before.", wrong as never])).rejects.toThrow(InvalidContentError);
  }
  expect(session.history.newestEntry).toBe(newestEntry);
});

test("the numbers of entries are those of the content, not of what is told about it", async () => {
  const store = memoryStore();
  const session = await openOffline(store, { tools: [LOOK] });
  await session.append(["Look.", CALLS]);
  const broken = { kind: "image", source: { kind: "base64", mediaType: "image/png", data: "no picture" } } as const;
  const entries = await session.append([
    { role: "user", origin: "human", blocks: [broken] },
    attachment("picture", [broken]),
    "Thank you.",
  ]);
  const first = entries[0]!;
  expect(entries).toEqual([first, first + 1, first + 2]);
  // What the model gets to see in place of the pictures stands behind all of it.
  expect(session.history.newestEntry).toBeGreaterThan(first + 2);
});
