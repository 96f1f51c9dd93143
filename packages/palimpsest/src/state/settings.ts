import { InvalidOptionError } from "../log/invalid-option-error.ts";
import { anObject, checkOptions, ifGiven } from "../schema/check-options.ts";
import { type Clock, withTimers } from "../session/clock.ts";
import { createFlagCache } from "../session/flag-cache.ts";
import type { SettingsFile, SettingsOptions } from "../session/settings-source.ts";
import type { Emit } from "../session-event.ts";
import { type ResolvedSettings, resolveSettings, type SettingProblem } from "../settings/resolve.ts";

export interface SettingsReaderOptions {
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
    const expected = "settingsFile(path) of palimpsest/settings-file, or another { name, read() }";
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
