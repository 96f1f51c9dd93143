import { SEGMENT_COLUMNS } from "./pack-segments.ts";

/** Answers of the inspector's addresses, and the bodies of requests in pieces. They are added together or not at all. */
export interface CopiedUnit {
  readonly answers: readonly (readonly [address: string, value: unknown])[];
  readonly bodies?: readonly (readonly [address: string, pieces: readonly string[]])[];
}

/** What a page in one file holds, as JSON that can stand in an element of HTML. */
export interface CopyAnswers {
  /** @param below a smaller limit for this unit. @default the limit of all */
  add(unit: CopiedUnit, below?: number): "added" | "full";
  readonly bytes: number;
  /** @param start the address that the page opens with */
  toJson(start: string): string;
}

/** Collects answers up to a size. Pieces that requests have in common are held once. */
export function createCopyAnswers(maxBytes: number): CopyAnswers {
  const answers = new Map<string, string>();
  const bodies = new Map<string, string>();
  const texts: string[] = [];
  const numbers = new Map<string, number>();
  let bytes = 0;

  return {
    add({ answers: given, bodies: whole = [] }, below = maxBytes) {
      const added = given
        .filter(([address]) => !answers.has(address))
        .map(([address, value]) => [address, toInertJson(value)] as const);
      const fresh = new Map<string, string>();
      for (const [, pieces] of whole)
        for (const piece of pieces) if (!numbers.has(piece)) fresh.set(piece, toInertJson(piece));
      const size =
        [...added, ...fresh].reduce((sum, [, json]) => sum + Buffer.byteLength(json), 0) +
        added.reduce((sum, [address]) => sum + address.length, 0) +
        whole.reduce((sum, [address, pieces]) => sum + address.length + pieces.length * NUMBER_BYTES, 0);
      if (bytes + size > Math.min(below, maxBytes)) return "full";
      bytes += size;
      for (const [address, json] of added) answers.set(address, json);
      for (const [piece, json] of fresh) numbers.set(piece, texts.push(json) - 1);
      for (const [address, pieces] of whole)
        bodies.set(address, `[${pieces.map((piece) => numbers.get(piece)).join(",")}]`);
      return "added";
    },
    get bytes() {
      return bytes;
    },
    toJson(start) {
      const members = (map: ReadonlyMap<string, string>): string =>
        [...map].map(([address, json]) => `${toInertJson(address)}:${json}`).join(",\n");
      return `{"start":${toInertJson(start)},"columns":${toInertJson(SEGMENT_COLUMNS)},"answers":{${members(answers)}},"bodies":{${members(bodies)}},"texts":[${texts.join(",\n")}]}`;
    },
  };
}

/** A number of a piece, and the comma behind it. */
const NUMBER_BYTES = 7;

/** JSON without `<`: no text of a session can end the element that holds it, or begin another. */
function toInertJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
