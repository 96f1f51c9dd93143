import { createServer } from "node:http";
import { fetchPage, isPublicAddress } from "palimpsest-agent";
import type { Attack, Family } from "./attack.ts";
import { inPlayground, type Playground } from "./playground.ts";

/** Stands for the public internet: the one address of this machine that may be reached. */
const PUBLIC = "127.0.0.2";
const PUBLIC_PAGE = "a page of the public internet";

interface FetchPlayground extends Playground {
  /** Where the page of the public internet is served. */
  readonly sitePort: number;
  get(url: string, resolve?: (host: string) => Promise<readonly string[]>): Promise<string>;
}

/** URLs, redirects and names that lead to this machine or its network. Canaries listen at all its addresses. */
export const fetches: Family<FetchPlayground> = {
  name: "fetch",
  guard: "public addresses",
  from: import.meta.url,
  leaves: "nothing",
  inWorld: (act) =>
    inPlayground(async (playground) => {
      const site = createServer(({ url = "/" }, response) => {
        const asked = new URL(url, "http://site").searchParams;
        const to = asked.get("to");
        if (to === null) return response.end(PUBLIC_PAGE);
        // A header holds bytes, and not letters.
        const location = Buffer.from(to).toString("latin1");
        return response.writeHead(Number(asked.get("status")), { location }).end();
      });
      const sitePort = await new Promise<number>((resolve) => {
        site.listen(0, PUBLIC, () => resolve((site.address() as { port: number }).port));
      });
      const mayReach = (address: string): boolean => address === PUBLIC || isPublicAddress(address);
      const get: FetchPlayground["get"] = async (url, resolve) => {
        const signal = AbortSignal.timeout(10_000);
        const names = resolve === undefined ? {} : { resolve };
        const page = await fetchPage(url, { signal, mayReach, timeoutMs: 2_000, ...names });
        return page.kind === "page" ? `page: ${page.body}` : page.reason;
      };
      try {
        // An attack that could not even begin proves nothing.
        const control = await get(`http://${PUBLIC}:${sitePort}/`);
        if (control !== `page: ${PUBLIC_PAGE}`) throw new Error(`what may be fetched is not: ${control}`);
        return await act({ ...playground, sitePort, get });
      } finally {
        site.closeAllConnections();
        site.close();
      }
    }),
  attacks({ canaries: { port }, outside, sitePort, get }) {
    const urls = [...HOSTS.map((host) => `http://${host}:${port}/`), ...schemes(port, outside)];
    const direct = urls.map((url): Attack => ({ name: url, run: () => get(url), harm: isPage }));
    const redirected = urls.flatMap((url) =>
      [301, 307].map((status): Attack => {
        const first = `http://${PUBLIC}:${sitePort}/?status=${status}&to=${encodeURIComponent(url)}`;
        return { name: `${status} to ${url}`, run: () => get(first), harm: isPage };
      }),
    );
    const named = CLOSED.flatMap((address): readonly Attack[] => {
      const url = `http://name.example:${port}/`;
      return [
        { name: `a name of ${address}`, run: () => get(url, async () => [address]), harm: isPage },
        { name: `a name of ${address} too`, run: () => get(url, async () => [PUBLIC, address]), harm: isPage },
        {
          name: `a name that becomes ${address}`,
          run: () => {
            let asked = 0;
            const first = `http://name.example:${sitePort}/?status=302&to=${url}`;
            return get(first, async () => [asked++ === 0 ? PUBLIC : address]);
          },
          harm: isPage,
        },
      ];
    });
    return [...direct, ...redirected, ...named];
  },
};

/** Some of the redirects are to the same site, as `http:x` is to be read. */
function isPage(said: string): string | undefined {
  return said.startsWith("page: ") && said !== `page: ${PUBLIC_PAGE}` ? said : undefined;
}

const HOSTS = [
  "127.0.0.1",
  "localhost",
  "localhost.",
  "LOCALHOST",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "017700000001",
  "0177.0.0.1",
  "127.0.0.1.",
  "0",
  "0.0.0.0",
  "0x0",
  "127.255.255.254",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
  "%31%32%37.0.0.1",
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[2002:7f00:1::]",
  "[::ffff:169.254.169.254]",
  "[::ffff:0:127.0.0.1]",
  "[fe80::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "[2001:db8::1]",
  "[2001::7f00:1]",
  "169.254.169.254",
  "169.254.170.2",
  "2852039166",
  "0xa9fea9fe",
  "100.100.100.200",
  "168.63.129.16",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.0.1",
  "100.64.0.1",
  "198.18.0.1",
  "192.0.0.192",
  "224.0.0.1",
  "255.255.255.255",
  "240.0.0.1",
  "user:password@127.0.0.1",
  "127.0.0.1#@example.com",
  "example.com@127.0.0.1",
  "127.0.0.1%2523",
  "127.0.0.1\t",
  "127.0.0.1\\@example.com",
];

const CLOSED = [
  "127.0.0.1",
  "127.8.8.8",
  "0.0.0.0",
  "10.1.2.3",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "100.127.0.1",
  "::1",
  "::",
  "::ffff:127.0.0.1",
  "fe80::1",
  "fd00::1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::1",
  "224.0.0.1",
  "255.255.255.255",
  "not an address",
  "",
];

function schemes(port: number, outside: string): readonly string[] {
  return [
    `file://${outside}/file.txt`,
    `file:${outside}/file.txt`,
    `FILE://localhost${outside}/file.txt`,
    `ftp://127.0.0.1:${port}/`,
    `gopher://127.0.0.1:${port}/_x`,
    `data:text/plain,x`,
    `javascript:fetch("http://127.0.0.1:${port}")`,
    `ws://127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/`,
    `http:127.0.0.1:${port}`,
    `http:/127.0.0.1:${port}`,
    `http:\\\\127.0.0.1:${port}\\`,
    `https://127.0.0.1:${port}/`,
    `unix:/var/run/docker.sock`,
    `blob:http://127.0.0.1:${port}/x`,
    `view-source:http://127.0.0.1:${port}/`,
    `http://[::1%25lo]:${port}/`,
  ];
}
