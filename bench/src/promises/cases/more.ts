import { join } from "node:path";
import {
  answer,
  callTool,
  callTools,
  type Exchange,
  inOrder,
  type Script,
  stallStream,
  summarize,
} from "@palimpsest/provider-simulator";
import { openSession, type Provider, query, type Tool, user } from "palimpsest";
import { type LibraryWorld, openWorld } from "../library-world.ts";
import type { PromiseCase } from "../promise-case.ts";
import { startAgent } from "../start-agent.ts";

/** The services, and a model of each. */
const SERVICES = {
  "Anthropic's Messages API": ["anthropic", "claude-sonnet-4-6"],
  "OpenAI's Responses API": ["openaiResponses", "gpt-5.2"],
  "OpenAI's Chat Completions": ["openaiChat", "gpt-4.1"],
} as const;
type ServiceName = keyof typeof SERVICES;

const ofEach = (make: (name: ServiceName) => PromiseCase): readonly PromiseCase[] =>
  (Object.keys(SERVICES) as ServiceName[]).map(make);

function serviceOf(name: ServiceName, world: LibraryWorld) {
  const [field, model] = SERVICES[name];
  return { provider: world[field] as unknown as Provider<unknown, unknown, unknown>, model };
}

const settingsFrom = { environment: {} };

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

/** Answers each message of the user by one call of Count, and the result by a word. */
const countOnce =
  (to: number): Script =>
  ({ userText, toolResults }) =>
    userText.includes("Count") && toolResults.length === 0 ? callTools(callTool("Count", { to })) : answer("Done.");

const bodies = (exchanges: readonly Exchange[]): readonly string[] => exchanges.map(({ body }) => body);

/** What of a request belongs to the conversation, without marks of the cache. */
function conversationOf(body: string): string {
  const { input, messages } = JSON.parse(body) as { input?: readonly unknown[]; messages?: readonly unknown[] };
  return JSON.stringify(input ?? messages, (key, value) => (key === "cache_control" ? undefined : value));
}

/** Edges that belong to several areas at once, with the clients of every provider. */
export const moreCases: readonly PromiseCase[] = [
  ...ofEach((name) => ({
    promise: `a session of ${name} that was closed goes on where it was, with a result stored away`,
    side: "library",
    async check({ folder, random, holds, reported }) {
      const to = 6_000 + random.below(3_000);
      const world = await openWorld(folder, countOnce(to));
      const { store, onEvent } = world;
      const { provider, model } = serviceOf(name, world);
      const tools = [countTool()];
      try {
        const first = await openSession({ store, provider, onEvent, model, settingsFrom });
        for await (const _ of query(first, { tools, prompt: user("Count") }));
        await first.close();
        const isSent = world.events.some(({ kind }) => kind === "result-stored");
        reported(isSent, "no event told of the stored result");
        const second = await openSession({ store, provider, onEvent, model, settingsFrom, id: first.id });
        for await (const _ of query(second, { tools, prompt: user("And now?") }));
        await second.close();
        const [before = "-", after = ""] = bodies(world.exchanges()).slice(-2).map(conversationOf);
        holds(after.startsWith(before.slice(0, -1)), "the request does not begin with the one before");
        holds(!after.includes(`line ${to - 2_000}`), "the whole result was sent");
      } finally {
        await world.close();
      }
    },
  })),
  ...ofEach((name) => ({
    promise: `an interrupted answer of ${name} stays in view, is marked and has a price`,
    side: "library",
    async check({ folder, random, holds, reported }) {
      const words = Array.from({ length: 60 + random.below(60) }, (_, index) => `word${index}`).join(" ");
      const script: Script = ({ userText }) =>
        userText.includes("Tell") ? { ...answer(words), fault: stallStream(6, 600_000) } : answer("Done.");
      const world = await openWorld(folder, script);
      const { store, onEvent } = world;
      const { provider, model } = serviceOf(name, world);
      try {
        const session = await openSession({ store, provider, onEvent, model, settingsFrom });
        const enough = new AbortController();
        const turn = query(session, { prompt: user("Tell me."), signal: enough.signal });
        for await (const { kind } of turn) if (kind === "text") enough.abort();
        const spentUsd = session.ledger.totals().priceUsd;
        for await (const _ of query(session, { prompt: user("Go on.") }));
        await session.close();
        const last = conversationOf(bodies(world.exchanges()).at(-1)!);
        holds(last.includes("word0"), "what was said is not in the next request");
        holds(/interrupt/i.test(last), "nothing says that it was interrupted");
        holds(spentUsd > 0, "it has no price");
        const isSent = world.events.some(({ kind }) => kind === "answer-interrupted");
        reported(isSent, "no event told of the interruption");
      } finally {
        await world.close();
      }
    },
  })),
  ...ofEach((name) => ({
    promise: `a conversation of ${name} that is too long for its window is compacted, told, and goes on`,
    side: "library",
    async check({ folder, random, holds, reported }) {
      const script: Script = (ask) =>
        ask.userText.includes("nine sections") || ask.purpose === "compaction" ? summarize(SUMMARY) : answer("Noted.");
      const world = await openWorld(folder, script);
      const { store, onEvent } = world;
      const { provider, model } = serviceOf(name, world);
      const settings = { "compaction.autoPercent": 8 + random.below(4) };
      try {
        const session = await openSession({ store, provider, onEvent, model, settings, settingsFrom });
        const most = session.view.size().autoCompactTokens;
        for (let turn = 0; turn < 40 && !hasCompacted(world); turn++) {
          const prompt = user(`Note ${turn}: ${lines(Math.ceil(most / 60))}`);
          for await (const _ of query(session, { prompt }));
        }
        holds(session.view.size().tokens < most, `${session.view.size().tokens} tokens are above ${most}`);
        reported(hasCompacted(world), "no event told of a compaction");
        for await (const _ of query(session, { prompt: user("What was the first note?") }));
        await session.close();
        const last = conversationOf(bodies(world.exchanges()).at(-1)!);
        holds(last.includes("Note 0"), "the user's own words are gone");
        const refused = world.exchanges().filter(({ outcome }) => outcome.kind === "refused");
        holds(refused.length === 0, `${refused.length} requests were refused`);
      } finally {
        await world.close();
      }
    },
  })),
  ...ofEach((name) => ({
    promise: `a result of a tool that bounds its results is shown whole to ${name}, however long`,
    side: "library",
    async check({ folder, random, holds, reported }) {
      const to = 6_000 + random.below(2_000);
      const world = await openWorld(folder, countOnce(to));
      const { provider, model } = serviceOf(name, world);
      const { store, onEvent } = world;
      try {
        const session = await openSession({ store, provider, onEvent, model, settingsFrom });
        const tools = [countTool({ resultSize: "bounded" })];
        for await (const _ of query(session, { tools, prompt: user("Count") }));
        await session.close();
        holds(
          bodies(world.exchanges())
            .at(-1)!
            .includes(`line ${to - 1}`),
          "its end is not in the request",
        );
        const stored = world.events.filter(({ kind }) => kind === "result-stored");
        reported(stored.length === 0, "it was told to be stored");
      } finally {
        await world.close();
      }
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
      const world = await openWorld(
        folder,
        inOrder(replies, () => answer("Done.")),
      );
      const { store, onEvent, anthropic: provider } = world;
      let nowMs = Date.now();
      const clock = { now: () => nowMs };
      const tools = [
        countTool({ name: "Look_up" }),
        countTool({ name: "Order", sideEffects: "some", run: () => "It is ordered. ".repeat(200) }),
      ];
      try {
        const model = "claude-sonnet-4-6";
        const session = await openSession({ store, provider, onEvent, model, clock, settingsFrom });
        for await (const _ of query(session, { clock, tools, prompt: user("Go.") }));
        nowMs += 5 * 3_600_000;
        for await (const _ of query(session, { clock, tools, prompt: user("And now?") }));
        await session.close();
        const last = bodies(world.exchanges()).at(-1)!;
        holds(last.includes("[Cleared"), "nothing was cleared");
        holds(last.includes("It is ordered."), "the result of a tool with effects was cleared");
        const isSent = world.events.some(({ kind }) => kind === "results-cleared");
        reported(isSent, "no event told of it");
      } finally {
        await world.close();
      }
    },
  },
  {
    promise: "a line that is longer than an answer can be is read on from a character, and Read says how",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const long = `${"x".repeat(60_000 + random.below(9_000))}THE-END`;
      const script = inOrder(
        [
          callTools(callTool("Read", { file_path: "long.txt" })),
          callTools(callTool("Read", { file_path: "long.txt", offset: 1, character: long.length - 20 })),
        ],
        () => answer("Done."),
      );
      const agent = await startAgent(folder, script);
      try {
        agent.put("long.txt", long);
        const { code, said } = await agent.run(["-p", "Read it"]);
        holds(code === 0, `the turn ended with ${code}: ${said}`);
        const [, first = "", second = ""] = bodies(agent.exchanges());
        reported(/character/.test(conversationOf(first)), "nothing says where to read on");
        holds(conversationOf(second).includes("THE-END"), "the end of the line cannot be read");
      } finally {
        await agent.close();
      }
    },
  },
  {
    promise: "the model reads a stored result of its session with Read, and cannot change it",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const count = 20_000 + random.below(5_000);
      let path = "";
      const script: Script = (ask) => {
        path ||= /It is in (\S+?\.txt)/.exec(ask.toolResults.at(-1)?.text ?? "")?.[1] ?? "";
        if (ask.turn === 0) return callTools(callTool("Bash", { command: `seq 1 ${count}` }));
        if (ask.turn === 1) return callTools(callTool("Read", { file_path: path, offset: count - 3 }));
        return ask.turn === 2 ? callTools(callTool("Write", { file_path: path, content: "gone" })) : answer("Done.");
      };
      const agent = await startAgent(folder, script);
      try {
        await agent.run(["-p", "Count", "--mode", "bypass"]);
        const results = bodies(agent.exchanges()).map(conversationOf);
        holds(path !== "", "the preview names no file");
        holds(results[2]?.includes(`${count - 1}`) ?? false, "the end of the result cannot be read");
        reported(
          /outside|not allowed|read-only|cannot/i.test(results[3]?.slice(-600) ?? ""),
          "writing to it was not refused",
        );
      } finally {
        await agent.close();
      }
    },
  },
  {
    promise: "config chooses a profile for good, shows what it sets, and refuses one that there is not",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const profile = ["quality", "economy"][random.below(2)]!;
      const agent = await startAgent(folder, () => answer("Done."));
      try {
        const chosen = await agent.run(["config", profile]);
        holds(chosen.code === 0, `config ended with ${chosen.code}: ${chosen.said}`);
        const shown = await agent.run(["config", "--json"]);
        holds((JSON.parse(shown.out) as { profile: string }).profile === profile, "it was not kept");
        const wrong = await agent.run(["config", "thrifty"]);
        holds(wrong.code !== 0, "a profile that there is not was taken");
        reported(/quality.*balanced.*economy/.test(wrong.said), `it does not say which there are: ${wrong.said}`);
      } finally {
        await agent.close();
      }
    },
  },
  ...(["openai", "openai-chat"] as const).map(
    (word): PromiseCase => ({
      promise: `with --provider ${word} the agent stores a large result, says so, and goes on with --continue`,
      side: "agent",
      async check({ folder, random, holds, reported }) {
        const count = 12_000 + random.below(3_000);
        const script = inOrder([callTools(callTool("Bash", { command: `seq 1 ${count}` }))], () => answer("Done."));
        const agent = await startAgent(folder, script);
        try {
          const environment = { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${agent.url}/v1`, ANTHROPIC_API_KEY: "" };
          const first = await agent.run(["-p", "Count", "--mode", "bypass", "--provider", word], environment);
          holds(first.code === 0, `the turn ended with ${first.code}: ${first.said}`);
          reported(/stored a result/i.test(first.said), "nothing said that a result was stored");
          const second = await agent.run(["--continue", "-p", "And now?"], environment);
          holds(second.code === 0, `the second turn ended with ${second.code}: ${second.said}`);
          const [before = "-", after = ""] = bodies(agent.exchanges()).slice(-2).map(conversationOf);
          holds(after.startsWith(before.slice(0, -1)), "the second turn does not go on from the first");
        } finally {
          await agent.close();
        }
      },
    }),
  ),
  {
    promise: "an answer that is interrupted by Ctrl+C is kept, and the next turn goes on from it",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const words = Array.from({ length: 80 + random.below(40) }, (_, index) => `word${index}`).join(" ");
      const script: Script = ({ userText }) =>
        userText.includes("Tell") ? { ...answer(words), fault: stallStream(6, 600_000) } : answer("Done.");
      const agent = await startAgent(folder, script);
      try {
        const child = agent.start(["-p", "Tell me.", "--output-format", "stream-json"]);
        child.stdin.end();
        const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
        let out = "";
        child.stdout.on("data", (chunk) => {
          out += String(chunk);
          if (out.includes('"kind":"text"') && !child.killed) child.kill("SIGINT");
        });
        const code = await closed;
        holds(code === 130, `it ended with ${code}`);
        reported(out.includes("answer-interrupted"), "no event told of the interruption");
        await agent.run(["--continue", "-p", "Go on."]);
        holds(conversationOf(bodies(agent.exchanges()).at(-1)!).includes("word0"), "what was said is gone");
      } finally {
        await agent.close();
      }
    },
  },
  {
    promise: "what fills the context, and where it is compacted, is told by context, in text and as JSON",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const agent = await startAgent(folder, () => answer("Done."));
      try {
        agent.put(join("docs", "a.md"), "x".repeat(1_000 + random.below(1_000)));
        await agent.run(["-p", "Hello."]);
        const { code, out } = await agent.run(["context", "--json"]);
        holds(code === 0, `context ended with ${code}`);
        holds(
          Number((JSON.parse(out) as { tokens?: number }).tokens ?? 0) > 0 || /tokens/.test(out),
          `it says: ${out}`,
        );
        reported(/compact/i.test((await agent.run(["context"])).out), "it does not say where it is compacted");
      } finally {
        await agent.close();
      }
    },
  },
];

const SUMMARY = Array.from(
  { length: 9 },
  (_, index) => `## ${index + 1}. Section\nThe user has made notes, and all of them were taken down.`,
).join("\n");

function hasCompacted({ events }: LibraryWorld): boolean {
  return events.some((event) => event.kind === "compaction-ended" && event.outcome.kind === "compacted");
}
