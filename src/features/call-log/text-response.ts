/**
 * Cache of the JSON of ended calls for lists, so that pages share their calls. With the ids of a page, the
 * store returns a counter of changes to ended calls by any process. After a change the whole cache is
 * dropped. Live calls are read each time.
 */
import { BoundedMap } from "../../core/bounded-map.ts";
import type { CallItem, CallRecords } from "./call-records.ts";

/** About 350 bytes each. */
const TEXTS_MAX = 16_384;

type Listing = CallRecords["listing"];

export function createCallTexts(
  records: Pick<CallRecords, "listing" | "listed">,
  write: (call: CallItem) => string,
) {
  let texts = new BoundedMap<string, string>(TEXTS_MAX);
  let textsAt = 0;

  return {
    /** JSON of each call of a page, newest first, and the number of matching calls. */
    async page(...[tenantId, filter, page]: Parameters<Listing>) {
      const { ids, total, changes } = await records.listing(tenantId, filter, page);
      if (changes !== textsAt) texts = new BoundedMap(TEXTS_MAX);
      textsAt = changes;
      // A change during the next read replaces `texts` by a new map.
      const known = texts;
      const shown = ids.map((id) => known.get(id));
      const missing = ids.filter((_, at) => shown[at] === undefined);
      if (missing.length > 0) {
        const placeOf = new Map(ids.map((id, at) => [id, at]));
        for (const call of await records.listed(tenantId, missing)) {
          // The call's status changed after the ids were read.
          if (filter.status !== undefined && call.status !== filter.status) continue;
          const [id, text] = [String(call.id), write(call)];
          const place = placeOf.get(id);
          if (place !== undefined) shown[place] = text;
          if (call.endedAt !== null) known.set(id, text);
        }
      }
      return { calls: shown.filter((text) => text !== undefined), total };
    },
  };
}
