import type { Store } from "palimpsest";

/** A process that may be killed: at a given moment it stands still for ever, and whoever waits for it is told. */
export interface Mortal {
  /** A moment at which the process may be killed. Never resolves once it is dead. */
  moment(): Promise<void>;
  readonly killed: Promise<"killed">;
  /** The moments that it has lived. */
  readonly lived: number;
}

/** @param killedAt the moment at which it is killed, from 1. @default never */
export function createMortal(killedAt: number = Number.POSITIVE_INFINITY): Mortal {
  const killed = Promise.withResolvers<"killed">();
  let lived = 0;
  return {
    killed: killed.promise,
    get lived() {
      return lived;
    },
    async moment() {
      lived++;
      if (lived < killedAt) return;
      killed.resolve("killed");
      await new Promise(() => undefined);
    },
  };
}

/** The same store as a process sees it: it may be killed before and after each append. */
export function mortalStore(store: Store, { moment }: Pick<Mortal, "moment">): Store {
  return {
    ...store,
    async openWriter(session, options) {
      const opened = await store.openWriter(session, options);
      if (opened.kind === "busy") return opened;
      const { writer } = opened;
      const append: typeof writer.append = async (entries) => {
        await moment();
        const result = await writer.append(entries);
        await moment();
        return result;
      };
      return { ...opened, writer: Object.assign(Object.create(writer), { append }) };
    },
  };
}
