import type { Route } from "../http/route.ts";
import { HISTORY_ROUTES } from "./history-routes.ts";
import { SESSION_ROUTES } from "./session-routes.ts";
import { TURN_ROUTES } from "./turn-routes.ts";

/** All operations of the API, in the order of the OpenAPI document. */
export const ROUTES: readonly Route[] = [...SESSION_ROUTES, ...TURN_ROUTES, ...HISTORY_ROUTES];
