import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";

/** What a service does with a request. The request says it in a header, so that both ends know what must come. */
export const FAULTS = [
  "whole",
  "streamed",
  "packed",
  "slow",
  "overloaded",
  "garbage",
  "cut",
  "reset",
  "silent",
  "early",
  "client-leaves",
] as const;
export type Fault = (typeof FAULTS)[number];

export interface FaultyUpstream {
  readonly port: number;
  /** Digests of the bodies that arrived whole, by number of request. */
  readonly received: ReadonlyMap<string, string>;
  /** Ends all connections, and is back after a while. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** The bytes of an answer depend on the number of the request alone. */
export function answerOf(number: string, fault: Fault): Buffer {
  const filler = createHash("sha256")
    .update(number)
    .digest("hex")
    .repeat(1 + (Number(number) % 40));
  const usage = { input_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 5 };
  const message = { id: `msg_${number}`, type: "message", role: "assistant", model: "claude-sonnet-4-6" };
  if (fault === "garbage") return Buffer.from(filler, "hex");
  if (fault === "overloaded")
    return Buffer.from(JSON.stringify({ type: "error", error: { type: "overloaded_error", message: filler } }));
  const text = { type: "text", text: filler };
  const whole = Buffer.from(JSON.stringify({ ...message, content: [text], usage }));
  if (fault === "packed") return gzipSync(whole);
  if (fault !== "streamed" && fault !== "cut" && fault !== "client-leaves") return whole;
  const events = [
    { type: "message_start", message: { ...message, content: [], usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: filler } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

export function statusOf(fault: Fault): number {
  return fault === "overloaded" ? 529 : fault === "early" ? 413 : 200;
}

export async function startFaultyUpstream(): Promise<FaultyUpstream> {
  const received = new Map<string, string>();
  const server = createServer(async (incoming, response) => {
    const number = String(incoming.headers["x-number"]);
    const fault = String(incoming.headers["x-fault"]) as Fault;
    try {
      if (fault === "early") {
        response.writeHead(413, headersOf(number, fault)).end(answerOf(number, fault));
        incoming.resume();
        return;
      }
      received.set(
        number,
        createHash("sha256")
          .update(await buffer(incoming))
          .digest("hex"),
      );
      await answer(response, number, fault);
    } catch {
      response.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    port,
    received,
    async restart() {
      await stop();
      await sleep(Math.random() * 100);
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    close: stop,
  };
}

function headersOf(number: string, fault: Fault): Record<string, string> {
  return { "x-number": number, ...(fault === "packed" ? { "content-encoding": "gzip" } : {}) };
}

async function answer(response: ServerResponse, number: string, fault: Fault): Promise<void> {
  const bytes = answerOf(number, fault);
  switch (fault) {
    case "reset":
      response.destroy();
      return;
    case "silent":
      return;
    case "streamed":
    case "client-leaves":
    case "cut": {
      response.writeHead(200, { ...headersOf(number, fault), "content-type": "text/event-stream" });
      const until = fault === "cut" ? Math.floor(bytes.length / 2) : bytes.length;
      for (let at = 0; at < until; at += 400) {
        response.write(bytes.subarray(at, Math.min(until, at + 400)));
        await sleep(Math.random() * 3);
      }
      if (fault === "cut") response.destroy();
      else response.end();
      return;
    }
    default:
      if (fault === "slow") await sleep(100 + Math.random() * 200);
      response.writeHead(statusOf(fault), headersOf(number, fault)).end(bytes);
  }
}
