import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Memory, type MemoryLimits, openMemory } from "@palimpsest/memory";
import type { Bench } from "../bench.ts";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import { median, round } from "../statistics.ts";
import { measurePostgres } from "./measure-postgres.ts";

const TOPICS = { full: [200, 10_000], quick: [50, 1_000] } as const;
const TIMES = { full: 15, quick: 5 } as const;
const BODY_BYTES = 2_000;
/** So that none of them is refused: by itself a memory holds what its index can show. */
const LIMITS: Partial<MemoryLimits> = { indexLines: 20_000, indexBytes: 4_000_000 };

/** Measures a memory of many topics: opening, showing the index, changing one topic, and whether that reads bodies. */
export const memoryScaleBench: Bench = {
  name: "memory-scale",
  about:
    "a memory of 10,000 topics: opening, the index, one change; how much of its files is read for it; one of 200 in PostgreSQL",
  async run({ size }) {
    const [few, many] = TOPICS[size];
    const small = await measure(few, TIMES[size]);
    const large = await measure(many, TIMES[size]);
    return {
      topics: many,
      bytes: large.bytes,
      head_ms: round(large.headMs),
      head_cpu_ms: round(large.headCpuMs),
      head_growth: round(large.headMs / small.headMs),
      open_ms: round(large.openMs),
      write_ms: round(large.writeMs),
      write_ms_of_few: round(small.writeMs),
      read_pct_to_open: percent(large.openBytes, large.bytes),
      read_pct_to_write: percent(large.writeBytes, large.bytes),
      few: few,
      read_pct_to_write_of_few: percent(small.writeBytes, small.bytes),
      // Of few topics, in a process that has just opened the memory.
      ...(await measurePostgres(few, TIMES[size], LIMITS)),
    };
  },
};

interface Measured {
  readonly bytes: number;
  readonly headMs: number;
  /** Of the processor: what else the machine does is not in it. */
  readonly headCpuMs: number;
  readonly openMs: number;
  readonly writeMs: number;
  readonly openBytes: number | undefined;
  readonly writeBytes: number | undefined;
}

function measure(topics: number, times: number): Promise<Measured> {
  return inTemporaryFolder(async (base) => {
    const folder = join(base, "memory");
    mkdirSync(folder);
    let bytes = 0;
    for (let number = 0; number < topics; number++) {
      const head = `---\nname: Topic ${number}\ndescription: what is known of ${number}\ntype: project\nauthor: model\n---\n`;
      const text = `${head}\n${`Fact ${number}. `.repeat(Math.ceil(BODY_BYTES / 12))}\n`;
      bytes += text.length;
      writeFileSync(join(folder, `topic-${number}.md`), text);
    }
    await (await openMemory({ folder, limits: LIMITS })).close();
    // What was changed within the last tick of the clock is read once more; that is over by then.
    await (await openMemory({ folder, limits: LIMITS })).close();

    const before = bytesRead();
    const openedAtMs = performance.now();
    const memory = await openMemory({ folder, limits: LIMITS });
    const openMs = performance.now() - openedAtMs;
    const opened = bytesRead();
    const cpuBefore = process.cpuUsage();
    const heads = await timed(times, () => memory.head());
    const { user, system } = process.cpuUsage(cpuBefore);
    await change(memory, "warm");
    const beforeWrite = bytesRead();
    const writes = await timed(times, (number) => change(memory, String(number)));
    const written = bytesRead();
    await memory.close();
    return {
      bytes,
      openMs,
      headMs: median(heads),
      headCpuMs: (user + system) / 1_000 / times,
      writeMs: median(writes),
      openBytes: difference(opened, before),
      writeBytes: difference(written, beforeWrite, times),
    };
  });
}

async function change(memory: Memory, word: string): Promise<void> {
  const topic = await memory.read("topic-7");
  const { slug, name, description, type } = topic!;
  const draft = { slug, name, description, type, body: `Changed: ${word}.` };
  const outcome = await memory.write(draft, "model", topic!.version);
  if (outcome.kind !== "written") throw new Error(JSON.stringify(outcome));
}

async function timed(times: number, work: (number: number) => Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  for (let number = 0; number < times; number++) {
    const startMs = performance.now();
    await work(number);
    took.push(performance.now() - startMs);
  }
  return took;
}

/** What this process has read so far, by the kernel's count; undefined where it does not count. */
function bytesRead(): number | undefined {
  try {
    return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  } catch {
    return undefined;
  }
}

function difference(after: number | undefined, before: number | undefined, times = 1): number | undefined {
  return after === undefined || before === undefined ? undefined : (after - before) / times;
}

function percent(part: number | undefined, whole: number): number | null {
  return part === undefined ? null : round((100 * part) / whole);
}
