import assert from "node:assert/strict";
import { toDraft } from "../../log/to-draft.ts";
import type { Store } from "../store.ts";
import { keepResult, openWriter, type StoreCheck, said, seal } from "./store-case.ts";

/** Tests that sessions expire by their silence, page by page, and that sessions in use stay. */
export function testExpire(check: StoreCheck): void {
  check("sessions that were silent for too long expire; recent, held and cited ones stay", async ({ store, place }) => {
    for (const session of ["a-old", "b-held", "c-parent", "e-old", "f-opened"]) await write(store, session);
    const file = await keepResult(store, "a-old");
    await store.setMetadata("a-old", { title: "old" });
    await openWriter(store, "b-held");
    await place.advanceClock(2 * place.leaseMs);
    await writeFork(store, "d-fork", "c-parent");
    const { silentSinceMs, close } = await sinceOneLease(store, "f-opened", place.leaseMs);
    assert.deepEqual(await store.expire({ silentSinceMs, limit: 3 }), {
      deleted: ["a-old"],
      kept: [
        { id: "b-held", why: "busy" },
        { id: "c-parent", why: "cited" },
      ],
      next: "c-parent",
    });
    assert.equal(await store.openReader("a-old"), undefined);
    assert.equal(await store.readMetadata("a-old"), undefined);
    assert.equal(await store.results.find("a-old", file), undefined);
    const rest = { silentSinceMs, after: "c-parent" };
    assert.deepEqual(await store.expire(rest), { deleted: ["e-old"], kept: [] });
    assert.deepEqual(await store.expire(rest), { deleted: [], kept: [] });
    await close();
    assert.deepEqual(await idsOf(store), ["b-held", "c-parent", "d-fork", "f-opened"]);
  });

  check(
    "a parent expires after its forks, and its look at the forks does not count as use",
    async ({ store, place }) => {
      await write(store, "a-parent");
      await writeFork(store, "b-fork", "a-parent");
      await place.advanceClock(2 * place.leaseMs);
      const { silentSinceMs, close } = await sinceOneLease(store, "z", place.leaseMs);
      await close();
      for (let pass = 0; pass < 2; pass++) await store.expire({ silentSinceMs });
      assert.deepEqual(await idsOf(store), ["z"]);
    },
  );
}

async function write(store: Store, session: string): Promise<void> {
  const writer = await openWriter(store, session);
  await writer.append(seal([said(`said in ${session}`)]));
  await writer.close();
}

async function writeFork(store: Store, session: string, parent: string): Promise<void> {
  const writer = await openWriter(store, session);
  await writer.append(seal([toDraft("fork", { session: parent, source: "test", sequence: 1, hash: "" })]));
  await writer.close();
}

/** Opens a log, by which the store's clock shows. */
async function sinceOneLease(store: Store, session: string, leaseMs: number) {
  const writer = await openWriter(store, session);
  const { activeAtMs } = (await store.writerOf(session))!;
  return { silentSinceMs: activeAtMs - leaseMs, close: () => writer.close() };
}

async function idsOf(store: Store): Promise<readonly string[]> {
  return (await store.list()).sessions.map(({ id }) => id);
}
