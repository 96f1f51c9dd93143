import { asString, present } from "palimpsest/schema";
import { asTimeMs } from "./as-time-ms.ts";
import type { Lineage } from "./create-lineage.ts";
import { createOwner } from "./create-owner.ts";
import type { TranscriptLines } from "./read-lines.ts";
import { readRecords, type TranscriptRecord } from "./read-records.ts";
import type { RecordedAgent, RecordedDamage, RecordedPosition, RecordedSession } from "./recorded.ts";

export interface PlacedRecord {
  readonly kind: "placed";
  readonly record: TranscriptRecord;
  readonly position: RecordedPosition;
}

/**
 * Reads the envelope that Claude Code puts around its records, and that Qwen Code adopted: `uuid`, `parentUuid`,
 * `sessionId`, `timestamp`. The session comes before the first record that names it. A resumed or synchronized file may
 * repeat whole runs of lines; each record is returned once.
 */
export async function* readPlacedRecords(
  lines: TranscriptLines,
  { agent, lineage }: { readonly agent: RecordedAgent; readonly lineage: Lineage },
): AsyncGenerator<PlacedRecord | RecordedSession | RecordedDamage> {
  const owner = createOwner();
  const seen = new Set<string>();
  let hasSession = false;
  let atMs = 0;
  for await (const record of readRecords(lines)) {
    if (record.kind === "damage") {
      yield record;
      continue;
    }
    const { fields, index } = record;
    atMs = asTimeMs(fields["timestamp"]) ?? atMs;
    if (!hasSession && typeof fields["uuid"] === "string" && typeof fields["sessionId"] === "string") {
      hasSession = true;
      const about = present({ version: asString(fields["version"]), cwd: asString(fields["cwd"]) });
      yield { kind: "session", agent, startedAtMs: atMs, ...owner.begin(fields), ...about };
    }
    const id = asString(fields["uuid"]) ?? `entry-${index}`;
    if (seen.has(id)) continue;
    seen.add(id);
    const parentId = lineage.resolve(asString(fields["parentUuid"]) ?? asString(fields["logicalParentUuid"]));
    const position: RecordedPosition = { id, parentId, branch: owner.branchOf(fields), atMs };
    yield { kind: "placed", record, position };
  }
}
