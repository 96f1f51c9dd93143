import { createHash } from "node:crypto";
import { asString } from "palimpsest/schema";
import { elementsOf, type Member, memberOf, membersOf, parseRange, type Range, skipSpace } from "./scan-json.ts";
import { API_FIELDS, isNonce, type WireApi } from "./wire-apis.ts";
import { withoutMarks } from "./without-marks.ts";

/** The parts of a request before its messages, each as a digest. */
export interface HeadDigests {
  readonly system: string;
  readonly tools: string;
  /** Other fields that a prompt cache depends on. */
  readonly parameters: string;
}

/** One message or item of a request. */
export interface WireItem extends Range {
  /** Of its bytes without cache marks. */
  readonly digest: string;
}

/** A request as far as recognition, the ledger and the log need it. Ranges point into its body. */
export interface WireRequest {
  readonly api: WireApi;
  readonly model?: string;
  readonly head: HeadDigests;
  readonly items: readonly WireItem[];
  /** The key of the cache, if it names one conversation: a UUID. Any other key may be that of a whole application. */
  readonly cacheKey?: string;
  /** The response that the service continues, where the service keeps the conversation. */
  readonly previousResponse?: string;
}

/** Reads the body of a request. Undefined: the body is not what the API takes, and nothing is said of it. */
export function readRequest(api: WireApi, body: Buffer): WireRequest | undefined {
  const members = membersOf(body, skipSpace(body, 0));
  const fields = API_FIELDS[api];
  const list = members && memberOf(members, fields.items);
  if (members === undefined || list === undefined) return undefined;
  const items = readItems(body, list);
  if (items === undefined) return undefined;
  const text = (key: string): string | undefined => {
    const member = memberOf(members, key);
    return member && asString(parseRange(body, member));
  };
  const [model, cacheKey, previousResponse] = [text("model"), text("prompt_cache_key"), text("previous_response_id")];
  return {
    api,
    head: readHead(body, members, fields),
    items,
    model,
    ...(cacheKey === undefined || !UUID.test(cacheKey) ? {} : { cacheKey }),
    previousResponse,
  };
}

/** A text alone is a conversation of one message. */
function readItems(body: Buffer, list: Range): readonly WireItem[] | undefined {
  const ranges = body[list.start] === QUOTE ? [{ start: list.start, end: list.end }] : elementsOf(body, list.start);
  return ranges?.map((range) => ({ start: range.start, end: range.end, digest: digestItem(body, range) }));
}

const QUOTE = 0x22;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function readHead(
  body: Buffer,
  members: readonly Member[],
  { system, parameters }: (typeof API_FIELDS)[WireApi],
): HeadDigests {
  const digest = (keys: readonly string[]): string => {
    const hash = createHash("sha256");
    for (const key of keys) {
      const member = memberOf(members, key);
      if (member === undefined) continue;
      hash.update(`${key}:`);
      for (const range of key === system ? lasting(body, member) : [member]) update(hash, body, range);
    }
    return hash.digest("base64url");
  };
  return { system: digest([system]), tools: digest(["tools"]), parameters: digest(parameters) };
}

/** The blocks of a system prompt without those that are different in each request. */
function lasting(body: Buffer, system: Range): readonly Range[] {
  const blocks = elementsOf(body, system.start);
  if (blocks === undefined) return [system];
  return blocks.filter((block, index) => index > 0 || !isNonce(body.toString("utf8", block.start, block.end)));
}

/**
 * Two forms of a message are the same to the service, and clients change between them when they move a mark: a text, and a list of
 * one block with it. Both have the digest of the list.
 */
function digestItem(body: Buffer, range: Range): string {
  const hash = createHash("sha256");
  const content = memberOf(membersOf(body, range.start) ?? [], "content");
  if (content === undefined || body[content.start] !== QUOTE) update(hash, body, range);
  else {
    update(hash, body, { start: range.start, end: content.start });
    hash.update('[{"type":"text","text":').update(body.subarray(content.start, content.end)).update("}]");
    update(hash, body, { start: content.end, end: range.end });
  }
  return hash.digest("base64url");
}

function update(hash: ReturnType<typeof createHash>, body: Buffer, range: Range): void {
  for (const { start, end } of withoutMarks(body, range)) hash.update(body.subarray(start, end));
}
