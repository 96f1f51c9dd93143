import type { Session, Store } from "palimpsest";
import { eachSession } from "palimpsest/inspect";
import { priceText } from "../text/price-text.ts";
import { shortIds } from "../text/short-ids.ts";

/** What the program prints when it exits: the cost and how to resume. Nothing for a session that no model has answered. */
export async function partingText(
  { id, ledger }: Pick<Session, "id" | "ledger">,
  store: Store,
): Promise<string | undefined> {
  const spent = ledger.totals();
  if (spent.responses === 0) return undefined;
  const ids: string[] = [];
  for await (const stored of eachSession(store)) ids.push(stored.id);
  return `This session cost ${priceText(spent)}. To resume it: palimpsest --resume ${shortIds(ids)(id)}`;
}
