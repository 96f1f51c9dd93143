/** One line of the export of a tenant. Lines of a session follow it, and pieces follow their result. */
export type ExportLine =
  | { readonly kind: "tenant"; readonly format: 1; readonly tenant: string; readonly atMs: number }
  | { readonly kind: "session"; readonly id: string; readonly metadata?: unknown }
  /** In the form of `exportLog`. */
  | { readonly kind: "entry"; readonly entry: unknown }
  | { readonly kind: "result"; readonly session: string; readonly file: string; readonly bytes: number }
  | { readonly kind: "piece"; readonly base64: string }
  /** A row of any other table, as PostgreSQL writes it as JSON. */
  | { readonly kind: "row"; readonly table: string; readonly row: unknown }
  /** Without it, the export was cut off. */
  | ({ readonly kind: "end" } & ExportCounts);

/** How much an export holds. */
export interface ExportCounts {
  readonly sessions: number;
  readonly entries: number;
  readonly results: number;
  readonly rows: number;
}

const ENTRY_START = '{"kind":"entry","entry":';

/** The entry keeps the bytes of its line: its payload has a digest. */
export function toEntryLine(line: string): string {
  return `${ENTRY_START}${line}}`;
}

/** The line of the entry; undefined if this is none. */
export function fromEntryLine(line: string): string | undefined {
  return line.startsWith(ENTRY_START) ? line.slice(ENTRY_START.length, -1) : undefined;
}
