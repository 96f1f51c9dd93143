import { callTool, callTools, type Reply } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import { toolResult } from "../log/messages.ts";
import type { ToolDefinition } from "../log/payload.ts";
import { storeBySize } from "../policy/rules/store.ts";
import { coding } from "../presets/coding.ts";
import { anthropic } from "../providers/anthropic.ts";
import { memoryResults } from "../stores/memory-store.ts";
import type { Session } from "./session.ts";
import { JUDGED_MODEL, JUDGED_TOOLS, type JudgedSession, openJudged } from "./testing/judged-session.ts";

const call = (tool: string, path: string): Reply => callTools(callTool(tool, { file_path: path }));
const sent = async (session: Session): Promise<string> => JSON.stringify((await session.prepare()).messages);

/** The entries that show a preview instead of a result. */
async function replaced({ entries }: JudgedSession): Promise<readonly number[]> {
  return (await entries()).flatMap((read) => (read.kind === "replace" ? [read.payload.from] : []));
}

describe("a result that is too large", () => {
  test("is shown as a preview and recalled completely, byte for byte", async () => {
    const { session, ask } = await openJudged();
    await session.append("Read it.");
    const [id] = await ask(call("Read", "a.ts"));
    const output = Array.from({ length: 9_000 }, (_, line) => `line ${line} of the file`).join("\n");
    const [entry] = await session.append(toolResult(id!, output));
    const request = await sent(session);
    expect(request.length).toBeLessThan(10_000);
    expect(request).toContain("persisted-output");
    let text = "";
    for (
      let place: { line: number; character: number } | undefined = { line: 1, character: 1 };
      place !== undefined;
    ) {
      const recalled = await session.recall({ entry: entry!, fromLine: place.line, fromCharacter: place.character });
      if (recalled.kind !== "text") throw new Error(recalled.kind);
      text += recalled.text;
      place = recalled.next;
    }
    expect(text).toBe(output);
  });

  test("is stored with the largest first if a round is too large, unless it was sent completely", async () => {
    const opened = await openJudged();
    const { session, ask } = opened;
    await session.append("Read them.");
    const ids = await ask(callTools(...["a", "b", "c"].map((path) => callTool("Read", { file_path: path }))));
    const sizes = [45_000, 49_000, 30_000];
    const many = ids.flatMap((id, index) => [toolResult(id, "x".repeat(sizes[index]!))]);
    await session.append(many);
    await session.prepare();
    expect(await replaced(opened)).toEqual([]);
    const five = await ask(
      callTools(...["d", "e", "f", "g", "h"].map((path) => callTool("Read", { file_path: path }))),
    );
    const [first] = await session.append(five.map((id, index) => toolResult(id, "y".repeat(45_000 + index))));
    await session.prepare();
    expect(await replaced(opened)).toEqual([first! + 4]);
  });

  test.each(["appended at once", "while it arrives"])(
    "stays complete if its tool limits its results, %s",
    async (way) => {
      const bounded: ToolDefinition = { ...JUDGED_TOOLS[0]!, resultSize: "bounded" };
      const opened = await openJudged({ tools: [bounded, JUDGED_TOOLS[1]!] });
      const { session, ask } = opened;
      await session.append("Read it.");
      const ids = await ask(callTools(...["a", "b", "c"].map((path) => callTool("Read", { file_path: path }))));
      const output = Array.from({ length: 4_000 }, (_, line) => `line ${line} of the file`).join("\n");
      for (const id of ids) {
        if (way === "appended at once") await session.append(toolResult(id, output));
        else await session.append(toolResult(id, ReadableStream.from([output])));
      }
      expect(output.length * 3).toBeGreaterThan(250_000);
      expect((await sent(session)).split("line 3999 of the file")).toHaveLength(4);
      expect(await replaced(opened)).toEqual([]);
    },
  );

  test("is stored despite a limiting tool if a threshold was set for the tool", async () => {
    const policy = { ...coding(), store: storeBySize({ byTool: { Read: 10_000 } }) };
    const { session, ask } = await openJudged({ tools: [{ ...JUDGED_TOOLS[0]!, resultSize: "bounded" }], policy });
    await session.append("Read it.");
    const [id] = await ask(call("Read", "a.ts"));
    await session.append(toolResult(id!, "x".repeat(20_000)));
    expect(await sent(session)).toContain("persisted-output");
  });

  test("is stored despite a limiting tool if the round would take most of the window", async () => {
    const provider = anthropic({} as never, { models: { [JUDGED_MODEL]: { windowTokens: 60_000 } } });
    const bounded: ToolDefinition = { ...JUDGED_TOOLS[0]!, resultSize: "bounded" };
    const opened = await openJudged({ tools: [bounded], provider });
    const { session, ask } = opened;
    await session.append("Read them.");
    const ids = await ask(callTools(...["a", "b", "c"].map((path) => callTool("Read", { file_path: path }))));
    const [first] = await session.append(ids.map((id, at) => toolResult(id, "word ".repeat(12_000 - at))));
    await session.prepare();
    expect(await replaced(opened)).toEqual([first!, first! + 1]);
  });

  test("is stored while it arrives", async () => {
    const { session, ask } = await openJudged();
    await session.append("Run it.");
    const [id] = await ask(call("Read", "a.ts"));
    async function* output() {
      for (let piece = 0; piece < 100; piece++) yield "all is well\n".repeat(100);
      yield "but the end is not\n";
    }
    const [entry] = await session.append(toolResult(id!, output()));
    expect(await sent(session)).toContain("but the end is not");
    const found = await session.recall({ entry: entry!, search: "the end" });
    expect(found).toMatchObject({ kind: "lines", found: [{ line: 10_001 }] });
  });

  test("is reported to the user if storing fails, and shown as far as possible", async () => {
    const files = { ...memoryResults(), create: () => Promise.reject(new Error("the disk is full")) };
    const { session, ask } = await openJudged({ files });
    await session.append("Read it.");
    const [id] = await ask(call("Read", "a.ts"));
    await session.append(toolResult(id!, "x".repeat(300_000)));
    const lines = await Array.fromAsync(session.history.export());
    expect(lines.at(-1)).toContain("could not be stored (the disk is full)");
    expect((await sent(session)).length).toBeLessThan(110_000);
  });
});
