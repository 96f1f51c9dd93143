import type { Exchange } from "@palimpsest/provider-simulator";

interface Served {
  readonly exchanges: () => readonly Exchange[];
}

/** The body of the newest request. */
export function lastBody({ exchanges }: Served): string {
  return exchanges().at(-1)?.body ?? "";
}

/** The conversations of all requests, oldest first: without what stands around them, and without marks of the cache. */
export function conversations({ exchanges }: Served): readonly string[] {
  return exchanges().map(({ body }) => {
    const { input, messages } = JSON.parse(body) as { input?: readonly unknown[]; messages?: readonly unknown[] };
    return JSON.stringify(input ?? messages, (key, value) => (key === "cache_control" ? undefined : value));
  });
}
