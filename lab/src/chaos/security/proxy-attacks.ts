import { hostname } from "node:os";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** Names and forms of this machine's own addresses. Canaries listen at all of them. */
const HOSTS = [
  ...["127.0.0.1", "localhost", "LOCALHOST", "localhost.", "127.1", "2130706433", "0x7f000001", "0177.0.0.1"],
  ...["0.0.0.0", "127.0.0.53", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "x.localhost", hostname()],
];

/** Ways through the proxy that a command has, to HOST and PORT. */
const WAYS: readonly [name: string, line: string][] = [
  ["as a page", "curl -sg -m 5 --noproxy '' -x $HTTP_PROXY http://HOST:PORT/"],
  ["by CONNECT", "curl -sg -m 5 --noproxy '' -p -x $HTTP_PROXY http://HOST:PORT/"],
  [
    "by hand",
    "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT HOST:PORT HTTP/1.1\\r\\nHost: registry.npmjs.org:443\\r\\n\\r\\nGET / HTTP/1.0\\r\\n\\r\\n' >&3; timeout 5 cat <&3",
  ],
];

/** What the user allowed. */
const ALLOWED: readonly (readonly string[])[] = [["registry.npmjs.org"], ["*.example.com", "registry.npmjs.org:443"]];

/** A command that may reach one host reaches no other, and nothing on this machine, by whatever name. */
export const proxies: Family<Playground> = {
  name: "hosts through the proxy",
  guard: "allowed hosts",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: inPlayground,
  attacks: (playground) => [
    ...ALLOWED.flatMap((network) =>
      HOSTS.flatMap((host) => WAYS.map(([name, line]) => attackOf(name, line, host, network, playground))),
    ),
    // Allowed by its name, which leads to this machine.
    ...WAYS.map(([name, line]) => attackOf(name, line, hostname(), [hostname()], playground)),
  ],
};

function attackOf(
  way: string,
  line: string,
  host: string,
  network: readonly string[],
  { use, canaries }: Playground,
): Attack {
  const command = line.replaceAll("HOST", host).replaceAll("PORT", String(canaries.port));
  return {
    name: `${host} ${way}, allowed: ${network}`,
    run: () => use("Bash", { command, network, timeout_ms: 15_000 }),
  };
}
