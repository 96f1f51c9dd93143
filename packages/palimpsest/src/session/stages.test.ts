import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callTool, callTools, createAnthropic, manualClock, type Reply } from "@palimpsest/provider-simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { readPayload } from "../log/draft.ts";
import { toolResult } from "../log/messages.ts";
import type { ToolDefinition } from "../log/payload.ts";
import { type AnthropicResponse, anthropic } from "../providers/anthropic.ts";
import type { SessionEvent } from "../session-event.ts";
import type { SessionOptions } from "../state/options.ts";
import { settingsFile } from "../state/settings.ts";
import { memoryResults, memoryStore } from "../stores/memory-store.ts";
import { openSession } from "./open.ts";
import type { Session } from "./session.ts";

const model = "claude-opus-5-5";
const tools: readonly ToolDefinition[] = [
  { name: "Read", inputSchema: { type: "object" } },
  { name: "AskUser", inputSchema: { type: "object" }, results: "kept" },
];

/** A session whose requests are judged in this process, with a clock that tests can change. */
async function begin(options: Partial<SessionOptions<never, never, never>> = {}) {
  const clock = manualClock();
  const store = memoryStore({ clock, leaseMs: 0 });
  let reply: Reply = { words: [{ kind: "text", text: "Done." }] };
  const face = createAnthropic({ clock, script: () => reply });
  const session: Session = await openSession({
    store,
    id: "s",
    provider: anthropic({} as never),
    model,
    tools,
    clock,
    settings: { "clearing.keepNewest": 3 },
    settingsFrom: { environment: {} },
    ...(options as object),
  });
  async function ask(next: Reply): Promise<readonly string[]> {
    reply = next;
    const answered = face.answer(await session.prepare());
    if (answered.kind === "refused") throw new Error(answered.message);
    const { calls } = await session.record(answered.response as unknown as AnthropicResponse);
    return calls.map(({ id }) => id);
  }
  async function decisions() {
    const reader = (await store.openReader("s"))!;
    const reads = (await reader.read(1, session.history.newestEntry)).map(readPayload);
    return reads.flatMap((read) => (read.kind === "replace" ? [read.payload] : []));
  }
  return { session, clock, ask, decisions };
}

const call = (tool: string, path: string): Reply => callTools(callTool(tool, { file_path: path }));
const done: Reply = { words: [{ kind: "text", text: "Done." }] };
const sent = async (session: Session): Promise<string> => JSON.stringify((await session.prepare()).messages);

describe("a result that is too large", () => {
  test("is shown as a preview and recalled completely, byte for byte", async () => {
    const { session, ask } = await begin();
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
    const { session, ask, decisions } = await begin();
    await session.append("Read them.");
    const ids = await ask(callTools(...["a", "b", "c"].map((path) => callTool("Read", { file_path: path }))));
    const sizes = [45_000, 49_000, 30_000];
    const many = ids.flatMap((id, index) => [toolResult(id, "x".repeat(sizes[index]!))]);
    await session.append(many);
    await session.prepare();
    expect(await decisions()).toEqual([]);
    const five = await ask(
      callTools(...["d", "e", "f", "g", "h"].map((path) => callTool("Read", { file_path: path }))),
    );
    const [first] = await session.append(five.map((id, index) => toolResult(id, "y".repeat(45_000 + index))));
    await session.prepare();
    expect((await decisions()).map(({ from }) => from)).toEqual([first! + 4]);
  });

  test.each(["appended at once", "while it arrives"])(
    "stays complete if its tool limits its results, %s",
    async (way) => {
      const bounded: ToolDefinition = { ...tools[0]!, resultSize: "bounded" };
      const { session, ask, decisions } = await begin({ tools: [bounded, tools[1]!] });
      await session.append("Read it.");
      const ids = await ask(callTools(...["a", "b", "c"].map((path) => callTool("Read", { file_path: path }))));
      const output = Array.from({ length: 4_000 }, (_, line) => `line ${line} of the file`).join("\n");
      for (const id of ids) {
        if (way === "appended at once") await session.append(toolResult(id, output));
        else await session.append(toolResult(id, ReadableStream.from([output])));
      }
      expect(output.length * 3).toBeGreaterThan(250_000);
      expect((await sent(session)).split("line 3999 of the file")).toHaveLength(4);
      expect(await decisions()).toEqual([]);
    },
  );

  test("is stored despite a limiting tool if a threshold was set for the tool", async () => {
    const settings = { "toolResults.thresholdByTool": { Read: 10_000 } };
    const { session, ask } = await begin({ tools: [{ ...tools[0]!, resultSize: "bounded" }], settings });
    await session.append("Read it.");
    const [id] = await ask(call("Read", "a.ts"));
    await session.append(toolResult(id!, "x".repeat(20_000)));
    expect(await sent(session)).toContain("persisted-output");
  });

  test("is stored despite a limiting tool if the round would take most of the window", async () => {
    const provider = anthropic({} as never, { models: { [model]: { windowTokens: 60_000 } } });
    const bounded: ToolDefinition = { ...tools[0]!, resultSize: "bounded" };
    const { session, ask, decisions } = await begin({ tools: [bounded], provider: provider as never });
    await session.append("Read them.");
    const ids = await ask(callTools(...["a", "b", "c"].map((path) => callTool("Read", { file_path: path }))));
    const [first] = await session.append(ids.map((id, at) => toolResult(id, "word ".repeat(12_000 - at))));
    await session.prepare();
    expect((await decisions()).map(({ from }) => from)).toEqual([first!, first! + 1]);
  });

  test("is stored while it arrives", async () => {
    const { session, ask } = await begin();
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
    const { session, ask } = await begin({ files });
    await session.append("Read it.");
    const [id] = await ask(call("Read", "a.ts"));
    await session.append(toolResult(id!, "x".repeat(300_000)));
    const lines = await Array.fromAsync(session.history.export());
    expect(lines.at(-1)).toContain("could not be stored (the disk is full)");
    expect((await sent(session)).length).toBeLessThan(110_000);
  });
});

describe("a stale result", () => {
  async function afterReading(count: number, options: Parameters<typeof begin>[0] = {}) {
    const begun = await begin(options);
    await begun.session.append("Read them all.");
    for (let index = 0; index < count; index++) {
      const [id] = await begun.ask(call(index === 1 ? "AskUser" : "Read", `${index}.ts`));
      await begun.session.append(toolResult(id!, `content of ${index} `.repeat(500), index === 2 ? "error" : "ok"));
    }
    await begun.ask(done);
    return begun;
  }

  test("is cleared when the prompt is cold, except errors, the user's answers and the newest results", async () => {
    const { session, clock, decisions } = await afterReading(8);
    clock.advance(6 * 60_000);
    await session.append("Go on.");
    const request = await sent(session);
    const cleared = await decisions();
    expect(cleared.map(({ with: [stub] }) => JSON.stringify(stub).match(/\d\.ts/)?.[0])).toEqual([
      "0.ts",
      "3.ts",
      "4.ts",
    ]);
    expect(cleared[0]).toMatchObject({ reason: "cleared by-time", cost: { invalidatedPrefixTokens: 0 } });
    expect(request).toContain("content of 1");
    const recalled = await session.recall({ entry: cleared[0]!.from });
    expect(recalled.kind === "text" && recalled.text).toBe("content of 0 ".repeat(500));
  });

  test("is cleared before a requested compaction", async () => {
    const { session, clock, decisions } = await afterReading(8);
    const emitted: SessionEvent[] = [];
    session.events.listen((event) => emitted.push(event));
    clock.advance(6 * 60_000);
    expect(await session.compact()).toMatchObject({ reason: "asked" });
    expect(await decisions()).toHaveLength(3);
    const kinds = emitted.map(({ kind }) => kind).filter((kind) => /cleared|started/.test(kind));
    expect(kinds).toEqual(["results-cleared", "compaction-started"]);
    expect(emitted[0]).toMatchObject({ kind: "results-cleared", trigger: "manual" });
  });

  test("makes its file count as not read after clearing", async () => {
    const { session, clock } = await afterReading(8);
    expect([...session.view.filesRead().keys()]).toEqual(["0.ts", "3.ts", "4.ts", "5.ts", "6.ts", "7.ts"]);
    clock.advance(6 * 60_000);
    await session.append("Go on.");
    await session.prepare();
    expect([...session.view.filesRead().keys()]).toEqual(["5.ts", "6.ts", "7.ts"]);
  });

  test("stays while the prompt is warm and clearing would not pay off", async () => {
    const { session, decisions } = await afterReading(8);
    await session.append("Go on.");
    await session.prepare();
    expect(await decisions()).toEqual([]);
  });

  test.each([
    ["clearing.enabled", "off"],
    ["clearing.byTime", "off"],
    ["clearing.keepTools", ["read"]],
  ])("stays if %s is %j", async (name, value) => {
    const { session, clock, decisions } = await afterReading(8, {
      settings: { [name]: value },
      settingsFrom: { environment: {} },
    });
    clock.advance(6 * 60_000);
    await session.append("Go on.");
    await session.prepare();
    expect(await decisions()).toEqual([]);
  });

  test("stays if its tool has side effects, unless the tool allows clearing", async () => {
    const own: readonly ToolDefinition[] = [
      { name: "Read", inputSchema: { type: "object" } },
      { name: "AskUser", inputSchema: { type: "object" }, sideEffects: "some" },
      { name: "get_invoice", inputSchema: { type: "object" } },
      { name: "pay", inputSchema: { type: "object" }, sideEffects: "some" },
      { name: "log", inputSchema: { type: "object" }, sideEffects: "some", results: "clearable" },
    ];
    const settings = { "clearing.keepNewest": 1 };
    const { session, ask, clock, decisions } = await begin({ tools: own, settings });
    await session.append("Do all of it.");
    for (const name of ["get_invoice", "pay", "log", "get_invoice"]) {
      const [id] = await ask(call(name, `${name}.ts`));
      await session.append(toolResult(id!, `content of ${name} `.repeat(500)));
    }
    await ask(done);
    clock.advance(6 * 60_000);
    await session.append("Go on.");
    await session.prepare();
    const names = (await decisions()).map(({ with: [stub] }) => JSON.stringify(stub).match(/result of (\w+)/)?.[1]);
    expect(names).toEqual(["get_invoice", "log"]);
  });

  test("is cleared or kept as its tool declares", async () => {
    const own = [
      { ...tools[0]!, results: "kept" as const },
      { ...tools[1]!, results: "clearable" as const },
    ];
    const { session, clock, decisions } = await afterReading(8, {
      tools: own,
      settings: { "clearing.keepNewest": 1 },
      settingsFrom: { environment: {} },
    });
    clock.advance(6 * 60_000);
    await session.append("Go on.");
    await session.prepare();
    // The user's only answer is the newest result of its kind.
    expect(await decisions()).toEqual([]);
  });
});

describe("settings", () => {
  test("are read at the start of a turn and stay for the turn, and invalid values are reported", async () => {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "settings.json");
    const settingsFrom = { file: settingsFile(path), environment: {} };
    const { session, ask } = await begin({ settings: {}, settingsFrom });
    expect(session.settings().settings["clearing.keepNewest"]).toBe(8);
    writeFileSync(path, JSON.stringify({ "clearing.keepNewest": 7, "clearing.policy": "hope" }));
    await session.append("Hello");
    const [id] = await ask(call("Read", "a.ts"));
    expect(session.settings().settings["clearing.keepNewest"]).toBe(7);
    expect(session.settings().problems).toMatchObject([{ source: "file", name: "clearing.policy", value: "hope" }]);
    writeFileSync(path, "{");
    await session.append(toolResult(id!, "Seen."));
    await session.prepare();
    expect(session.settings().settings["clearing.keepNewest"]).toBe(7);
    await session.append("And now?");
    await session.prepare();
    expect(session.settings().settings["clearing.keepNewest"]).toBe(8);
    expect(session.settings().problems[0]?.message).toContain("It must be a JSON object");
  });
});
