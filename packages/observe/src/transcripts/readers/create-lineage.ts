export interface Lineage {
  /** Records an entry that is not emitted: its children become children of its parent. */
  skip(id: string, parentId: string | undefined): void;
  /** Whether an entry was recorded as not emitted. */
  isSkipped(id: string): boolean;
  /** Returns the nearest emitted entry at or above this one. */
  resolve(id: string | undefined): string | undefined;
}

/**
 * Keeps `parentId` meaningful when a reader leaves out entries: Claude Code chains messages through progress and hook lines,
 * pi through settings changes. Remembers one id for each entry left out.
 */
export function createLineage(): Lineage {
  const parents = new Map<string, string | undefined>();
  const resolve = (id: string | undefined): string | undefined =>
    id !== undefined && parents.has(id) ? parents.get(id) : id;
  return {
    skip: (id, parentId) => void parents.set(id, resolve(parentId)),
    isSkipped: (id) => parents.has(id),
    resolve,
  };
}
