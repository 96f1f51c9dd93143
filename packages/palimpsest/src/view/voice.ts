import type { Text } from "../log/block.ts";
import type { MessagePayload } from "../log/payload.ts";
import type { Provenance } from "../log/provenance.ts";
import { hostWords, markData } from "./data-marks.ts";

/** What a text stands in. */
interface Speaking {
  readonly origin: MessagePayload["origin"];
  readonly provenance?: Provenance;
  /** The type of attachment, if it is one. */
  readonly attachment?: string;
}

/** A text of a user message as it is sent: what is not said by the user or the host is marked as data. */
export function inItsVoice(block: Text, item: Speaking): Text {
  const { provenance = item.provenance, marks, ...said } = block;
  // Only a message whose origin says who speaks.
  if (provenance === undefined) return said;
  if (marks === "own") return { kind: "text", text: said.text };
  const { kind } = provenance;
  const isMessage = item.attachment === undefined;
  const speaks = (kind === "user" && item.origin === "human") || (kind === "host" && item.origin === "host");
  if (isMessage && speaks) return said;
  return { kind: "text", text: kind === "host" ? hostWords(said.text) : markData(said.text, provenance) };
}
