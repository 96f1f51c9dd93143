import { type Clock, withTimers } from "../clock.ts";
import { InvalidOptionError } from "../errors.ts";
import { anObject, checkOptions, ifGiven } from "../schema/check-options.ts";
import type { Emit } from "../session-event.ts";
import { type FlagClient, type FlagReading, readFlags } from "../settings/flags.ts";
import { type PolicyKind, type ResolvedSettings, resolveSettings, type SettingProblem } from "../settings/resolve.ts";
import type { SettingName, Settings } from "../settings/settings.ts";
import type { SessionOptions, SettingsFile, SettingsOptions } from "./options.ts";

// Reads the settings of a session from all sources, and caches the answers of a flag service.

/** A query without an answer is repeated after this time. */
const REPEAT_QUERY_MS = 60_000;
const FLAGS_DEADLINE_MS = 2_000;

/** The settings of a session, and its policy: some settings have no effect beside a policy. */
type SettingsAndPolicy = SettingsOptions & Pick<SessionOptions, "policy">;

/** The settings of a session. They stay the same during a turn. */
export class SessionSettings {
  /** The reader. A fork uses the reader of its parent. */
  readonly reader: SettingsReader;
  #resolved: ResolvedSettings;

  static async open(reader: SettingsReader): Promise<SessionSettings> {
    return new SessionSettings(reader, await reader.read());
  }

  private constructor(reader: SettingsReader, resolved: ResolvedSettings) {
    this.reader = reader;
    this.#resolved = resolved;
  }

  get current(): Settings {
    return this.#resolved.settings;
  }

  get resolved(): ResolvedSettings {
    return this.#resolved;
  }

  /**
   * Reads the settings of the next turn. If nothing has changed, the object stays the same, so that cached values that
   * depend on it stay valid.
   */
  async refresh(): Promise<void> {
    const fresh = await this.reader.read();
    if (JSON.stringify(fresh) !== JSON.stringify(this.#resolved)) this.#resolved = fresh;
  }
}

/** Reads the settings of a session and its forks from all sources. */
export class SettingsReader {
  readonly #options: SettingsAndPolicy;
  readonly #flags: FlagCache | undefined;
  readonly #emit: Emit;
  /** The messages of the problems in the previous reading. */
  #problemsBefore: ReadonlySet<string> = new Set();

  constructor(options: SettingsAndPolicy, clock: Required<Clock>, emit: Emit) {
    checkSettingsOptions(options);
    const { flags: client, flagsDeadlineMs: deadlineMs = FLAGS_DEADLINE_MS } = options.settingsFrom ?? {};
    this.#options = options;
    this.#flags = client && new FlagCache({ client, deadlineMs, clock, emit });
    this.#emit = emit;
  }

  async read(): Promise<ResolvedSettings> {
    const { settings = {}, settingsFrom = {} } = this.#options;
    const { file, environment = globalThis.process?.env ?? {}, defaults } = settingsFrom;
    const flagged = await this.#flags?.read();
    const values = file === undefined ? undefined : await readJson(file);
    const sources = { code: settings, environment, flags: flagged?.values ?? {}, file: values, defaults };
    const resolved = resolveSettings(sources, policyKindOf(this.#options));
    const problems = [...resolved.problems, ...(flagged?.problems ?? [])];
    this.#emitNew(problems);
    return { ...resolved, problems };
  }

  /** Emits each problem once, and again only if it had disappeared in between. */
  #emitNew(problems: readonly SettingProblem[]): void {
    const fresh = problems.filter(({ message }) => !this.#problemsBefore.has(message));
    this.#problemsBefore = new Set(problems.map(({ message }) => message));
    if (fresh.length === 0) return;
    this.#emit({
      kind: "settings-rejected",
      problems: fresh.map(({ source, name, message }) => ({ source, name, message })),
    });
  }
}

/** Reads all sources once, like a session at the beginning of a turn. */
export async function readSettings(options: SettingsOptions = {}): Promise<ResolvedSettings> {
  return new SettingsReader(options, withTimers(), () => {}).read();
}

function policyKindOf({ policy }: SettingsAndPolicy): PolicyKind {
  return policy === undefined ? "default" : "own";
}

/** Throws if settings that were passed in code are invalid, or have no effect, before anything is opened. */
export function checkSettingsOptions(options: SettingsAndPolicy): void {
  checkOptions("openSession", options, {
    settings: ifGiven(anObject("an object of names and values")),
    settingsFrom: ifGiven(anObject("an object with environment, flags, file or defaults")),
  });
  const { settings = {}, settingsFrom = {} } = options;
  const { file, flags, defaults } = settingsFrom;
  if (file !== undefined && typeof file?.read !== "function") {
    const expected = "settingsFile(path), or another { name, read() }";
    throw new InvalidOptionError("settingsFrom.file", file, `${expected}; values go into \`settings\``);
  }
  if (flags !== undefined && typeof flags?.getStringDetails !== "function") {
    throw new InvalidOptionError("settingsFrom.flags", flags, "an OpenFeature client, with getStringDetails()");
  }
  const { problems } = resolveSettings({ code: settings, defaults }, policyKindOf(options));
  const [first] = problems;
  if (first === undefined) return;
  const messages = problems.map(({ message }) => message).join(" ");
  throw new InvalidOptionError(`settings["${first.name}"]`, first.value, "", messages);
}

/**
 * Reads the values of the file. Undefined if the file does not exist; a message if it cannot be read or is not JSON.
 */
async function readJson(file: SettingsFile): Promise<unknown> {
  try {
    const text = await file.read();
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    return `${file.name}: ${(error as Error).message}`;
  }
}

interface FlagCacheOptions {
  readonly client: FlagClient;
  readonly deadlineMs: number;
  readonly clock: Required<Clock>;
  readonly emit: Emit;
}

interface CachedFlags {
  /** The values in the service's newest answer, by setting. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly SettingProblem[];
}

type Readings = ReadonlyMap<SettingName, FlagReading>;

/**
 * Caches a flag service's newest answer. The values stay valid while the service fails, and only one turn waits
 * for each query.
 */
export class FlagCache {
  readonly #options: FlagCacheOptions;
  readonly #values = new Map<SettingName, unknown>();
  #problems: readonly SettingProblem[] = [];
  #query: { readonly answer: Promise<Readings>; readonly atMs: number } | undefined;
  #failingSinceMs: number | undefined;

  constructor(options: FlagCacheOptions) {
    this.#options = options;
  }

  async read(): Promise<CachedFlags> {
    const readings = await this.#queryInTime();
    if (readings === undefined) this.#report([`no answer within ${this.#options.deadlineMs} ms`]);
    else {
      this.#remember(readings);
      this.#report([...readings.values()].flatMap((one) => (one.kind === "failed" ? [one.because] : [])));
    }
    return { values: Object.fromEntries(this.#values), problems: this.#problems };
  }

  /**
   * Queries the service. Undefined without an answer in time; the query stays open, and the next turn checks for its
   * answer.
   */
  async #queryInTime(): Promise<Readings | undefined> {
    const { client, deadlineMs, clock } = this.#options;
    if (this.#query === undefined || clock.now() - this.#query.atMs > REPEAT_QUERY_MS) {
      this.#query = { answer: readFlags(client), atMs: clock.now() };
    }
    const { answer, atMs } = this.#query;
    const inTime = new AbortController();
    const late = clock.wait(Math.max(0, atMs + deadlineMs - clock.now()), inTime.signal).then(() => undefined);
    const readings = await Promise.race([answer, late]);
    inTime.abort();
    if (readings !== undefined) this.#query = undefined;
    return readings;
  }

  #remember(readings: Readings): void {
    const unusable: SettingProblem[] = [];
    for (const [name, reading] of readings) {
      if (reading.kind === "failed") continue;
      if (reading.kind === "value") this.#values.set(name, reading.value);
      else this.#values.delete(name);
      if (reading.kind === "unusable") unusable.push(toProblem(name, reading.because));
    }
    this.#problems = unusable;
  }

  /** Emits the first failure, and the end of the failures. */
  #report([because]: readonly string[]): void {
    const { clock, emit } = this.#options;
    if (because === undefined) {
      if (this.#failingSinceMs !== undefined) {
        emit({ kind: "flags-recovered", afterMs: clock.now() - this.#failingSinceMs });
      }
      this.#failingSinceMs = undefined;
    } else if (this.#failingSinceMs === undefined) {
      this.#failingSinceMs = clock.now();
      emit({ kind: "flags-failed", because, held: this.#values.size });
    }
  }
}

function toProblem(name: SettingName, because: string): SettingProblem {
  const message = `Flag "palimpsest.${name}" in the flag service is not valid: ${because}.`;
  return { source: "flags", name, value: undefined, message };
}

/**
 * Reads settings from a JSON file, for `openSession({ settingsFrom: { file } })`. A file that does not exist sets
 * nothing.
 */
export function settingsFile(path: string): SettingsFile {
  if (typeof path !== "string") throw new InvalidOptionError("settingsFile(path)", path, "the path of a JSON file");
  return {
    name: path,
    async read() {
      // Do not import the module: the root of the package also loads without Node, and reads files only on request.
      const files = process.getBuiltinModule("node:fs/promises");
      try {
        return await files.readFile(path, "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}
