import assert from "node:assert/strict";
import type { RateBucket, RateClaim, RateLimit, RateSource } from "../rates/rate-source.ts";

/** A new place that processes share, and a clock that the test moves. */
export interface RatePlace {
  /** Opens the shared state as one more process. */
  open(): Promise<RateSource>;
  /** A bucket that no other case uses. */
  readonly bucket: RateBucket;
  advanceClock(byMs: number): void;
}

export type RateCheck = (name: string, run: (place: RatePlace) => Promise<void>) => void;

const NOTHING = { requests: 0, tokens: 0 };
const SECOND_MS = 1_000;
/** One request a second, two at once. */
const LIMIT: RateLimit = { requestsPerMinute: 60, tokensPerMinute: 60_000, burstMs: 2 * SECOND_MS };

function claim(tenant: string, claimed: Partial<Omit<RateClaim, "tenant">> = {}): RateClaim {
  return { tenant, returned: NOTHING, needed: { requests: 1, tokens: 10 }, wanted: NOTHING, ...claimed };
}

/** Tests that no more is granted than the limit allows, and that tenants share it. */
export function testRates(check: RateCheck): void {
  check("processes share one limit: what it has saved up goes at once, the rest as time passes", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const ask = async (source: RateSource) => (await source.exchange(place.bucket, LIMIT, [claim("a")]))[0]!;
    assert.deepEqual(await ask(one), { tenant: "a", granted: { requests: 1, tokens: 10 }, waitMs: 0 });
    assert.equal((await ask(two)).granted.requests, 1);
    const refused = await ask(one);
    assert.deepEqual(refused, { tenant: "a", granted: NOTHING, waitMs: SECOND_MS });
    place.advanceClock(SECOND_MS / 2);
    assert.equal((await ask(two)).waitMs, SECOND_MS / 2);
    place.advanceClock(SECOND_MS / 2);
    assert.equal((await ask(two)).granted.requests, 1);
    assert.equal((await ask(one)).granted.requests, 0);
    // An hour saves up no more than the burst.
    place.advanceClock(3_600 * SECOND_MS);
    const granted = await Promise.all([one, two, one, two].map(ask));
    assert.equal(granted.filter(({ waitMs }) => waitMs === 0).length, 2);
  });

  check("tokens are a limit of their own, and a request larger than the bucket leaves a debt", async (place) => {
    const source = await place.open();
    const ask = async (tokens: number) =>
      (await source.exchange(place.bucket, LIMIT, [claim("a", { needed: { requests: 1, tokens } })]))[0]!;
    assert.equal((await ask(5_000)).waitMs, 0);
    // 2,000 were there: 3,000 are owed, and the next request needs 1,000 more.
    assert.equal((await ask(1_000)).waitMs, 4 * SECOND_MS);
    place.advanceClock(4 * SECOND_MS);
    assert.equal((await ask(1_000)).waitMs, 0);
  });

  check("two tenants that want everything have half each, whatever the number of their processes", async (place) => {
    const sources = await Promise.all(Array.from({ length: 4 }, () => place.open()));
    const had = { flooding: 0, other: 0 };
    // Three processes of one, which ask ten times as often as the process of the other.
    for (let tenth = 0; tenth < 600; tenth++) {
      for (const source of sources.slice(0, 3))
        had.flooding += await grantedTo(source, place, claim("flooding", { wanted: { requests: 50, tokens: 0 } }));
      if (tenth % 5 === 0) had.other += await grantedTo(sources[3]!, place, claim("other"));
      place.advanceClock(SECOND_MS / 10);
    }
    assert.ok(had.flooding + had.other <= 62, `a minute has 60 requests and 2 saved up: ${JSON.stringify(had)}`);
    assert.ok(had.flooding + had.other >= 56, `nothing is left unused: ${JSON.stringify(had)}`);
    assert.ok(Math.abs(had.flooding - had.other) <= 6, JSON.stringify(had));
  });

  check("a tenant that comes rarely waits for one request of every other tenant at most", async (place) => {
    const source = await place.open();
    const flooding = Array.from({ length: 10 }, (_, n) => claim(`flooding-${n}`));
    for (let second = 0; second < 30; second++) {
      await source.exchange(place.bucket, LIMIT, flooding);
      place.advanceClock(SECOND_MS);
    }
    const rare = claim("rare");
    const [asked] = await source.exchange(place.bucket, LIMIT, [rare]);
    assert.ok(asked!.waitMs <= flooding.length * SECOND_MS, `${asked!.waitMs} ms`);
    const before: string[] = [];
    while (!before.includes("rare") && before.length < 100) {
      place.advanceClock(SECOND_MS);
      const grants = await source.exchange(place.bucket, LIMIT, [...flooding, rare]);
      before.push(...grants.filter(({ waitMs }) => waitMs === 0).map(({ tenant }) => tenant));
    }
    assert.ok(before.length <= flooding.length + 1, before.join(", "));
    assert.equal(new Set(before).size, before.length);
  });

  check("without contention nobody waits for a share that is not used, and more is granted at once", async (place) => {
    const source = await place.open();
    const limit = { requestsPerMinute: 6_000, burstMs: 10 * SECOND_MS };
    const wanted = { requests: 100, tokens: 0 };
    const [alone] = await source.exchange(place.bucket, limit, [claim("a", { wanted })]);
    assert.deepEqual(alone?.granted, { requests: 101, tokens: 10 });
  });

  check("what a process gives back is there for the others", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    const limit: RateLimit = { requestsPerMinute: 60, burstMs: 10 * SECOND_MS };
    const [portion] = await one.exchange(place.bucket, limit, [claim("a", { wanted: { requests: 8, tokens: 0 } })]);
    assert.equal(portion?.granted.requests, 5);
    const needed = { requests: 6, tokens: 0 };
    const [waits] = await two.exchange(place.bucket, limit, [claim("b", { needed })]);
    assert.equal(waits?.waitMs, SECOND_MS);
    const returned = { requests: 4, tokens: 0 };
    assert.deepEqual(await one.exchange(place.bucket, limit, [claim("a", { returned, needed: NOTHING })]), []);
    const [served] = await two.exchange(place.bucket, limit, [claim("b", { needed })]);
    assert.equal(served?.granted.requests, 6);
  });

  check("a pause holds for all, and is followed by no rush", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    await one.exchange(place.bucket, LIMIT, [claim("a")]);
    await one.pause(place.bucket, 30 * SECOND_MS);
    const [paused] = await two.exchange(place.bucket, LIMIT, [claim("b")]);
    assert.equal(paused?.waitMs, 31 * SECOND_MS);
    // A shorter one does not end it.
    await two.pause(place.bucket, SECOND_MS);
    place.advanceClock(30 * SECOND_MS);
    assert.equal(await grantedTo(two, place, claim("b")), 0);
    place.advanceClock(SECOND_MS);
    assert.equal(await grantedTo(two, place, claim("b")), 1);
    assert.equal(await grantedTo(one, place, claim("a")), 0);
  });

  check("nobody waits behind a process that is gone", async (place) => {
    const [one, two] = [await place.open(), await place.open()];
    await one.exchange(place.bucket, LIMIT, [claim("busy", { needed: { requests: 2, tokens: 0 } })]);
    await one.exchange(place.bucket, LIMIT, [claim("busy")]);
    await one.exchange(place.bucket, LIMIT, [claim("gone", { needed: { requests: 2, tokens: 0 } })]);
    place.advanceClock(SECOND_MS);
    assert.equal(await grantedTo(two, place, claim("busy")), 0);
    place.advanceClock(3 * SECOND_MS);
    assert.equal(await grantedTo(two, place, claim("busy")), 1);
  });

  check("without limits everything is granted, unless there is a pause", async (place) => {
    const source = await place.open();
    const ask = async () => (await source.exchange(place.bucket, {}, [claim("a")]))[0]!;
    for (let asked = 0; asked < 5; asked++) assert.equal((await ask()).waitMs, 0);
    await source.pause(place.bucket, SECOND_MS);
    assert.equal((await ask()).waitMs, SECOND_MS);
    place.advanceClock(SECOND_MS);
    assert.equal((await ask()).waitMs, 0);
  });
}

async function grantedTo(source: RateSource, { bucket }: RatePlace, wanted: RateClaim): Promise<number> {
  const [grant] = await source.exchange(bucket, LIMIT, [wanted]);
  return grant?.granted.requests ?? 0;
}
