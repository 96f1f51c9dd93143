import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export interface PacingProxy {
  readonly url: string;
  close(): void;
}

const PIECE_CHARACTERS = 48;
const STEP_MS = 10;

/** Stands before the simulator and lets long answers take their time: in small pieces, evenly, as a model writes them. */
export async function pacingProxy(target: string, streamMs: () => number): Promise<PacingProxy> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).filter(([name]) => !["host", "connection", "content-length"].includes(name)),
    ) as Record<string, string>;
    const { method = "GET" } = incoming;
    const body = method === "GET" ? {} : { body: Buffer.concat(chunks) };
    const reply = await fetch(`${target}${incoming.url}`, { method, headers, ...body });
    const text = await reply.text();
    const type = reply.headers.get("content-type") ?? "";
    outgoing.writeHead(reply.status, { "content-type": type });
    if (!type.includes("event-stream")) return void outgoing.end(text);
    const events = text.split("\n\n").filter(Boolean).flatMap(inPieces);
    const startedMs = performance.now();
    for (let sent = 0; sent < events.length; ) {
      const passed = streamMs() === 0 ? 1 : (performance.now() - startedMs) / streamMs();
      const due = Math.min(events.length, Math.max(sent + 1, Math.ceil(events.length * passed)));
      outgoing.write(`${events.slice(sent, due).join("\n\n")}\n\n`);
      sent = due;
      if (sent < events.length) await pause(STEP_MS);
    }
    outgoing.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

/** An event that brings text, as several that bring a little of it each. */
function inPieces(event: string): readonly string[] {
  const [, data] = /^data: (.*)$/m.exec(event) ?? [];
  const read = data === undefined ? undefined : (JSON.parse(data) as { readonly delta?: { readonly text?: string } });
  const text = read?.delta?.text;
  if (read === undefined || text === undefined) return [event];
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    const delta = { ...read.delta, text: text.slice(at, at + PIECE_CHARACTERS) };
    pieces.push(`event: content_block_delta\ndata: ${JSON.stringify({ ...read, delta })}`);
  }
  return pieces;
}
