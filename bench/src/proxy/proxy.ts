import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Bench } from "../bench.ts";
import { inTemporaryFolder } from "../chaos/temporary-folder.ts";
import { median, round } from "../statistics.ts";
import { eventText, startStreamingUpstream } from "./streaming-upstream.ts";

const SIZES = { quick: { requests: 100, large: 12 }, full: { requests: 1_000, large: 40 } } as const;
const WARM_REQUESTS = 30;
/** What an agent sends in the middle of a session. */
const BODY_CHARACTERS = 20_000;
const LARGE_CHARACTERS = 5_000_000;
const STREAMS = 200;
const BESIDE_STREAMS = 20;
const BESIDE_EVENTS = 60;
const AFTER_LARGE_MS = 50;
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
        const bodies = Array.from({ length: 3 }, () => bodyOf(LARGE_CHARACTERS));
        const turns = { plain: [] as number[], proxied: [] as number[] };
        for (let number = 0; number < large; number++) {
          const body = bodies[number % bodies.length]!;
          turns.plain.push(await turnBesideMs(plain, body));
          turns.proxied.push(await turnBesideMs(proxied, body));
        }
        const streams = await Promise.all(Array.from({ length: STREAMS }, () => send(proxied, bodyOf(1_000), 20)));
        const expected = Array.from({ length: 20 }, (_, number) => eventText(number)).join("");
        return {
          requests,
          plain_first_byte_ms_p50: round(median(first.plain)),
          proxy_first_byte_ms_p50: round(median(first.proxied)),
          first_byte_ratio: round(median(first.proxied) / median(first.plain)),
          beside_5_mb: {
            plain_longest_turn_ms_p50: round(median(turns.plain)),
            proxy_longest_turn_ms_p50: round(median(turns.proxied)),
            ratio: round(median(turns.proxied) / median(turns.plain)),
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
  /** Since it was asked last. */
  longestTurnMs(): Promise<number>;
  stop(): void;
}

async function startCompared(kind: string, service: string, folder: string): Promise<Compared> {
  const args = ["--conditions=palimpsest-source", "--no-warnings", SCRIPT, kind, service, folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const [url] = await once(createInterface(child.stdout!), "line");
  const agent = new Agent({ keepAlive: true });
  return {
    url,
    agent,
    async longestTurnMs() {
      child.send("longest turn");
      const [longestMs] = await once(child, "message");
      return longestMs;
    },
    stop() {
      agent.destroy();
      child.kill();
    },
  };
}

interface Received {
  readonly text: string;
  readonly firstMs: number;
}

function send({ url, agent }: Compared, body: Buffer, events: number): Promise<Received> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const headers = { "content-length": body.length, "x-events": String(events), "session-id": "bench" };
    const outgoing = request(`${url}/service/v1/messages`, { method: "POST", agent, headers }, (message) => {
      let [text, firstMs] = ["", 0];
      message.on("data", (chunk) => {
        firstMs ||= performance.now() - startedMs;
        text += String(chunk);
      });
      message.once("error", reject);
      message.once("end", () => resolve({ text, firstMs }));
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

async function firstByteMs(compared: Compared): Promise<number> {
  return (await send(compared, bodyOf(BODY_CHARACTERS), 1)).firstMs;
}

/**
 * How long streams wait while a large request goes by: the longest turn of the event loop, in time of the processor. Pauses between chunks
 * are those of the machine.
 */
async function turnBesideMs(compared: Compared, large: Buffer): Promise<number> {
  const small = bodyOf(1_000);
  const streams = Array.from({ length: BESIDE_STREAMS }, () => send(compared, small, BESIDE_EVENTS));
  // All others have begun, too.
  await send(compared, small, 1);
  await compared.longestTurnMs();
  await send(compared, large, 1);
  // The proxy hands the body over when it has gone.
  await sleep(AFTER_LARGE_MS);
  const longestMs = await compared.longestTurnMs();
  await Promise.all(streams);
  return longestMs;
}

function bodyOf(characters: number): Buffer {
  const content = randomBytes(characters / 2).toString("hex");
  const messages = [{ role: "user", content }];
  return Buffer.from(JSON.stringify({ model: "claude-sonnet-4-6", max_tokens: 9, messages }));
}
