import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { InvalidOptionError } from "../errors.ts";
import { anthropic } from "../providers/anthropic.ts";
import { openSession } from "../session/open.ts";
import { settingsFile } from "../session/settings-file.ts";
import type { SessionEvent } from "../session-event.ts";
import { memoryStore } from "../stores/memory-store.ts";
import type { SettingsFile, SettingsOptions } from "./options.ts";
import { readSettings } from "./settings.ts";

async function open(options: SettingsOptions) {
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

describe("settings of a session", () => {
  test("in code are stronger than variables and files", async () => {
    const { file, write } = temporaryFile();
    write({ "compaction.auto": "on", "clearing.keepNewest": 4 });
    const environment = { PALIMPSEST_COMPACTION_AUTO: "off", DISABLE_COMPACT: "1" };
    const { session } = await open({ settings: { "compaction.auto": "ask" }, settingsFrom: { environment, file } });
    const { settings } = session.settings();
    expect(settings["compaction.auto"]).toBe("ask");
    expect(settings["compaction.enabled"]).toBe("on");
    expect(settings["clearing.keepNewest"]).toBe(4);
  });

  test.each([
    [{ "compaction.atuo": "ask" }, 'Unknown setting "compaction.atuo". Did you mean "compaction.auto"?'],
    [
      { "compaction.auto": "sometimes" },
      'Setting "compaction.auto" is "sometimes". It must be one of "on", "ask", "off".',
    ],
    [{ "clearing.keepNewest": 1n }, 'Setting "clearing.keepNewest" is 1. It must be a whole number, at least 1.'],
  ])("in code that cannot be used are refused: %o", async (settings, message) => {
    const error = await open({ settings: settings as never }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidOptionError);
    expect((error as Error).message).toBe(message);
  });

  test("are checked where they are only read, too: also a file or flags that are none", async () => {
    for (const [name, options] of [
      ["settings", { settings: "on" }],
      ['settings["compaction.atuo"]', { settings: { "compaction.atuo": "ask" } }],
      ["settingsFrom", { settingsFrom: 1 }],
      ["settingsFrom.file", { settingsFrom: { file: { "compaction.auto": "ask" } } }],
      ["settingsFrom.flags", { settingsFrom: { flags: {} } }],
    ] as const) {
      const error = await readSettings(options as never).catch((thrown: unknown) => thrown);
      expect(error, name).toBeInstanceOf(InvalidOptionError);
    }
    expect((await readSettings({ settingsFrom: { environment: {} } })).problems).toEqual([]);
  });

  test("in code that are undefined are not given", async () => {
    const { session } = await open({ settings: { "compaction.auto": undefined } as never });
    expect(session.settings().settings["compaction.auto"]).toBe("on");
  });

  test("a name or value that is wrong does not compile", () => {
    // @ts-expect-error there is no such setting
    const name: SettingsOptions = { settings: { "compaction.atuo": "ask" } };
    // @ts-expect-error this is none of its values
    const value: SettingsOptions = { settings: { "compaction.auto": "sometimes" } };
    // @ts-expect-error values are no file
    const file: SettingsOptions = { settingsFrom: { file: { "compaction.auto": "ask" } } };
    expect([name, value, file]).toHaveLength(3);
  });

  test("of a file that cannot be used are told once, at once, and again when they come back", async () => {
    const { file, write } = temporaryFile();
    write({ "compaction.atuo": "ask", "clearing.keepNewest": 4 });
    const { rejected, turn } = await open({ settingsFrom: { environment: {}, file } });
    const message = 'Unknown setting "compaction.atuo" in the settings file. Did you mean "compaction.auto"?';
    expect(rejected()).toEqual([{ source: "file", name: "compaction.atuo", message }]);
    await turn();
    await turn();
    expect(rejected()).toHaveLength(1);
    write("{");
    await turn();
    expect(rejected()).toHaveLength(2);
    expect(rejected()[1]).toMatchObject({ source: "file", name: "" });
    write({ "compaction.atuo": "ask" });
    await turn();
    expect(rejected().map(({ name }) => name)).toEqual(["compaction.atuo", "", "compaction.atuo"]);
  });

  test("of a variable that cannot be used are told", async () => {
    const { rejected } = await open({ settingsFrom: { environment: { PALIMPSEST_CLEARING_KEEP_NEWEST: "many" } } });
    expect(rejected()).toMatchObject([{ source: "environment", name: "clearing.keepNewest" }]);
  });

  test("hold the last known flags, and tell of the outage and its end", async () => {
    let state: "works" | "fails" = "works";
    const absent = async <Value>(_: string, value: Value) =>
      state === "works" ? { value } : { value, errorCode: "GENERAL" };
    const flags = {
      getNumberDetails: absent,
      getObjectDetails: absent,
      getStringDetails: async (flag: string, value: string) =>
        state === "works" && flag === "palimpsest.compaction.auto" ? { value: "ask" } : absent(flag, value),
    };
    const { session, events, turn } = await open({ settingsFrom: { environment: {}, flags } });
    const kinds = () => events.map(({ kind }) => kind).filter((kind) => kind.startsWith("flags-"));
    expect(session.settings().settings["compaction.auto"]).toBe("ask");
    state = "fails";
    await turn();
    await turn();
    expect(session.settings().settings["compaction.auto"]).toBe("ask");
    expect(kinds()).toEqual(["flags-failed"]);
    state = "works";
    await turn();
    expect(kinds()).toEqual(["flags-failed", "flags-recovered"]);
  });
});
