import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { startProxy } from "@palimpsest/proxy";

/** One of the two that are compared, in a process of its own. Prints its address. */
const [, , kind, service = "", folder = ""] = process.argv;
console.log(kind === "plain" ? await startPipe() : (await startProxy({ upstreams: { service }, folder })).url);

/** The most time of the processor that one turn of the event loop took since it was asked last: as long, nothing else was forwarded. */
let longestTurnMs = 0;
let before = process.threadCpuUsage();
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  longestTurnMs = Math.max(longestTurnMs, (user + system) / 1_000);
  before = process.threadCpuUsage();
}, 1);
process.on("message", () => {
  process.send!(longestTurnMs);
  longestTurnMs = 0;
});

/** The least that a proxy can do: two pipes. */
async function startPipe(): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(service);
  const server = createServer((incoming, client) => {
    const { method, url = "", headers } = incoming;
    const outgoing = request(
      { hostname, port, agent, method, headers, path: url.slice("/service".length) },
      (message) => {
        client.writeHead(message.statusCode!, message.headers);
        client.flushHeaders();
        message.pipe(client);
      },
    );
    incoming.pipe(outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
