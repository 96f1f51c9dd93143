import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryResults } from "../stores/memory-store.ts";
import { sha256 } from "../stores/sha256.ts";
import type { ResultFiles } from "../stores/store.ts";
import { storeStream, storeText } from "./store.ts";

const OPTIONS = { session: "s", thresholdCharacters: 1_050, previewCharacters: 20 };

async function contentOf(files: ResultFiles, file: string): Promise<Uint8Array> {
  const parts = await Array.fromAsync((await files.find("s", file))!.chunks());
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function* pieces<Whole extends string | Uint8Array>(whole: Whole, size: number): Generator<Whole> {
  for (let at = 0; at < whole.length; at += size) yield whole.slice(at, at + size) as Whole;
}

/** Keeps nothing, because of `message`. */
function fullDisk(message: string): ResultFiles {
  return {
    ...memoryResults(),
    create: async () => ({
      write: async () => Promise.reject(new Error(message)),
      keep: async () => Promise.reject(new Error(message)),
      discard: async () => {},
    }),
  };
}

describe("an output that arrives piece by piece", () => {
  test("is shown as it is when it is small, and nothing is stored", async () => {
    const files: ResultFiles = { ...memoryResults(), create: async () => Promise.reject(new Error("not needed")) };
    const text = "ä".repeat(1_060);
    expect(await storeStream([text.slice(0, 1_040)], { ...OPTIONS, files })).toEqual({
      kind: "inline",
      text: text.slice(0, 1_040),
    });
    expect(await storeStream([], { ...OPTIONS, files })).toEqual({ kind: "inline", text: "" });
    expect(await storeStream([text], { ...OPTIONS, files })).toMatchObject({ kind: "cut" });
  });

  test("becomes the same file and the same ends however it is cut, as bytes or as strings", async () => {
    const text = fc.string({ unit: "grapheme", minLength: 1_100, maxLength: 1_400 });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 900 }), async (whole, size) => {
        const files = memoryResults();
        const bytes = new TextEncoder().encode(whole);
        const asText = await storeText(whole, { files, session: "s", previewCharacters: 20 });
        expect(await storeStream(pieces(whole, size), { ...OPTIONS, files })).toEqual(asText);
        expect(await storeStream(pieces(bytes, size), { ...OPTIONS, files })).toEqual(asText);
        if (asText.kind !== "stored") throw new Error("it was not stored");
        expect(asText.stored.digest).toBe(sha256(whole));
        expect(await contentOf(files, asText.stored.file)).toEqual(bytes);
      }),
      { numRuns: 50 },
    );
  });

  test("is stored byte for byte, whatever the bytes", async () => {
    const junk = fc.uint8Array({ minLength: 3_500, maxLength: 4_000 });
    await fc.assert(
      fc.asyncProperty(junk, fc.integer({ min: 1, max: 2_000 }), async (bytes, size) => {
        const files = memoryResults();
        const content = await storeStream(pieces(bytes, size), { ...OPTIONS, files });
        if (content.kind !== "stored") throw new Error("it was not stored");
        expect(await contentOf(files, content.stored.file)).toEqual(bytes);
      }),
      { numRuns: 50 },
    );
  });

  test("is data by its ends", async () => {
    const files = memoryResults();
    const content = await storeStream([JSON.stringify(Array(2_000).fill(1))], { ...OPTIONS, files });
    expect(content).toMatchObject({ stored: { file: expect.stringMatching(/^[0-9a-f]{64}\.json$/) } });
  });

  test("goes on to its end where it cannot be stored, and its beginning is shown", async () => {
    const files = fullDisk("the disk is full");
    const whole = `${"a".repeat(99_999)}😀${"b\n".repeat(300_000)}`;
    const content = await storeStream(pieces(whole, 70_000), { ...OPTIONS, files });
    if (content.kind !== "cut") throw new Error("it was stored");
    const note = "[Cut here: 700,003 bytes in 300,000 lines. The rest could not be stored: the disk is full]";
    expect(content.text).toBe(`${"a".repeat(99_999)}\n${note}`);
    expect(content.failure).toMatchObject({ bytes: 700_003, keptCharacters: 99_999 });
  });

  test("that breaks off throws what it threw, and leaves nothing", async () => {
    let discarded = 0;
    const files = memoryResults();
    const watched: ResultFiles = {
      ...files,
      create: async (session) => ({ ...(await files.create(session)), discard: async () => void discarded++ }),
    };
    async function* broken() {
      yield "x".repeat(2_000_000);
      throw new Error("the process died");
    }
    await expect(storeStream(broken(), { ...OPTIONS, files: watched })).rejects.toThrow("the process died");
    expect(discarded).toBe(1);
  });

  test("of a tool that is never stored is shown whatever its size", async () => {
    const options = { ...OPTIONS, files: fullDisk("not needed"), tool: "read", boundedTools: ["read"] };
    expect(await storeStream(["x".repeat(9_000)], options)).toMatchObject({ kind: "inline" });
  });
});
