import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { onASmallDisk } from "../mail/on-a-small-disk.ts";
import { createLoader } from "../security/load-without.ts";
import { FAULTS, type Fault, startFaultyUpstream } from "./faulty-upstream.ts";
import { type Harm, type SentThrough, sendThrough } from "./send-through.ts";

export interface ProxyFindings {
  readonly requests: number;
  readonly altered: number;
  readonly hung: number;
  readonly lost: number;
  readonly by_fault: Readonly<Record<string, number>>;
  readonly restarts: number;
  readonly disks_filled: number;
  /** Answers that are in no log because the disk was full, and were told. */
  readonly told_not_written: number;
  readonly disk_skipped: string | null;
}

/** Requests through one proxy; then its logs are compared with what was answered, and another proxy begins. */
const BATCH = 500;
const CONCURRENT = 40;
/** The last ones of a batch are large. */
const LAST = 20;
const HARM_EVERY_MS = 700;

const [, , wanted = "300", without] = process.argv;
/** Far beyond all limits of the proxy, and of a busy machine; less where requests must hang. */
const hungMs = without === undefined ? 30_000 : 6_000;
const loader = createLoader();
const product = await import("@palimpsest/proxy");
const { startProxy } =
  without === undefined
    ? product
    : ((await loader.load(import.meta.resolve("@palimpsest/proxy"), without)) as typeof product);

const found = await onASmallDisk(async (disk) => {
  const service = await startFaultyUpstream();
  const counts = { altered: 0, hung: 0, lost: 0 };
  const byFault: Record<string, number> = {};
  let [restarts, filled, notWritten] = [0, 0, 0];
  let harm: Promise<unknown> = Promise.resolve();
  for (let from = 0; from < Number(wanted); from += BATCH) {
    const folder = join(disk.folder, "logs");
    let passed = 0;
    const proxy = await startProxy({
      upstreams: { service: `http://127.0.0.1:${service.port}` },
      folder,
      limits: { silenceMs: 1_500, connectMs: 5_000 },
      onEvent: (event) => {
        // No other reason explains an answer that is in no log.
        if (event.kind === "passed" && event.why === "not-written") passed++;
      },
    });
    const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENT });
    const all = Array.from({ length: Math.min(BATCH, Number(wanted) - from) }, (_, index) => String(from + index));
    const ended: SentThrough[] = [];
    const sendAll = async (numbers: readonly string[]): Promise<void> => {
      const left = [...numbers];
      const send = async (): Promise<void> => {
        for (let number = left.pop(); number !== undefined; number = left.pop()) {
          ended.push(
            await sendThrough(proxy.url, agent, { number, fault: faultOf(number), body: bodyOf(number), hungMs }),
          );
        }
      };
      await Promise.all(Array.from({ length: CONCURRENT }, send));
    };
    const harming = setInterval(() => {
      if ("fill" in disk) filled++;
      restarts++;
      harm = harm.then(() => Promise.all([service.restart(), "fill" in disk ? disk.fill() : undefined]));
    }, HARM_EVERY_MS);
    const [silent, others] = [all.slice(LAST), all.slice(LAST)].map((numbers, at) =>
      numbers.filter((number) => (faultOf(number) === "silent") === (at === 0)),
    ) as [string[], string[]];
    await sendAll(others);
    clearInterval(harming);
    await harm;
    // A service that is killed is not silent.
    await sendAll(silent);
    // The thread still looks at these when all are answered.
    await sendAll(all.slice(0, LAST));
    agent.destroy();
    await proxy.close();
    const written = idsIn(folder);
    const missing = ended.filter(({ isAnswered, number }) => isAnswered && !written.has(`msg_${number}`)).length;
    notWritten += Math.min(missing, passed);
    counts.lost += Math.max(0, missing - passed);
    for (const { harm, fault, number, digest } of ended) {
      byFault[fault] = (byFault[fault] ?? 0) + 1;
      const arrived = service.received.get(number);
      const worst: Harm | undefined = arrived !== undefined && arrived !== digest ? "altered" : harm;
      if (worst !== undefined) counts[worst]++;
    }
    rmSync(folder, { recursive: true, force: true });
  }
  await service.close();
  return {
    requests: Number(wanted),
    ...counts,
    by_fault: byFault,
    restarts,
    disks_filled: filled,
    told_not_written: notWritten,
    disk_skipped: "skipped" in disk ? disk.skipped : null,
  } satisfies ProxyFindings;
});
process.stdout.write(JSON.stringify(found), () => process.exit(0));

function faultOf(number: string): Fault {
  if (isLast(number)) return "whole";
  // Most of the time services work; silence is rare, since it takes as long as its limit.
  const chosen = (Number(number) * 7) % 60;
  if (chosen < 30) return chosen % 2 === 0 ? "whole" : "streamed";
  if (chosen === 40) return "silent";
  return FAULTS.filter((fault) => fault !== "silent")[chosen % (FAULTS.length - 1)]!;
}

function isLast(number: string): boolean {
  return Number(number) % BATCH < LAST;
}

/** Small ones mostly; one in 200 has five megabytes, and the last ones have one. */
function bodyOf(number: string): Buffer {
  const small = isLast(number) ? 500_000 : 200 + ((Number(number) * 37) % 4_000);
  const content = randomBytes(Number(number) % 200 === 199 ? 2_500_000 : small).toString("hex");
  return Buffer.from(
    JSON.stringify({ model: "claude-sonnet-4-6", max_tokens: 9, messages: [{ role: "user", content }] }),
  );
}

/** The responses in the logs. Half a line is none. */
function idsIn(folder: string): ReadonlySet<string> {
  const ids = new Set<string>();
  // No folder: the disk was full all the time.
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
      const id = /"type":"response".*"id":"(msg_\d+)"/.exec(line)?.[1];
      if (id !== undefined && isJson(line)) ids.add(id);
    }
  }
  return ids;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
