/** The response of one network call. The request is left out, since it may contain secrets. */
export interface Exchange {
  readonly path: string;
  /** 0 if no answer came. */
  readonly status: number;
  readonly answer:
    | { readonly kind: "json"; readonly body: unknown }
    | { readonly kind: "stream"; readonly events: readonly unknown[] }
    | { readonly kind: "other"; readonly text: string };
}

export interface WireTap {
  readonly fetch: typeof globalThis.fetch;
  /** The exchanges since the last call, in order, once all have arrived. */
  take(): Promise<readonly Exchange[]>;
}

/** Records a client's raw responses, which the adapters do not show. */
export function tapFetch(fetch: typeof globalThis.fetch): WireTap {
  let exchanges: Promise<Exchange>[] = [];
  return {
    async fetch(input, init) {
      const path = new URL(input instanceof Request ? input.url : String(input)).pathname;
      try {
        const response = await fetch(input, init);
        exchanges.push(readExchange(path, response.clone()));
        return response;
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        exchanges.push(Promise.resolve({ path, status: 0, answer: { kind: "other", text } }));
        throw error;
      }
    },
    async take() {
      const taken = exchanges;
      exchanges = [];
      return Promise.all(taken);
    },
  };
}

async function readExchange(path: string, response: Response): Promise<Exchange> {
  const { status } = response;
  // A broken stream keeps its data so far; the adapter reports that it was incomplete.
  const text = await response.text().catch(() => "");
  if (response.headers.get("content-type")?.includes("event-stream")) {
    return { path, status, answer: { kind: "stream", events: eventsOf(text) } };
  }
  const body = parse(text);
  return { path, status, answer: body === undefined ? { kind: "other", text } : { kind: "json", body } };
}

/** The data of each event. Data that is not JSON (`[DONE]`) stays text. All three APIs name the event inside its data. */
function eventsOf(text: string): readonly unknown[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).trim())
    .map((data) => parse(data) ?? data);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
