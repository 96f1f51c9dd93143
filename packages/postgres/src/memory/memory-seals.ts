import type { TenantSeals } from "../key-ring/tenant-seals.ts";

/** How the texts of one memory are kept: encrypted with the tenant's keys, or as they are. */
export interface MemorySeals {
  /** The key under which a path or slug is found again. */
  keyOf(name: string): Promise<string>;
  /** The name of a commit, which says nothing of the files that it follows from. */
  idOf(commit: string): Promise<string>;
  /** @param what the path of a content, or what else the text is */
  seal(text: string, commit: number, what: string): Promise<string>;
  /** Undefined if the key is lost. */
  open(kept: string, commit: number, what: string): Promise<string | undefined>;
}

/** As long as a name that git gives. */
const ID_CHARACTERS = 40;

export function memorySeals(seals: TenantSeals, memory: string): MemorySeals {
  return {
    keyOf: async (name) => (await seals.namesOf(name, ["memory", memory]))[0],
    idOf: async (commit) => (await seals.namesOf(commit, ["memory-commit", memory]))[0].slice(0, ID_CHARACTERS),
    seal: (text, commit, what) => seals.sealPayload(text, ["memory", memory, commit, what]),
    open: (kept, commit, what) => seals.openPayload(kept, ["memory", memory, commit, what]),
  };
}
