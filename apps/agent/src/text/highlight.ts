// Highlights code for the screen, one line at a time.
import { createRequire } from "node:module";
import type { StreamParser, StringStream } from "@codemirror/streamparser";
import type { Color, Line, Look, Span } from "./line.ts";

/** The state of the highlighter after the lines so far. It is immutable. */
export interface CodeState {
  readonly language: string;
  /** The parser's own state. @default the parser's state at the first line */
  readonly parsed?: unknown;
}

interface HighlightedLine {
  readonly line: Line;
  /** The state for the next line. */
  readonly state: CodeState;
}

/** Lines longer than this are treated as data and not highlighted. */
const LONGEST_CHARACTERS = 2_000;

/**
 * Colors one line of code. The state carries comments and strings that span several lines. The parser of a language is
 * loaded when the first line in that language is shown.
 */
export function highlight(text: string, state: CodeState): HighlightedLine {
  const { language } = state;
  if (language === "diff" || language === "patch") return { line: [{ text, ...diffLook(text) }], state };
  const parser = text.length > LONGEST_CHARACTERS ? undefined : parserOf(language);
  if (parser === undefined) return { line: text === "" ? [] : [{ text }], state };
  try {
    const parsed = copyState(parser, state.parsed);
    return { line: tokens(text, parser, parsed), state: { language, parsed } };
  } catch {
    // After a parser fails on a line, its state is useless for the next lines.
    return { line: text === "" ? [] : [{ text }], state: { language: "" } };
  }
}

type Parser = StreamParser<unknown>;

function parserOf(language: string): Parser | undefined {
  const word = language.toLowerCase();
  const found = PARSERS[LANGUAGES[word] ?? word];
  if (found === undefined) return undefined;
  return (load(`@codemirror/legacy-modes/mode/${found[0]}`) as Readonly<Record<string, Parser>>)[found[1]];
}

/** The file and the export name of each language's parser in @codemirror/legacy-modes. */
const PARSERS: Readonly<Record<string, readonly [file: string, name: string]>> = {
  c: ["clike", "c"],
  cpp: ["clike", "cpp"],
  csharp: ["clike", "csharp"],
  clojure: ["clojure", "clojure"],
  css: ["css", "css"],
  dart: ["clike", "dart"],
  dockerfile: ["dockerfile", "dockerFile"],
  elm: ["elm", "elm"],
  erlang: ["erlang", "erlang"],
  go: ["go", "go"],
  haskell: ["haskell", "haskell"],
  html: ["xml", "html"],
  java: ["clike", "java"],
  javascript: ["javascript", "javascript"],
  json: ["javascript", "json"],
  julia: ["julia", "julia"],
  kotlin: ["clike", "kotlin"],
  less: ["css", "less"],
  lua: ["lua", "lua"],
  perl: ["perl", "perl"],
  powershell: ["powershell", "powerShell"],
  properties: ["properties", "properties"],
  protobuf: ["protobuf", "protobuf"],
  python: ["python", "python"],
  r: ["r", "r"],
  ruby: ["ruby", "ruby"],
  rust: ["rust", "rust"],
  scala: ["clike", "scala"],
  scss: ["css", "sCSS"],
  shell: ["shell", "shell"],
  sql: ["sql", "standardSQL"],
  swift: ["swift", "swift"],
  toml: ["toml", "toml"],
  typescript: ["javascript", "typescript"],
  xml: ["xml", "xml"],
  yaml: ["yaml", "yaml"],
};
/** Other language names that people write after a code fence. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  clojure: "clj",
  cpp: "c++ cc h hpp",
  csharp: "c# cs",
  dockerfile: "docker",
  go: "golang",
  haskell: "hs",
  html: "htm vue",
  javascript: "js jsx mjs cjs",
  json: "json5 jsonc jsonl",
  kotlin: "kt",
  perl: "pl",
  powershell: "ps1",
  properties: "ini env",
  protobuf: "proto",
  python: "py",
  ruby: "rb",
  rust: "rs",
  shell: "bash sh zsh fish console shellscript",
  typescript: "ts tsx mts cts",
  xml: "svg",
  yaml: "yml",
};
const LANGUAGES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(OTHER_NAMES).flatMap(([language, names]) => names.split(" ").map((name) => [name, language])),
);
const load = createRequire(import.meta.url);

function copyState(parser: Parser, before: unknown): unknown {
  if (before === undefined) return parser.startState?.(TAB_COLUMNS) ?? {};
  return parser.copyState?.(before) ?? shallowCopy(before as Readonly<Record<string, unknown>>);
}

const TAB_COLUMNS = 4;

/**
 * Copies a parser's state, including its arrays, one level deep. This is the interface's default for parsers without
 * `copyState`.
 */
function shallowCopy(state: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [name, Array.isArray(value) ? [...(value as unknown[])] : value]),
  );
}

/** Limits the tokens without any character. A parser may change its state without reading a character. */
const MOST_EMPTY_TOKENS = 100;

/** Colors by the first word of a token's name. */
const COLORS: Readonly<Record<string, Color>> = {
  comment: "quiet",
  meta: "quiet",
  keyword: "keyword",
  controlKeyword: "keyword",
  definitionKeyword: "keyword",
  modifier: "keyword",
  moduleKeyword: "keyword",
  operatorKeyword: "keyword",
  self: "keyword",
  tagName: "keyword",
  string: "string",
  character: "string",
  number: "code",
  bool: "code",
  atom: "code",
  null: "code",
  attributeName: "code",
  typeName: "tool",
  className: "tool",
};

/** Splits a line into tokens, and changes the parser's state. */
function tokens(text: string, parser: Parser, parsed: unknown): Line {
  const { StringStream: Stream } = load("@codemirror/streamparser") as { readonly StringStream: typeof StringStream };
  if (text === "") {
    parser.blankLine?.(parsed, TAB_COLUMNS);
    return [];
  }
  const stream = new Stream(text, TAB_COLUMNS, TAB_COLUMNS);
  const spans: Span[] = [];
  let empty = 0;
  while (!stream.eol()) {
    const from = stream.pos;
    stream.start = from;
    const name = parser.token(stream, parsed);
    if (stream.pos === from) {
      empty++;
      if (empty > MOST_EMPTY_TOKENS) throw new Error(`The parser makes no progress in ${JSON.stringify(text)}.`);
      continue;
    }
    const [word = ""] = (name ?? "").split(/[ .]/);
    const color = COLORS[word];
    spans.push({ text: text.slice(from, stream.pos), color });
  }
  return mergeSpans(spans);
}

/** Merges neighboring spans with the same color. */
function mergeSpans(spans: readonly Span[]): Line {
  const line: Span[] = [];
  for (const span of spans) {
    const last = line.at(-1);
    if (last !== undefined && last.color === span.color)
      line[line.length - 1] = { ...last, text: last.text + span.text };
    else line.push(span);
  }
  return line;
}

function diffLook(line: string): Look {
  if (line.startsWith("+")) return { color: "good" };
  if (line.startsWith("-")) return { color: "bad" };
  return line.startsWith("@@") ? { color: "tool" } : {};
}
