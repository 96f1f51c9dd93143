import { mkdtempSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSessionLog } from "./session-log.ts";

test("a disk that is full in the middle of a line leaves no half of it, and the next line is whole", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-proxy-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let free = Number.POSITIVE_INFINITY;
  const write = (file: number, bytes: NodeJS.ArrayBufferView, at = 0): number => {
    if (free <= 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const written = writeSync(file, bytes, at, Math.min(free, bytes.byteLength - at));
    free -= written;
    return written;
  };
  const session = { api: "messages" as const, upstream: "service", threads: [] };
  const thread = { id: "t", head: { system: "", tools: "", parameters: "" }, items: [], chain: "" };
  const log = openSessionLog(folder, { session, thread }, 0, write as typeof writeSync);
  free = 10;
  expect(() => log.append(['{"type":"request"}'])).toThrow("no space");
  expect(statSync(log.path).size).toBe(0);
  free = Number.POSITIVE_INFINITY;
  log.append(["{}"]);
  free = 5;
  expect(() => log.append(['{"lost":true}'])).toThrow("no space");
  free = Number.POSITIVE_INFINITY;
  log.append(['{"last":true}']);
  const [head, ...lines] = readFileSync(log.path, "utf8").split("\n");
  expect(JSON.parse(head!)).toMatchObject({ proxy: 1, id: "t" });
  expect(lines).toEqual(["{}", '{"last":true}', ""]);
});
