import { RECORDED_AGENTS, type RecordedBlock, type RecordedEntry, type RecordedKept } from "@palimpsest/observe";
import fc from "fast-check";

/** What a recorded session may hold, in any order. */
type Beat =
  | { readonly is: "user" | "agent"; readonly text: string }
  | { readonly is: "model"; readonly blocks: readonly RecordedBlock[]; readonly branch: "main" | "sidechain" }
  | { readonly is: "results"; readonly picks: readonly number[]; readonly content: string; readonly ok: boolean }
  | { readonly is: "compaction"; readonly kept: RecordedKept["kind"]; readonly back: number; readonly summary: string }
  | { readonly is: "clearing" }
  | { readonly is: "damage" };

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("", " ", "\ud800", "Lorem ".repeat(300), "</marked-data>"),
);
const callId = fc.constantFrom("a", "b", "call.with.dots", "");
const block: fc.Arbitrary<RecordedBlock> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), text }),
  fc.record({ kind: fc.constant("thinking" as const), text, signature: fc.constantFrom("", "sig") }),
  fc.record({
    kind: fc.constant("tool_call" as const),
    callId,
    name: fc.constantFrom("look", "read", "", "my tool!"),
    input: fc.jsonValue({ maxDepth: 1 }),
  }),
  fc.constant<RecordedBlock>({ kind: "image", mediaType: "image/png", sizeBytes: 68 }),
  fc.constant<RecordedBlock>({ kind: "opaque", type: "odd", value: { type: "odd" } }),
);
const beat: fc.Arbitrary<Beat> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ is: fc.constantFrom("user" as const, "user" as const, "agent" as const), text }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant("model" as const),
      blocks: fc.array(block, { maxLength: 4 }),
      branch: fc.constantFrom("main" as const, "main" as const, "main" as const, "sidechain" as const),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constant("results" as const),
      picks: fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }),
      content: text,
      ok: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant("compaction" as const),
      kept: fc.constantFrom("nothing" as const, "range" as const, "listed" as const, "unrecorded" as const),
      back: fc.nat(6),
      summary: text,
    }),
  },
  { weight: 1, arbitrary: fc.constant<Beat>({ is: "clearing" }) },
  { weight: 1, arbitrary: fc.constant<Beat>({ is: "damage" }) },
);

/** Sessions as the readers of transcripts give them: calls without results, results twice, compactions that keep anything. */
export const recordedSessions: fc.Arbitrary<RecordedEntry[]> = fc
  .tuple(fc.constantFrom(...RECORDED_AGENTS), fc.array(beat, { minLength: 1, maxLength: 20 }))
  .map(([agent, beats]) => [{ kind: "session", agent, id: "there", startedAtMs: 0 }, ...toEntries(beats)]);

function toEntries(beats: readonly Beat[]): RecordedEntry[] {
  const ids: string[] = [];
  const calls: string[] = [];
  return beats.flatMap(toEntry);

  function toEntry(one: Beat, at: number): RecordedEntry[] {
    const id = `m${at}`;
    const parentId = ids.at(-1);
    const place = { id, ...(parentId === undefined ? {} : { parentId }), branch: "main", atMs: 1_000 * at } as const;
    if (one.is !== "damage" && !(one.is === "model" && one.branch === "sidechain")) ids.push(id);
    switch (one.is) {
      case "user":
      case "agent": {
        const origin = one.is === "user" ? "human" : "agent";
        return [{ kind: "message", ...place, role: "user", origin, blocks: [{ kind: "text", text: one.text }] }];
      }
      case "model": {
        const { blocks, branch } = one;
        const responseId = `r${at}`;
        calls.push(...blocks.flatMap((block) => (block.kind === "tool_call" ? [block.callId] : [])));
        const said = {
          kind: "message",
          ...place,
          branch,
          role: "assistant",
          origin: "model",
          blocks,
          responseId,
        } as const;
        const model = "claude-opus-5-5";
        const spent = { freshTokens: 10, cacheReadTokens: 100, cacheWriteTokens: 5, outputTokens: 20 };
        return [
          { ...said, model },
          { kind: "usage", responseId, branch, atMs: place.atMs, model, ...spent, outputCount: "final" },
        ];
      }
      case "results": {
        const status = one.ok ? "ok" : "error";
        const blocks = one.picks.map((pick) => {
          return {
            kind: "tool_result",
            callId: calls.at(-1 - pick) ?? "unknown",
            content: one.content,
            status,
          } as const;
        });
        return [{ kind: "message", ...place, role: "user", origin: "tool", blocks }];
      }
      case "compaction": {
        const first = ids.at(-2 - one.back) ?? ids[0]!;
        const blocks = [{ kind: "text", text: one.summary }] as const;
        const summary = {
          ...place,
          id: `${id}-summary`,
          parentId: id,
          role: "user",
          origin: "summary",
          blocks,
        } as const;
        ids.push(summary.id);
        return [
          { kind: "compaction", ...place, trigger: "auto", kept: toKept(one.kept, first) },
          { kind: "message", ...summary },
        ];
      }
      case "clearing":
        return [{ kind: "microcompaction", ...place, clearedCallIds: calls.slice(0, 2) }];
      case "damage":
        return [{ kind: "damage", line: at, reason: "malformed" }];
    }
  }
}

function toKept(kind: RecordedKept["kind"], first: string): RecordedKept {
  if (kind === "range") return { kind, firstId: first };
  if (kind === "listed") return { kind, ids: [first] };
  return kind === "nothing" ? { kind } : { kind: "unrecorded" };
}
