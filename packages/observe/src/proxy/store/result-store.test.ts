import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createObserver } from "../observe/create-observer.ts";
import { messagesBody, toolResult, user } from "../testing/bodies.ts";
import { createResultStore } from "./result-store.ts";

const ARRIVED = { api: "messages", upstream: "service", headers: {}, credential: "one" } as const;
const BODY = Buffer.from(messagesBody([user("Read it."), toolResult("c1", "a quite ordinary line\n".repeat(400))]));

function open() {
  const folder = mkdtempSync(join(tmpdir(), "result-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const onEvent = (): void => undefined;
  return createResultStore({ folder, maxResultBytes: 1_000, observer: createObserver({ folder, onEvent }), onEvent });
}

test("a large new result is replaced, by the same words again until the service has answered", () => {
  const store = open();
  const [splice] = store.plan(1, ARRIVED, BODY);
  expect(splice?.text).toContain("left out by palimpsest proxy");
  expect(store.plan(2, ARRIVED, BODY)).toEqual([splice]);
});

test("a result that went out whole, because its plan came too late, is never replaced", () => {
  const store = open();
  expect(store.plan(1, ARRIVED, BODY)).toHaveLength(1);
  store.unused(1);
  expect(store.plan(2, ARRIVED, BODY)).toEqual([]);
});
