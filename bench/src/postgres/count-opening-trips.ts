import { openPostgres, type Pool } from "@palimpsest/postgres";
import { openSession } from "palimpsest";
import { anthropic } from "palimpsest/anthropic";

/** The most round trips that it takes to open a session: a new one, one of 200 messages, and a compacted one. */
export async function countOpeningTrips(pool: Pool): Promise<number> {
  let trips = 0;
  const counting: Pool = {
    query(text, values) {
      trips++;
      return pool.query(text, values);
    },
  };
  const store = openPostgres({ pool: counting }).store({ tenant: "openings" });
  const summary = { role: "user", blocks: [{ kind: "text", text: "Earlier." }], origin: "summary" } as const;
  const counts: number[] = [];
  for (let opening = 0; opening < 3; opening++) {
    trips = 0;
    // Nothing is sent here.
    const session = await openSession({ store, id: "s", provider: anthropic({} as never), model: "claude-opus-5-5" });
    counts.push(trips);
    const numbers = await session.append(Array.from({ length: 200 }, (_, index) => `message ${index}`));
    if (opening === 1) await session.history.fold({ from: numbers[0]!, to: numbers[149]! }, [summary], "bench");
    await session.close();
  }
  return Math.max(...counts);
}
