/** Prints the decisions in the logs of a folder as JSON, oldest first, as a reader of the packed library finds them. */
import { eachSession, readEntries } from "palimpsest/inspect";
import { sqliteStore } from "palimpsest/sqlite";

/** An entry in which a session decided what the model sees. */
export interface DecidedEntry {
  readonly sequence: number;
  readonly layer: "clear" | "compact";
  /** How a compaction got its summary. Undefined for a clearing. */
  readonly way: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

console.log(JSON.stringify(await readDecisions(process.argv[2]!)));

async function readDecisions(folder: string): Promise<readonly DecidedEntry[]> {
  const store = sqliteStore({ folder });
  const decided: DecidedEntry[] = [];
  for await (const { id } of eachSession(store)) {
    const reader = await store.openReader(id);
    if (reader === undefined) continue;
    const { sequence: newest } = await reader.head();
    for await (const { sequence, kind, payload } of readEntries(reader, 1, newest)) {
      // The log of a fork begins with this entry. Its decisions are not those of the session.
      if (sequence === 1 && kind === "fork") break;
      const fields = payload === undefined ? {} : (JSON.parse(payload) as Fields);
      const layer = layerOf(kind, fields);
      if (layer !== undefined) decided.push({ sequence, layer, way: wayOf(fields) });
    }
    await reader.close();
  }
  return decided;
}

/** Which layer wrote an entry. */
function layerOf(kind: string, fields: Fields): DecidedEntry["layer"] | undefined {
  if (kind === "boundary") return "compact";
  if (kind === "replace") return "clear";
  if (kind !== "decision") return undefined;
  return fields["action"] === "clear" ? "clear" : undefined;
}

function wayOf({ compaction }: Fields): string | undefined {
  const { summary } = (compaction ?? {}) as Fields;
  const { way } = (summary ?? {}) as Fields;
  return typeof way === "string" ? way : undefined;
}
