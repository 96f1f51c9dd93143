import type { ResultDraft, ResultEnding } from "../../stores/results.ts";

/** The destination of content that is being stored. */
export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  writeAll(parts: readonly Uint8Array[]): Promise<void>;
  keep(ending: ResultEnding): Promise<{ readonly file: string; readonly digest: string } | Error>;
  discard(): Promise<void>;
}

/** Opens a file that is created with the first write. After a failure, further writes do nothing. */
export function openSink(create: () => Promise<ResultDraft>): Sink {
  let draft: ResultDraft | undefined;
  let failure: Error | undefined;
  const attempt = async <Result>(act: (draft: ResultDraft) => Promise<Result>): Promise<Result | Error> => {
    if (failure !== undefined) return failure;
    try {
      draft ??= await create();
      return await act(draft);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      return failure;
    }
  };
  const write = async (bytes: Uint8Array): Promise<void> => {
    await attempt((open) => open.write(bytes));
  };
  return {
    write,
    async writeAll(parts) {
      for (const part of parts) await write(part);
    },
    keep: (ending) =>
      attempt(async (open) => {
        const kept = await open.keep(ending);
        draft = undefined;
        return kept;
      }),
    discard: async () => draft?.discard().catch(() => {}),
  };
}
