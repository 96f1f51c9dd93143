import type { Row } from "../database.ts";

/** The pieces of a content: what is held in memory, and read in one round trip. All but the last have this size. */
export const FRAME_BYTES = 262_144;

/** Where the pieces of one content go. */
export interface ContentSink {
  write(frame: Buffer): Promise<void>;
  /** Takes the last piece, and makes the whole content findable under a name. */
  keep(name: ContentName, last: Buffer): Promise<void>;
  discard(): Promise<void>;
}

export interface ContentName {
  /** Under which it is found. */
  readonly file: string;
  /** The name that the session knows it by, encrypted; null if that is the same. */
  readonly sealedName: string | null;
  /** Of the whole content. */
  readonly bytes: number;
}

export interface SinkOptions {
  /** Calls a function of the schema for the tenant. */
  call(name: string, ...values: readonly unknown[]): Promise<readonly Row[]>;
  readonly session: string;
  /** The name of this content before it has one. */
  readonly content: string;
  /** Of the key that encrypts it; null if none does. */
  readonly keyId: string | null;
  nowMs(): number | null;
  /** Whether the result of a row, which has the same content, can still be read. */
  isReadable(row: Row, bytes: number): Promise<boolean>;
}

/** Keeps a content under its name. What was kept before under that name stays, if it can be read. */
export async function keepContent(
  { call, session, content, keyId, nowMs, isReadable }: SinkOptions,
  { file, sealedName, bytes }: ContentName,
  where: { readonly number?: number; readonly last?: Buffer; readonly object?: string },
): Promise<"kept" | "other" | "gone"> {
  const { number = null, last = null, object = null } = where;
  const keep = async (replace: unknown): Promise<Row> => {
    const values = [session, file, content, bytes, number, nowMs(), last, object, keyId, sealedName, replace];
    const [row] = await call("keep_content", ...values);
    // The one that was there was removed meanwhile.
    return row ?? keep(replace);
  };
  const first = await keep(null);
  const isLost = first["outcome"] === "other" && !(await isReadable(first, bytes));
  const { outcome } = isLost ? await keep(first["content"]) : first;
  return outcome as "kept" | "other" | "gone";
}
