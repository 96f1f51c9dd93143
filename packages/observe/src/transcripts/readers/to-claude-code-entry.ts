import { asCount, asObject, asString, asStrings, type JsonObject } from "palimpsest/schema";
import type { Lineage } from "./create-lineage.ts";
import type { TranscriptRecord } from "./read-records.ts";
import type { RecordedBlock, RecordedEntry, RecordedKept, RecordedMessage, RecordedPosition } from "./recorded.ts";
import { toBlocks } from "./to-blocks.ts";

/** The model name of messages that Claude Code writes on behalf of the model, such as errors; their usage is zero. */
const NO_MODEL = "<synthetic>";

/** Converts a line of a Claude Code session into an entry; undefined if the model never saw it. */
export function toClaudeCodeEntry(
  { fields, line }: TranscriptRecord,
  { position, lineage }: { position: RecordedPosition; lineage: Lineage },
): RecordedEntry | undefined {
  switch (fields["type"]) {
    case "user":
    case "assistant": {
      const message = asObject(fields["message"]);
      if (message === undefined) return { kind: "damage", line, reason: "malformed" };
      return fields["type"] === "user"
        ? toUserMessage(fields, { position, blocks: toBlocks(message["content"]) })
        : toAssistantMessage(fields, { position, message });
    }
    case "attachment": {
      const attachment = asObject(fields["attachment"]);
      if (attachment === undefined) return { kind: "damage", line, reason: "malformed" };
      return toAttachment(attachment, position);
    }
    case "system":
      return toSystemEntry(fields, { position, lineage });
    default:
      return undefined;
  }
}

function toAssistantMessage(
  fields: JsonObject,
  { position, message }: { position: RecordedPosition; message: JsonObject },
): RecordedMessage {
  const common = { kind: "message", ...position, role: "assistant", blocks: toBlocks(message["content"]) } as const;
  const model = asString(message["model"]);
  if (model === NO_MODEL || fields["isApiErrorMessage"] === true) return { ...common, origin: "agent" };
  const responseId = asString(message["id"]) ?? position.id;
  return { ...common, origin: "model", responseId, model };
}

function toUserMessage(
  fields: JsonObject,
  { position, blocks }: { position: RecordedPosition; blocks: RecordedBlock[] },
): RecordedMessage {
  return { kind: "message", ...position, role: "user", origin: toOrigin(fields, blocks), blocks };
}

/**
 * The transcript records what an attachment was made of, not its text; input typed while the model worked is an
 * exception.
 */
function toAttachment(attachment: JsonObject, position: RecordedPosition): RecordedMessage {
  const common = { kind: "message", ...position, role: "user" } as const;
  const type = asString(attachment["type"]) ?? "unknown";
  return type === "queued_command" && attachment["commandMode"] === "prompt"
    ? { ...common, origin: "human", blocks: toBlocks(attachment["prompt"]) }
    : { ...common, origin: "agent", blocks: [{ kind: "opaque", type, value: attachment }] };
}

const AGENT_TEXT =
  /^\s*(<(local-command-(caveat|stdout|stderr)|bash-(stdout|stderr)|task-notification|system-reminder)>|\[Request interrupted by user)/;

function toOrigin(fields: JsonObject, blocks: readonly RecordedBlock[]): RecordedMessage["origin"] {
  if (fields["isCompactSummary"] === true) return "summary";
  if (blocks.some((block) => block.kind === "tool_result")) return "tool";
  if (fields["isMeta"] === true || fields["isSidechain"] === true) return "agent";
  const declared = asString(asObject(fields["origin"])?.["kind"]);
  if (declared !== undefined) return declared === "human" ? "human" : "agent";
  const [first] = blocks;
  return first?.kind === "text" && AGENT_TEXT.test(first.text) ? "agent" : "human";
}

function toSystemEntry(
  fields: JsonObject,
  { position, lineage }: { position: RecordedPosition; lineage: Lineage },
): RecordedEntry | undefined {
  switch (fields["subtype"]) {
    case "compact_boundary": {
      const metadata = asObject(fields["compactMetadata"]) ?? {};
      const { trigger } = metadata;
      return {
        kind: "compaction",
        ...position,
        trigger: trigger === "auto" || trigger === "manual" ? trigger : "unknown",
        tokensBefore: asCount(metadata["preTokens"]),
        tokensAfter: asCount(metadata["postTokens"]),
        kept: toKept(metadata, lineage),
      };
    }
    case "microcompact_boundary": {
      const metadata = asObject(fields["microcompactMetadata"]) ?? {};
      return {
        kind: "microcompaction",
        ...position,
        clearedCallIds: asStrings(metadata["compactedToolIds"]),
        tokensBefore: asCount(metadata["preTokens"]),
        tokensSaved: asCount(metadata["tokensSaved"]),
      };
    }
    // The only system line that is sent to the model: as a user message.
    case "local_command":
      return toUserMessage(fields, { position, blocks: toBlocks(fields["content"]) });
    default:
      return undefined;
  }
}

/** Recent versions (2.1.217) name the messages they keep; the model never saw some of these lines. */
function toKept(metadata: JsonObject, lineage: Lineage): RecordedKept {
  const listed = asObject(metadata["preservedMessages"]);
  if (listed !== undefined) {
    return { kind: "listed", ids: asStrings(listed["uuids"]).filter((id) => !lineage.isSkipped(id)) };
  }
  const segment = asObject(metadata["preservedSegment"]);
  const firstId = asString(segment?.["headUuid"]);
  if (firstId === undefined) return { kind: "nothing" };
  return { kind: "range", firstId, lastId: lineage.resolve(asString(segment?.["tailUuid"])) };
}
