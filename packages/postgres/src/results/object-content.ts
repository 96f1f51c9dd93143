import { createHash } from "node:crypto";
import type { ResultContent } from "palimpsest/store-parts";
import type { Frames } from "../key-ring/frames.ts";
import type { ObjectStore } from "../objects/object-store.ts";
import { removeBelow } from "../objects/sweep-objects.ts";
import { type ContentSink, FRAME_BYTES, keepContent, type SinkOptions } from "./content.ts";
import { ResultDamagedError } from "./result-damaged-error.ts";

/** Of one object: 8 MiB, which are held in memory while they gather. */
const FRAMES_PER_OBJECT = 32;
/** Read in one request. */
const FRAMES_PER_READ = 16;

export interface ObjectSinkOptions extends SinkOptions {
  readonly objects: ObjectStore;
}

/**
 * A content in a bucket, as numbered objects below one key. They are plain objects and not the parts of a multipart upload: parts that
 * nobody finished are in no list of the bucket, and cost money until somebody aborts them by a name that only their process knew.
 * The database is told of the key before the first byte is sent, and names it when all are there: a sweep removes what was cut off.
 */
export function objectContent(options: ObjectSinkOptions): ContentSink {
  const { call, objects, session, content, nowMs } = options;
  let held: Buffer[] = [];
  let sent = 0;
  let begun: string | undefined;

  const begin = async (): Promise<string> => {
    begun ??= String((await call("begin_object", session, content, nowMs()))[0]?.["begin_object"]);
    return begun;
  };
  const send = async (key: string): Promise<void> => {
    const joined = Buffer.concat(held);
    held = [];
    await objects.put(`${key}/${sent++}`, joined);
  };
  const discard = async (): Promise<void> => {
    held = [];
    if (begun === undefined) return;
    await call("doom_object", begun);
    // At once, if that succeeds. A sweep looks again: a request that was given up may have been carried out later.
    await removeBelow(objects, begun);
  };

  return {
    async write(frame) {
      const key = await begin();
      held.push(frame);
      if (held.length === FRAMES_PER_OBJECT) await send(key);
    },
    async keep(name, last) {
      const key = await begin();
      held.push(last);
      await send(key);
      const outcome = await keepContent(options, name, { object: key });
      if (outcome !== "kept") await discard();
      if (outcome === "gone") throw new ResultDamagedError("its upload took longer than a day, and was removed");
    },
    discard,
  };
}

/** Whether all objects of a content are there. */
export async function isWhole(objects: ObjectStore, key: string, bytes: number): Promise<boolean> {
  let count = 0;
  for await (const page of objects.list(`${key}/`)) count += page.length;
  const frames = Math.floor(bytes / FRAME_BYTES) + 1;
  return count === Math.ceil(frames / FRAMES_PER_OBJECT);
}

export interface ObjectContentOptions {
  readonly objects: ObjectStore;
  readonly key: string;
  readonly bytes: number;
  /** SHA-256 of the whole content. */
  readonly digest: string;
  readonly frames: Frames;
}

/** Undefined if the object is gone. Its first piece is read at once: most readers want it, and it shows that the object is there. */
export async function readObjectContent(options: ObjectContentOptions): Promise<ResultContent | undefined> {
  const { objects, key, bytes, digest, frames } = options;
  const frameBytes = FRAME_BYTES + frames.addedBytes;
  const first = await objects.read(`${key}/0`, 0, frameBytes);
  if (first === undefined) return undefined;

  /** Up to the end of an object, or of what is read in one request. */
  const readFrom = (number: number): Promise<Uint8Array | undefined> => {
    const from = number % FRAMES_PER_OBJECT;
    const to = from - (from % FRAMES_PER_READ) + FRAMES_PER_READ;
    return objects.read(`${key}/${Math.floor(number / FRAMES_PER_OBJECT)}`, from * frameBytes, to * frameBytes);
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const hash = createHash("sha256");
    let range = first;
    for (let number = 0, left = bytes; ; ) {
      if (range === undefined || range.length === 0)
        throw new ResultDamagedError(`${left} of its ${bytes} bytes are not in the bucket`);
      for (let at = 0; at < range.length && left > 0; at += frameBytes) {
        const frame = frames.open(range.subarray(at, at + frameBytes), number++);
        hash.update(frame);
        left -= frame.length;
        if (left <= 0 && hash.digest("hex") !== digest)
          throw new ResultDamagedError(`its ${bytes} bytes in the bucket are not those that were kept`);
        yield frame;
      }
      if (left <= 0) return;
      range = await readFrom(number);
    }
  }
  return { bytes, chunks };
}
