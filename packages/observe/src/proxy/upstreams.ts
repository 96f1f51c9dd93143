import { isIP } from "node:net";

/** The services that a proxy forwards to, by the first segment of the path: `http://127.0.0.1:8788/NAME`. */
export type Upstreams = Readonly<Record<string, string>>;

/** A request cannot name another service than these. */
export interface Route {
  readonly upstream: string;
  readonly origin: URL;
  /** The path at the service, with its query. */
  readonly path: string;
  /** The same without the path of the service's own address. */
  readonly asked: string;
}

/** Checks addresses of services. Throws a TypeError that says what is wrong. */
export function checkUpstreams(upstreams: Upstreams): ReadonlyMap<string, URL> {
  const checked = Object.entries(upstreams).map(([name, address]): [string, URL] => {
    if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) {
      throw new TypeError(`The name of a service has small letters, digits and hyphens, not ${JSON.stringify(name)}.`);
    }
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url === undefined || url.username !== "" || url.search !== "" || url.hash !== "") {
      throw new TypeError(`The address of ${name} must be a URL without user, query and fragment, not ${address}.`);
    }
    if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
      throw new TypeError(`The address of ${name} must begin with https://, or be on this machine. It is ${address}.`);
    }
    return [name, url];
  });
  if (checked.length === 0) throw new TypeError("A proxy needs at least one service to forward to.");
  return new Map(checked);
}

/** A part of a path that leads upwards, as servers read it: out of the path that the service's address allows. */
const DOTS = /(^|[/\\]|%2f|%5c)(\.|%2e){1,2}($|[/\\;]|%2f|%5c)/i;

/** Finds the service of a request by its path. Undefined: none of the list, or a path that leaves the service's own. */
export function findRoute(upstreams: ReadonlyMap<string, URL>, target: string): Route | undefined {
  // Only a path: an address with a host would be an order to go there.
  const [, upstream = "", rest = ""] = /^\/([^/?]+)(\/.*|\?.*)?$/s.exec(target) ?? [];
  const origin = upstreams.get(upstream);
  if (origin === undefined) return undefined;
  const asked = rest.startsWith("/") ? rest : `/${rest}`;
  if (DOTS.test(asked.split("?")[0]!)) return undefined;
  return { upstream, origin, asked, path: `${origin.pathname.replace(/\/$/, "")}${asked}` };
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  return host === "localhost" || address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}
