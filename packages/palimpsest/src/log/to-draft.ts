import type { Draft } from "./entry.ts";
import { PAYLOAD_VERSIONS, type PayloadKind, type Payloads } from "./payload.ts";

/** A payload as an entry in the making. */
export function toDraft<Kind extends PayloadKind>(kind: Kind, payload: Payloads[Kind], parent?: number): Draft {
  const draft = { kind, version: PAYLOAD_VERSIONS[kind], payload: JSON.stringify(payload) };
  return parent === undefined ? draft : { ...draft, parent };
}

/** The same, sought by a name: `newest(namedKind(kind, name))` of any store finds it without reading the log. */
export function toNamedDraft<Kind extends PayloadKind>(kind: Kind, name: string, payload: Payloads[Kind]): Draft {
  return { ...toDraft(kind, payload), kind: namedKind(kind, name) };
}

/** The kind of an entry that is sought by a name. */
export function namedKind(kind: PayloadKind, name: string | number): string {
  return `${kind}:${name}`;
}
