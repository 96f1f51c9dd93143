import type { Headroom, MemoryLimits } from "./limits.ts";
import { isSlug } from "./slug.ts";
import { TOPIC_TYPES, type TopicSummary } from "./topic.ts";
import { oneLine } from "./topic-text.ts";

export type IndexedTopic = Pick<TopicSummary, "slug" | "name" | "description" | "type">;
type LineLimits = Pick<MemoryLimits, "lineCharacters">;
type IndexLimits = Pick<MemoryLimits, "indexLines" | "indexBytes">;

/** A list item that begins with a link to a topic's file. Behind ours stands a colon, or nothing. */
const TOPIC_LINE = /^[ \t]*[-*+] \[(?:\\.|[^\]\\])*\]\(([a-z0-9_-]{1,64})\.md\)(: .*)?(.*)$/;
/** Of a description that follows a very long name. */
const FEWEST_CHARACTERS = 20;

/**
 * The index over the topics that there are. Lines of ours are written anew, each where it stands; lines that someone else
 * wrote stay, and one of those that links to a topic is that topic's line. A new line goes behind its like: by type, then slug.
 *
 * @param gone topics that were there once: lines that still link to them go
 */
export function updateIndex(
  text: string,
  topics: readonly IndexedTopic[],
  gone: ReadonlySet<string>,
  limits: LineLimits,
): string {
  const all = new Map(topics.map((topic) => [topic.slug, topic]));
  const missing = new Map(all);
  const ending = /^[^\n]*\r\n/.test(text) ? "\r\n" : "\n";
  const lines: IndexLine[] = [];
  for (const written of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const [line = "", lineEnding = ""] = written.split(/(\r?\n)$/);
    const { slug, kind } = readLine(line);
    const topic = slug === undefined ? undefined : all.get(slug);
    if (slug === undefined) lines.push({ written });
    else if (topic === undefined) {
      if (kind === "foreign" && !gone.has(slug)) lines.push({ written });
    } else if (missing.delete(slug)) {
      lines.push({ written: kind === "own" ? indexLine(topic, limits) + lineEnding : written, topic });
    } else if (kind === "foreign") lines.push({ written });
  }
  const added = Map.groupBy([...missing.values()].toSorted(compareTopics), (topic) => placeOf(topic, lines));
  const insert = (at: number): string[] => (added.get(at) ?? []).map((topic) => indexLine(topic, limits) + ending);
  const placed = lines.flatMap(({ written }, at) => [...insert(at), written]);
  const behind = insert(lines.length);
  const unended = behind.length > 0 && placed.length > 0 && !placed.at(-1)!.endsWith("\n");
  return [...placed, unended ? ending : "", ...behind].join("");
}

/** Before which line a new one goes. */
function placeOf(topic: IndexedTopic, lines: readonly IndexLine[]): number {
  const before = lines.findLastIndex((line) => line.topic !== undefined && compareTopics(line.topic, topic) < 0);
  if (before >= 0) return before + 1;
  const first = lines.findIndex((line) => line.topic !== undefined);
  return first >= 0 ? first : lines.length;
}

interface IndexLine {
  /** With its ending. */
  readonly written: string;
  readonly topic?: IndexedTopic;
}

export function indexLine({ slug, name, description }: IndexedTopic, { lineCharacters }: LineLimits): string {
  const link = `- [${oneLine(name).replaceAll(/[[\]\\]/g, "\\$&")}](${slug}.md)`;
  const said = [...oneLine(description)];
  if (said.length === 0) return link;
  const room = Math.max(FEWEST_CHARACTERS, lineCharacters - [...link].length - 2);
  return `${link}: ${
    said.length <= room
      ? said.join("")
      : `${said
          .slice(0, room - 1)
          .join("")
          .trimEnd()}…`
  }`;
}

/** The slugs that the index leads to, each once. */
export function indexedSlugs(text: string): string[] {
  return [...new Set(linesOf(text).flatMap((line) => readLine(line).slug ?? []))];
}

/** What the model is shown of the index: whole lines up to a limit, and a line that says what is left out. */
export function headOf(index: Uint8Array, limits: IndexLimits): string | undefined {
  const bytes = Buffer.from(index.buffer, index.byteOffset, index.byteLength);
  const lineCount = countLines(bytes);
  if (lineCount <= limits.indexLines && bytes.length <= limits.indexBytes) {
    const text = bytes.toString();
    return text.trim() === "" ? undefined : text;
  }
  // An index may be long; what is shown of it is not.
  const shown: string[] = [];
  let shownBytes = 0;
  for (const line of linesOf(bytes.subarray(0, limits.indexBytes + 1).toString()).slice(0, limits.indexLines)) {
    const lineBytes = Buffer.byteLength(line) + 1;
    if (shownBytes + lineBytes > limits.indexBytes) break;
    shown.push(line);
    shownBytes += lineBytes;
  }
  const left =
    `(The index is cut here: ${shown.length} of its ${lineCount} lines are shown, ${shownBytes} of ${bytes.length} bytes; ` +
    `at most ${limits.indexLines} lines and ${limits.indexBytes} bytes are. The rest can be searched, and should be shortened.)`;
  return [...shown, left, ""].join("\n");
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return bytes.length > 0 && bytes.at(-1) !== 10 ? count + 1 : count;
}

/** What is free; negative where hand-written lines have gone beyond. */
export function headroomOf(text: string, limits: IndexLimits): Headroom {
  return { lines: limits.indexLines - linesOf(text).length, bytes: limits.indexBytes - Buffer.byteLength(text) };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function readLine(line: string): { slug?: string; kind?: "own" | "foreign" } {
  const [, slug, , tail] = TOPIC_LINE.exec(line) ?? [];
  if (slug === undefined || !isSlug(slug)) return {};
  return { slug, kind: tail?.trim() === "" ? "own" : "foreign" };
}

function compareTopics(one: IndexedTopic, other: IndexedTopic): number {
  const order = TOPIC_TYPES.indexOf(one.type) - TOPIC_TYPES.indexOf(other.type);
  return order !== 0 ? order : one.slug < other.slug ? -1 : one.slug > other.slug ? 1 : 0;
}
