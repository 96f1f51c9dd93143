import { answer, callTool, callTools, inOrder, type Script, summarize } from "@palimpsest/provider-simulator";
import { query, type Session, type Tool, user } from "palimpsest";
import { type LibraryWorld, type OpenOptions, openWorld } from "../library-world.ts";
import type { PromiseCase } from "../promise-case.ts";
import { conversations, lastBody } from "../request-text.ts";
import { callWhenAsked, tellAtLength } from "../scripts.ts";

/** The providers, and a model of each. */
const PROVIDERS = {
  "Anthropic's Messages API": ["anthropic", "claude-sonnet-4-6"],
  "OpenAI's Responses API": ["openaiResponses", "gpt-5.2"],
  "OpenAI's Chat Completions": ["openaiChat", "gpt-4.1"],
} as const;
type ProviderName = keyof typeof PROVIDERS;

const ofEach = (make: (name: ProviderName) => PromiseCase): readonly PromiseCase[] =>
  (Object.keys(PROVIDERS) as ProviderName[]).map(make);

function openWith(name: ProviderName, world: LibraryWorld, options: OpenOptions = {}): Promise<Session> {
  const [field, model] = PROVIDERS[name];
  return world.open({ provider: world[field], model, ...options });
}

const countTool = (more: Partial<Tool> = {}): Tool => ({
  name: "Count",
  description: "Counts.",
  input: { type: "object" },
  run: (input) => lines(Number((input as { readonly to: number }).to)),
  ...more,
});

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index}`).join("\n");
}

const countOnce = (to: number): Script => callWhenAsked("Count", callTool("Count", { to }));

/** Sessions with the clients of every provider. */
export const providerCases: readonly PromiseCase[] = [
  ...ofEach((name) => ({
    promise: `a session of ${name} that was closed goes on where it was, with a result stored away`,
    side: "library",
    async check({ folder, random, holds, reported }) {
      const to = 6_000 + random.below(3_000);
      await using world = await openWorld(folder, countOnce(to));
      const tools = [countTool()];
      const first = await openWith(name, world);
      for await (const _ of query(first, { tools, prompt: user("Count") }));
      await first.close();
      reported(world.emitted("result-stored").length > 0, "no event told of the stored result");
      const second = await openWith(name, world, { id: first.id });
      for await (const _ of query(second, { tools, prompt: user("And now?") }));
      await second.close();
      const [before = "-", after = ""] = conversations(world).slice(-2);
      holds(after.startsWith(before.slice(0, -1)), "the request does not begin with the one before");
      holds(!after.includes(`line ${to - 2_000}`), "the whole result was sent");
    },
  })),
  ...ofEach((name) => ({
    promise: `an interrupted answer of ${name} stays in view, is marked and has a price`,
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder, tellAtLength(60 + random.below(60)));
      const session = await openWith(name, world);
      const enough = new AbortController();
      const turn = query(session, { prompt: user("Tell me."), signal: enough.signal });
      for await (const { kind } of turn) if (kind === "text") enough.abort();
      const spentUsd = session.ledger.totals().priceUsd;
      for await (const _ of query(session, { prompt: user("Go on.") }));
      await session.close();
      const last = conversations(world).at(-1)!;
      holds(last.includes("word0"), "what was said is not in the next request");
      holds(/interrupt/i.test(last), "nothing says that it was interrupted");
      holds(spentUsd > 0, "it has no price");
      reported(world.emitted("answer-interrupted").length > 0, "no event told of the interruption");
    },
  })),
  ...ofEach((name) => ({
    promise: `a conversation of ${name} that is too long for its window is compacted, told, and goes on`,
    side: "library",
    async check({ folder, random, holds, reported }) {
      const script: Script = (ask) =>
        ask.userText.includes("nine sections") || ask.purpose === "compaction" ? summarize(SUMMARY) : answer("Noted.");
      await using world = await openWorld(folder, script);
      const settings = { "compaction.autoPercent": 8 + random.below(4) };
      const session = await openWith(name, world, { settings });
      const most = session.view.size().autoCompactTokens;
      for (let turn = 0; turn < 40 && !hasCompacted(world); turn++) {
        const prompt = user(`Note ${turn}: ${lines(Math.ceil(most / 60))}`);
        for await (const _ of query(session, { prompt }));
      }
      holds(session.view.size().tokens < most, `${session.view.size().tokens} tokens are above ${most}`);
      reported(hasCompacted(world), "no event told of a compaction");
      for await (const _ of query(session, { prompt: user("What was the first note?") }));
      await session.close();
      const last = conversations(world).at(-1)!;
      holds(last.includes("Note 0"), "the user's own words are gone");
      const refused = world.exchanges().filter(({ outcome }) => outcome.kind === "refused");
      holds(refused.length === 0, `${refused.length} requests were refused`);
    },
  })),
  ...ofEach((name) => ({
    promise: `a result of a tool that bounds its results is shown whole to ${name}, however long`,
    side: "library",
    async check({ folder, random, holds, reported }) {
      const to = 6_000 + random.below(2_000);
      await using world = await openWorld(folder, countOnce(to));
      const session = await openWith(name, world);
      const tools = [countTool({ resultSize: "bounded" })];
      for await (const _ of query(session, { tools, prompt: user("Count") }));
      await session.close();
      holds(lastBody(world).includes(`line ${to - 1}`), "its end is not in the request");
      reported(world.emitted("result-stored").length === 0, "it was told to be stored");
    },
  })),
  {
    promise:
      "stale results of a builder's own tools are cleared once the cache is cold, those of tools with effects stay",
    side: "library",
    async check({ folder, random, holds, reported }) {
      const calls = 10 + random.below(5);
      const replies = Array.from({ length: calls }, (_, call) =>
        callTools(callTool(call === 0 ? "Order" : "Look_up", { to: 400 })),
      );
      await using world = await openWorld(
        folder,
        inOrder(replies, () => answer("Done.")),
      );
      let nowMs = Date.now();
      const clock = { now: () => nowMs };
      const tools = [
        countTool({ name: "Look_up" }),
        countTool({ name: "Order", sideEffects: "some", run: () => "It is ordered. ".repeat(200) }),
      ];
      const session = await openWith("Anthropic's Messages API", world, { clock });
      for await (const _ of query(session, { clock, tools, prompt: user("Go.") }));
      nowMs += 5 * 3_600_000;
      for await (const _ of query(session, { clock, tools, prompt: user("And now?") }));
      await session.close();
      const last = lastBody(world);
      holds(last.includes("[Cleared"), "nothing was cleared");
      holds(last.includes("It is ordered."), "the result of a tool with effects was cleared");
      reported(world.emitted("results-cleared").length > 0, "no event told of it");
    },
  },
];

const SUMMARY = Array.from(
  { length: 9 },
  (_, index) => `## ${index + 1}. Section\nThe user has made notes, and all of them were taken down.`,
).join("\n");

function hasCompacted({ emitted }: LibraryWorld): boolean {
  return emitted("compaction-ended").some(({ outcome }) => outcome.kind === "compacted");
}
