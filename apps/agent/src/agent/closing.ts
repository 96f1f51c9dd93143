/** Collects open resources, and closes them in reverse order. */
export interface Closing {
  add(close: (() => Promise<void>) | undefined): void;
  /** Closes everything that was added since the last call. */
  readonly close: () => Promise<void>;
}

export function closingInReverse(): Closing {
  const open: (() => Promise<void>)[] = [];
  return {
    add(close) {
      if (close !== undefined) open.push(close);
    },
    async close() {
      for (const close of open.splice(0).toReversed()) await close();
    },
  };
}
