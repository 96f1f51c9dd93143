/** Keys that were looked up a short while ago: at most so many, each for so long. What is being looked up is waited for, not asked twice. */
export interface KeyCache<Key> {
  get(name: string, look: () => Promise<Key>): Promise<Key>;
  /** Forgets the names that begin with this. */
  forget(start: string): void;
}

export interface KeyCacheOptions {
  readonly maxKeys: number;
  readonly maxAgeMs: number;
  now(): number;
}

export function createKeyCache<Key>({ maxKeys, maxAgeMs, now }: KeyCacheOptions): KeyCache<Key> {
  const cached = new Map<string, { readonly key: Promise<Key>; readonly untilMs: number }>();
  return {
    get(name, look) {
      const found = cached.get(name);
      if (found !== undefined && found.untilMs > now()) return found.key;
      const key = look();
      cached.delete(name);
      cached.set(name, { key, untilMs: now() + maxAgeMs });
      // A key that could not be reached is asked for again.
      key.catch(() => {
        if (cached.get(name)?.key === key) cached.delete(name);
      });
      for (const [oldest] of cached) {
        if (cached.size <= maxKeys) break;
        cached.delete(oldest);
      }
      return key;
    },
    forget(start) {
      for (const name of cached.keys()) if (name.startsWith(start)) cached.delete(name);
    },
  };
}
