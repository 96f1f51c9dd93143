// Opens the log of a session for reading, finds its forks and agents, and searches it.

import { readPayload } from "../log/entry.ts";
import type { ForkPayload } from "../log/payload.ts";
import { recall } from "../recall/recall.ts";
import { forkedReader } from "../state/log.ts";
import { eachSession, readFork } from "../stores/read.ts";
import type { LogReader, ResultFiles, SearchHit, Store } from "../stores/store.ts";

/** The log of one session, opened for reading. A fork's log begins with its parent's entries. */
export interface InspectedLog {
  /** The id of the session. */
  readonly session: string;
  readonly log: LogReader;
  /** The session whose prompt the requests share: this session, or its parent. */
  readonly root: string;
  /** The newest entry that belongs to the parent; 0 if the session is not a fork. */
  readonly sharedTo: number;
  readonly fork?: ForkPayload;
  close(): Promise<void>;
}

/** Opens the log of a session for reading, even while a writer has it open; undefined if the log, or the log of its parent, is missing. */
export async function openInspected(
  store: Pick<Store, "openReader">,
  session: string,
): Promise<InspectedLog | undefined> {
  const own = await store.openReader(session);
  if (own === undefined) return undefined;
  const [first] = await own.read(1, 1);
  const read = first && readPayload(first);
  if (read?.kind !== "fork") return { session, log: own, root: session, sharedTo: 0, close: () => own.close() };
  const fork = read.payload;
  const parent = await store.openReader(fork.session);
  const [parting] = (await parent?.read(fork.sequence, fork.sequence)) ?? [];
  if (parent === undefined || parting?.hash !== fork.hash) {
    await Promise.all([own.close(), parent?.close()]);
    return undefined;
  }
  return {
    session,
    log: forkedReader({ reader: parent, sequence: fork.sequence, configuration: fork.configuration }, own),
    root: fork.session,
    sharedTo: fork.sequence,
    fork,
    async close() {
      await Promise.all([own.close(), parent.close()]);
    },
  };
}

/** A session with its forks and its agents. */
export interface TreeNode {
  readonly session: string;
  /** `fork`: the session begins with its parent's entries. `agent`: the parent started the session. `root`: neither. */
  readonly kind: "root" | "fork" | "agent";
  /** The entry of the parent at which the session begins; absent for the root. */
  readonly at?: number;
  /** The source that a fork's requests are counted under, or the task of an agent. */
  readonly label?: string;
  readonly children: readonly TreeNode[];
}

/** Returns a session with its forks and agents, recursively. Reads the first entry of every log in the store. */
export async function sessionTree(store: Logs, session: string): Promise<TreeNode> {
  const forks: { readonly session: string; readonly parent: string; readonly at: number; readonly label: string }[] =
    [];
  for await (const { id } of eachSession(store)) {
    const fork = await readFork(store, id).catch(() => undefined);
    if (fork !== undefined) forks.push({ session: id, parent: fork.session, at: fork.sequence, label: fork.source });
  }
  const seen = new Set<string>();
  async function nodeOf(own: Omit<TreeNode, "children">): Promise<TreeNode> {
    seen.add(own.session);
    const agents = await agentsOf(store, own.session);
    const isAgent = new Set(agents.map((agent) => agent.session));
    const ofForks = forks.filter((fork) => fork.parent === own.session && !isAgent.has(fork.session));
    const begun: readonly Omit<TreeNode, "children">[] = [
      ...ofForks.map(({ parent: _, ...fork }) => ({ ...fork, kind: "fork" as const })),
      ...agents,
    ];
    const children: TreeNode[] = [];
    for (const child of begun.toSorted((one, other) => (one.at ?? 0) - (other.at ?? 0))) {
      if (!seen.has(child.session)) children.push(await nodeOf(child));
    }
    return { ...own, children };
  }
  return nodeOf({ session, kind: "root" });
}

/** Returns the agents that a session has started. Costs one seek per agent. */
async function agentsOf(store: Logs, session: string): Promise<readonly Omit<TreeNode, "children">[]> {
  const log = await store.openReader(session);
  if (log === undefined) return [];
  try {
    return await readAgents(log);
  } finally {
    await log.close();
  }
}

async function readAgents(log: LogReader): Promise<readonly Omit<TreeNode, "children">[]> {
  const agents: Omit<TreeNode, "children">[] = [];
  for (let below: number | undefined; ; ) {
    const entry = await log.newest("agent", below);
    if (entry === undefined) return agents;
    below = entry.sequence;
    const read = readPayload(entry);
    if (read.kind !== "agent" || read.payload.step !== "started") continue;
    agents.push({ session: read.payload.session, kind: "agent", at: entry.sequence, label: read.payload.goal });
  }
}

type Logs = Pick<Store, "list" | "openReader">;

export interface SurvivorSources extends Pick<InspectedLog, "log" | "session"> {
  /** The stored results that are too large for the log. @default stored results count as lost */
  readonly files?: ResultFiles;
}

/** Finds entries by their words, newest first: in the log, and in stored results that are too large for the log. */
export async function searchInspected(
  { log, session, files }: SurvivorSources,
  words: string,
  { limit = MAX_HITS }: { readonly limit?: number } = {},
): Promise<readonly SearchHit[]> {
  const found = await recall({ search: words }, { log, session, maxEntries: limit, files });
  return found.kind === "entries" ? found.hits : [];
}

const MAX_HITS = 100;
