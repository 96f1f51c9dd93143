/** `@palimpsest/postgres/s3`: the only module here that loads `@aws-sdk/client-s3`. */
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { type ObjectStore, ObjectStoreError } from "./object-store.ts";

/** The client, the bucket, and the start of keys. */
export interface S3ObjectsOptions {
  /** Yours: its credentials, region, endpoint, retries and timeouts are what you set. */
  readonly client: Pick<S3Client, "send">;
  readonly bucket: string;
  /** What all keys begin with, for a bucket that others use too: `palimpsest/`. @default "" */
  readonly prefix?: string;
}

/** Objects of one bucket. It should keep no old versions: what is erased would stay in them. */
export function s3Objects({ client, bucket: Bucket, prefix = "" }: S3ObjectsOptions): ObjectStore {
  const at = (key: string) => ({ Bucket, Key: prefix + key });
  return {
    async put(key, Body) {
      await tried("put", client.send(new PutObjectCommand({ ...at(key), Body })));
    },
    async read(key, from, to) {
      const Range = `bytes=${from}-${to - 1}`;
      try {
        const { Body } = await tried("read", client.send(new GetObjectCommand({ ...at(key), Range })));
        return await Body?.transformToByteArray();
      } catch (error) {
        // A bucket that is missing is no absent object: that would be taken for an erased one.
        if (nameOf(error) === "NoSuchKey") return undefined;
        // It ends before that.
        if (nameOf(error) === "InvalidRange") return new Uint8Array();
        throw error;
      }
    },
    async remove(key) {
      await tried("remove", client.send(new DeleteObjectCommand(at(key))));
    },
    async *list(start) {
      for (let ContinuationToken: string | undefined; ; ) {
        const after = ContinuationToken === undefined ? {} : { ContinuationToken };
        const page = new ListObjectsV2Command({ Bucket, Prefix: prefix + start, ...after });
        const { Contents = [], NextContinuationToken } = await tried("list", client.send(page));
        yield Contents.map(({ Key = "", LastModified }) => ({
          key: Key.slice(prefix.length),
          atMs: LastModified?.getTime() ?? 0,
        }));
        if (NextContinuationToken === undefined) return;
        ContinuationToken = NextContinuationToken;
      }
    },
  };
}

async function tried<T>(what: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new ObjectStoreError(`S3: ${what}`, { status: statusOf(cause), cause });
  }
}

/** What S3 calls the error, such as `NoSuchKey`. */
function nameOf(error: unknown): string {
  return error instanceof ObjectStoreError && error.cause instanceof Error ? error.cause.name : "";
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("$metadata" in error)) return undefined;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode;
}
