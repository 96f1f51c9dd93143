import { readPayload } from "../log/draft.ts";
import { readFork } from "../stores/find-forks.ts";
import { eachSession } from "../stores/list-sessions.ts";
import type { LogReader, Store } from "../stores/store.ts";

/** A session among those that it started, and those that continue it. */
export interface TreeNode {
  readonly session: string;
  /** `fork`: it begins with the entries of its parent. `agent`: its parent started it. `root`: neither. */
  readonly kind: "root" | "fork" | "agent";
  /** The entry of the parent at which it begins; absent for the root. */
  readonly at?: number;
  /** Under what name a fork's requests are counted, or an agent's task. */
  readonly label?: string;
  readonly children: readonly TreeNode[];
}

type Logs = Pick<Store, "list" | "openReader">;

/** The forks and agents of a session, theirs among them. Looks at the first entry of every log of the store. */
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

/** The agents that a session has started. Costs a seek for each. */
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
