/** Dependencies of the route groups. */
import type { QueryCache } from "../core/query-cache.ts";
import type { ApiKeys } from "../features/key/api-keys.ts";
import type { HttpDependencies, HttpSettings } from "./ports.ts";
import type { RecordingLinks } from "./recording-links.ts";

export interface RouteContext {
  readonly settings: HttpSettings;
  readonly dependencies: HttpDependencies;
  readonly apiKeys: ApiKeys;
  readonly recordingLinks: RecordingLinks;
  readonly queryCache: QueryCache;
  /** Without a trailing slash. Known only once the server listens, so read it per request. */
  readonly publicUrl: () => string;
}
