import { expect, test } from "vitest";
import { createTee } from "./tee.ts";

const bytes = (count: number): Buffer => Buffer.alloc(count);

test("what goes by is kept by reference, and given back", () => {
  const held = { limitBytes: 100, heldBytes: 0 };
  const tee = createTee(held, 50);
  const chunk = bytes(40);
  tee.add(chunk);
  expect((tee.chunks() as readonly Buffer[])[0]).toBe(chunk);
  expect(held.heldBytes).toBe(40);
  tee.release();
  tee.release();
  expect(held.heldBytes).toBe(0);
});

test("a body beyond its limit, or beyond that of all, is let go at once", () => {
  const held = { limitBytes: 100, heldBytes: 0 };
  const [large, first, second] = [createTee(held, 50), createTee(held, 80), createTee(held, 80)];
  large.add(bytes(40));
  large.add(bytes(20));
  expect(large.chunks()).toBe("too-large");
  expect(held.heldBytes).toBe(0);
  first.add(bytes(80));
  second.add(bytes(30));
  expect(second.chunks()).toBe("too-much");
  expect(held.heldBytes).toBe(80);
});
