import type { Engine } from "../relay.ts";
import type { SessionTarget } from "../scheduler.ts";

export interface RestateIngressOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The name of the virtual object. */
  readonly object: string;
}

export function restateIngress({ url, headers, object }: RestateIngressOptions): Engine {
  return {
    async run(sent, signal) {
      const path = `${object}/${encodeURIComponent(objectKey(sent))}/run`;
      const response = await fetch(new URL(path, url.endsWith("/") ? url : `${url}/`), {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(sent),
        signal,
      });
      const answer = await response.text();
      if (!response.ok) throw new Error(refused(response.status, answer, url, object));
    },
  };
}

/** One object for each session of each tenant, readable in Restate's own tools. */
function objectKey({ tenant, session }: SessionTarget): string {
  return `${encodeURIComponent(tenant)}/${encodeURIComponent(session)}`;
}

function refused(status: number, answer: string, url: string, object: string): string {
  const hint =
    status === 404
      ? ` Register the workers with it: restate deployments register URL, where URL leads to their port. It must list "${object}".`
      : "";
  return `Restate at ${url} answered ${status}: ${answer.slice(0, 500)}.${hint}`;
}
