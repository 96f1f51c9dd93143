import assert from "node:assert/strict";
import { checkChain } from "../../log/check-chain.ts";
import { EMPTY_LOG } from "../../log/entry.ts";
import { sha256 } from "../sha256.ts";
import { draft, openWriter, type StoreCheck, said, seal, sequences } from "./store-case.ts";

/** Tests that a payload can be erased while the rest of the entry stays. */
export function testErase(check: StoreCheck): void {
  check("an erased payload is gone, and the chain is whole", async ({ store }) => {
    const writer = await openWriter(store, "s");
    const entries = seal([draft("message", "secret"), draft("message", "open")]);
    await writer.append(entries);
    assert.equal(await writer.erase(1), "erased");
    assert.equal(await writer.erase(3), "absent");
    const left = await writer.read(1, 2);
    assert.deepEqual(left, [{ ...entries[0], payload: undefined }, entries[1]]);
    assert.deepEqual(checkChain(left, EMPTY_LOG, sha256), []);
  });

  check("what was erased is not found", async ({ store }) => {
    const writer = await openWriter(store, "s");
    await writer.append(seal(Array.from({ length: 200 }, (_, index) => said(`secret${index + 1} word`))));
    assert.deepEqual(await sequences(writer, "secret5 word"), [59, 58, 57, 56, 55, 54, 53, 52, 51]);
    await writer.erase(55);
    assert.deepEqual(await sequences(writer, "secret55"), []);
    assert.deepEqual(await sequences(writer, "secret54"), [54]);
  });
}
