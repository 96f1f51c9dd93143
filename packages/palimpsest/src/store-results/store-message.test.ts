import { describe, expect, test } from "vitest";
import type { Block, Part } from "../log/block.ts";
import type { MessagePayload } from "../log/payload.ts";
import { memoryResults } from "../stores/memory-store.ts";
import { storeMessage } from "./store.ts";

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

describe("a message on its way into the log", () => {
  test("stays as it is when it is small", async () => {
    expect(await store(result("fine"))).toEqual({ payload: result("fine") });
    expect(await store(result([IMAGE]))).toEqual({ payload: result([IMAGE]) });
  });

  test.each(["", "  \n", [], [{ kind: "text", text: "" }]] as const)(
    "says so when a result is empty: %j",
    async (content) => {
      expect((await store(result(content))).payload).toEqual(result("(no output)"));
    },
  );

  test("has a preview that names its entry, and where the content is", async () => {
    const { payload, failure } = await store(result(LONG));
    const [block] = payload.blocks;
    expect(failure).toBeUndefined();
    expect(block).toMatchObject({ kind: "tool_result", callId: "1", status: "error" });
    expect(block?.kind === "tool_result" && block.content).toMatch(
      /^<persisted-output>[\s\S]*85,000 bytes, 5,000 lines[\s\S]*recall, entry 7/,
    );
    expect(payload.stored).toMatchObject({ bytes: 85_000, lines: 5_000, file: `${payload.stored?.digest}.txt` });
  });

  test("keeps images where they are, and one preview for all texts", async () => {
    const text = { kind: "text", text: LONG } as const;
    const { payload } = await store(result([IMAGE, text, IMAGE, text]));
    const [block] = payload.blocks;
    expect(block?.kind === "tool_result" && block.content).toMatchObject([IMAGE, { kind: "text" }, IMAGE]);
    expect(payload.stored?.bytes).toBe(2 * LONG.length + 1);
  });

  test("goes by the threshold of its tool", async () => {
    const perTool = { echo: 6_000 };
    const boundedTools = ["read"];
    expect((await store(result(LONG), { tool: "read", perTool, boundedTools })).payload.stored).toBeUndefined();
    expect((await store(result("x".repeat(7_000)), { tool: "echo", perTool })).payload.stored).toBeDefined();
    expect((await store(result("x".repeat(7_000)), { perTool })).payload.stored).toBeUndefined();
    const both = { tool: "echo", perTool, boundedTools: ["echo"] };
    expect((await store(result("x".repeat(7_000)), both)).payload.stored).toBeDefined();
    expect((await store(result(LONG), { tool: "constructor", perTool })).payload.stored).toBeDefined();
  });

  test("of the user is stored too, later than a result; of the model never", async () => {
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

  test("that was stored while it arrived gets its preview", async () => {
    const stored = { file: `${"0".repeat(64)}.txt`, bytes: 9, lines: 2, digest: "0".repeat(64) };
    const { payload } = await store(result([]), { streamed: { stored, head: "head", tail: "tail" } });
    const [block] = payload.blocks;
    expect(payload.stored).toEqual(stored);
    expect(block?.kind === "tool_result" && block.content).toMatchObject([
      { text: expect.stringContaining("9 bytes, 2 lines") },
    ]);
  });

  test("goes in whole, or cut, where it cannot be stored, and the failure is told", async () => {
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
