import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ProxyEvent } from "../proxy-event.ts";
import { type ProxyOptions, type StartedProxy, startProxy } from "../start-proxy.ts";

export interface TestProxy extends StartedProxy {
  readonly folder: string;
  readonly events: readonly ProxyEvent[];
  eventsOf<Kind extends ProxyEvent["kind"]>(kind: Kind): readonly Extract<ProxyEvent, { kind: Kind }>[];
  /** The text of all files in the folder. */
  written(): string;
}

/** A proxy in front of one service, `/service`, with a folder of its own. */
export async function startTestProxy(service: string, options: Partial<ProxyOptions> = {}): Promise<TestProxy> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-proxy-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const events: ProxyEvent[] = [];
  const proxy = await startProxy({
    upstreams: { service },
    folder,
    onEvent: (event) => void events.push(event),
    ...options,
    // A busy machine has time for a plan, and the end of a test need not wait.
    limits: { editMs: 60_000, closeMs: 0, ...options.limits },
  });
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (!isClosed) await proxy.close();
    isClosed = true;
  };
  onTestFinished(close);
  return {
    ...proxy,
    close,
    folder,
    events,
    eventsOf: <Kind extends ProxyEvent["kind"]>(kind: Kind) =>
      events.filter((event): event is Extract<ProxyEvent, { kind: Kind }> => event.kind === kind),
    written: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
        .join("\n"),
  };
}
