/**
 * The frontmatter of a topic's file: `key: value` lines between two lines of dashes. The reader understands plain and
 * quoted values, values over several lines, and lists. Everything else is kept byte for byte: other programs' fields,
 * comments, quotes and line endings. A full YAML library would rewrite them in its own style.
 */
export interface Frontmatter {
  /** Values by key. A list is included only if it is on one line. */
  readonly values: ReadonlyMap<string, string>;
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** The text below, without the blank lines around it. */
  readonly body: string;
}

/** Undefined removes a field. */
export type FieldChanges = Readonly<Record<string, string | readonly string[] | undefined>>;

interface Parts {
  readonly opening: string;
  /** A field with its lines, each with its line ending. Lines before the first field have no key. */
  readonly fields: readonly { readonly key: string | undefined; readonly lines: readonly string[] }[];
  readonly closing: string;
  readonly rest: string;
}

const DASHES = /^\uFEFF?---[ \t]*\r?\n$/;
const CLOSING_DASHES = /^---[ \t]*(?:\r?\n)?$/;
const FIELD = /^([A-Za-z][\w-]*):(?=[ \t\r\n]|$)/;
const ITEM = /^[ \t]*-[ \t]+/;
/** Text that every YAML reader takes literally. All other text is quoted. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)\p{L}(?:[\p{L}\p{N} ,.;()/_'&+-]*[\p{L}\p{N}.;()/_'&+-])?$/iu;
const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Reads the head of a memory file: its fields, its lists, and the text below. */
export function readFrontmatter(text: string): Frontmatter {
  const { fields, rest } = split(text);
  const values = new Map<string, string>();
  const lists = new Map<string, readonly string[]>();
  for (const { key, lines } of fields) {
    if (key === undefined || values.has(key) || lists.has(key)) continue;
    const list = readList(lines);
    if (list === undefined) values.set(key, readValue(lines));
    else lists.set(key, list);
  }
  return { values, lists, body: trimBlankLines(rest) };
}

/** Returns the text with changed fields and perhaps another body. Unchanged values keep their notation. */
export function changeFrontmatter(text: string, changes: FieldChanges, body?: string): string {
  const { opening, fields, closing, rest } = split(text);
  const ending = opening.endsWith("\r\n") || (opening === "" && /^[^\n]*\r\n/.test(text)) ? "\r\n" : "\n";
  const now = readFrontmatter(text);
  const wanted = Object.entries(changes).filter(([key, value]) => !isSaid(now, key, value));
  const changed = new Map(wanted);
  const known = new Set(fields.map(({ key }) => key));
  const kept = fields.flatMap(({ key, lines }) => {
    if (key === undefined || !changed.has(key)) return lines;
    const value = changed.get(key);
    changed.set(key, undefined);
    return value === undefined ? [] : fieldLines(key, value, ending);
  });
  const added = wanted.flatMap(([key, value]) =>
    known.has(key) || value === undefined ? [] : fieldLines(key, value, ending),
  );
  const below = body === undefined || body === now.body ? rest : `${ending}${withEnding(body, ending)}${ending}`;
  if (opening !== "") return [opening, ...kept, ...added, closing, ...gap(closing, below, ending), below].join("");
  // A byte order mark at the start belongs to the file; elsewhere it is a character of the text.
  const [mark, unmarked] = below.startsWith("\uFEFF") ? ["\uFEFF", below.slice(1)] : ["", below];
  if (added.length === 0) return below;
  const lead = unmarked === "" || /^\r?\n/.test(unmarked) ? "" : ending;
  return [mark, `---${ending}`, ...added, `---${ending}`, lead, unmarked].join("");
}

/** Closing dashes at the very end of a file have no line ending yet. */
function gap(closing: string, below: string, ending: string): string[] {
  return below !== "" && !closing.endsWith("\n") ? [ending] : [];
}

function split(text: string): Parts {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const none = { opening: "", fields: [], closing: "", rest: text };
  if (!DASHES.test(lines[0] ?? "")) return none;
  const end = lines.findIndex((line, at) => at > 0 && CLOSING_DASHES.test(line));
  if (end < 0) return none;
  const fields: { key: string | undefined; lines: string[] }[] = [];
  for (const line of lines.slice(1, end)) {
    const key = FIELD.exec(line)?.[1];
    if (key !== undefined || fields.length === 0) fields.push({ key, lines: [line] });
    else fields.at(-1)!.lines.push(line);
  }
  return { opening: lines[0]!, fields, closing: lines[end]!, rest: lines.slice(end + 1).join("") };
}

function isSaid({ values, lists }: Frontmatter, key: string, value: FieldChanges[string]): boolean {
  if (value === undefined) return !values.has(key) && !lists.has(key);
  if (typeof value === "string") return values.get(key) === value;
  const list = lists.get(key);
  return list !== undefined && list.length === value.length && list.every((item, at) => item === value[at]);
}

function fieldLines(key: string, value: string | readonly string[], ending: string): string[] {
  if (typeof value === "string") return [`${key}: ${scalar(value)}${ending}`];
  return [`${key}:${ending}`, ...value.map((item) => `  - ${item.startsWith("{") ? item : scalar(item)}${ending}`)];
}

function scalar(value: string): string {
  return PLAIN.test(value) || DATE.test(value) ? value : JSON.stringify(value);
}

function readValue([first = "", ...more]: readonly string[]): string {
  const head = first.slice(first.indexOf(":") + 1).trim();
  const rest = more.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  if (/^[|>][-+0-9]*$/.test(head)) return rest.join(head.startsWith("|") ? "\n" : " ");
  return readScalar([head, ...rest].join(" ").trim());
}

function readList([first = "", ...more]: readonly string[]): readonly string[] | undefined {
  const head = first.slice(first.indexOf(":") + 1).trim();
  if (head !== "" || !more.some((line) => ITEM.test(line))) return undefined;
  return more.filter((line) => ITEM.test(line)).map((line) => readScalar(line.replace(ITEM, "").trim()));
}

function readScalar(written: string): string {
  if (written.startsWith('"')) {
    const quoted = /^"(?:[^"\\]|\\.)*"/.exec(written)?.[0];
    if (quoted !== undefined) return unescaped(quoted);
  }
  if (written.startsWith("'")) {
    const quoted = /^'((?:[^']|'')*)'/.exec(written)?.[1];
    if (quoted !== undefined) return quoted.replaceAll("''", "'");
  }
  return written.startsWith("{") ? written : withoutComment(written);
}

function withoutComment(written: string): string {
  const start = written.search(/[ \t]#/);
  return (start === -1 ? written : written.slice(0, start)).trimEnd();
}

/** YAML has more escapes than JSON. A text with one of those is taken literally. */
function unescaped(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

function trimBlankLines(text: string): string {
  return text
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

function withEnding(body: string, ending: string): string {
  return ending === "\n" ? body : body.replaceAll("\n", ending);
}
