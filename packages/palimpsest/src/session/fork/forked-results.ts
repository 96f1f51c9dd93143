import type { ResultFiles } from "../../stores/results.ts";

export interface ForkedResultsOptions {
  /** The session that the fork's own results are kept for: the parent's, if the fork is forgotten. */
  readonly own: string;
  readonly parent: string;
}

/**
 * The results of a fork: its own, and those of its parent, whose entries it shows. A name follows from the content, so that
 * what the two have under one name is the same.
 */
export function forkedResults(files: ResultFiles, { own, parent }: ForkedResultsOptions): ResultFiles {
  return {
    create: () => files.create(own),
    find: async (_, file) =>
      (await files.find(own, file)) ?? (own === parent ? undefined : await files.find(parent, file)),
    locate: (_, file) => files.locate(own, file),
    sessions: () => files.sessions(),
    measure: (session) => files.measure(session),
    remove: (session, file) => files.remove(session, file),
  };
}
