import Anthropic from "@anthropic-ai/sdk";
import {
  ANTHROPIC_MODELS,
  answer,
  callTool,
  callTools,
  createAnthropic,
  fetchInProcess,
  summarize,
} from "@palimpsest/provider-simulator";
import fc from "fast-check";
import { memoryStore, openSession, query, type Tool, WindowFullError } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";
import { createHooks, type Hook, type HookEvent } from "palimpsest/hooks";
import { expect, test } from "vitest";
import { hold, isReplay } from "./hold.ts";
import { HOSTILE_TEXTS } from "./hostile-content.ts";

const SLOW = process.env["PALIMPSEST_SLOW"] !== undefined;
const MODEL = "claude-sonnet-4-6";
/** Small enough that a few turns fill it. */
const WINDOW_TOKENS = 24_000;
const EVENTS: readonly HookEvent[] = [
  "PermissionRequest",
  "PreToolUse",
  "PostToolUse",
  "PreCompact",
  "PostCompact",
  "Stop",
  "SessionStart",
];

const words = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.constant("Lorem ipsum ".repeat(400)),
);

/** What code of others does when it is called: it answers what is allowed, what is not, or throws. */
const behavior = fc.oneof(
  fc.record({ does: fc.constant("says" as const), value: words }),
  fc.record({ does: fc.constant("answers" as const), value: fc.record({ additionalContext: words }) }),
  fc.record({
    does: fc.constant("answers" as const),
    value: fc.record({ block: words }),
  }),
  fc.record({ does: fc.constant("answers" as const), value: fc.jsonValue() }),
  fc.record({ does: fc.constant("throws" as const), value: words }),
);
const hook = fc.record({ event: fc.constantFrom(...EVENTS), behavior });
type Behavior = typeof behavior extends fc.Arbitrary<infer One> ? One : never;

function behave({ does, value }: Behavior): never {
  if (does === "throws") throw new Error(String(value));
  return value as never;
}

test("hooks and tools of others may answer anything or throw: no request is refused, and a session that is opened again sends the same", async () => {
  const numRuns = SLOW ? 600 : 60;
  const seen = { turns: 0, requests: 0, compactions: 0, blocked: 0 };
  await hold(
    "hooks and tools of others",
    [
      fc.array(hook, { maxLength: 6 }),
      fc.array(fc.record({ said: words, tool: behavior }), { minLength: 1, maxLength: 6 }),
    ],
    async (hooks, turns) => {
      const refused: string[] = [];
      const facts = ANTHROPIC_MODELS.find(({ id }) => id === MODEL)!;
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
            const reply = face.handle(call);
            seen.requests++;
            if (call.body.includes("<summary> block")) seen.compactions++;
            if (reply?.outcome.kind === "refused") refused.push(reply.outcome.message);
            return reply;
          },
        },
      });
      const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch });
      const store = memoryStore({ leaseMs: 0 });
      const open = (list: typeof hooks) =>
        openSession({
          id: "s",
          store,
          provider: anthropic(client, { models: { [MODEL]: { windowTokens: WINDOW_TOKENS } } }),
          model: MODEL,
          tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }],
          hooks: createHooks(
            list.map(({ event, behavior: one }) => ({ event, run: () => behave(one) }) as unknown as Hook),
          ),
          settingsFrom: { environment: {} },
        });
      let session = await open(hooks);
      for (const { said, tool } of turns) {
        const look = {
          name: "look",
          description: "Looks.",
          inputSchema: { type: "object" },
          execute: async () => behave(tool),
        } as unknown as Tool;
        const text = said.trim() === "" ? "Go on." : said;
        const turn = query(session, { prompt: text, tools: [look], maxRounds: 6 });
        let step = await turn.next();
        while (step.done !== true) step = await turn.next();
        if (step.value.kind !== "done") seen.blocked++;
        seen.turns++;
        expect(refused).toEqual([]);
      }
      await session.append("And now?");
      // Whoever blocks compactions has a full window one day.
      const mayBeFull = hooks.some(({ event }) => event === "PreCompact");
      const next = (): Promise<string> =>
        session.prepare().then(JSON.stringify, (error: unknown) => {
          if (mayBeFull && error instanceof WindowFullError) return error.message;
          throw error;
        });
      const sent = await next();
      await session.close();
      // A hook at the start of a session would have its say once more.
      session = await open(hooks.filter(({ event }) => event !== "SessionStart"));
      expect(await next()).toBe(sent);
      await session.close();
    },
    { numRuns, counts: () => seen },
  );
  if (isReplay()) return;
  expect(Math.min(seen.turns, seen.requests)).toBeGreaterThan(0);
}, 3_600_000);
