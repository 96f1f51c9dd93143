import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSession, PalimpsestError, query, type Session, tool } from "palimpsest";
import { settingsFile } from "palimpsest/settings-file";
import type { Random } from "../../random.ts";
import { MODEL, type OpenOptions, openWorld } from "../library-world.ts";
import type { PromiseCase } from "../promise-case.ts";
import { startAgent } from "../start-agent.ts";
import { startCollector } from "../start-collector.ts";

const NAME = "clearing.keepNewest";
const VARIABLE = "PALIMPSEST_CLEARING_KEEP_NEWEST";

/** Settings: one order of their sources, and nothing that was set wrongly is passed over in silence. */
export const settingsCases: readonly PromiseCase[] = [
  {
    promise: "of all sources that set a setting, the strongest holds: code, variables, flags, file",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder);
      const { path, file } = settingsIn(folder);
      const values = [21, 22, 23, 24].map((value) => value + random.below(50) * 10);
      const [inCode, inVariable, inFlag, inFile] = values as [number, number, number, number];
      writeFileSync(path, JSON.stringify({ [NAME]: inFile }));
      const flags = flagService(() => ({ [NAME]: inFlag }));
      const environment = { [VARIABLE]: String(inVariable), DISABLE_COMPACT: "1" };
      const held = async (more: OpenOptions): Promise<number> => {
        const session = await world.open(more);
        const { settings } = session.settings();
        holds(settings["compaction.enabled"] === "on", "a variable of another program was followed");
        await session.close();
        return settings[NAME];
      };
      const all = { environment, flags, file };
      holds((await held({ settings: { [NAME]: inCode }, settingsFrom: all })) === inCode, "code is not strongest");
      holds((await held({ settingsFrom: all })) === inVariable, "the variable does not beat flags");
      holds((await held({ settingsFrom: { environment: {}, flags, file } })) === inFlag, "the flag loses to the file");
      holds((await held({ settingsFrom: { environment: {}, file } })) === inFile, "the file does not hold");
      reported(world.emitted("settings-rejected").length === 0, "something was told as wrong");
    },
  },
  {
    promise: "a setting that is misspelled in code is refused before anything is opened, with the right name",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder);
      const typo = misspelled("compaction.auto", random);
      const error = await world.open({ id: "typo", settings: { [typo]: "ask" } as never }).catch((thrown) => thrown);
      holds(error instanceof PalimpsestError, `it was ${String(error)}`);
      holds((await world.store.openReader("typo")) === undefined, "a log was begun");
      reported(String(error).includes('Did you mean "compaction.auto"?'), `the error says ${String(error)}`);
    },
  },
  {
    promise: "a setting that cannot be used in a file or a variable is told once, and the weaker value holds",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder);
      const { path, file } = settingsIn(folder);
      const typo = misspelled(NAME, random);
      writeFileSync(path, JSON.stringify({ [typo]: 5, [NAME]: 6 }));
      const session = await world.open({ settingsFrom: { file, environment: { [VARIABLE]: "many" } } });
      for (let turn = 0; turn < 2 + random.below(3); turn++) await say(session);
      holds(session.settings().settings[NAME] === 6, "the value of the file does not hold");
      const rejected = world.emitted("settings-rejected").flatMap(({ problems }) => problems);
      const isRejected = (from: string, words: string): boolean =>
        rejected.some(({ source, message }) => source === from && message.includes(words));
      reported(isRejected("file", `Did you mean "${NAME}"?`), "the misspelled name was not told");
      reported(isRejected("environment", VARIABLE), "the variable was not told");
      holds(rejected.length === 2, `it was told ${rejected.length} times`);
    },
  },
  {
    promise: "a file of settings that breaks between two turns is told at once",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder);
      const { path, file } = settingsIn(folder);
      writeFileSync(path, JSON.stringify({ [NAME]: 7 }));
      const session = await world.open({ settingsFrom: { file, environment: {} } });
      await say(session);
      writeFileSync(path, `{ "${NAME}": ${random.below(90)}`);
      await say(session);
      holds(session.settings().settings[NAME] === 8, "the default does not hold");
      reported(world.emitted("settings-rejected").length > 0, "nothing was told");
    },
  },
  {
    promise: "while the flag service fails, its last values hold; the outage and its end are told once each",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder);
      let state: "works" | "fails" | "hangs" = "works";
      const flags = flagService(() => {
        if (state === "hangs") return new Promise(() => {});
        if (state === "fails") throw new Error("503");
        return { [NAME]: 31 };
      });
      const settingsFrom = { environment: {}, flags, flagsDeadlineMs: 20 };
      const session = await world.open({ settingsFrom });
      state = random.below(2) === 0 ? "fails" : "hangs";
      for (let turn = 0; turn < 3; turn++) {
        await say(session);
        holds(session.settings().settings[NAME] === 31, "the last value was lost");
      }
      const outages = world.emitted("flags-failed").length;
      reported(outages === 1, `the outage was told ${outages} times`);
      if (state === "hangs") return;
      state = "works";
      await say(session);
      reported(world.emitted("flags-recovered").length === 1, "its end was not told");
    },
  },
  {
    promise: "a missing or wrong argument is an error of ours that says what to pass",
    side: "library",
    async check({ folder, random, holds, reported }) {
      await using world = await openWorld(folder);
      const wrong = [undefined, null, 5, {}, []][random.below(5)];
      const { store, anthropic: provider } = world;
      const session = await world.open();
      const any = (one: unknown): ((...args: unknown[]) => unknown) => one as never;
      const tries: Readonly<Record<string, () => unknown>> = {
        store: () => any(openSession)({ provider, model: MODEL, store: wrong }),
        provider: () => any(openSession)({ store, model: MODEL, provider: wrong }),
        model: () => any(openSession)({ store, provider }),
        append: () => any(session.append)(undefined),
        record: () => any(session.record)((async function* () {})()),
        tool: () => any(tool)({ name: "t", description: "", input: {} }),
        query: () => any(query)({ session }),
      };
      for (const [what, call] of Object.entries(tries)) {
        const error = await thrownBy(call);
        holds(error instanceof PalimpsestError, `${what}: ${String(error)}`);
        reported(/must be/.test(String(error)), `${what} does not say what to pass: ${String(error)}`);
      }
    },
  },
  {
    promise: "--set is stronger than the variable, and a misspelled name ends the program with the right one",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder);
      const ended = await agent.run(["-p", "Hello", "--set", "cache.ttl=1h"], { PALIMPSEST_CACHE_TTL: "5m" });
      holds(ended.code === 0, `the turn ended with ${ended.code}: ${ended.said}`);
      holds(agent.exchanges().at(-1)?.body.includes('"ttl":"1h"') === true, "the variable was stronger");
      const wrong = await agent.run(["-p", "Hello", "--set", `${misspelled("cache.ttl", random)}=1h`]);
      holds(wrong.code === 2, `it ended with ${wrong.code}`);
      reported(wrong.said.includes('Did you mean "cache.ttl"?'), wrong.said);
    },
  },
  {
    promise:
      "variables of other programs hold in the agent, weaker than ours, and a wrong setting is a line at the start",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder);
      agent.putSettings("engine.json", { [misspelled("compaction.auto", random)]: "off" });
      const off = await agent.run(["-p", "Hello"], { DISABLE_COMPACT: "1" });
      holds(off.code === 0, off.said);
      reported(off.said.includes('Did you mean "compaction.auto"?'), `nothing named the setting: ${off.said}`);
      const compact = async (environment: Readonly<Record<string, string>>) =>
        (await agent.run(["compact", "--json"], environment)).out;
      holds((await compact({ DISABLE_COMPACT: "1" })).includes("switched-off"), "DISABLE_COMPACT was not followed");
      const both = await compact({ DISABLE_COMPACT: "1", PALIMPSEST_COMPACTION_ENABLED: "on" });
      holds(!both.includes("switched-off"), "our variable is not stronger");
    },
  },
  {
    promise: "telemetry goes to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names; one that fails costs one line",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder);
      const collector = await startCollector();
      const secret = `word${random.below(1_000_000)}`;
      const sent = await agent.run(["-p", secret], { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      holds(sent.code === 0, sent.said);
      reported(collector.received().includes("palimpsest.turns"), "no metric arrived");
      reported(collector.received().includes("gen_ai.conversation.id"), "no span arrived");
      holds(!collector.received().includes(secret), "what was said was sent along");
      await collector.close();
      const gone = await agent.run(["-p", "Hello"], { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
      holds(gone.code === 0 && gone.out.includes("Done."), `the turn ended with ${gone.code}`);
      reported(gone.said.match(/Telemetry could not be sent/g)?.length === 1, `it said: ${gone.said}`);
    },
  },
  {
    promise:
      "flags of the module that the user's settings name hold; a project cannot name one, and a broken one is a line",
    side: "agent",
    async check({ folder, random, holds, reported }) {
      await using agent = await startAgent(folder);
      const flag = JSON.stringify({ value: "1h" });
      agent.putSettings("settings.json", { flags: "flags.mjs" });
      agent.putSettings(
        "flags.mjs",
        `const no = async (_, value) => ({ value });
          const text = async (name, value) => (name === "palimpsest.cache.ttl" ? ${flag} : { value });
          export const flags = { getStringDetails: text, getNumberDetails: no, getObjectDetails: no };`,
      );
      agent.put(".palimpsest/settings.json", JSON.stringify({ flags: "theirs.mjs" }));
      agent.put("theirs.mjs", 'console.log("the project ran code");');
      const { code, out, said } = await agent.run(["-p", "Hello"]);
      holds(code === 0 && !out.includes("the project ran code"), `${code}: ${out}`);
      holds(agent.exchanges().at(-1)?.body.includes('"ttl":"1h"') === true, "the flag does not hold");
      reported(said.includes("only your own settings can name a module"), "nothing says so of the project's");
      agent.putSettings("flags.mjs", ["export const flags = 5;", "throw new Error('no');", "%"][random.below(3)]!);
      const broken = await agent.run(["-p", "Hello"]);
      holds(broken.code === 0, broken.said);
      reported(broken.said.includes("No flags are read"), `it said: ${broken.said}`);
    },
  },
];

function settingsIn(folder: string) {
  const path = join(folder, "settings.json");
  return { path, file: settingsFile(path) };
}

async function say(session: Session): Promise<void> {
  for await (const _ of query(session, { prompt: "Go on." }));
}

/** An OpenFeature client over values by the names of settings. */
function flagService(values: () => Readonly<Record<string, unknown>> | Promise<never>) {
  const details = async (flag: string, absent: never) => {
    const now: Readonly<Record<string, unknown>> = await values();
    return { value: (now[flag.slice("palimpsest.".length)] as never) ?? absent };
  };
  return { getStringDetails: details, getNumberDetails: details, getObjectDetails: details } as never;
}

/** Two letters in the wrong order, somewhere in the last word. */
function misspelled(name: string, random: Random): string {
  const from = name.indexOf(".") + 1;
  for (let at = from + random.below(name.length - from - 1); ; at = from) {
    const swapped = `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`;
    if (swapped !== name) return swapped;
    if (at === from) return `${name}x`;
  }
}

async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    const returned = (await call()) as Partial<AsyncGenerator> | undefined;
    await returned?.next?.();
    return undefined;
  } catch (error) {
    return error;
  }
}
