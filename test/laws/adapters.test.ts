import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropic as createModels } from "@ai-sdk/anthropic";
import { palimpsest } from "@palimpsest/ai-sdk";
import { startProxy } from "@palimpsest/observe/proxy";
import {
  ANTHROPIC_MODELS,
  answer,
  callTool,
  callTools,
  createAnthropic,
  fetchInProcess,
  serve,
  summarize,
} from "@palimpsest/provider-simulator";
import { generateText, jsonSchema, type ModelMessage, stepCountIs, tool, wrapLanguageModel } from "ai";
import fc from "fast-check";
import { memoryStore } from "palimpsest";
import { expect, onTestFinished, test } from "vitest";
import { hold, isReplay } from "./hold.ts";
import { HOSTILE_TEXTS } from "./hostile-content.ts";

const SLOW = process.env["PALIMPSEST_SLOW"] !== undefined;
const MODEL = "claude-sonnet-4-6";
/** Small enough that a few turns fill it. */
const WINDOW_TOKENS = 24_000;

const words = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== ""),
  fc.constantFrom(...HOSTILE_TEXTS.filter((text) => text.length < 1_000)),
  fc.constant("Lorem ipsum ".repeat(800)),
);

/** What an application does between two calls of the SDK. */
type AppStep =
  | { readonly do: "say"; readonly text: string; readonly result: string }
  | { readonly do: "drop-oldest"; readonly messages: number }
  | { readonly do: "edit"; readonly back: number; readonly text: string }
  | { readonly do: "restart" };
const step: fc.Arbitrary<AppStep> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("say" as const), text: words, result: words }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("drop-oldest" as const), messages: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("edit" as const), back: fc.nat(4), text: words }) },
  { weight: 2, arbitrary: fc.constant<AppStep>({ do: "restart" }) },
);

test("an application on the AI SDK may say, drop, edit and restart as it likes: no request is refused, and what was said last is in it", async () => {
  const numRuns = SLOW ? 600 : 12;
  const seen = { turns: 0, requests: 0, compactions: 0, restarts: 0 };
  await hold(
    "the AI SDK middleware",
    [fc.array(step, { minLength: 2, maxLength: 12 })],
    async (steps) => {
      const facts = ANTHROPIC_MODELS.find(({ id }) => id === MODEL)!;
      const refused: string[] = [];
      const bodies: string[] = [];
      const face = createAnthropic({
        models: [{ ...facts, windowTokens: WINDOW_TOKENS }],
        script: ({ purpose, toolResults }) => {
          if (purpose === "summary") return summarize("All was said.");
          return toolResults.length > 0 ? answer("Done.") : callTools(callTool("look", {}));
        },
      });
      const fetch = fetchInProcess({
        face: {
          handle(call) {
            bodies.push(call.body);
            const reply = face.handle(call);
            if (reply?.outcome.kind === "refused") refused.push(reply.outcome.message);
            return reply;
          },
        },
      });
      const store = memoryStore({ leaseMs: 0 });
      const models = { [MODEL]: { windowTokens: WINDOW_TOKENS } };
      const start = () => palimpsest({ store, models, settingsFrom: { environment: {} } });
      let middleware = start();
      let list: ModelMessage[] = [];
      for (const one of steps) {
        if (one.do === "restart") {
          await middleware.close();
          middleware = start();
          seen.restarts++;
        }
        if (one.do === "drop-oldest") list = list.slice(firstOfUser(list, one.messages));
        if (one.do === "edit") list = edited(list, one.back, one.text);
        if (one.do !== "say") continue;
        list.push({ role: "user", content: `${one.text} (turn ${seen.turns})` });
        const inner = createModels({ apiKey: "none", baseURL: "http://simulator/v1", fetch })(MODEL);
        const look = tool({ inputSchema: jsonSchema({ type: "object" }), execute: async () => one.result });
        const from = bodies.length;
        const { responseMessages } = await generateText({
          model: wrapLanguageModel({ model: inner, middleware }),
          messages: list,
          tools: { look },
          stopWhen: stepCountIs(4),
          maxRetries: 0,
        });
        list.push(...responseMessages);
        expect(refused).toEqual([]);
        expect(bodies.slice(from).some((body) => body.includes(`(turn ${seen.turns})`))).toBe(true);
        seen.turns++;
      }
      seen.requests += bodies.length;
      seen.compactions += bodies.filter((body) => body.includes("<summary> block")).length;
      await middleware.close();
    },
    { numRuns, counts: () => seen },
  );
  if (isReplay()) return;
  expect(Math.min(seen.turns, seen.restarts)).toBeGreaterThan(0);
}, 3_600_000);

/** An application drops whole turns, since services refuse results without calls. */
function firstOfUser(list: readonly ModelMessage[], from: number): number {
  const at = list.findIndex(({ role }, index) => index >= from && role === "user");
  return at < 0 ? 0 : at;
}

function edited(list: readonly ModelMessage[], back: number, text: string): ModelMessage[] {
  const at = list.findLastIndex(({ role }, index) => role === "user" && index <= list.length - 1 - back);
  return list.map((message, index) => (index === at ? { role: "user", content: text } : message));
}

/** A result of a tool, and what the user says then. */
const round = fc.record({ result: fc.oneof(words, fc.constant("z".repeat(80_000))), text: words });

test("through the proxy, any conversation arrives as it was sent, or with large results stored once and for all", async () => {
  const numRuns = SLOW ? 400 : 12;
  const seen = { requests: 0, shorter: 0 };
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-law-proxy-"));
  const service = await serve({ faces: [createAnthropic({ script: () => answer("Done.") })] });
  const limits = { editMs: 60_000, closeMs: 0 };
  const upstreams = { service: service.url };
  const proxies = {
    observe: await startProxy({ upstreams, folder: join(folder, "observe"), mode: "observe", limits }),
    store: await startProxy({ upstreams, folder: join(folder, "store"), mode: "store", limits }),
  };
  onTestFinished(async () => {
    await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let conversations = 0;
  await hold(
    "the proxy",
    [fc.array(round, { minLength: 1, maxLength: 5 }), fc.constantFrom("observe", "store")],
    async (rounds, mode) => {
      const messages: object[] = [{ role: "user", content: `Conversation ${conversations++}.` }];
      let before: readonly string[] = [];
      for (const [at, { result, text }] of rounds.entries()) {
        const call = { type: "tool_use", id: `toolu_${at}`, name: "look", input: {} };
        const content = result.toWellFormed();
        messages.push({ role: "assistant", content: [call] });
        messages.push({
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: call.id, content },
            { type: "text", text: `${text.toWellFormed()} (${at})` },
          ],
        });
        const tools = [{ name: "look", input_schema: { type: "object" } }];
        const sent = JSON.stringify({ model: MODEL, max_tokens: 1_000, tools, messages });
        const response = await fetch(`${proxies[mode].url}/service/v1/messages`, {
          method: "POST",
          headers: { "x-api-key": "none", "anthropic-version": "2023-06-01", "content-type": "application/json" },
          body: sent,
        });
        const answered = await response.json();
        expect([response.status, answered]).toMatchObject([200, { content: [{ text: "Done." }] }]);
        const arrived = service.recorder.exchanges.at(-1)!.body;
        if (mode === "observe") expect(arrived).toBe(sent);
        else expect(arrived.length).toBeLessThanOrEqual(sent.length);
        const now = (JSON.parse(arrived).messages as unknown[]).map((message) => JSON.stringify(message));
        expect(now.slice(0, before.length)).toEqual(before);
        before = now;
        seen.requests++;
        if (arrived.length < sent.length) seen.shorter++;
        messages.push({ role: "assistant", content: "Done." });
      }
    },
    { numRuns, counts: () => seen },
  );
  if (isReplay()) return;
  expect(seen.requests).toBeGreaterThan(numRuns / 2);
  expect(seen.shorter).toBeGreaterThan(0);
}, 3_600_000);
