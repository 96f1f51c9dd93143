import { type Clock, withTimers } from "../clock.ts";
import { InvalidOptionError } from "../errors.ts";
import { anObject, checkOptions, ifGiven } from "../schema/check-options.ts";
import type { Emit } from "../session-event.ts";
import {
  type FlagClient,
  type FlagReading,
  type ResolvedSettings,
  readFlags,
  resolveSettings,
  type SettingProblem,
} from "../settings/resolve.ts";
import type { SettingName, Settings } from "../settings/settings.ts";
import type { SettingsFile, SettingsOptions } from "./options.ts";

interface FlagCacheOptions {
  readonly client: FlagClient;
  readonly deadlineMs: number;
  readonly clock: Required<Clock>;
  readonly emit: Emit;
}

interface CachedFlags {
  /** By the names of settings: what the service says, or said when it last answered. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly SettingProblem[];
}

interface FlagCache {
  read(): Promise<CachedFlags>;
}

/** A question that has had no answer for so long is given up, and asked again. */
const GIVE_UP_MS = 60_000;

/** What a flag service said last. While it fails its values hold, and a turn waits for it no longer than once. */
export function createFlagCache({ client, deadlineMs, clock, emit }: FlagCacheOptions): FlagCache {
  const known = new Map<SettingName, unknown>();
  let problems: readonly SettingProblem[] = [];
  let asked: { readonly answer: Promise<ReadonlyMap<SettingName, FlagReading>>; readonly atMs: number } | undefined;
  let failingSinceMs: number | undefined;

  /** Undefined if there is no answer in time. The question stays open then, and the next turn looks whether it was answered. */
  async function ask(): Promise<ReadonlyMap<SettingName, FlagReading> | undefined> {
    if (asked === undefined || clock.now() - asked.atMs > GIVE_UP_MS) {
      asked = { answer: readFlags(client), atMs: clock.now() };
    }
    const { answer, atMs } = asked;
    const inTime = new AbortController();
    const late = clock.wait(Math.max(0, atMs + deadlineMs - clock.now()), inTime.signal).then(() => undefined);
    const readings = await Promise.race([answer, late]);
    inTime.abort();
    if (readings !== undefined) asked = undefined;
    return readings;
  }

  function remember(readings: ReadonlyMap<SettingName, FlagReading>): void {
    const unusable: SettingProblem[] = [];
    for (const [name, reading] of readings) {
      if (reading.kind === "failed") continue;
      if (reading.kind === "value") known.set(name, reading.value);
      else known.delete(name);
      if (reading.kind === "unusable") unusable.push(toProblem(name, reading.because));
    }
    problems = unusable;
  }

  function note(failures: readonly string[]): void {
    const [because] = failures;
    if (because === undefined) {
      if (failingSinceMs !== undefined) emit({ kind: "flags-recovered", afterMs: clock.now() - failingSinceMs });
      failingSinceMs = undefined;
    } else if (failingSinceMs === undefined) {
      failingSinceMs = clock.now();
      emit({ kind: "flags-failed", because, held: known.size });
    }
  }

  return {
    async read() {
      const readings = await ask();
      if (readings !== undefined) remember(readings);
      note(
        readings === undefined
          ? [`no answer within ${deadlineMs} ms`]
          : [...readings.values()].flatMap((reading) => (reading.kind === "failed" ? [reading.because] : [])),
      );
      return { values: Object.fromEntries(known), problems };
    },
  };
}

function toProblem(name: SettingName, because: string): SettingProblem {
  const message = `Flag "palimpsest.${name}" in the flag service cannot be used: ${because}.`;
  return { source: "flags", name, value: undefined, message };
}

interface SettingsReaderOptions {
  readonly clock: Required<Clock>;
  readonly emit: Emit;
}

/** Reads the settings of one session and its forks, and remembers what was told of them. */
export interface SettingsReader {
  read(): Promise<ResolvedSettings>;
}

const FLAGS_DEADLINE_MS = 2_000;

export function createSettingsReader(options: SettingsOptions, { clock, emit }: SettingsReaderOptions): SettingsReader {
  checkSettingsOptions(options);
  const { settings = {}, settingsFrom = {} } = options;
  const { file, flags, flagsDeadlineMs = FLAGS_DEADLINE_MS } = settingsFrom;
  const memory = flags && createFlagCache({ client: flags, deadlineMs: flagsDeadlineMs, clock, emit });
  let toldBefore: ReadonlySet<string> = new Set();

  /** A problem is told once, and again only when it had gone in between. */
  function emitProblems(problems: readonly SettingProblem[]): void {
    const fresh = problems.filter(({ message }) => !toldBefore.has(message));
    toldBefore = new Set(problems.map(({ message }) => message));
    if (fresh.length === 0) return;
    emit({
      kind: "settings-rejected",
      problems: fresh.map(({ source, name, message }) => ({ source, name, message })),
    });
  }

  return {
    async read() {
      const { environment = globalThis.process?.env ?? {} } = settingsFrom;
      const flagged = await memory?.read();
      const resolved = resolveSettings({
        code: settings,
        environment,
        flags: flagged?.values ?? {},
        file: file === undefined ? undefined : await readJson(file),
      });
      const problems = [...resolved.problems, ...(flagged?.problems ?? [])];
      emitProblems(problems);
      return { ...resolved, problems };
    },
  };
}

/** Reads all sources once, as a session does at the beginning of each turn. */
export async function readSettings(options: SettingsOptions = {}): Promise<ResolvedSettings> {
  return createSettingsReader(options, { clock: withTimers(), emit: () => {} }).read();
}

/** What is wrong in code is an error of whoever wrote it, and thrown before anything is opened. */
export function checkSettingsOptions(options: SettingsOptions): void {
  checkOptions("openSession", options, {
    settings: ifGiven(anObject("an object of names and values")),
    settingsFrom: ifGiven(anObject("an object with environment, flags or file")),
  });
  const { settings = {}, settingsFrom = {} } = options;
  const { file, flags } = settingsFrom;
  if (file !== undefined && typeof file?.read !== "function") {
    const expected = "settingsFile(path), or another { name, read() }";
    throw new InvalidOptionError("settingsFrom.file", file, `${expected}; values go into \`settings\``);
  }
  if (flags !== undefined && typeof flags?.getStringDetails !== "function") {
    throw new InvalidOptionError("settingsFrom.flags", flags, "an OpenFeature client, with getStringDetails()");
  }
  const [problem] = resolveSettings({ code: settings }).problems;
  if (problem === undefined) return;
  const { name, value, message } = problem;
  throw new InvalidOptionError(`settings["${name}"]`, value, "", message);
}

/** The values of the file; undefined if there is no file. If it cannot be read or is not JSON: what is wrong with it. */
async function readJson(file: SettingsFile): Promise<unknown> {
  try {
    const text = await file.read();
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    return `${file.name}: ${(error as Error).message}`;
  }
}

/** The settings of a session: held for a turn, and read again for the next. */
export interface HeldSettings {
  resolved(): ResolvedSettings;
  settings(): Settings;
  refresh(): Promise<void>;
}

export async function createHeldSettings(reader: Pick<SettingsReader, "read">): Promise<HeldSettings> {
  let resolved = await reader.read();
  return {
    resolved: () => resolved,
    settings: () => resolved.settings,
    async refresh() {
      const fresh = await reader.read();
      // The same object as long as nothing has changed, so that what follows from it is not worked out again.
      if (JSON.stringify(fresh) !== JSON.stringify(resolved)) resolved = fresh;
    },
  };
}
