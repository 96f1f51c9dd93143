import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Bench } from "../bench.ts";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import { median, percentile, round } from "../statistics.ts";
import { eventText, startStreamingUpstream } from "./streaming-upstream.ts";

const SIZES = { quick: { requests: 120, large: 4 }, full: { requests: 1_000, large: 20 } } as const;
const WARM_REQUESTS = 30;
/** What an agent sends in the middle of a session. */
const BODY_CHARACTERS = 20_000;
const LARGE_CHARACTERS = 5_000_000;
const STREAMS = 200;
const BESIDE_STREAMS = 20;
const SCRIPT = fileURLToPath(new URL("./proxied-process.ts", import.meta.url));

/** The proxy against a plain pipe, both in processes of their own, in one run and in turn. */
export const proxyBench: Bench = {
  name: "proxy",
  about: "the proxy against a plain pipe: time to the first byte, streams beside a 5 MB body, 200 streams at a time",
  run: ({ size }) =>
    inTemporaryFolder(async (folder) => {
      const { requests, large } = SIZES[size];
      const service = await startStreamingUpstream();
      const compared = await Promise.all(
        ["plain", "palimpsest"].map((kind) => startCompared(kind, service.url, folder)),
      );
      const [plain, proxied] = compared as [Compared, Compared];
      try {
        for (let number = 0; number < WARM_REQUESTS; number++) for (const one of compared) await firstByteMs(one);
        const first = { plain: [] as number[], proxied: [] as number[] };
        for (let number = 0; number < requests; number++) {
          first.plain.push(await firstByteMs(plain));
          first.proxied.push(await firstByteMs(proxied));
        }
        const gaps = { plain: [] as number[], proxied: [] as number[] };
        for (let number = 0; number < large; number++) {
          gaps.plain.push(...(await gapsBesideLarge(plain)));
          gaps.proxied.push(...(await gapsBesideLarge(proxied)));
        }
        const streams = await Promise.all(Array.from({ length: STREAMS }, () => send(proxied, bodyOf(1_000), 20)));
        const expected = Array.from({ length: 20 }, (_, number) => eventText(number)).join("");
        return {
          requests,
          plain_first_byte_ms_p50: round(median(first.plain)),
          proxy_first_byte_ms_p50: round(median(first.proxied)),
          first_byte_ratio: round(median(first.proxied) / median(first.plain)),
          beside_5_mb: {
            plain_gap_ms_p99: round(percentile(gaps.plain, 99)),
            proxy_gap_ms_p99: round(percentile(gaps.proxied, 99)),
            ratio: round(percentile(gaps.proxied, 99) / percentile(gaps.plain, 99)),
          },
          streams: STREAMS,
          streams_whole: streams.filter(({ text }) => text === expected).length,
        };
      } finally {
        for (const one of compared) one.stop();
        service.close();
      }
    }),
};

interface Compared {
  readonly url: string;
  readonly agent: Agent;
  stop(): void;
}

async function startCompared(kind: string, service: string, folder: string): Promise<Compared> {
  const args = ["--conditions=palimpsest-source", "--no-warnings", SCRIPT, kind, service, folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [url] = await once(createInterface(child.stdout), "line");
  const agent = new Agent({ keepAlive: true });
  return {
    url,
    agent,
    stop() {
      agent.destroy();
      child.kill();
    },
  };
}

interface Received {
  readonly text: string;
  readonly firstMs: number;
  /** Between one chunk and the next. */
  readonly gapsMs: readonly number[];
}

function send({ url, agent }: Compared, body: Buffer, events: number): Promise<Received> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const headers = { "content-length": body.length, "x-events": String(events), "session-id": "bench" };
    const outgoing = request(`${url}/service/v1/messages`, { method: "POST", agent, headers }, (message) => {
      const times: number[] = [];
      let text = "";
      message.on("data", (chunk) => {
        times.push(performance.now());
        text += String(chunk);
      });
      message.once("error", reject);
      message.once("end", () => {
        const gapsMs = times.slice(1).map((time, index) => time - times[index]!);
        resolve({ text, firstMs: times[0]! - startedMs, gapsMs });
      });
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

async function firstByteMs(compared: Compared): Promise<number> {
  return (await send(compared, bodyOf(BODY_CHARACTERS), 1)).firstMs;
}

/** The pauses in streams while a large request goes by. */
async function gapsBesideLarge(compared: Compared): Promise<readonly number[]> {
  const streams = Array.from({ length: BESIDE_STREAMS }, () => send(compared, bodyOf(1_000), 60));
  await send(compared, bodyOf(LARGE_CHARACTERS), 1);
  return (await Promise.all(streams)).flatMap(({ gapsMs }) => gapsMs);
}

function bodyOf(characters: number): Buffer {
  const content = randomBytes(characters / 2).toString("hex");
  const messages = [{ role: "user", content }];
  return Buffer.from(JSON.stringify({ model: "claude-sonnet-4-6", max_tokens: 9, messages }));
}
