import { type EventOf, type Notice, news, problem } from "../../commands/text/notice.ts";
import { plural, size } from "./notice-words.ts";

export function storedText({ tool, bytes, way }: EventOf<"result-stored">): string {
  const of = tool === undefined ? "" : ` of ${tool}`;
  const why = way === "alone" ? "too large for the context" : "the results of this round were too large together";
  return `Stored a tool result${of} (${size(bytes)}) in a file: ${why}. The model sees a preview.`;
}

export function unstoredText({ bytes, error, shown }: EventOf<"storing-failed">): string {
  const seen = shown === "all" ? "all of it" : "only its beginning; the rest is lost";
  return `Could not store a tool result of ${size(bytes)} (${error}). The model sees ${seen}.`;
}

export function collectedNotice({ sessions, bytes, failures, error = "" }: EventOf<"results-collected">): Notice {
  const gone =
    sessions === 0 ? "" : `Removed stored tool results of ${plural(sessions, "old session")} (${size(bytes)}). `;
  return failures === 0
    ? news(`${gone}To keep them longer, raise the setting toolResults.keptDays.`)
    : problem(
        `${gone}Could not remove old tool results of ${plural(failures, "session")} (${error}). The next start tries again.`,
      );
}

export function mediaText({ media, by, why }: EventOf<"media-refused">): string {
  const who = {
    check: "It is not valid",
    provider: "The provider refused it",
    "request-size": "The request is too large",
  };
  return `Left out ${media === "image" ? "an image" : "a document"}. ${who[by]}: ${plainWords(why)}. The model sees a note in its place.`;
}

/** Takes the message out of a provider's JSON error. */
function plainWords(why: string): string {
  const [, words] = /"message":"([^"]+)"/.exec(why) ?? [];
  return words ?? why;
}
