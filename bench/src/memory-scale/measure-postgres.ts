import { type Memory, type MemoryLimits, openMemory } from "@palimpsest/memory";
import { openPostgresMemory } from "@palimpsest/postgres";
import { startDatabase } from "@palimpsest/postgres/test-server";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import { median, round } from "../statistics.ts";

/** Measures the same memory in a folder and in PostgreSQL with `fsync`: what a process pays that opens it, and then. */
export async function measurePostgres(
  topics: number,
  times: number,
  limits: Partial<MemoryLimits>,
): Promise<Readonly<Record<string, number>>> {
  const database = await startDatabase({ fsync: "on" });
  try {
    const place = { pool: database.workers, tenant: "bench", name: "memory", limits };
    const inDatabase = await measure(topics, times, async () => openPostgresMemory(place));
    const inFolder = await inTemporaryFolder((folder) => measure(topics, times, () => openMemory({ folder, limits })));
    return { ...named("postgres", inDatabase), ...named("folder", inFolder) };
  } finally {
    await database.stop();
  }
}

interface Measured {
  readonly first_look_ms: number;
  readonly first_search_ms: number;
  readonly search_ms: number;
  readonly read_ms: number;
  readonly write_ms: number;
}

async function measure(topics: number, times: number, open: () => Promise<Memory>): Promise<Measured> {
  const filled = await open();
  await filled.batch("model", "fill", async (batch) => {
    for (let number = 0; number < topics; number++) await batch.write(topicOf(`topic-${number}`, number), "none");
  });
  await filled.close();
  const memory = await open();
  const took = async (work: (number: number) => Promise<unknown>, count = times): Promise<number> => {
    const all: number[] = [];
    for (let number = 0; number < count; number++) {
      const startMs = performance.now();
      await work(number);
      all.push(performance.now() - startMs);
    }
    return round(median(all));
  };
  const measured = {
    first_look_ms: await took(() => memory.list(), 1),
    first_search_ms: await took(() => memory.search("which deployment is number 5?", 5), 1),
    search_ms: await took((number) => memory.search(`which deployment is number ${number}?`, 5)),
    read_ms: await took((number) => memory.read(`topic-${number}`)),
    write_ms: await took((number) => memory.write(topicOf(`new-${number}`, number), "model", "none")),
  };
  await memory.close();
  return measured;
}

function topicOf(slug: string, number: number) {
  const body = `Fact ${number} of ${slug}. `.repeat(50);
  return {
    slug,
    name: `Deployment ${number}`,
    description: `What is known of ${slug}`,
    type: "project",
    body,
  } as const;
}

function named(place: string, measured: Measured): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(measured).map(([name, value]) => [`${place}_${name}`, value]));
}
