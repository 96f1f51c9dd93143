/** Work under one name is done in order; work under other names does not wait for it. */
export interface Lanes {
  /** Runs work when the work before it is done, whatever became of that. */
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

export function createLanes(): Lanes {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(name, work) {
      const result = (tails.get(name) ?? Promise.resolve()).then(work);
      const tail = result
        .catch(() => {})
        .then(() => {
          if (tails.get(name) === tail) tails.delete(name);
        });
      tails.set(name, tail);
      return result;
    },
  };
}
