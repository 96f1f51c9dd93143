import type { MessagePayload } from "../../log/payload.ts";
import { toDraft } from "../../log/to-draft.ts";
import type { ModelFacts } from "../../providers/models.ts";
import type { Contents } from "../../state/ports.ts";
import type { SessionState } from "../../state/state.ts";
import { sizeTokens } from "../../view/view.ts";
import type { NewContent } from "../to-contents.ts";

export interface AppendListContext {
  readonly state: SessionState;
  readonly contents: Contents;
  readonly factsOf: (model: string) => ModelFacts;
}

/**
 * Appends content of a list. An answer behind the results of calls answers a request that somebody else has made: it is entered
 * as one, because what lies between two requests is sent as one message of the model and one of the user.
 */
export async function appendList(
  list: readonly NewContent[],
  { state, contents, factsOf }: AppendListContext,
): Promise<readonly number[]> {
  const appended: number[] = [];
  for (const batch of rounds(list)) {
    const [first, ...rest] = batch as readonly [NewContent, ...NewContent[]];
    if (!isAnswer(first) || !endsWithResult(state)) {
      appended.push(...(await contents.append(batch)));
      continue;
    }
    const { maxOutputTokens: maxTokens } = factsOf(state.configuration.model);
    const request = toDraft("request", { maxTokens, estimatedTokens: sizeTokens(state.view) });
    const answer: MessagePayload = { ...first, answers: state.newestEntry + 1 };
    appended.push(...(await contents.append([answer, ...rest], [request])));
  }
  return appended;
}

/** The list in pieces: a new one begins with each answer behind a result. */
function rounds(list: readonly NewContent[]): readonly (readonly NewContent[])[] {
  const pieces: NewContent[][] = [];
  for (const [index, content] of list.entries()) {
    const before = list[index - 1];
    if (before === undefined || (isAnswer(content) && isResult(before))) pieces.push([content]);
    else pieces.at(-1)!.push(content);
  }
  return pieces;
}

function isAnswer(content: NewContent): content is MessagePayload {
  return typeof content === "object" && "role" in content && content.role === "assistant";
}

function isResult(content: NewContent): boolean {
  return typeof content === "object" && "role" in content && content.origin === "tool";
}

function endsWithResult({ view: { items } }: SessionState): boolean {
  const last = items.at(-1);
  return last?.kind === "message" && last.blocks.some(({ kind }) => kind === "tool_result");
}
