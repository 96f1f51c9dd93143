import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { readTranscript } from "@palimpsest/transcripts";
import { analyze } from "@palimpsest/transcripts/analyze";
import { knownModel } from "palimpsest/core";

/** Report of a fresh process, in one line of JSON. */
export interface Measured {
  readonly seconds: number;
  /** What of it the process itself was running. */
  readonly cpuSeconds: number;
  /** The highest since its start. */
  readonly rssMb: number;
  readonly responses: number;
}

const [mode, path = ""] = process.argv.slice(2);
const startedAtMs = performance.now();
const before = process.cpuUsage();
const responses = mode === "plain" ? await readPlainly() : await readWhole();
const seconds = (performance.now() - startedAtMs) / 1_000;
const { user, system } = process.cpuUsage(before);
const cpuSeconds = (user + system) / 1e6;
const rssMb = process.resourceUsage().maxRSS / 1_024;
console.log(JSON.stringify({ seconds, cpuSeconds, rssMb, responses } satisfies Measured));

async function readWhole(): Promise<number> {
  const { totals } = await analyze(readTranscript(path), { factsOf: (model) => knownModel(model).facts });
  return totals.responses;
}

/** What nobody who reads such a file can do without: its lines, and each of them parsed. */
async function readPlainly(): Promise<number> {
  const ids = new Set<unknown>();
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    const { type, message } = JSON.parse(line) as {
      readonly type?: unknown;
      readonly message?: { readonly id?: unknown };
    };
    if (type === "assistant") ids.add(message?.id);
  }
  return ids.size;
}
