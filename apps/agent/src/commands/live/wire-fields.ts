/** The shape of an answer, independent of the model's text: the path of each field, and its type. */
export type Fields = Readonly<Record<string, string>>;

/** The field that tells whether a request was accepted. */
export const STATUS = "HTTP status";

/** Fields whose values belong to the protocol, not to the model. */
const PROTOCOL_WORDS = new Set(["type", "object", "role", "status", "stop_reason", "finish_reason", "code", "param"]);
/** Fields whose contents come from the caller or the model. */
const CLOSED = new Set(["input", "arguments", "metadata", "parameters", "input_schema"]);

/** Merges the fields of several answers. A field with several types keeps all types. */
export function wireFields(exchanges: readonly Exchange[]): Fields {
  const found = new Map<string, Set<string>>();
  const note = (path: string, value: string): void => {
    const values = found.get(path) ?? new Set();
    found.set(path, values.add(value));
  };
  for (const { status, answer } of exchanges) {
    note(STATUS, String(status));
    if (answer.kind === "json") walk(answer.body, "", note);
    if (answer.kind === "stream") {
      for (const event of answer.events) if (!isFiller(event)) walk(event, nameOf(event), note);
    }
  }
  return Object.fromEntries([...found].map(([path, values]) => [path, [...values].toSorted().join(" or ")]));
}

/**
 * Lists the events of a stream in order. Repeated events count once, because services split texts differently each
 * time.
 */
export function eventOrder(exchanges: readonly Exchange[]): string {
  const names = exchanges.flatMap(({ answer }) =>
    answer.kind === "stream" ? answer.events.filter((event) => !isFiller(event)).map(orderName) : ["(no stream)"],
  );
  return names.filter((name, index) => name !== names[index - 1]).join(", ");
}

function walk(value: unknown, path: string, note: (path: string, value: string) => void): void {
  const key = /[^.[\]]*(?=(\[\])*$)/.exec(path)?.[0] ?? "";
  if (Array.isArray(value)) {
    if (value.length === 0) note(path, "empty list");
    for (const element of value) walk(element, `${path}[]`, note);
  } else if (typeof value === "object" && value !== null && !CLOSED.has(key)) {
    if (path !== "" && Object.keys(value).length === 0) note(path, "empty object");
    for (const [name, member] of Object.entries(value)) walk(member, path === "" ? name : `${path}.${name}`, note);
  } else {
    note(path, sortOf(key, value));
  }
}

function sortOf(key: string, value: unknown): string {
  if (typeof value !== "string") return value === null ? "null" : typeof value;
  if (PROTOCOL_WORDS.has(key)) return JSON.stringify(value);
  // Programs read the text of an error, but its numbers and ids differ each time.
  if (key === "message")
    return JSON.stringify(value.replaceAll(/\b[a-z]+_[A-Za-z0-9]{8,}\b/g, "ID").replaceAll(/\d[\d,._]*/g, "N"));
  return "text";
}

/** Whether an event only keeps the connection open. Such events may come at any time. */
function isFiller(event: unknown): boolean {
  return nameOf(event) === "ping" || nameOf(event) === "keepalive";
}

function nameOf(event: unknown): string {
  const { type, object } = fieldsOf(event);
  return typeof type === "string" ? type : typeof object === "string" ? object : String(event);
}

/** The event's name, and its subject: text, tool call, thinking or usage. */
function orderName(event: unknown): string {
  const { delta, content_block, item, part, choices, usage } = fieldsOf(event);
  const inner = [content_block, delta, item, part].map((each) => fieldsOf(each)["type"]);
  const sort = inner.find((type) => typeof type === "string");
  if (sort !== undefined) return `${nameOf(event)} (${sort})`;
  if (!Array.isArray(choices)) return nameOf(event);
  const { delta: chunkDelta, finish_reason } = fieldsOf(choices[0]);
  const parts = Object.entries(fieldsOf(chunkDelta)).filter(([, value]) => value !== null && value !== "");
  const names = [...parts.map(([name]) => name).filter((name) => name !== "role"), ...(finish_reason ? ["end"] : [])];
  return `chunk (${[...names, ...(usage ? ["usage"] : [])].join(", ")})`;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** The response of one network call. The request is left out, because it may contain secrets. */
export interface Exchange {
  readonly path: string;
  /** The HTTP status, or 0 without an answer. */
  readonly status: number;
  readonly answer:
    | { readonly kind: "json"; readonly body: unknown }
    | { readonly kind: "stream"; readonly events: readonly unknown[] }
    | { readonly kind: "other"; readonly text: string };
}

interface WireTap {
  readonly fetch: typeof globalThis.fetch;
  /** Takes the exchanges since the last call, in order, after all have arrived. */
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
      const pending = exchanges;
      exchanges = [];
      return Promise.all(pending);
    },
  };
}

async function readExchange(path: string, response: Response): Promise<Exchange> {
  const { status } = response;
  // A broken stream keeps its data so far. The adapter reports that the stream was incomplete.
  const text = await response.text().catch(() => "");
  if (response.headers.get("content-type")?.includes("event-stream")) {
    return { path, status, answer: { kind: "stream", events: eventsOf(text) } };
  }
  const body = parse(text);
  return { path, status, answer: body === undefined ? { kind: "other", text } : { kind: "json", body } };
}

/**
 * Parses the data of each event. Data that is not JSON (`[DONE]`) stays text. All three APIs name the event inside its
 * data.
 */
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
