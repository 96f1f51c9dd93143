import { openApi } from "./http/openapi.ts";
import { REPLY_SCHEMAS } from "./routes/reply-schemas.ts";
import { ROUTES } from "./routes/routes.ts";

/** The version of the API, which is also in its addresses: `/v1` only ever gains operations and fields. */
const VERSION = "1.0.0";

/** The OpenAPI 3.1 document of the API, written from the schemas that requests are checked with. */
export function openApiDocument(): object {
  return openApi({ routes: ROUTES, schemas: REPLY_SCHEMAS, version: VERSION });
}
