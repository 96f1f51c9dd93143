import type { EffectOf } from "../screen-event.ts";
import type { HandlerPorts, Running } from "./handler-ports.ts";

/** Passes the user's answer to whoever asked. */
export async function answer(
  _: Running,
  { id, answer: given }: EffectOf<"answer">,
  { dialogs }: HandlerPorts,
): Promise<void> {
  dialogs.answer(id, given);
}
