import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, parse } from "node:path";
import {
  agentHomeOf,
  projectFolderOf,
  projectPlacesOf,
  projectsFolderOf,
  userHomeOf,
} from "@palimpsest/coordination/project-places";
import {
  describeTranscript,
  findAgentTranscripts,
  isOfFolder,
  RECORDED_AGENTS,
  type TranscriptDescription,
  type TranscriptReference,
} from "@palimpsest/observe";
import type { Store } from "palimpsest";
import { eachSession } from "palimpsest/inspect";
import { present } from "palimpsest/schema";
import { sqliteStore } from "palimpsest/sqlite";
import { errorCode } from "./error-code.ts";
import { ownSession } from "./own-session.ts";
import { READ_LINES, recordedSession } from "./recorded-session.ts";
import type { FoundSession } from "./session.ts";
import { yielding } from "./yielding.ts";

/** Whose sessions are found: those of one folder, or all of this machine. */
export interface SessionsOptions {
  /** The folder whose sessions are served. */
  readonly folder: string;
  /** `folder`: sessions of the folder and of those below it. `all`: every session on this machine. @default "folder" */
  readonly scope?: "folder" | "all";
  /** Environment variables: where the home is, and where agents keep their files. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface FoundSessions {
  /** The newest start first: an order that does not change while a session goes on. */
  readonly sessions: readonly FoundSession[];
  /** How many were left out, by the reason: "no folder" if the agent does not record one, else the code of an error. */
  readonly leftOut: ReadonlyMap<string, number>;
}

export interface SessionFinder {
  find(signal?: AbortSignal): Promise<FoundSessions>;
  close(): Promise<void>;
}

type Known = { readonly writtenAtMs: number; readonly bytes: number; readonly described?: TranscriptDescription };

/** Finds the sessions of a folder. Reads the beginning of each transcript once, and again when the file has changed. */
export function createSessionFinder({ folder, scope = "folder", environment }: SessionsOptions): SessionFinder {
  const known = new Map<string, Known>();
  const stores = new Map<string, Store>();
  const home = userHomeOf(environment);

  async function describe(reference: TranscriptReference): Promise<TranscriptDescription | undefined> {
    const about = await stat(reference.path);
    // Reading a pipe would never end.
    if (!about.isFile()) return undefined;
    const { mtimeMs: writtenAtMs, size: bytes } = about;
    const name = `${reference.path}\0${reference.session ?? ""}`;
    const before = known.get(name);
    if (before?.writtenAtMs === writtenAtMs && before.bytes === bytes) return before.described;
    const described = await describeTranscript(reference, READ_LINES);
    known.set(name, { writtenAtMs, bytes, described });
    return described;
  }

  async function* findRecorded(signal: AbortSignal | undefined): AsyncGenerator<Found> {
    const places = await namesOf(folder);
    const below = (await isHomeOrAbove(folder, home)) ? "does not count" : "counts";
    for (const agent of RECORDED_AGENTS) {
      yield* readable(async function* () {
        for await (const reference of yielding(findAgentTranscripts(agent, { home, environment }), signal)) {
          yield* readable(async function* () {
            const described = await describe(reference);
            if (described === undefined) return;
            const of = scope === "all" ? ["yes"] : places.map((place) => isOfFolder(described, place, below));
            if (of.includes("yes")) yield { session: recordedSession(described, signal) };
            else if (of.includes("unknown")) yield { leftOut: "no folder" };
          }, signal);
        }
      }, signal);
    }
  }

  async function* findOwn(signal: AbortSignal | undefined): AsyncGenerator<Found> {
    const agentHome = agentHomeOf(environment);
    const projects =
      scope === "all"
        ? (await namesIn(projectsFolderOf(agentHome))).map((name) => join(projectsFolderOf(agentHome), name))
        : (await namesOf(folder)).map((place) => projectFolderOf(place, agentHome));
    for (const project of projects) {
      const { sessions: stored } = projectPlacesOf(project);
      if ((await namesIn(stored)).length === 0) continue;
      const store = stores.get(stored) ?? sqliteStore({ folder: stored });
      stores.set(stored, store);
      const cwd = scope === "all" ? {} : { cwd: folder };
      for await (const { id } of yielding(eachSession(store), signal)) {
        yield* readable(async function* () {
          const session = await ownSession({ store, folder: stored, id, ...cwd, ...present({ signal }) });
          if (session !== undefined) yield { session };
        }, signal);
      }
    }
  }

  return {
    async find(signal) {
      const found = [...(await Array.fromAsync(findRecorded(signal))), ...(await Array.fromAsync(findOwn(signal)))];
      const sessions = found.flatMap((one) => ("session" in one ? [one.session] : []));
      const leftOut = found.flatMap((one) => ("leftOut" in one ? [one.leftOut] : []));
      return {
        sessions: sessions.toSorted((one, other) => other.startedAtMs - one.startedAtMs),
        leftOut: countOf(leftOut),
      };
    },
    async close() {
      for (const store of stores.values()) await store.close();
    },
  };
}

/** A session, or why a file was left out. */
type Found = { readonly session: FoundSession } | { readonly leftOut: string };

/** What can be read. One unreadable file or folder does not hide the others. */
async function* readable(find: () => AsyncGenerator<Found>, signal: AbortSignal | undefined): AsyncGenerator<Found> {
  try {
    yield* find();
  } catch (error) {
    signal?.throwIfAborted();
    yield { leftOut: errorCode(error) };
  }
}

function countOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, of]) => [name, of.length]));
}

/** A folder as it was named, and with links resolved: agents record either. */
async function namesOf(folder: string): Promise<readonly string[]> {
  const real = await realpath(folder).catch(() => folder);
  return [...new Set([folder, real])];
}

/** Below a home, or the root of a disk, lie all projects: there, only sessions of the folder itself count. */
async function isHomeOrAbove(folder: string, home: string): Promise<boolean> {
  const homes = await namesOf(home);
  const places = await namesOf(folder);
  return homes.some((one) => {
    for (let at = one; ; at = dirname(at)) {
      if (places.includes(at)) return true;
      if (at === parse(at).root) return false;
    }
  });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
