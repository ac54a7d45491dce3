/**
 * A UDP socket that is read by polling, through libc. One call returns all datagrams since the last
 * one, with the kernel's time of arrival. So a packet costs no wake-up of the thread, no callback
 * and no memory. For 64-bit Linux with glibc. Elsewhere `openBatchUdpSocket` returns null, and the
 * runtime's own sockets are used. On `::` IPv4 arrives too, with IPv4 addresses.
 */
import { CString, dlopen, FFIType, ptr } from "bun:ffi";
import { isIP, isIPv4 } from "node:net";
import { unmapped } from "../../platform/net/ip-address.ts";
import { readUint16, writeUint16 } from "./packet.ts";
import type { RtpSendThread } from "./rtp-send-thread.ts";

/** `datagram` is overwritten by the next one. `atMs`: time of arrival. */
type BatchDatagramListener = (
  datagram: Uint8Array,
  host: string,
  port: number,
  atMs: number,
) => void;

export interface BatchUdpSocket {
  /**
   * Calls the listener for all datagrams since the last poll, in order. `nowMs` and `atMs` use the
   * same clock.
   */
  poll(nowMs: number, listener: BatchDatagramListener): void;
  /**
   * If the system rejects a datagram, it counts as lost. With `slotMs` (in the clock's monotonic
   * time) and a send thread, it is sent `SEND_DELAY_MS` after that.
   */
  send(datagram: Uint8Array, host: string, port: number, slotMs?: number): void;
  close(): void;
}

const IPV4 = 2;
const IPV6 = 10;
/** SOCK_DGRAM and SOCK_CLOEXEC. */
const DATAGRAMS = 0x80002;
const SOCKET_LEVEL = 1;
/** SO_TIMESTAMPNS, and the type of the message that it causes. */
const TIME_STAMPS = 35;
const IPV6_LEVEL = 41;
const IPV6_ONLY = 26;
const REAL_TIME = 0;
/** MSG_DONTWAIT and MSG_NOSIGNAL. */
const AT_ONCE = 0x4040;
/** Size of a `sockaddr_in6`. The kernel accepts a `sockaddr_in` in the same amount of memory. */
const ADDRESS_BYTES = 28;
/**
 * Size in words of 32 bits. The first word is family and port; the last one of IPv6 is the network
 * interface.
 */
const ADDRESS_WORDS = 7;
const INTERFACE = 6;
/** Includes `%` and the name of an interface. */
const HOST_BYTES = 64;
const NUMERIC_HOST = 1;
/** Twice the longest audio packet of our codecs. */
const DATAGRAM_BYTES_MAX = 2048;
const BATCH = 8;
/**
 * Limit per poll: a flood must not delay the other calls. It equals Linux's default socket buffer,
 * so that a flood cannot delay the call's own packets.
 */
const BATCHES_MAX = 32;
const CONTROL_BYTES = 64;
/** Size of a `struct mmsghdr` and offsets of its fields, in 32-bit words. */
const HEADER_WORDS = 16;
const NAME_LENGTH = 2;
const CONTROL_LENGTH = 10;
const LENGTH = 14;
/** A longer pause means that the thread or the machine was stopped. */
const AGO_MS_MAX = 1000;

const { i32, u32, u64, ptr: pointer, i64 } = FFIType;
const SYMBOLS = {
  socket: { args: [i32, i32, i32], returns: i32 },
  bind: { args: [i32, pointer, u32], returns: i32 },
  setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 },
  sendto: { args: [i32, pointer, u64, i32, pointer, u32], returns: i64 },
  recvmmsg: { args: [i32, pointer, u32, i32, pointer], returns: i32 },
  clock_gettime: { args: [i32, pointer], returns: i32 },
  inet_pton: { args: [i32, pointer, pointer], returns: i32 },
  if_nametoindex: { args: [pointer], returns: u32 },
  getnameinfo: { args: [pointer, u32, pointer, u32, pointer, u32, i32], returns: i32 },
  close: { args: [i32], returns: i32 },
} as const;

type Libc = ReturnType<typeof dlopen<typeof SYMBOLS>>["symbols"];

/** Memory that the runtime never moves: the kernel uses its address. */
const fixedMemory = (bytes: number) => new Uint8Array(new SharedArrayBuffer(bytes));
const words = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new Uint32Array(buffer, byteOffset, byteLength / 4);
const cString = (text: string) => Buffer.from(`${text}\0`);

/** Local or remote address of a socket, in the kernel's format. */
class SocketAddress {
  readonly #bytes = fixedMemory(ADDRESS_BYTES);
  readonly at = ptr(this.#bytes);
  #host = "";

  constructor(
    private readonly libc: Libc,
    private readonly family: typeof IPV4 | typeof IPV6,
  ) {}

  /** Returns false if it is not an address of this family. */
  set(host: string, port: number): boolean {
    writeUint16(this.#bytes, 2, port);
    return host === this.#host || this.#setHost(host);
  }

  #setHost(host: string): boolean {
    const [address = "", zone] = host.split("%");
    const isMapped = this.family === IPV6 && isIPv4(address);
    const text = cString(isMapped ? `::ffff:${address}` : address);
    const place = ptr(this.#bytes, this.family === IPV6 ? 8 : 4);
    if (this.libc.inet_pton(this.family, text, place) !== 1) return false;
    this.#bytes[0] = this.family;
    words(this.#bytes)[INTERFACE] = zone ? this.libc.if_nametoindex(cString(zone)) : 0;
    this.#host = host;
    return true;
  }
}

/** Sender of a socket's last datagram: mostly the next one has the same. */
class Sender {
  readonly words = new Uint32Array(ADDRESS_WORDS);
  host = "";
}

/** Shared by all sockets of this thread, which use it one after another. */
class Exchange {
  readonly sent = fixedMemory(DATAGRAM_BYTES_MAX);
  readonly sentAt = ptr(this.sent);
  readonly #now = fixedMemory(16);
  readonly #nowAt = ptr(this.#now);
  readonly #nowWords = words(this.#now);
  readonly #headers = fixedMemory(BATCH * HEADER_WORDS * 4);
  readonly headersAt = ptr(this.#headers);
  readonly #headerWords = words(this.#headers);
  readonly #names = fixedMemory(BATCH * ADDRESS_BYTES);
  readonly #nameWords = words(this.#names);
  readonly #host = fixedMemory(HOST_BYTES);
  readonly #hostAt = ptr(this.#host);
  readonly #control = fixedMemory(BATCH * CONTROL_BYTES);
  readonly #controlWords = words(this.#control);
  readonly #received = fixedMemory(BATCH * DATAGRAM_BYTES_MAX);
  readonly #vectors = fixedMemory(BATCH * 16);
  /** Last datagram per index: mostly the next one has the same length. */
  readonly #datagrams: Uint8Array[] = [];

  constructor(readonly libc: Libc) {
    const headers = new BigUint64Array(this.#headers.buffer);
    const vectors = new BigUint64Array(this.#vectors.buffer);
    const place = (memory: Uint8Array, index: number) =>
      BigInt(ptr(memory)) + BigInt((index * memory.byteLength) / BATCH);
    for (let index = 0; index < BATCH; index++) {
      const vector = [place(this.#received, index), BigInt(DATAGRAM_BYTES_MAX)];
      vectors.set(vector, index * 2);
      const fields = [
        place(this.#names, index),
        BigInt(ADDRESS_BYTES),
        place(this.#vectors, index),
        1n,
        place(this.#control, index),
        BigInt(CONTROL_BYTES),
      ];
      headers.set(fields, (index * HEADER_WORDS) / 2);
      this.#datagrams.push(this.#received.subarray(0, 0));
    }
  }

  /**
   * Returns the number of datagrams. `hostOf`, `portOf`, `agoMs` and finally `datagram` describe
   * each.
   */
  receive(socket: number): number {
    return this.libc.recvmmsg(socket, this.headersAt, BATCH, AT_ONCE, null);
  }

  /** Sets the reference time of `agoMs`. */
  readTime(): void {
    this.libc.clock_gettime(REAL_TIME, this.#nowAt);
  }

  portOf(index: number): number {
    return readUint16(this.#names, index * ADDRESS_BYTES + 2);
  }

  /** `last` is the socket's previous sender, and is updated. */
  hostOf(index: number, last: Sender): string {
    const length = this.#headerWords[index * HEADER_WORDS + NAME_LENGTH] ?? 0;
    const start = index * ADDRESS_WORDS;
    let isSame = last.host !== "";
    for (let word = 1; word < length / 4; word++) {
      const value = this.#nameWords[start + word] ?? 0;
      if (last.words[word] !== value) isSame = false;
      last.words[word] = value;
    }
    if (!isSame) last.host = this.#textOf(index, length);
    return last.host;
  }

  /** In the format of the runtime's sockets. */
  #textOf(index: number, length: number): string {
    const name = ptr(this.#names, index * ADDRESS_BYTES);
    this.libc.getnameinfo(name, length, this.#hostAt, HOST_BYTES, null, 0, NUMERIC_HOST);
    return unmapped(new CString(this.#hostAt).toString());
  }

  /** Resets the entry for the next datagram. */
  datagram(index: number): Uint8Array {
    const header = index * HEADER_WORDS;
    const length = this.#headerWords[header + LENGTH] ?? 0;
    this.#headerWords[header + NAME_LENGTH] = ADDRESS_BYTES;
    this.#headerWords[header + CONTROL_LENGTH] = CONTROL_BYTES;
    const last = this.#datagrams[index];
    if (last?.length === length) return last;
    const start = index * DATAGRAM_BYTES_MAX;
    const datagram = this.#received.subarray(start, start + length);
    this.#datagrams[index] = datagram;
    return datagram;
  }

  agoMs(index: number): number {
    const stamp = (index * CONTROL_BYTES) / 4;
    const [control, now] = [this.#controlWords, this.#nowWords];
    if (control[stamp + 3] !== TIME_STAMPS) return 0;
    const seconds = (now[0] ?? 0) - (control[stamp + 4] ?? 0);
    const agoMs = seconds * 1000 + ((now[2] ?? 0) - (control[stamp + 6] ?? 0)) / 1e6;
    return Math.max(0, Math.min(AGO_MS_MAX, agoMs));
  }
}

let exchange: Exchange | null | undefined;

function loadExchange(): Exchange | null {
  if (process.platform !== "linux") return null;
  try {
    return new Exchange(dlopen("libc.so.6", SYMBOLS).symbols);
  } catch {
    return null;
  }
}

/**
 * Null if the system or the address is not supported. Throws if the port is in use. Without
 * `sendThread`, the thread must not end before the socket is closed: the runtime does not close
 * libc's sockets.
 */
export function openBatchUdpSocket(
  host: string,
  port: number,
  sendThread: RtpSendThread | null = null,
): BatchUdpSocket | null {
  const version = isIP(host);
  if (version === 0) return null;
  exchange ??= loadExchange();
  if (!exchange) return null;
  const { libc } = exchange;
  const family = version === 4 ? IPV4 : IPV6;
  const socket = sendThread?.openSocket(family) ?? libc.socket(family, DATAGRAMS, 0);
  const close = () => {
    if (sendThread) sendThread.closeSocket(socket);
    else libc.close(socket);
  };
  const setOption = (level: number, option: number, value: number) =>
    libc.setsockopt(socket, level, option, Uint32Array.of(value), 4);
  if (family === IPV6) setOption(IPV6_LEVEL, IPV6_ONLY, 0);
  const address = new SocketAddress(libc, family);
  address.set(host, port);
  if (socket < 0 || libc.bind(socket, address.at, ADDRESS_BYTES) !== 0) {
    if (socket >= 0) close();
    throw new Error(`the system refuses UDP port ${port}`);
  }
  setOption(SOCKET_LEVEL, TIME_STAMPS, 1);
  return new LibcSocket(socket, exchange, sendThread, address, close);
}

class LibcSocket implements BatchUdpSocket {
  readonly #from = new Sender();
  #isOpen = true;

  constructor(
    private readonly socket: number,
    private readonly exchange: Exchange,
    private readonly sendThread: RtpSendThread | null,
    /** First its own address, then that of the remote party. */
    private readonly to: SocketAddress,
    private readonly closeSocket: () => void,
  ) {}

  poll(nowMs: number, listener: BatchDatagramListener): void {
    const { exchange, socket } = this;
    for (let batch = 0; batch < BATCHES_MAX && this.#isOpen; batch++) {
      const count = exchange.receive(socket);
      if (batch === 0 && count > 0) exchange.readTime();
      for (let index = 0; index < count; index++) {
        const host = exchange.hostOf(index, this.#from);
        const port = exchange.portOf(index);
        listener(exchange.datagram(index), host, port, nowMs - exchange.agoMs(index));
      }
      if (count < BATCH) return;
    }
  }

  send(datagram: Uint8Array, host: string, port: number, slotMs?: number): void {
    const { exchange, socket, sendThread, to } = this;
    if (datagram.length > DATAGRAM_BYTES_MAX || !to.set(host, port)) return;
    exchange.sent.set(datagram);
    const { sentAt } = exchange;
    const size = datagram.length;
    const isQueued = slotMs !== undefined && sendThread?.queue(socket, sentAt, size, to.at, slotMs);
    if (!isQueued) exchange.libc.sendto(socket, sentAt, size, AT_ONCE, to.at, ADDRESS_BYTES);
  }

  close(): void {
    this.#isOpen = false;
    this.closeSocket();
  }
}
