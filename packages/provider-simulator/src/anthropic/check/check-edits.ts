import type { AnthropicModel } from "../models.ts";
import { invalid, type Problem } from "../problem.ts";
import { BETA, type CallOptions, type ContextEdit, hasBeta, type MessagesRequest } from "../request.ts";
import { forcesATool, hasFormat } from "./check-settings.ts";
import { checkExtraFields, isPresent, isRecord, type JsonRecord, unknownTag } from "./shape.ts";

/** What the service is asked to do with the conversation itself: edits on its way in, or a summary of it. */
export function checkEdits(request: MessagesRequest, model: AnthropicModel, call: CallOptions): Problem | undefined {
  return (
    checkCompactionSettings(request) ??
    checkContextManagement(request, model, call) ??
    checkCacheEdits(request.cache_edits)
  );
}

/** A request for a summary has no reply: what would only shape one is refused (the client library's tool runner). */
function checkCompactionSettings(request: MessagesRequest): Problem | undefined {
  const { compaction } = request;
  if (!compaction) return undefined;
  if (compaction.type !== "summarize") return invalid("compaction.type: Input should be 'summarize'");
  if (isPresent(compaction.instructions) && typeof compaction.instructions !== "string")
    return invalid("compaction.summarize.instructions: Input should be a valid string");
  const clash =
    (request.context_management && "context_management") ||
    (request.stop_sequences?.length && "stop_sequences") ||
    (hasFormat(request) && "output_config.format") ||
    (forcesATool(request) && "tool_choice");
  return clash ? invalid(`compaction: cannot be combined with \`${clash}\``) : undefined;
}

interface EditRule {
  readonly beta: string;
  readonly fields: ReadonlySet<string>;
  check(edit: ContextEdit, path: string): Problem | undefined;
}

const EDITS: ReadonlyMap<string, EditRule> = new Map([
  [
    "clear_tool_uses_20250919",
    {
      beta: BETA.contextManagement,
      fields: new Set(["type", "trigger", "keep", "clear_at_least", "exclude_tools", "clear_tool_inputs"]),
      check: (edit: ContextEdit, path: string) =>
        checkAmount(edit["trigger"], { path: `${path}.trigger`, types: ["input_tokens", "tool_uses"], least: 1 }) ??
        checkAmount(edit["keep"], { path: `${path}.keep`, types: ["tool_uses"], least: 0 }) ??
        checkAmount(edit["clear_at_least"], { path: `${path}.clear_at_least`, types: ["input_tokens"], least: 0 }) ??
        checkNames(edit["exclude_tools"], `${path}.exclude_tools`) ??
        (typeof edit["clear_tool_inputs"] === "boolean"
          ? undefined
          : checkNames(edit["clear_tool_inputs"], `${path}.clear_tool_inputs`)),
    },
  ],
  [
    "clear_thinking_20251015",
    {
      beta: BETA.contextManagement,
      fields: new Set(["type", "keep"]),
      check: ({ keep }: ContextEdit, path: string) =>
        keep === "all" || (isRecord(keep) && keep["type"] === "all")
          ? undefined
          : checkAmount(keep, { path: `${path}.keep`, types: ["thinking_turns"], least: 1 }),
    },
  ],
  [
    "compact_20260112",
    {
      beta: BETA.thresholdCompaction,
      fields: new Set(["type", "trigger", "pause_after_compaction", "instructions"]),
      check: (edit: ContextEdit, path: string) => {
        if (isPresent(edit["pause_after_compaction"]) && typeof edit["pause_after_compaction"] !== "boolean")
          return invalid(`${path}.pause_after_compaction: Input should be a valid boolean`);
        if (isPresent(edit["instructions"]) && typeof edit["instructions"] !== "string")
          return invalid(`${path}.instructions: Input should be a valid string`);
        return checkAmount(edit["trigger"], { path: `${path}.trigger`, types: ["input_tokens"], least: 50_000 });
      },
    },
  ],
]);

function checkContextManagement(
  request: MessagesRequest,
  model: AnthropicModel,
  call: CallOptions,
): Problem | undefined {
  const edits = request.context_management?.edits ?? [];
  for (const [index, edit] of edits.entries()) {
    const rule = EDITS.get(edit.type);
    const path = `context_management.edits.${index}`;
    if (rule === undefined || !hasBeta(call, rule.beta)) return unknownTag(path, edit.type);
    const problem = checkExtraFields(edit as JsonRecord, rule.fields, () => path) ?? rule.check(edit, path);
    if (problem !== undefined) return problem;
  }
  const thinkingEdit = edits.findIndex((edit) => edit.type === "clear_thinking_20251015");
  if (thinkingEdit > 0) return invalid("context_management.edits: `clear_thinking_20251015` must be the first edit");
  // Seen in the wild, of models that do not think unless told to (anthropics/claude-code#11971).
  const isOff = (request.thinking?.type ?? "disabled") === "disabled" && model.thinkingTypes.includes("disabled");
  return thinkingEdit === 0 && isOff
    ? invalid("`clear_thinking_20251015` strategy requires `thinking` to be enabled")
    : undefined;
}

function checkCacheEdits(edits: MessagesRequest["cache_edits"]): Problem | undefined {
  if (!edits) return undefined;
  return (
    checkExtraFields(edits as JsonRecord, new Set(["deleted_tool_results"]), () => "cache_edits") ??
    checkNames(edits.deleted_tool_results, "cache_edits.deleted_tool_results")
  );
}

function checkAmount(
  amount: unknown,
  { path, types, least }: { path: string; types: readonly string[]; least: number },
): Problem | undefined {
  if (!isPresent(amount)) return undefined;
  if (!isRecord(amount)) return invalid(`${path}: Input should be a valid dictionary`);
  if (!types.includes(amount["type"] as string)) return unknownTag(path, amount["type"], types);
  const { value } = amount;
  if (!Number.isInteger(value)) return invalid(`${path}.value: Input should be a valid integer`);
  return (value as number) >= least
    ? undefined
    : invalid(`${path}.value: Input should be greater than or equal to ${least}`);
}

function checkNames(names: unknown, path: string): Problem | undefined {
  if (!isPresent(names)) return undefined;
  const listed = Array.isArray(names) && names.every((name) => typeof name === "string");
  return listed ? undefined : invalid(`${path}: Input should be a valid list`);
}
