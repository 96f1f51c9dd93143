import type { Draft } from "./entry.ts";
import { PAYLOAD_VERSIONS, type PayloadKind, type Payloads } from "./payload.ts";

/** A payload as an entry in the making. */
export function toDraft<Kind extends PayloadKind>(kind: Kind, payload: Payloads[Kind], parent?: number): Draft {
  const draft = { kind, version: PAYLOAD_VERSIONS[kind], payload: JSON.stringify(payload) };
  return parent === undefined ? draft : { ...draft, parent };
}
