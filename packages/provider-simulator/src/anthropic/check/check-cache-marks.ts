import { invalid, type Problem } from "../problem.ts";
import { type Lifetime, lifetime, markedParts } from "../prompt/cache-marks.ts";
import { type PlacedBlock, pathOf } from "../prompt/conversation.ts";
import type { Block, MessagesRequest, Tool } from "../request.ts";
import type { Path } from "./shape.ts";

const MAXIMUM_MARKS = 4;

interface CacheMark {
  readonly path: string;
  readonly lifetime: Lifetime;
}

/** At most four; the longer lifetime first, in the order tools, system, messages; the automatic one agrees with its block. */
export function checkCacheMarks(request: MessagesRequest, said: readonly PlacedBlock[]): Problem | undefined {
  const marks = marksOf(request, said);
  return checkAutomaticMark(request, said, marks) ?? checkCount(marks) ?? checkOrder(marks);
}

function marksOf(request: MessagesRequest, said: readonly PlacedBlock[]): CacheMark[] {
  const marks: CacheMark[] = [];
  for (const section of ["tools", "system"] as const) {
    const blocks = request[section] ?? [];
    if (typeof blocks === "string") continue;
    for (const [index, block] of blocks.entries()) collect(block, () => `${section}.${index}`, marks);
  }
  for (const one of said) if (one.measure.mark !== undefined) collect(one.block, () => pathOf(one), marks);
  return marks;
}

function collect(block: Block | Tool, path: Path, marks: CacheMark[]): void {
  for (const { part, position } of markedParts(block)) {
    marks.push({ path: `${path()}.tool_result.content.${position}`, lifetime: lifetime(part.cache_control!) });
  }
  if (block.cache_control) marks.push({ path: path(), lifetime: lifetime(block.cache_control) });
}

/** The automatic mark stands on the last block that can carry one; thinking cannot. */
function checkAutomaticMark(
  { cache_control: automatic }: MessagesRequest,
  said: readonly PlacedBlock[],
  marks: CacheMark[],
): Problem | undefined {
  const target = automatic ? said.findLast(({ measure }) => measure.kind !== "thinking") : undefined;
  if (!automatic || target === undefined) return undefined;
  const asked = lifetime(automatic);
  const own = target.measure.mark;
  if (own === undefined) marks.push({ path: pathOf(target), lifetime: asked });
  if (own === undefined || own === asked) return undefined;
  return invalid(
    `Top-level cache_control has ttl='${asked}' but the target block already has cache_control with ttl='${own}'`,
  );
}

function checkCount(marks: readonly CacheMark[]): Problem | undefined {
  if (marks.length <= MAXIMUM_MARKS) return undefined;
  return invalid(`A maximum of ${MAXIMUM_MARKS} blocks with cache_control may be provided. Found ${marks.length}.`);
}

function checkOrder(marks: readonly CacheMark[]): Problem | undefined {
  const firstShort = marks.findIndex((mark) => mark.lifetime === "5m");
  const longAfter = firstShort < 0 ? undefined : marks.slice(firstShort).find((mark) => mark.lifetime === "1h");
  if (longAfter === undefined) return undefined;
  return invalid(
    `${longAfter.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
  );
}
