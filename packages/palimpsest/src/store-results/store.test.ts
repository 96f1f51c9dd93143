import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block, Part } from "../log/block.ts";
import type { MessagePayload } from "../log/payload.ts";
import { memoryResults } from "../stores/memory-store.ts";
import { sha256 } from "../stores/sha256.ts";
import type { ResultDraft, ResultFiles } from "../stores/store.ts";
import { type Item, toItem } from "../view/view.ts";
import { openSink, settingsOf, storeMessage, storeStream, storeText, thresholdOf, toBytes, toolOf } from "./store.ts";

const IMAGE = { kind: "image", source: { kind: "url", url: "https://example.org/a.png" } } as const;
const LONG = "a line of output\n".repeat(5_000);

function result(content: string | readonly Part[]): MessagePayload {
  return { role: "user", origin: "tool", blocks: [{ kind: "tool_result", callId: "1", content, status: "error" }] };
}

function words(blocks: readonly Block[]): MessagePayload {
  return { role: "user", origin: "human", blocks };
}

const store = (payload: MessagePayload, options: object = {}) =>
  storeMessage(payload, { files: memoryResults(), session: "s", entry: 7, ...options });

describe("storeMessage", () => {
  test("returns a small message unchanged", async () => {
    expect(await store(result("fine"))).toEqual({ payload: result("fine") });
    expect(await store(result([IMAGE]))).toEqual({ payload: result([IMAGE]) });
  });

  test.each(["", "  \n", [], [{ kind: "text", text: "" }]] as const)("marks an empty result: %j", async (content) => {
    expect((await store(result(content))).payload).toEqual(result("(no output)"));
  });

  test("makes a preview that names the entry and the file", async () => {
    const { payload, failure } = await store(result(LONG));
    const [block] = payload.blocks;
    expect(failure).toBeUndefined();
    expect(block).toMatchObject({ kind: "tool_result", callId: "1", status: "error" });
    expect(block?.kind === "tool_result" && block.content).toMatch(
      /^<persisted-output>[\s\S]*85,000 bytes, 5,000 lines[\s\S]*recall, entry 7/,
    );
    expect(payload.stored).toMatchObject({ bytes: 85_000, lines: 5_000, file: `${payload.stored?.digest}.txt` });
  });

  test("keeps images in place, and makes one preview for all texts", async () => {
    const text = { kind: "text", text: LONG } as const;
    const { payload } = await store(result([IMAGE, text, IMAGE, text]));
    const [block] = payload.blocks;
    expect(block?.kind === "tool_result" && block.content).toMatchObject([IMAGE, { kind: "text" }, IMAGE]);
    expect(payload.stored?.bytes).toBe(2 * LONG.length + 1);
  });

  test("uses the threshold of the tool", async () => {
    const ofTool = (tool: string | undefined): number => {
      if (tool === "read") return Number.POSITIVE_INFINITY;
      return tool === "echo" ? 6_000 : 50_000;
    };
    const short = result("x".repeat(7_000));
    expect((await store(result(LONG), { tool: "read", thresholdOf: ofTool })).payload.stored).toBeUndefined();
    expect((await store(short, { tool: "echo", thresholdOf: ofTool })).payload.stored).toBeDefined();
    expect((await store(short, { thresholdOf: ofTool })).payload.stored).toBeUndefined();
  });

  test("stores user messages from a larger size on, and never model messages", async () => {
    const text = { kind: "text", text: LONG } as const;
    expect((await store(words([text]))).payload.stored).toBeUndefined();
    const { payload } = await store(words([IMAGE, text, text]));
    expect(payload.stored).toBeDefined();
    expect(payload.blocks).toMatchObject([IMAGE, { kind: "text", text: expect.stringContaining("recall, entry 7") }]);
    const said: MessagePayload = { role: "assistant", origin: "model", blocks: [text, text] };
    expect((await store(said)).payload).toBe(said);
    const notice: MessagePayload = { ...words([text, text]), audience: "user" };
    expect((await store(notice)).payload).toBe(notice);
  });

  test("makes the preview of content that was stored while it arrived", async () => {
    const stored = { file: `${"0".repeat(64)}.txt`, bytes: 9, lines: 2, digest: "0".repeat(64) };
    const { payload } = await store(result([]), { streamed: { stored, head: "head", tail: "tail" } });
    const [block] = payload.blocks;
    expect(payload.stored).toEqual(stored);
    expect(block?.kind === "tool_result" && block.content).toMatchObject([
      { text: expect.stringContaining("9 bytes, 2 lines") },
    ]);
  });

  test("returns the content complete or cut, with the failure, if it cannot be stored", async () => {
    const create = async () => Promise.reject(new Error("no room"));
    const files = { ...memoryResults(), create };
    const { payload, failure } = await store(result(LONG), { files });
    expect(payload).toEqual(result(LONG));
    expect(failure).toMatchObject({ error: { message: "no room" }, bytes: 85_000, keptCharacters: 85_000 });
    const cut = await store(result(LONG + LONG), { files });
    const [block] = cut.payload.blocks;
    expect(block?.kind === "tool_result" && block.content).toMatch(
      /^(a line of output\n)+a li[\s\S]*\[Cut here: 170,000 bytes/,
    );
    expect(cut.failure?.keptCharacters).toBe(100_000);
  });
});

const OPTIONS = { session: "s", thresholdOf: () => 1_050, previewCharacters: 20 };

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

describe("storeStream", () => {
  test("returns a small output, and stores nothing", async () => {
    const files: ResultFiles = { ...memoryResults(), create: async () => Promise.reject(new Error("not needed")) };
    const text = "ä".repeat(1_060);
    expect(await storeStream([text.slice(0, 1_040)], { ...OPTIONS, files })).toEqual({
      kind: "inline",
      text: text.slice(0, 1_040),
    });
    expect(await storeStream([], { ...OPTIONS, files })).toEqual({ kind: "inline", text: "" });
    expect(await storeStream([text], { ...OPTIONS, files })).toMatchObject({ kind: "cut" });
  });

  test("gives the same file and ends for any pieces, as bytes or strings", async () => {
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

  test("stores any bytes unchanged", async () => {
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

  test("recognizes data by its ends", async () => {
    const files = memoryResults();
    const content = await storeStream([JSON.stringify(Array(2_000).fill(1))], { ...OPTIONS, files });
    expect(content).toMatchObject({ stored: { file: expect.stringMatching(/^[0-9a-f]{64}\.json$/) } });
  });

  test("reads to the end and returns the beginning if the output cannot be stored", async () => {
    const files = fullDisk("the disk is full");
    const whole = `${"a".repeat(99_999)}😀${"b\n".repeat(300_000)}`;
    const content = await storeStream(pieces(whole, 70_000), { ...OPTIONS, files });
    if (content.kind !== "cut") throw new Error("it was stored");
    const note = "[Cut here: 700,003 bytes in 300,000 lines. The rest could not be stored: the disk is full]";
    expect(content.text).toBe(`${"a".repeat(99_999)}\n${note}`);
    expect(content.failure).toMatchObject({ bytes: 700_003, keptCharacters: 99_999 });
  });

  test("throws the error from a failed output, and leaves no file", async () => {
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

  test("returns output of any size from a tool whose results are never stored", async () => {
    const options = {
      ...OPTIONS,
      files: fullDisk("not needed"),
      tool: "read",
      thresholdOf: () => Number.POSITIVE_INFINITY,
    };
    expect(await storeStream(["x".repeat(9_000)], options)).toMatchObject({ kind: "inline" });
  });
});

/** A file that notes what happens to it, and fails at one step. */
function noting(failsAt?: "write" | "discard", thrown: unknown = new Error("full")) {
  const steps: string[] = [];
  const step = async (name: string, detail: string): Promise<void> => {
    steps.push(detail);
    if (name === failsAt) throw thrown;
  };
  const draft: ResultDraft = {
    write: (bytes) => step("write", `write ${bytes.join(",")}`),
    keep: async (ending) => {
      await step("keep", `keep ${ending}`);
      return { file: "a.txt", digest: "a" };
    },
    discard: () => step("discard", "discard"),
  };
  const sink = openSink(async () => {
    await step("create", "create");
    return draft;
  });
  return { steps, sink };
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.of(...values);

test("openSink creates the file with the first write, and keeps it once", async () => {
  const { steps, sink } = noting();
  expect(steps).toEqual([]);
  await sink.write(bytes(1));
  await sink.writeAll([bytes(2, 3), bytes(4)]);
  expect(await sink.keep("json")).toEqual({ file: "a.txt", digest: "a" });
  expect(steps).toEqual(["create", "write 1", "write 2,3", "write 4", "keep json"]);
  // What is kept is not thrown away.
  await sink.discard();
  expect(steps).toHaveLength(5);
});

test("openSink returns any thrown value as an error, and ignores a file that cannot be discarded", async () => {
  const { sink } = noting("write", "no error at all");
  await sink.write(bytes(1));
  expect(await sink.keep("txt")).toEqual(new Error("no error at all"));
  const stuck = noting("discard");
  await stuck.sink.write(bytes(1));
  await expect(stuck.sink.discard()).resolves.toBeUndefined();
});

async function bytesOf(chunks: readonly (Uint8Array | string)[]): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  // A piece is valid only until the next one.
  for await (const piece of toBytes(chunks)) pieces.push(piece.slice());
  return new Uint8Array(Buffer.concat(pieces));
}
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each(["\u{10000}", "🙂", "\u{1f3ff}", "\u{10fc00}", "\u{10ffff}"])(
  "toBytes joins the halves of %j from two strings",
  async (character) => {
    const [first, second] = [character[0]!, character[1]!];
    expect(await bytesOf([`a${first}`, `${second}b`])).toEqual(encode(`a${character}b`));
    expect(await bytesOf([first, second])).toEqual(encode(character));
  },
);

test("toBytes writes U+FFFD for half a character whose other half never arrives", async () => {
  expect(await bytesOf(["a\ud83d", encode("b")])).toEqual(encode("a\ufffdb"));
  expect(await bytesOf(["a\ud83d", "b"])).toEqual(encode("a\ufffdb"));
  expect(await bytesOf(["a\ud83d"])).toEqual(encode("a\ufffd"));
});

test.each([1, 2])(
  "toBytes returns collected bytes before a large chunk, also if it collected %i byte",
  async (length) => {
    const [few, many] = ["a".repeat(length), "b".repeat(65_536)];
    expect(Buffer.from(await bytesOf([few, encode(many)])).toString() === few + many).toBe(true);
  },
);

test("thresholdOf is at least the size of a preview", () => {
  const settings = settingsOf({ thresholdOf: (tool) => (tool === "tiny" ? 10 : 9_000) });
  expect([thresholdOf("shell", settings), thresholdOf("tiny", settings)]).toEqual([9_000, 5_000]);
});

const calls = (from: number, ...named: readonly (readonly [string, string])[]): Item =>
  toItem({
    from,
    to: from,
    role: "assistant",
    origin: "model",
    blocks: named.map(([id, name]) => ({ kind: "tool_call", id, name, input: {} })),
  });
const seal: Item = { kind: "seal", from: 3, to: 3, maxTokens: 1_000 };

test("toolOf finds the tool of the newest call with an id", () => {
  const items = [calls(1, ["a", "old"]), calls(2, ["a", "look"], ["b", "read"]), calls(4, ["c", "shell"])];
  expect(["a", "b", "c", "d"].map((id) => toolOf(items, id))).toEqual(["look", "read", "shell", undefined]);
});

test("toolOf does not search before the newest request", () => {
  const items = [calls(1, ["a", "look"]), seal, calls(4, ["b", "read"])];
  expect([toolOf(items, "a"), toolOf(items, "b")]).toEqual([undefined, "read"]);
  expect(toolOf([], "a")).toBeUndefined();
});
