import { isPdf, readImage } from "../../read-image.ts";
import { invalid, type Problem } from "../problem.ts";
import { type Block, type CallOptions, hasBeta, isCurrent, type Message } from "../request.ts";
import { BLOCK_RULES, type BlockRule, RESULT_PART_RULES } from "./block-rules.ts";
import { checkCacheControl, checkExtraFields, isRecord, type JsonRecord, type Path, unknownTag } from "./shape.ts";

type Role = Message["role"];

/** One block by itself: known, allowed to this role, complete, and with nothing the service does not know. */
export function checkBlock(block: Block, role: Role, call: CallOptions, path: Path): Problem | undefined {
  const known = BLOCK_RULES.get(block.type);
  if (known === undefined || (known.betas !== undefined && !hasBeta(call, ...known.betas))) {
    return unknownTag(path(), block.type);
  }
  if (!known.roles.includes(role) || (block.type === "document" && role === "assistant" && isCurrent(call))) {
    const allowed = block.type === "document" ? "`user`" : known.roles.map((name) => `\`${name}\``).join(" or ");
    const message = path().replace(/\.content\.\d+$/, "");
    return invalid(`${message}: \`${block.type}\` blocks can only be in ${allowed} messages`);
  }
  return checkFields(block, known, path) ?? checkByType(block, role, call, path);
}

function checkFields(block: JsonRecord, known: BlockRule, path: Path): Problem | undefined {
  const place: Path = () => `${path()}.${String(block["type"])}`;
  for (const field of known.strings) {
    if (typeof block[field] !== "string") return invalid(`${place()}.${field}: Field required`);
  }
  for (const field of known.records) {
    if (!isRecord(block[field])) return invalid(`${place()}.${field}: Input should be a valid dictionary`);
  }
  return checkExtraFields(block, known.fields, place) ?? checkCacheControl(block["cache_control"], path);
}

function checkByType(block: JsonRecord, role: Role, call: CallOptions, path: Path): Problem | undefined {
  switch (block["type"]) {
    case "text":
      return checkText(block, role, call, path);
    case "image":
    case "document":
      return checkSource(block["type"], block["source"] as JsonRecord, path);
    case "tool_use":
      return /^[a-zA-Z0-9_-]+$/.test(block["id"] as string)
        ? undefined
        : invalid(`${path()}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    case "tool_result":
      return checkToolResult(block, call, path);
    case "compaction":
      return checkCompaction(block, path);
    default:
      return undefined;
  }
}

function checkText(block: JsonRecord, role: Role, call: CallOptions, path: Path): Problem | undefined {
  if (block["text"] === "") {
    return block["cache_control"]
      ? invalid(`${path()}.text: cache_control cannot be set for empty text blocks`)
      : invalid("messages: text content blocks must be non-empty");
  }
  if (role === "user" && block["citations"] && isCurrent(call)) {
    return invalid(`${path()}.text.citations: Extra inputs are not permitted`);
  }
  return undefined;
}

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const SOURCES = {
  image: { base64: "data", url: "url", file: "file_id" },
  document: { base64: "data", text: "data", content: undefined, url: "url", file: "file_id" },
} as const;

function checkSource(type: "image" | "document", source: JsonRecord, path: Path): Problem | undefined {
  const kinds: Readonly<Record<string, string | undefined>> = SOURCES[type];
  const kind = source["type"];
  const place = `${type}.source`;
  if (typeof kind !== "string" || !Object.hasOwn(kinds, kind)) {
    return unknownTag(`${path()}.${place}`, kind, Object.keys(kinds));
  }
  if (type === "image" && kind === "base64" && !IMAGE_TYPES.includes(source["media_type"] as string)) {
    return invalid(
      `${path()}.${place}.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    );
  }
  const field = kinds[kind];
  if (field !== undefined && typeof source[field] !== "string") {
    return invalid(`${path()}.${place}.${kind}.${field}: Field required`);
  }
  if (kind !== "base64") return undefined;
  return type === "image" ? checkImage(source, path) : checkPdf(source, path);
}

const MAX_IMAGE_BYTES = 5_242_880;
const MAX_PIXELS = 8_000;

/** The texts as users report them (claude-code#8647, #12750). */
function checkImage(source: JsonRecord, path: Path): Problem | undefined {
  const image = readImage(source["data"] as string);
  const place = (): string => `${path()}.image.source.base64`;
  if (image.kind === "empty") return invalid(`${place()}: image cannot be empty`);
  if (image.kind === "broken") return invalid("Could not process image");
  const { bytes, type, largestSide = 0 } = image;
  if (bytes > MAX_IMAGE_BYTES) {
    return invalid(`${place()}: image exceeds 5 MB maximum: ${bytes} bytes > ${MAX_IMAGE_BYTES} bytes`);
  }
  if (type !== source["media_type"]) {
    const said = `The image was specified using the ${source["media_type"]} media type`;
    return invalid(`${place()}: ${said}, but the image appears to be a ${type} image`);
  }
  if (largestSide <= MAX_PIXELS) return undefined;
  return invalid(`${place()}.data: At least one of the image dimensions exceed max allowed size: ${MAX_PIXELS} pixels`);
}

function checkPdf(source: JsonRecord, path: Path): Problem | undefined {
  if (source["media_type"] !== "application/pdf" || isPdf(source["data"] as string)) return undefined;
  return invalid(`${path()}.document.source.base64.data: The PDF specified was not valid.`);
}

function checkToolResult(block: JsonRecord, call: CallOptions, path: Path): Problem | undefined {
  const { content, is_error: isError } = block;
  if (typeof (isError ?? false) !== "boolean")
    return invalid(`${path()}.tool_result.is_error: Input should be a valid boolean`);
  if (content === undefined || typeof content === "string") return undefined;
  if (!Array.isArray(content)) return invalid(`${path()}.tool_result.content: Input should be a valid list`);
  for (const [index, part] of (content as unknown[]).entries()) {
    const place: Path = () => `${path()}.tool_result.content.${index}`;
    const known = isRecord(part) ? RESULT_PART_RULES.get(part["type"] as string) : undefined;
    if (!isRecord(part) || known === undefined) return unknownTag(place(), isRecord(part) ? part["type"] : part);
    const problem = checkFields(part, known, place) ?? checkByType(part, "user", call, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkCompaction(block: JsonRecord, path: Path): Problem | undefined {
  for (const field of ["content", "encrypted_content", "signature"]) {
    const value = block[field] ?? null;
    if (value !== null && typeof value !== "string")
      return invalid(`${path()}.compaction.${field}: Input should be a valid string`);
  }
  const changes = block["tool_changes"] ?? null;
  if (changes !== null && !Array.isArray(changes))
    return invalid(`${path()}.compaction.tool_changes: Input should be a valid list`);
  return block["content"] === ""
    ? invalid(`${path()}.compaction.content: String should have at least 1 character`)
    : undefined;
}
