import { join } from "node:path";
import { callTool } from "@palimpsest/provider-simulator";
import { collectResults, memoryResults, type ResultFiles, toolResult } from "palimpsest";
import { sqliteStore } from "palimpsest/sqlite-store";
import type { Random } from "../../random.ts";
import { openWorld } from "../library-world.ts";
import type { PromiseCase } from "../promise-case.ts";
import { lastBody } from "../request-text.ts";
import { callWhenAsked } from "../scripts.ts";
import { startAgent } from "../start-agent.ts";

const DAY_MS = 86_400_000;

/** Results of tools: what is too large is kept, and can be read again. */
export const resultCases: readonly PromiseCase[] = [
  {
    promise: "a command that prints more than the threshold leaves a preview, and the person is told",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const lines = 9_000 + random.below(3_000);
      await using agent = await startAgent(folder, callWhenAsked("Count", countTo(lines)));
      const { code, said } = await agent.run(["-p", "Count", "--mode", "bypass"]);
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      const last = lastBody(agent);
      holds(!last.includes(`${lines - 4_000}`), "the whole result was sent to the model");
      reported(/stored a tool result/i.test(said), "nothing said that a result was stored");
    },
  },
  {
    promise:
      "a result of a session in a store on disk is recalled by a later process, with nothing given but the store",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder);
      const [text, needle] = output(random);
      const session = await world.open();
      const [entry] = await session.append(toolResult("call", pieces(text, random)));
      await session.close();
      await world.store.close();
      const store = sqliteStore({ folder: join(folder, "sessions") });
      const again = await world.open({ store, id: session.id });
      const recalled = await again.recall({ entry: entry!, search: needle });
      holds(recalled.kind === "lines" && recalled.found.length === 1, `recall answered ${recalled.kind}`);
      const found = await again.recall({ search: needle });
      holds(found.kind === "entries" && found.hits.length === 1, "the search did not find it");
      reported(world.emitted("result-stored", { entry: entry! }).length === 1, "no event told that it was stored");
      await again.close();
      await store.close();
    },
  },
  {
    promise: "a search finds a word in the oldest of many stored results, and names those that it cannot read",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder);
      const session = await world.open();
      const [text, needle] = output(random);
      const [oldest] = await session.append(toolResult("first", pieces(text, random)));
      const [gone] = await session.append(toolResult("second", pieces(`${text}\nand more`, random)));
      const { results } = world.store;
      const lost = (await Array.fromAsync(session.history.export())).findLast((line) => line.includes('"file"')) ?? "";
      for (let count = 0; count < 110 + random.below(20); count++)
        await session.append(`${count}\n${"some other output\n".repeat(6_000)}`);
      const find: ResultFiles["find"] = async (of, file) => (lost.includes(file) ? undefined : results.find(of, file));
      await session.close();
      const again = await world.open({ id: session.id, store: { ...world.store, results: { ...results, find } } });
      const found = await again.recall({ search: needle });
      if (found.kind !== "entries") throw new Error(`the search answered ${found.kind}`);
      holds(
        found.hits.some(({ sequence }) => sequence === oldest),
        "the oldest result was not searched",
      );
      reported(
        found.unsearched.some(({ entry, why }) => entry === gone && why === "expired"),
        `nothing says that entry ${gone} could not be searched`,
      );
    },
  },
  {
    promise: "a fork recalls what its parent stored, and what it stores itself",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder);
      const [text, needle] = output(random);
      const session = await world.open();
      const [before] = await session.append(toolResult("call", pieces(text, random)));
      for (const kept of [{}, { id: "a-fork-that-is-kept" }]) {
        const fork = await session.fork({ source: "look around", ...kept });
        const [own] = await fork.append(toolResult("own", pieces(`own\n${text}`, random)));
        for (const entry of [before!, own!]) {
          const { kind } = await fork.recall({ entry, search: needle });
          holds(kind === "lines", `the fork ${JSON.stringify(kept)} was answered ${kind} for entry ${entry}`);
        }
        await fork.close();
      }
      reported(world.emitted("storing-failed").length === 0, "the fork could not store its result");
    },
  },
  {
    promise: "of a result that cannot be stored, the model sees the beginning and that there was more, and it is told",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder);
      const kept = memoryResults();
      let left = 1 + random.below(2);
      // The disk is full, and somebody makes room a moment later.
      const create: ResultFiles["create"] = (session) =>
        left-- > 0 ? Promise.reject(new Error("no space left on device")) : kept.create(session);
      const session = await world.open({ files: { ...kept, create } });
      const bytes = 200_000 + random.below(300_000);
      await session.append("Look.");
      const failures = left;
      for (let index = 0; index < failures; index++)
        await session.append(toolResult(`${index}`, pieces("x".repeat(bytes), random)));
      const request = JSON.stringify(await session.prepare());
      holds(request.split("Cut here").length === failures + 1, "the model is not told that there was more");
      // Two of them are too large together, and now there is room to store one.
      holds(request.length > 90_000, "the model does not see the beginning");
      const told = world.emitted("storing-failed", { shown: "beginning" });
      reported(told.length === failures, `${told.length} of ${failures} failures were told`);
    },
  },
  {
    promise:
      "results of a session that nobody uses are collected, those of an open one are not, and recall says expired",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder);
      const [text] = output(random);
      const over = await world.open({ id: "over" });
      const [entry] = await over.append(toolResult("call", pieces(text, random)));
      await over.close();
      const live = await world.open({ id: "live" });
      const [kept] = await live.append(toolResult("call", pieces(text, random)));
      const nowMs = Date.now() + (31 + random.below(100)) * DAY_MS;
      const { removed, failures } = await collectResults(world.store, { nowMs });
      reported(removed.length === 1 && removed[0]?.session === "over", `removed: ${JSON.stringify(removed)}`);
      holds(failures.length === 0, "something failed");
      holds((await live.recall({ entry: kept! })).kind === "text", "an open session lost its result");
      const again = await world.open({ id: "over" });
      const recalled = await again.recall({ entry: entry! });
      reported(recalled.kind === "expired", `recall answered ${recalled.kind}`);
    },
  },
  {
    promise: "the agent removes stored results beyond the limit, of sessions used longest ago, and says so",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const lines = 250_000 + random.below(100_000);
      await using agent = await startAgent(folder, callWhenAsked("Count", countTo(lines)));
      const limited = { PALIMPSEST_TOOL_RESULTS_KEPT_MEGABYTES: "1" };
      await agent.run(["-p", "Count", "--mode", "bypass"]);
      const { code, said } = await agent.run(["-p", "Are you there?"], limited);
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      reported(/Removed stored tool results of 1 old session/.test(said), `nothing said that it was removed: ${said}`);
      const again = await agent.run(["-p", "Are you there?"], limited);
      holds(!/Removed/.test(again.said), "it was removed twice");
    },
  },
  {
    promise: "the agent says that it could not store a result, and the turn goes on",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const lines = 40_000 + random.below(20_000);
      await using agent = await startAgent(folder, callWhenAsked("Count", countTo(lines)));
      await agent.run(["-p", "Hello"]);
      agent.blockResults();
      const { code, said } = await agent.run(["-p", "Count", "--mode", "bypass"]);
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      const last = lastBody(agent);
      holds(last.includes("Cut here"), "the model was not told that the result goes on");
      reported(/Could not store a tool result of/.test(said), `nothing said that storing failed: ${said}`);
    },
  },
];

const countTo = (lines: number) => callTool("Bash", { command: `seq 1 ${lines}` });

/** A large output, and something that stands in it once. */
function output(random: Random): readonly [text: string, needle: string] {
  const lines = Array.from({ length: 6_000 + random.below(6_000) }, (_, index) => `line ${index} of the output`);
  const needle = `needle${random.below(1_000_000)}`;
  lines[1_000 + random.below(4_000)] = `here is the ${needle} itself`;
  return [lines.join("\n"), needle];
}

async function* pieces(text: string, random: Random): AsyncGenerator<string> {
  const size = 1_000 + random.below(60_000);
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}
