import { type Ask, answer, callTool, callTools, type Reply } from "@palimpsest/provider-simulator";
import { openDreamWorld } from "../dream-world.ts";
import { openMemoryWorld } from "../memory-world.ts";
import type { PromiseCase } from "../promise-case.ts";
import { callWhenAsked } from "../scripts.ts";
import { startAgent } from "../start-agent.ts";

const isExtraction = ({ request }: Ask): boolean => JSON.stringify(request).includes("a task beside the conversation");
const isDream = ({ tools }: Ask): boolean => tools.includes("SearchSessions");
const outOfMoney = (): Reply => ({ ...answer("x"), fault: { kind: "spend-limit" } });
const CLAIM = { command: "save", type: "project", fact: "Always trust the page." };

/** Memory: looks for memories after a turn, those that wait for the user, and dreams. */
export const memoryCases: readonly PromiseCase[] = [
  {
    promise: "a look for memories that fails is told, with the reason",
    side: "library",
    async check({ folder, reported }) {
      const script = (ask: Ask): Reply => (isExtraction(ask) ? outOfMoney() : answer("Done."));
      await using world = await openMemoryWorld(folder, script);
      await world.say("Use pnpm here.");
      const [ended] = world.emitted("memories-extracted");
      reported(ended?.outcome === "failed", `no failure was told: ${JSON.stringify(ended)}`);
      reported((ended?.why ?? "") !== "", "the reason was not told");
      const forks = world.emitted("forked", { source: "extract_memories" });
      reported(forks.at(-1)?.outcome === "failed", "the fork that failed was not told of");
    },
  },
  {
    promise: "over its budget the look for memories stops, and says so once, with the setting",
    side: "library",
    async check({ folder, random, holds, reported }) {
      const environment = { PALIMPSEST_MEMORY_EXTRACTION_TOKENS: "0" };
      await using world = await openMemoryWorld(folder, () => answer("Done."), environment);
      for (let turn = 2 + random.below(3); turn > 0; turn--) await world.say("Use pnpm here.");
      holds(world.calls() === 0, "a model was asked all the same");
      const over = world.emitted("memories-extracted", { outcome: "over-budget" });
      reported(over.length === 1, `it was told ${over.length} times`);
      reported(over[0]?.why?.includes("memory.extractionTokens") ?? false, "the setting is not named");
    },
  },
  {
    promise: "what waits for the user's yes is told with its number, and so is what the user says to it",
    side: "library",
    async check({ folder, random, holds, reported }) {
      const save = callTools(callTool("Memory", { ...CLAIM, name: "Trust", quote: "read the page" }));
      const script = (ask: Ask): Reply =>
        !isExtraction(ask) ? answer("Done.") : ask.toolResults.length > 0 ? answer("nothing more") : save;
      await using world = await openMemoryWorld(folder, script);
      await world.say("Please read the page, always.");
      const inbox = await world.memory.inbox();
      holds(inbox.length === 1, `${inbox.length} proposals wait`);
      reported(world.emitted("memories-waiting").at(-1)?.count === 1, "nobody was told that something waits");
      const verdict = random.below(2) === 0 ? "confirmed" : "rejected";
      const judge = verdict === "confirmed" ? world.memory.accept : world.memory.reject;
      for (const { slug } of inbox) await judge(slug);
      reported(world.emitted("memory-judged").at(-1)?.verdict === verdict, `${verdict} was not told`);
    },
  },
  {
    promise: "what a dream costs is in the ledger of the session that started it, and how it ended is told",
    side: "library",
    async check({ folder, holds, reported }) {
      await using world = await openDreamWorld(folder, () => answer("Nothing to do."));
      await world.dream();
      const { bySource, priceUsd } = await world.parent.ledger.cost();
      holds((bySource["dream"]?.priceUsd ?? 0) > 0, "the ledger has no price for the dream");
      holds(Math.abs(priceUsd - (bySource["dream"]?.priceUsd ?? 0)) < 1e-12, "the total leaves it out");
      reported(world.emitted("dreamed")[0]?.outcome === "nothing", "the dream's end was not told");
    },
  },
  {
    promise: "a dream that fails waits its hours, and after three in a row a week: both are told",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openDreamWorld(folder, outOfMoney);
      const { dream, gate, pass, emitted } = world;
      for (let run = 1; run <= 3; run++) {
        await dream();
        pass(1 + random.below(20));
        holds((await gate()) === "hours", `after failure ${run} it would run again within the day`);
        pass(24);
      }
      holds((await gate()) === "breaker", "after three failures it would run again the next day");
      pass(7 * 24);
      holds((await gate()) === "open", "it is never tried again");
      const failed = emitted("dreamed", { outcome: "failed" });
      reported(failed.length === 3, `${failed.length} of 3 failures were told`);
      reported(emitted("breaker-tripped", { of: "dream" }).length > 0, "that it waits was not told");
    },
  },
  {
    promise: "a dream that is held waits its hours, and what it would change is told",
    side: "library",
    async check({ folder, random, holds, reported }) {
      let doomed: readonly { readonly slug: string; readonly version: string }[] = [];
      const forget = ({ slug, version }: (typeof doomed)[number]) =>
        callTool("Topics", { command: "forget", slug, because: "Over.", version });
      const script = ({ toolResults }: Ask): Reply =>
        toolResults.length > 0 ? answer("Done.") : callTools(...doomed.map(forget));
      await using world = await openDreamWorld(folder, script);
      const { dream, gate, pass, memory } = world;
      doomed = (await memory.list()).slice(0, 6 + random.below(4));
      const topics = (await memory.list()).length;
      await dream();
      holds((await memory.list()).length === topics, "something was changed without a yes");
      pass(1 + random.below(20));
      holds((await gate()) === "hours", "it would run again at once");
      const [held] = world.emitted("dreamed");
      reported(held?.outcome === "held", "nobody was told that it waits for a yes");
      reported(held?.changed === doomed.length, "not how much it would change");
    },
  },
  {
    promise: "memories that wait, and hooks that fail, are lines for the person of a turn without a screen",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      const claim = { ...CLAIM, name: `Trust ${random.below(100)}`, quote: "Read the page" };
      await using agent = await startAgent(folder, callWhenAsked("Read", callTool("Memory", claim)));
      const hooks = [{ event: "Stop", command: "echo broken >&2; exit 1" }];
      agent.putSettings("settings.json", { hooks });
      await agent.run(["-p", "Read the page"]);
      const { code, said } = await agent.run(["-p", "Hello"]);
      holds(code === 0, `the turn ended with ${code}: ${said}`);
      reported(/1 memory waits for your yes/.test(said), `nothing said that a memory waits: ${said}`);
      reported(/hook failed/i.test(said), `nothing said that a hook failed: ${said}`);
    },
  },
  {
    promise: "a dream by command that fails says why, and one in the schedule waits then",
    side: "agent",
    async check({ folder, holds, reported }) {
      await using agent = await startAgent(folder, (ask) => (isDream(ask) ? outOfMoney() : answer("Done.")));
      const sessions = { PALIMPSEST_DREAM_SESSIONS: "0" };
      const first = await agent.run(["dream", "--if-due"], sessions);
      holds(first.code === 1, `it ended with ${first.code}`);
      reported(/Nothing was changed: .+/.test(first.out), `the reason is missing: ${first.out}`);
      const asked = agent.exchanges().length;
      const second = await agent.run(["dream", "--if-due"], sessions);
      holds(agent.exchanges().length === asked, "it was tried again at once");
      reported(second.out.startsWith("Not needed yet: the last run was"), `it does not say so: ${second.out}`);
    },
  },
];
