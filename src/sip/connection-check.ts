/**
 * Checks whether a connection without ping responses still works: by OPTIONS, and by a REGISTER if
 * the server ignores OPTIONS. A connection without an answer is closed.
 */

import type { TrunkSettings } from "../call/sip-port.ts";
import { type Clock, within } from "../core/clock.ts";
import { hex } from "../core/ids.ts";
import type { Random } from "../core/random.ts";
import { buildRequest } from "./message/index.ts";
import { hostForUri } from "./registration.ts";
import type { StreamFlow } from "./transport/flow.ts";

interface ConnectionCheckDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent: string;
  /** Sends OPTIONS to the trunk's server. Resolves with null if there is no response. */
  ask(compose: (via: string) => string): Promise<object | null>;
  /**
   * Renews the registration, if there is one. A REGISTER without an answer closes the connection.
   */
  register(): void;
}

const OPTIONS_MS_MAX = 5000;

export class ConnectionCheck {
  /** Null before the first request. */
  #answersOptions: boolean | null = null;
  #isUnderWay = false;

  constructor(
    private readonly settings: TrunkSettings,
    private readonly deps: ConnectionCheckDeps,
  ) {}

  /** Never rejects. */
  async prove(connection: StreamFlow): Promise<void> {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    if (this.#answersOptions === false) this.deps.register();
    else await this.#askOptions(connection);
    this.#isUnderWay = false;
  }

  async #askOptions(connection: StreamFlow): Promise<void> {
    const asked = this.deps.ask(this.#compose());
    const isAnswered = (await within(this.deps.clock, OPTIONS_MS_MAX, asked)) !== null;
    if (!isAnswered && this.#answersOptions) connection.drop();
    else if (!isAnswered) this.deps.register();
    this.#answersOptions ??= isAnswered;
  }

  #compose(): (via: string) => string {
    const server = `sip:${hostForUri(this.settings.server)}`;
    const own = `<sip:${this.settings.username}@${hostForUri(this.settings.server)}>`;
    const { random, userAgent } = this.deps;
    const callId = hex(random.bytes(16));
    const tag = hex(random.bytes(8));
    return (via) =>
      buildRequest({
        method: "OPTIONS",
        uri: server,
        headers: [
          ["Via", via],
          ["Max-Forwards", 70],
          ["From", `${own};tag=${tag}`],
          ["To", `<${server}>`],
          ["Call-ID", callId],
          ["CSeq", "1 OPTIONS"],
          ["User-Agent", userAgent],
        ],
      });
  }
}
