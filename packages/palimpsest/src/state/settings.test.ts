import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { InvalidOptionError } from "../errors.ts";
import { coding } from "../presets/coding.ts";
import { anthropic } from "../providers/anthropic.ts";
import { openSession } from "../session/open.ts";
import type { NewEvent, SessionEvent } from "../session-event.ts";
import type { FlagDetails } from "../settings/flags.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { SessionOptions, SettingsFile, SettingsOptions } from "./options.ts";
import { FlagCache, readSettings, settingsFile } from "./settings.ts";

async function open(options: SettingsOptions & Pick<SessionOptions, "policy">) {
  const events: SessionEvent[] = [];
  const session = await openSession({
    store: memoryStore(),
    provider: anthropic({} as never),
    model: "claude-opus-5-5",
    onEvent: (event) => events.push(event),
    ...options,
  });
  const rejected = () => events.flatMap((event) => (event.kind === "settings-rejected" ? event.problems : []));
  const turn = async () => {
    await session.append("Go on.");
    await session.prepare();
  };
  return { session, rejected, turn, events };
}

function temporaryFile(): { readonly file: SettingsFile; write(values: object | string): void } {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "settings.json");
  const write = (values: object | string): void =>
    writeFileSync(path, typeof values === "string" ? values : JSON.stringify(values));
  return { file: settingsFile(path), write };
}

describe("settings", () => {
  test("from code override variables and files", async () => {
    const { file, write } = temporaryFile();
    write({ compaction: "auto", notes: "on", "agents.running": 4 });
    const environment = { PALIMPSEST_COMPACTION: "off", PALIMPSEST_NOTES: "off", DISABLE_COMPACT: "1" };
    const { session } = await open({ settings: { compaction: "ask" }, settingsFrom: { environment, file } });
    const { settings } = session.settings();
    expect(settings.compaction).toBe("ask");
    expect(settings.notes).toBe("off");
    expect(settings["agents.running"]).toBe(4);
  });

  test.each([
    [{ compacton: "ask" }, 'Unknown setting "compacton". Did you mean "compaction"?'],
    [{ compaction: "sometimes" }, 'Setting "compaction" is "sometimes". It must be one of "auto", "ask", "off".'],
    [{ "agents.running": 1n }, 'Setting "agents.running" is 1. It must be a whole number, at least 1.'],
  ])("from code are rejected if invalid: %o", async (settings, message) => {
    const error = await open({ settings: settings as never }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect((error as Error).message).toBe(message);
  });

  test("are checked by readSettings too, including invalid files and flag clients", async () => {
    for (const [name, options] of [
      ["settings", { settings: "on" }],
      ['settings["compacton"]', { settings: { compacton: "ask" } }],
      ["settingsFrom", { settingsFrom: 1 }],
      ["settingsFrom.file", { settingsFrom: { file: { compaction: "ask" } } }],
      ["settingsFrom.flags", { settingsFrom: { flags: {} } }],
    ] as const) {
      const error = await readSettings(options as never).catch((thrown: unknown) => thrown);
      expect(error, name).toBeInstanceOf(InvalidOptionError);
    }
    expect((await readSettings({ settingsFrom: { environment: {} } })).problems).toEqual([]);
  });

  test("from code count as missing if undefined", async () => {
    const { session } = await open({ settings: { compaction: undefined } as never });
    expect(session.settings().settings.compaction).toBe("auto");
  });

  test("do not compile with a wrong name or value", () => {
    // @ts-expect-error unknown setting
    const name: SettingsOptions = { settings: { compacton: "ask" } };
    // @ts-expect-error invalid value
    const value: SettingsOptions = { settings: { compaction: "sometimes" } };
    // @ts-expect-error an object of values is not a file
    const file: SettingsOptions = { settingsFrom: { file: { compaction: "ask" } } };
    expect([name, value, file]).toHaveLength(3);
  });

  test("from an invalid file are reported at once, only once, and again when they return", async () => {
    const { file, write } = temporaryFile();
    write({ compacton: "ask", "agents.running": 4 });
    const { rejected, turn } = await open({ settingsFrom: { environment: {}, file } });
    const message = 'Unknown setting "compacton" in the settings file. Did you mean "compaction"?';
    expect(rejected()).toEqual([{ source: "file", name: "compacton", message }]);
    await turn();
    await turn();
    expect(rejected()).toHaveLength(1);
    write("{");
    await turn();
    expect(rejected()).toHaveLength(2);
    expect(rejected()[1]).toMatchObject({ source: "file", name: "" });
    write({ compacton: "ask" });
    await turn();
    expect(rejected().map(({ name }) => name)).toEqual(["compacton", "", "compacton"]);
  });

  test.each([
    ["a policy", coding()],
    ["a function", () => coding()],
  ] as const)("from code are rejected beside %s if only the default policy uses them", async (_, policy) => {
    const error = await open({ policy, settings: { profile: "economy" } }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect(error).toMatchObject({
      option: 'settings["profile"]',
      message: expect.stringContaining('coding("economy")'),
    });
    const { session } = await open({ policy, settings: { compaction: "ask" }, settingsFrom: { environment: {} } });
    expect(session.settings().settings.compaction).toBe("ask");
  });

  test("from variables and files are reported beside a policy, also if the file changes later", async () => {
    const { file, write } = temporaryFile();
    const environment = { PALIMPSEST_PROFILE: "economy" };
    const { rejected, turn } = await open({ policy: coding(), settingsFrom: { environment, file } });
    expect(rejected()).toMatchObject([{ source: "environment", name: "profile" }]);
    write({ notes: "on" });
    await turn();
    expect(rejected().slice(1)).toMatchObject([{ source: "file", name: "notes" }]);
  });

  test("from invalid variables are reported", async () => {
    const { rejected } = await open({ settingsFrom: { environment: { PALIMPSEST_AGENTS_RUNNING: "many" } } });
    expect(rejected()).toMatchObject([{ source: "environment", name: "agents.running" }]);
  });

  test("keep the last flags, and report the outage and its end", async () => {
    let state: "works" | "fails" = "works";
    const absent = async <Value>(_: string, value: Value) =>
      state === "works" ? { value } : { value, errorCode: "GENERAL" };
    const flags = {
      getNumberDetails: absent,
      getObjectDetails: absent,
      getStringDetails: async (flag: string, value: string) =>
        state === "works" && flag === "palimpsest.compaction" ? { value: "ask" } : absent(flag, value),
    };
    const { session, events, turn } = await open({ settingsFrom: { environment: {}, flags } });
    const kinds = () => events.map(({ kind }) => kind).filter((kind) => kind.startsWith("flags-"));
    expect(session.settings().settings.compaction).toBe("ask");
    state = "fails";
    await turn();
    await turn();
    expect(session.settings().settings.compaction).toBe("ask");
    expect(kinds()).toEqual(["flags-failed"]);
    state = "works";
    await turn();
    expect(kinds()).toEqual(["flags-failed", "flags-recovered"]);
  });
});

describe("FlagCache", () => {
  type Answer = () => Promise<FlagDetails<never>>;

  /** A service whose answer for the number of running agents can be changed. Its other flags do not exist. */
  function begin() {
    let nowMs = 0;
    let late: (() => void) | undefined;
    let answer: Answer = async () => ({ value: 7 as never });
    const emitted: NewEvent[] = [];
    const absent = async <Value>(_: string, value: Value) => ({ value });
    const memory = new FlagCache({
      client: {
        getStringDetails: absent,
        getNumberDetails: (flag, value) => (flag.endsWith("agents.running") ? answer() : absent(flag, value)),
        getObjectDetails: absent,
      },
      deadlineMs: 100,
      clock: {
        now: () => nowMs,
        wait: (ms) =>
          new Promise((resolve) => {
            late = resolve;
            if (ms === 0) resolve();
          }),
      },
      emit: (newEvent) => emitted.push(newEvent),
    });
    return {
      memory,
      emitted,
      setAnswer: (next: Answer) => (answer = next),
      advance: (ms: number) => (nowMs += ms),
      runOut: () => late?.(),
    };
  }

  const fails: Answer = async () => ({ value: 0 as never, errorCode: "GENERAL", errorMessage: "503" });

  describe("flags", () => {
    test("stay valid while their service fails, and the failure and the recovery are reported once", async () => {
      const { memory, emitted, setAnswer, advance } = begin();
      expect((await memory.read()).values).toEqual({ "agents.running": 7 });
      setAnswer(fails);
      for (let turn = 0; turn < 3; turn++) {
        expect((await memory.read()).values).toEqual({ "agents.running": 7 });
        advance(1_000);
      }
      expect(emitted).toEqual([{ kind: "flags-failed", because: "GENERAL: 503", held: 1 }]);
      setAnswer(async () => ({ value: 9 as never }));
      expect((await memory.read()).values).toEqual({ "agents.running": 9 });
      expect(emitted.slice(1)).toEqual([{ kind: "flags-recovered", afterMs: 3_000 }]);
      setAnswer(fails);
      await memory.read();
      expect(emitted).toHaveLength(3);
    });

    test("lose their value when they are removed", async () => {
      const { memory, setAnswer } = begin();
      await memory.read();
      setAnswer(async () => ({ value: 0 as never, errorCode: "FLAG_NOT_FOUND" }));
      expect((await memory.read()).values).toEqual({});
    });

    test("are reported and ignored if their type does not fit the setting", async () => {
      const { memory, setAnswer } = begin();
      setAnswer(async () => ({ value: 0 as never, errorCode: "TYPE_MISMATCH" }));
      const { values, problems } = await memory.read();
      expect(values).toEqual({});
      expect(problems).toMatchObject([{ source: "flags", name: "agents.running" }]);
      expect(problems[0]!.message).toContain('"palimpsest.agents.running"');
    });

    test("are waited for once if late, and the next turn uses the late answer", async () => {
      const { memory, emitted, setAnswer, runOut, advance } = begin();
      await memory.read();
      const answered = Promise.withResolvers<FlagDetails<never>>();
      setAnswer(() => answered.promise);
      const reading = memory.read();
      advance(100);
      runOut();
      expect((await reading).values).toEqual({ "agents.running": 7 });
      expect(emitted).toEqual([{ kind: "flags-failed", because: "no answer within 100 ms", held: 1 }]);
      // The deadline of this query has passed, so the turn does not wait.
      expect((await memory.read()).values).toEqual({ "agents.running": 7 });
      answered.resolve({ value: 8 as never });
      await new Promise(setImmediate);
      expect((await memory.read()).values).toEqual({ "agents.running": 8 });
      expect(emitted.at(-1)).toMatchObject({ kind: "flags-recovered" });
    });

    test("are queried again if a query was never answered", async () => {
      const { memory, setAnswer, runOut, advance } = begin();
      setAnswer(() => new Promise(() => {}));
      const reading = memory.read();
      advance(100);
      runOut();
      expect((await reading).values).toEqual({});
      setAnswer(async () => ({ value: 5 as never }));
      advance(60_001);
      expect((await memory.read()).values).toEqual({ "agents.running": 5 });
    });
  });
});
