import { chainDigest, type Digest, digestKey, digestText, EMPTY_DIGEST } from "../../digest.ts";
import { type PlacedBlock, ROLE_DIGESTS } from "./conversation.ts";
import type { Head } from "./head.ts";

/** The state of a conversation for thinking: everything except the thinking, and the last thinking before. */
export interface ThinkingState {
  /** Tools and system prompt. */
  readonly head: string;
  readonly messages: Digest;
  readonly role: PlacedBlock["role"] | undefined;
  /** The fingerprint of the previous thinking; empty if there is none. */
  readonly previous: string;
}

export function headState({ tools, system }: Head): ThinkingState {
  const head = `${digestKey(tools)}/${digestKey(system)}`;
  return { head, messages: EMPTY_DIGEST, role: undefined, previous: "" };
}

export function afterBlock(state: ThinkingState, role: PlacedBlock["role"], digest: Digest): ThinkingState {
  const spoken = state.role === role ? state.messages : chainDigest(state.messages, ROLE_DIGESTS[role]);
  return { head: state.head, messages: chainDigest(spoken, digest), role, previous: state.previous };
}

/** Thinking is not part of the conversation it is bound to, but each block knows the one before it. */
export function afterThinking(state: ThinkingState, signature: string): ThinkingState {
  return { ...state, previous: digestKey(digestText(signature)) };
}

/** Returns the state that a thinking block is bound to. */
export function bindingOf(state: ThinkingState): string {
  return `${state.head}/${digestKey(state.messages)}`;
}
