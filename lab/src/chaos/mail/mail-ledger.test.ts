import { expect, test } from "vitest";
import { auditMail } from "./mail-ledger.ts";

const receiverOf = (_from: string, step: number): string => (step % 2 === 0 ? "even" : "odd");
const sent = [1, 2, 3, 4].map((step) => ({ from: "a", to: receiverOf("a", step), step }));
const audit = (odd: readonly number[], even: readonly number[]) =>
  auditMail(
    sent,
    [
      { agent: "odd", messages: odd.map((step) => ({ from: "a", step })) },
      { agent: "even", messages: even.map((step) => ({ from: "a", step })) },
    ],
    receiverOf,
  );
const NONE = { delivered_once: 4, lost: 0, duplicated: 0, out_of_order: 0, misdelivered: 0 };

test("all there once, in order; what was not acknowledged may be there too", () => {
  expect(audit([1, 3], [2, 4])).toEqual(NONE);
  expect(audit([1, 3, 5], [2, 4])).toEqual(NONE);
});

test("each kind of harm is found", () => {
  expect(audit([1], [2, 4])).toEqual({ ...NONE, delivered_once: 3, lost: 1 });
  expect(audit([1, 3, 1], [2, 4])).toEqual({ ...NONE, delivered_once: 3, duplicated: 1 });
  expect(audit([3, 1], [2, 4])).toEqual({ ...NONE, out_of_order: 1 });
  expect(audit([1, 3, 2], [2, 4])).toMatchObject({ misdelivered: 1 });
});
