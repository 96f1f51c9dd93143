import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { isIP, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../workspace/command-environment.ts";
import type { SandboxRequest } from "./policy.ts";

interface NetworkBridge {
  /** What the enclosed program is started by: a network of its own, with nothing in it but the way to the proxy. */
  readonly startedBy: readonly string[];
  readonly environment: Environment;
  /** Hosts that were asked for and not allowed, each once, in order. */
  refused(): readonly string[];
  close(): Promise<void>;
}

interface BridgePrograms {
  readonly bwrap: string;
  readonly socat: string;
  readonly bash: string;
}

/** Inside of the network that only the command has. */
const PORT = 3128;
/** Addresses of the machine's own networks: no name may lead there. Loopback and link-local ones are refused by the guard itself. */
const PRIVATE = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "168.63.129.16/32", "fc00::/7"];

/**
 * Waits until the way stands, and runs the command. The way ends with this bash, even if it is killed: then the pipe to the one that waits
 * is closed. Processes stay those of the host: root needs its /proc.
 */
const SCRIPT = `"$1" TCP-LISTEN:${PORT},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:"$2" >/dev/null 2>&1 & way=$!
exec {life}> >(exec >/dev/null 2>&1; read; kill $way)
until (: <>/dev/tcp/127.0.0.1/${PORT}) 2>/dev/null; do kill -0 $way 2>/dev/null || exit 125; done
shift 2; "$@" {life}>&-`;

/**
 * The way of one command to the hosts that it may reach: a proxy in this process, on a socket that the command does not see, and socat
 * between the two. The command's network has no other way out, so this machine's own ports cannot be reached.
 */
export async function openNetworkBridge(
  hosts: SandboxRequest["hosts"],
  { bwrap, socat, bash }: BridgePrograms,
): Promise<NetworkBridge> {
  const refused = new Set<string>();
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-"));
  const socket = join(folder, "proxy");
  const server = await createProxy(hosts, (host) => refused.add(host));
  const open = new Set<Socket>();
  server.on("connection", (connection) => {
    open.add(connection);
    connection.once("close", () => open.delete(connection));
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socket, resolve));
  server.unref();
  const proxy = `http://127.0.0.1:${PORT}`;
  return {
    startedBy: [
      ...[bwrap, "--die-with-parent", "--unshare-user", "--unshare-net", "--dev-bind", "/", "/"],
      ...["--", bash, "--noprofile", "--norc", "-c", SCRIPT, "bash", socat, socket],
    ],
    environment: Object.fromEntries([
      ...["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map((name) => [name, proxy]),
      ...["NO_PROXY", "no_proxy"].map((name) => [name, "localhost,127.0.0.1,::1"]),
      // Node's own fetch asks for a proxy only if it is told to.
      ["NODE_USE_ENV_PROXY", "1"],
    ]),
    refused: () => [...refused],
    async close() {
      for (const connection of open) connection.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Parts of the sandbox runtime: what a domain is, the proxy, and no name that leads to this machine or its network. */
async function createProxy(hosts: SandboxRequest["hosts"], onRefused: (host: string) => void): Promise<Server> {
  const [{ createHttpProxyServer }, { matchesDomainPatternWithPort }, { createResolvedAddressGuard }] =
    await Promise.all([
      import("@anthropic-ai/sandbox-runtime/dist/sandbox/http-proxy.js"),
      import("@anthropic-ai/sandbox-runtime/dist/sandbox/domain-pattern.js"),
      import("@anthropic-ai/sandbox-runtime/dist/sandbox/resolved-address-guard.js"),
    ]);
  const named = hosts === "any" ? [] : hosts;
  const guard = createResolvedAddressGuard({ allowedDomains: named, deniedResolvedAddresses: PRIVATE });
  return createHttpProxyServer({
    filter(port, host) {
      const plain = host.replace(/^\[|\]$/g, "");
      const isNamed = named.some((pattern) => matchesDomainPatternWithPort(plain, port, pattern));
      // Whoever allows all hosts means names of the internet, not addresses of this network.
      const isInternet = isIP(plain) === 0 && !/(^|\.)localhost\.?$/i.test(plain);
      if (isNamed || (hosts === "any" && isInternet)) return true;
      onRefused(host);
      return false;
    },
    lookupFor: (port) => {
      const lookup = guard.lookupFor(port);
      return (host, options, callback) =>
        lookup(host, options, (error, ...found) => {
          if (error !== null) onRefused(host);
          callback(error, ...found);
        });
    },
  });
}
