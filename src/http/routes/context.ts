/** What every resource's routes are built from. */
import type { ApiKeys } from "../../tenant/api-keys.ts";
import type { HttpDependencies, HttpSettings } from "../ports.ts";

export interface RouteContext {
  readonly settings: HttpSettings;
  readonly dependencies: HttpDependencies;
  readonly apiKeys: ApiKeys;
  /** Without a trailing slash. Known only once the server listens: ask when answering. */
  readonly publicUrl: () => string;
}
