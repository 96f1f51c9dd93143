import { importLog, type Store } from "palimpsest";
import type { SessionMetadata } from "palimpsest/store-parts";
import { type ExportCounts, type ExportLine, fromEntryLine } from "./export-line.ts";

/** How an import ended. `refused`: a session with that id exists or is being written. */
export type TenantImport =
  /** `rows` were read and not written: they belong to tables that are not filled from outside. */
  | ({ readonly kind: "imported" } & ExportCounts)
  /** The lines before it were imported. */
  | { readonly kind: "damaged"; readonly line: number; readonly problem: string }
  /** The session is there, or somebody writes it. */
  | { readonly kind: "refused"; readonly session: string };

/** Fills a tenant with the lines of `exportTenant`. Only entries that their chain confirms are taken, and results that have their digest. */
export async function importTenant(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<TenantImport> {
  const counts = { sessions: 0, entries: 0, results: 0, rows: 0 };
  const source = readAhead(lines);
  const damaged = (problem: string): TenantImport => ({ kind: "damaged", line: source.line(), problem });
  const head = parse(await source.take());
  if (head?.kind !== "tenant" || head.format !== 1) return damaged("it does not begin as the export of a tenant");
  for (;;) {
    const next = parse(await source.take());
    switch (next?.kind) {
      case "session": {
        const result = await importSession(store, next, source);
        if (result.kind === "refused") return { kind: "refused", session: next.id };
        if (result.kind === "damaged") return damaged(`an entry of session ${next.id}: ${result.problem}`);
        counts.sessions++;
        counts.entries += result.entries;
        break;
      }
      case "result":
        if ((await importResult(store, next, source)) !== next.file)
          return damaged(`the result ${next.file} of session ${next.session} is not what was exported`);
        counts.results++;
        break;
      case "row":
        counts.rows++;
        break;
      case "end": {
        const { kind: _, ...exported } = next;
        const isWhole = Object.entries(exported).every(([name, count]) => counts[name as keyof ExportCounts] === count);
        return isWhole ? { kind: "imported", ...counts } : damaged("lines are missing");
      }
      default:
        return damaged(next === undefined ? "it was cut off" : `unexpected ${next.kind}`);
    }
  }
}

async function importSession(
  store: Store,
  { id, metadata }: ExportLine & { kind: "session" },
  source: LinesAhead,
): Promise<Awaited<ReturnType<typeof importLog>>> {
  const opened = await store.openWriter(id, { owner: "import of a tenant" });
  if (opened.kind === "busy") return { kind: "refused", because: { kind: "fenced", owner: opened.owner, fence: 0 } };
  try {
    const result = await importLog(opened.writer, source.while(fromEntryLine));
    if (metadata !== undefined) await store.setMetadata(id, metadata as SessionMetadata);
    return result;
  } finally {
    await opened.writer.close();
  }
}

/** Resolves to the name that follows from the content. */
async function importResult(
  store: Store,
  { session, file }: ExportLine & { kind: "result" },
  source: LinesAhead,
): Promise<string> {
  const draft = await store.results.create(session);
  const isPiece = (line: string): string | undefined => (line.startsWith('{"kind":"piece"') ? line : undefined);
  for await (const line of source.while(isPiece)) {
    const piece = parse(line);
    if (piece?.kind === "piece") await draft.write(Buffer.from(piece.base64, "base64"));
  }
  return (await draft.keep(file.endsWith(".json") ? "json" : "txt")).file;
}

interface LinesAhead {
  take(): Promise<string | undefined>;
  /** The lines from here on, for as long as they are read as something. */
  while(read: (line: string) => string | undefined): AsyncGenerator<string>;
  /** The number of the line that was taken last. */
  line(): number;
}

function readAhead(lines: AsyncIterable<string> | Iterable<string>): LinesAhead {
  const iterator =
    Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : (lines as Iterable<string>)[Symbol.iterator]();
  let held: string | undefined;
  let taken = 0;
  const peek = async (): Promise<string | undefined> => {
    if (held !== undefined) return held;
    const { done, value } = await iterator.next();
    held = done === true ? undefined : String(value);
    return held;
  };
  const take = async (): Promise<string | undefined> => {
    const line = await peek();
    held = undefined;
    if (line !== undefined) taken++;
    return line;
  };
  return {
    take,
    line: () => taken,
    async *while(read) {
      for (let line = await peek(); line !== undefined; line = await peek()) {
        const found = read(line);
        if (found === undefined) return;
        await take();
        yield found;
      }
    },
  };
}

function parse(line: string | undefined): ExportLine | undefined {
  try {
    return line === undefined ? undefined : (JSON.parse(line) as ExportLine);
  } catch {
    return undefined;
  }
}
