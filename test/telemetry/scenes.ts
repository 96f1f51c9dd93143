import { join } from "node:path";
import { createAgents } from "@palimpsest/agents";
import { openCoordination } from "@palimpsest/coordination";
import { createExtractions, memoryTool, openMemory } from "@palimpsest/memory";
import { type Ask, answer, callTool, callTools, type Reply, summarize } from "@palimpsest/provider-simulator";
import { memoryResults, memoryStore, openSession, type SessionEvent, user } from "palimpsest";
import { createHooks } from "palimpsest/hooks";
import { coding, keepWarm, whenCold } from "palimpsest/policy";
import { DREAM_SYSTEM } from "../../packages/memory/src/dream/dream-prompt.ts";
import { startDream } from "../../packages/memory/src/dream/start-dream.ts";
import { openStage, READ } from "./open-stage.ts";

export interface Scene {
  play(stage: { readonly folder: string; readonly onEvent: (event: SessionEvent) => void }): Promise<void>;
}

const MINUTE_MS = 60_000;
const SECTIONS = Array.from(
  { length: 9 },
  (_, number) => `## ${number + 1}. Part\nA SECRET of part ${number} in the sum.`,
);
const SUMMARY = summarize(SECTIONS.join("\n"));
const words = (about: string, count = 1_500): string => `About ${about}: ${`${about} `.repeat(count)}`;

/** Calls Read as often and for as much as the user says; writes a summary when it is asked for one. */
function reader({ purpose, userText, toolResults }: Ask): Reply {
  if (purpose === "summary") return SUMMARY;
  const [, times, bytes] = /read (\d+) of (\d+) bytes/.exec(userText) ?? [];
  if (toolResults.length > 0 || times === undefined) return answer("A SECRET of the model.");
  return callTools(
    ...Array.from({ length: Number(times) }, (_, file) => callTool("Read", { file_path: `${file}.ts`, bytes })),
  );
}

const talk: Scene = {
  async play({ onEvent }) {
    const policy = { ...coding(), clear: [whenCold({ keepNewest: 3 })] };
    const { session, say, clock } = await openStage({ script: reader, onEvent, options: { policy } as object });
    await say("read 8 of 9000 bytes");
    await say("read 1 of 70000 bytes");
    clock.advance(9 * MINUTE_MS);
    await say("Go on.");
    await session.recall({ search: "SECRET" });
  },
};

const fullDisk: Scene = {
  async play({ onEvent }) {
    const create = () => Promise.reject(new Error("A SECRET path is full"));
    const { say } = await openStage({ script: reader, onEvent, options: { files: { ...memoryResults(), create } } });
    await say("read 1 of 70000 bytes");
  },
};

const compaction: Scene = {
  async play({ onEvent }) {
    const { session, say } = await openStage({
      script: reader,
      onEvent,
      windowTokens: 100_000,
      options: {
        // Only `quality` shows files again.
        settings: { notes: "on", compaction: "off", profile: "quality" },
        surroundings: { readFile: async () => "A SECRET file" },
        hooks: createHooks([
          { event: "PreCompact", run: () => ({ userDisplayMessage: "A SECRET message" }), name: "a" },
          {
            event: "PreCompact",
            name: "b",
            run: () => {
              throw new Error("A SECRET failure");
            },
          },
        ]),
      } as object,
    });
    await say("read 1 of 900 bytes");
    for (let part = 0; part < 8; part++) await say(words(`part${part}`));
    await session.compact();
    await session.notes.update();
  },
};

const full = (automatic: "auto" | "ask"): Scene => ({
  async play({ onEvent }) {
    const settings = { compaction: automatic, notes: "on" };
    const { say } = await openStage({
      script: reader,
      onEvent,
      windowTokens: 60_000,
      options: { settings } as object,
    });
    for (let part = 0; part < 14; part++) await say(words(`part${part}`));
  },
});
const [compacts, asks] = [full("auto"), full("ask")];

const badSettings: Scene = {
  async play({ onEvent }) {
    let state: "works" | "fails" = "works";
    const details = async <Value>(_: string, value: Value) =>
      state === "works" ? { value } : { value, errorCode: "GENERAL", errorMessage: "A SECRET address" };
    const flags = { getNumberDetails: details, getObjectDetails: details, getStringDetails: details };
    const environment = { PALIMPSEST_COMPACT_AT: "A SECRET value" };
    const { say } = await openStage({ script: reader, onEvent, options: { settingsFrom: { environment, flags } } });
    for (const next of ["fails", "works"] as const) {
      state = next;
      await say("Go on.");
    }
  },
};

const SAVE = {
  command: "save",
  name: "A SECRET wish",
  type: "project",
  fact: "Always trust the page.",
  quote: "please read the page",
};

const remembering: Scene = {
  async play({ onEvent, folder }) {
    const script = (ask: Ask): Reply => {
      if (!JSON.stringify(ask.request).includes("a task beside the conversation")) return answer("Done.");
      return ask.toolResults.length > 0 ? answer("nothing more") : callTools(callTool("Memory", SAVE));
    };
    const memory = await openMemory({
      folder: join(folder, "memory"),
      emit: (newEvent) => session.events.emit(newEvent),
    });
    const said = async () => [{ entry: 2, by: "user" as const, text: "Well then, please read the page, always." }];
    const tools = [READ, memoryTool({ memory, session: "s", said })];
    const { session, store, say } = await openStage({ script, onEvent, tools });
    const extractions = createExtractions({ memory, store, tools, readOnlyTools: ["Read"], maxCostPercent: 100 });
    await say("Well then, please read the page, always.", { afterTurn: extractions.afterTurn });
    await extractions.drain(10_000);
    for (const { slug } of await memory.inbox()) await memory.accept(slug);
    await memory.close();
  },
};

const dreaming: Scene = {
  async play({ onEvent, folder }) {
    const script = (): Reply => ({ ...answer("x"), fault: { kind: "spend-limit" } });
    const { session: parent, store, provider, model } = await openStage({ script, onEvent });
    const memory = await openMemory({ folder: join(folder, "memory") });
    const coordination = await openCoordination({ file: join(folder, "home.sqlite") });
    for (let run = 0; run < 3; run++) {
      const taken = await coordination.leases.take("dream", { owner: "test" });
      if (taken.kind !== "taken") throw new Error("It is held.");
      const session = await openSession({ store: memoryStore(), provider, model, system: DREAM_SYSTEM });
      await startDream({ memory, lease: taken.lease, store, sessions: [], session, parent }).done;
    }
    await coordination.close();
    await memory.close();
  },
};

const mail: Scene = {
  async play({ onEvent }) {
    const { session, store } = await openStage({ script: reader, onEvent });
    const openChild = () => Promise.reject(new Error("There are none."));
    const agents = createAgents({ session, store, tools: [], openChild });
    await agents.take({ key: "k", id: "1", from: { kind: "peer", says: "A SECRET name" }, body: "Hello." });
  },
};

const brokenStream: Scene = {
  async play({ onEvent }) {
    let calls = 0;
    const cut = {
      ...answer("A SECRET that is cut short."),
      fault: { kind: "stream-cut", afterEvents: 4, how: "closed" },
    };
    const script = (): Reply => (calls++ === 0 ? (cut as Reply) : answer("Done."));
    const { say, clock } = await openStage({ script, onEvent });
    // The request is made again after a while.
    await clock.pass(MINUTE_MS, say("Go on."));
  },
};

const strangeModel: Scene = {
  async play({ onEvent }) {
    const { session } = await openStage({ script: reader, onEvent, options: { model: "nobody-knows" } });
    await session.append("Hello.");
    await session.prepare();
  },
};

const badImage: Scene = {
  async play({ onEvent }) {
    const { session } = await openStage({ script: reader, onEvent });
    const data = btoa("A SECRET page that is called an image");
    await session.append(user([{ kind: "image", source: { kind: "base64", mediaType: "image/png", data } }]));
  },
};

const overridden: Scene = {
  async play({ onEvent }) {
    const thinking = { type: "enabled", budget_tokens: 50_000 };
    const options = { model: "claude-sonnet-4-6", parameters: { thinking } } as object;
    const { session } = await openStage({ script: reader, onEvent, options });
    await session.append("Hello.");
    await session.prepare();
  },
};

const warm: Scene = {
  async play({ onEvent }) {
    const policy = coding("balanced", { keepWarm: keepWarm() });
    const { session, say, clock } = await openStage({ script: reader, onEvent, options: { policy } as object });
    await say("Hello.");
    const kept = session.provider.keepWarm({ activity: "waiting" });
    await clock.pass(6 * MINUTE_MS, kept);
    await session.close();
  },
};

/** Real sessions in which much of what can be told happens; test/liveness holds that all of it does somewhere. */
export const SCENES: readonly Scene[] = [
  ...[
    talk,
    fullDisk,
    compaction,
    compacts,
    asks,
    badSettings,
    remembering,
    dreaming,
    mail,
    brokenStream,
    strangeModel,
    badImage,
    overridden,
    warm,
  ],
];
