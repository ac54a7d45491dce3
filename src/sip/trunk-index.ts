/** Finds the trunks that a request may belong to: by its Contact user, and by its source. */
import { contains, type Network, parseAddress, parseNetwork } from "../platform/net/ip-address.ts";
import type { SipTrunk } from "./trunk.ts";

/** Maximum cached source hosts. */
const REMEMBERED_MAX = 1024;

const NONE: readonly SipTrunk[] = [];

export class TrunkIndex {
  readonly #byContactUser = new Map<string, SipTrunk>();
  /** Several trunks per address, if tenants share a carrier. */
  readonly #byAddress = new Map<string, Set<SipTrunk>>();
  /** Trunks that accept calls from whole networks. */
  readonly #networks = new Map<SipTrunk, readonly Network[]>();
  /** Results of `at`, until anything changes. */
  readonly #remembered = new Map<string, readonly SipTrunk[]>();

  /** Throws RangeError for an invalid network. */
  add(trunk: SipTrunk): void {
    const networks = (trunk.settings.extraNetworks ?? []).map(parseNetwork);
    this.#byContactUser.set(trunk.contactUser, trunk);
    if (networks.length > 0) this.#networks.set(trunk, networks);
    this.#remembered.clear();
  }

  moved(trunk: SipTrunk): void {
    this.#forgetAddresses(trunk);
    for (const address of trunk.addresses) {
      const trunks = this.#byAddress.get(address) ?? new Set();
      this.#byAddress.set(address, trunks.add(trunk));
    }
  }

  remove(trunk: SipTrunk): void {
    this.#byContactUser.delete(trunk.contactUser);
    this.#networks.delete(trunk);
    this.#forgetAddresses(trunk);
  }

  /** All trunks, including removed ones with live calls. */
  get all(): readonly SipTrunk[] {
    return [...this.#byContactUser.values()];
  }

  withContact(user: string | null): SipTrunk | undefined {
    return user === null ? undefined : this.#byContactUser.get(user);
  }

  /** Trunks that may receive calls from this address. */
  at(host: string): readonly SipTrunk[] {
    const known = this.#remembered.get(host);
    if (known) return known;
    const trunks = this.#find(host);
    // Unknown sources are not cached: their number is unlimited.
    if (trunks.length === 0) return NONE;
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    this.#remembered.set(host, trunks);
    return trunks;
  }

  clear(): void {
    this.#byContactUser.clear();
    this.#byAddress.clear();
    this.#networks.clear();
    this.#remembered.clear();
  }

  #find(host: string): readonly SipTrunk[] {
    const trunks = new Set(this.#byAddress.get(host));
    const address = this.#networks.size > 0 ? parseAddress(host) : null;
    if (address)
      for (const [trunk, networks] of this.#networks)
        if (networks.some((network) => contains(network, address))) trunks.add(trunk);
    return [...trunks];
  }

  #forgetAddresses(trunk: SipTrunk): void {
    this.#remembered.clear();
    for (const [address, trunks] of this.#byAddress)
      if (trunks.delete(trunk) && trunks.size === 0) this.#byAddress.delete(address);
  }
}
