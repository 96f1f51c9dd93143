import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RecordedExchange, type RecordedRequest, requestKey, toBytes } from "./recorded-exchange.ts";

interface Recording {
  /** The services whose traffic it has. */
  readonly upstreams: readonly string[];
  /**
   * The answer to a request. One that was recorded several times gets its answers in turn, and the last one from then on. Undefined: it was
   * not recorded with exactly these bytes.
   */
  next(request: RecordedRequest): RecordedExchange | undefined;
}

/** Reads the traffic that a proxy has recorded into a folder (`palimpsest proxy --record`). Throws the file system's error. */
export function openRecording(folder: string): Recording {
  const answers = new Map<string, RecordedExchange[]>();
  const upstreams = new Set<string>();
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith(".json")) continue;
    const recorded = readRecorded(join(folder, name));
    if (recorded === undefined) continue;
    const { upstream, method, path, request } = recorded;
    const key = requestKey({ upstream, method, path, body: toBytes(request) });
    upstreams.add(upstream);
    answers.set(key, [...(answers.get(key) ?? []), recorded]);
  }
  return {
    upstreams: [...upstreams],
    next(request) {
      const list = answers.get(requestKey({ ...request, path: withoutKeys(request.path) })) ?? [];
      return list.length > 1 ? list.shift() : list[0];
    },
  };
}

/** Undefined if the file is something else. */
function readRecorded(file: string): RecordedExchange | undefined {
  try {
    const value = JSON.parse(readFileSync(file, "utf8")) as RecordedExchange | null;
    return value?.recording === 1 ? value : undefined;
  } catch (error) {
    throw new Error(`Cannot read the recording ${file}: ${(error as Error).message}. Record it again, or delete it.`);
  }
}

/** A path whose query holds no key. */
function withoutKeys(path: string): string {
  return path.replaceAll(/([?&](?:key|api[-_]?key|access_token|token|sig)=)[^&]*/gi, "$1left-out");
}
