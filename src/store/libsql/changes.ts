/**
 * Detects changes on a libSQL server: this node's transactions at once, those of other nodes within about
 * half a second. It reads the commit counter that SQLite keeps per connection. It polls only while a caller
 * is interested.
 */
import type { HttpClient, HttpStream } from "@libsql/hrana-client";
import type { Clock, Timer } from "../../core/clock.ts";

const LOOK_EVERY_MS = 500;
/** An older reading is useless. */
const SEEN_MS_MAX = 1_200;
const WANTED_MS = 10_000;

interface Changes {
  /** Differs after a change. Null while the server does not answer. */
  version(): number | null;
  /** Call it after a change by this node. */
  note(): void;
  close(): void;
}

export function watchChanges(client: HttpClient, clock: Clock): Changes {
  let version = 0;
  let stream: HttpStream | null = null;
  let count: unknown = null;
  let seenAt = Number.NEGATIVE_INFINITY;
  let wantedUntil = 0;
  let timer: Timer | null = null;
  let isLooking = false;
  let isClosed = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    if (clock.monotonic() > wantedUntil) return rest();
    isLooking = true;
    const askedAt = clock.monotonic();
    try {
      if (!stream || stream.closed) {
        stream = client.openStream();
        count = null;
      }
      const { value } = await stream.queryValue("PRAGMA data_version");
      if (value !== count) version++;
      count = value;
      seenAt = askedAt;
    } catch {
      // The state is unknown until the server answers again.
      stream?.close();
      stream = null;
    } finally {
      isLooking = false;
    }
  }

  function rest(): void {
    timer?.cancel();
    timer = null;
    stream?.close();
    stream = null;
  }

  return {
    version() {
      const now = clock.monotonic();
      wantedUntil = now + WANTED_MS;
      if (!timer && !isClosed) {
        timer = clock.every(LOOK_EVERY_MS, () => void look());
        void look();
      }
      return now - seenAt <= SEEN_MS_MAX ? version : null;
    },
    note() {
      version++;
    },
    close() {
      isClosed = true;
      rest();
    },
  };
}
