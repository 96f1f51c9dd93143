export interface Lineage {
  /** Notes an entry that is not handed on: its children become children of its parent. */
  skip(id: string, parentId: string | undefined): void;
  /** Whether an entry was noted as not handed on. */
  isSkipped(id: string): boolean;
  /** The nearest entry at or above this one that is handed on. */
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
