import { answer, callTool, callTools, type Exchange, type Reply, type Script } from "@palimpsest/provider-simulator";
import { describe, expect, test } from "vitest";
import type { AnyProvider, WorldName } from "../providers/testing/worlds.ts";
import type { Tool } from "../schema/tool.ts";
import { openSession } from "../session/open.ts";
import type { Session } from "../session/session.ts";
import { memoryStore } from "../stores/memory-store.ts";
import { query } from "./query.ts";
import { openWorld, runTurn } from "./testing/open-world.ts";

const deferred = (name: string, description: string): Tool => ({
  name,
  description,
  loading: "deferred",
  inputSchema: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
  execute: async (input) => `${name} of ${(input as { city: string }).city}.`,
});
const weather = deferred("weather", "Weather of a city. Updated hourly.");
const traffic = deferred("traffic", "Traffic in a city.");
const read: Tool = {
  name: "read",
  description: "Reads a file.",
  inputSchema: { type: "object" },
  execute: () => "text",
};
const tools = [read, weather, traffic];

const NATIVE: Readonly<Record<WorldName, boolean>> = {
  Anthropic: true,
  "OpenAI Responses": true,
  "OpenAI Chat": false,
  Gemini: false,
  Bedrock: false,
};
const SUMMARY = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  .map((number) => `## ${number}. Title\nIn part ${number} the loader was renamed and tested.`)
  .join("\n");

/** A model that searches on request, calls `weather` in the form of its provider, and reports the result. */
function mind(isNative: boolean): Script {
  let waits = false;
  const call = (name: string, input: object): Reply => {
    waits = true;
    return callTools(callTool(name, input));
  };
  return ({ purpose, userText, toolResults }) => {
    if (purpose === "summary") return answer(SUMMARY);
    if (waits) {
      waits = false;
      return answer(`Seen: ${toolResults.map(({ text }) => text).join(" ")}`);
    }
    if (userText.includes("load")) return call("tool_search", { names: ["weather"] });
    if (!userText.includes("call")) return answer("Nothing.");
    const input = { city: "Bern" };
    return isNative ? call("weather", input) : call("call_tool", { name: "weather", input });
  };
}

async function open(world: WorldName = "Anthropic") {
  const store = memoryStore({ leaseMs: 0 });
  const opened = await openWorld(mind(NATIVE[world]), world, { store, system: "Be brief.", tools });
  const { provider, model, clock, sent } = opened;
  const say = async (text: string, session: Session<unknown, unknown> = opened.session) => {
    await session.append(text);
    const outcome = await runTurn(query(session, { clock, random: () => 0.5 }), clock);
    return outcome.kind === "done" ? outcome.text : outcome.kind;
  };
  const again = () =>
    openSession({ store, id: "s", provider: provider as AnyProvider, model, clock, settingsFrom: { environment: {} } });
  return { ...opened, say, again, bodies: () => sent().map(bodyOf) };
}

const bodyOf = ({ body }: Exchange) => JSON.parse(body) as Readonly<Record<string, unknown>>;
/** The parts of a request before the messages, which the prompt cache depends on. */
const headOf = (body: Readonly<Record<string, unknown>>) =>
  JSON.stringify([
    ((body["tools"] ?? []) as { defer_loading?: boolean }[]).filter((tool) => tool.defer_loading !== true),
    body["toolConfig"],
    body["system"] ?? body["instructions"],
  ]);

describe.each(Object.keys(NATIVE) as WorldName[])("deferred tools with %s", (world) => {
  test("are named without a schema, and run after a search", async () => {
    const { say, bodies } = await open(world);
    expect(await say("load it")).toContain("Seen:");
    expect(await say("call it")).toBe("Seen: weather of Bern.");
    const head = headOf(bodies()[0]!);
    expect(head).toContain("weather: Weather of a city.");
    expect(head).not.toContain("hourly");
  });

  test("are not run before a search has loaded them", async () => {
    const { say } = await open(world);
    expect(await say("call it")).toContain('Call tool_search with the name "weather" first');
    expect(await say("load it")).toContain("Seen:");
    expect(await say("call it")).toBe("Seen: weather of Bern.");
  });

  test("stay loaded after a compaction and in a new process", async () => {
    const { session, say, again } = await open(world);
    await say("load it");
    await say("call it");
    for (let turn = 0; turn < 3; turn++) await say(`Turn ${turn}: ${"words ".repeat(2_000)}`);
    expect((await session.compact()).kind).toBe("compacted");
    expect(await say("call it")).toBe("Seen: weather of Bern.");
    await session.close();
    const resumed = await again();
    await resumed.configure({ tools });
    expect([...resumed.view.deferredTools().loaded.keys()]).toEqual(["weather"]);
    expect(await say("call it", resumed)).toBe("Seen: weather of Bern.");
  });
});

test("keeps the cached prompt after a search", async () => {
  const { session, say, bodies } = await open();
  await say(`Hello. ${"word ".repeat(2_000)}`);
  await say("load it");
  await say("call it");
  const [first, ...rest] = bodies();
  for (const body of rest) expect(headOf(body)).toBe(headOf(first!));
  const lines = await Array.fromAsync(session.ledger.lines());
  expect(lines.flatMap((line) => line.break ?? [])).toEqual([]);
  expect(session.ledger.totals().cacheReadTokens).toBeGreaterThan(2_000 * (lines.length - 1));
});

test("sends references and deferred tools to Anthropic", async () => {
  const { say, bodies } = await open();
  await say("load it");
  const last = bodies().at(-1)!;
  expect(JSON.stringify(last["messages"])).toContain('[{"type":"tool_reference","tool_name":"weather"}]');
  expect((last["tools"] as object[]).slice(-2)).toMatchObject([
    { name: "weather", defer_loading: true },
    { name: "traffic", defer_loading: true },
  ]);
});

test("sends search items with definitions to OpenAI", async () => {
  const { say, bodies } = await open("OpenAI Responses");
  await say("load it");
  const last = bodies().at(-1)!;
  expect(last["tools"]).toMatchObject([{ name: "read" }, { type: "tool_search", execution: "client" }]);
  expect(last["input"]).toMatchObject([
    {},
    { type: "tool_search_call", arguments: { names: ["weather"] } },
    { type: "tool_search_output", tools: [{ type: "function", name: "weather", defer_loading: true }] },
  ]);
});

test("keeps a removed tool in the conversation and refuses its calls", async () => {
  const { session, say } = await open();
  await say("load it");
  await session.configure({ tools: [read, traffic] });
  expect(await say("call it")).toContain('no tool of the name "weather"');
});

test("keeps tools loaded in a fork", async () => {
  const { session, say } = await open();
  await say("load it");
  const fork = await session.fork({ source: "test" });
  expect([...fork.view.deferredTools().loaded.keys()]).toEqual(["weather"]);
});

test("unloads a tool after a rewind to before its search", async () => {
  const { session, say } = await open();
  await say("Hello.");
  const { newestEntry } = session.history;
  await say("load it");
  await session.history.rewind(newestEntry);
  expect(session.view.deferredTools().loaded.size).toBe(0);
  expect(await say("call it")).toContain("is not loaded");
});

test("refuses a tool with the name of the search tool", async () => {
  const { session } = await open();
  const taken = { ...read, name: "tool_search" };
  await expect(session.configure({ tools: [taken, weather] })).rejects.toThrow("tool_search");
});
