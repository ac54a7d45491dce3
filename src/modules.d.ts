/** Files that the build embeds: text for SQL, C and checksums, a path for everything else. */
declare module "*.c" {
  const text: string;
  export default text;
}
declare module "*.sql" {
  const text: string;
  export default text;
}
declare module "*.sha256" {
  const text: string;
  export default text;
}
declare module "*.wasm" {
  const path: string;
  export default path;
}
declare module "*.zst" {
  const path: string;
  export default path;
}
declare module "*.bin" {
  const path: string;
  export default path;
}
/** No types of its own: what we use of the emscripten module (MIT-like glue over espeak-ng). */
declare module "@echogarden/espeak-ng-emscripten" {
  export interface SpeechEvent {
    readonly type: string;
    readonly text_position: number;
    readonly word_length: number;
    /** Milliseconds. */
    readonly audio_position: number;
    readonly id: string | number | undefined;
  }
  export interface SpeechWorker {
    /** Answers 0 when the voice exists. */
    set_voice(name: string): number;
    /** Words a minute. */
    set_rate(rate: number): void;
    /** Calls back with 22,050 Hz audio; a callback that answers true ends the speech. */
    synthesize(
      ssml: string,
      onAudio: (pcm: Int16Array, events: readonly SpeechEvent[]) => boolean,
    ): void;
  }
  export interface SpeechModule {
    readonly FS: {
      writeFile(path: string, content: Uint8Array | string): void;
      unlink(path: string): void;
    };
    readonly eSpeakNGWorker: new () => SpeechWorker;
  }
  /** Addresses of audio, its length and addresses of events; answers 1 to end the speech. */
  export type SpeechCallback = (audio: number, samples: number, events: number) => number;
  export type CreateModule = (options: {
    /** This and the next: of the program that `scripts/speech-data.ts` makes of the package's. */
    readonly wasmBinary?: Uint8Array;
    /** What it answers can stand in WebAssembly's table. */
    createCallback?(callback: SpeechCallback): unknown;
    getPreloadedPackage(): ArrayBuffer;
    print(line: string): void;
    printErr(line: string): void;
  }) => Promise<SpeechModule>;
}
declare module "*.pack" {
  const path: string;
  export default path;
}
/** The package's whole also loads clusters and OpenTelemetry: 40 ms of each start. */
declare module "prom-client/lib/counter.js" {
  export { Counter as default } from "prom-client";
}
declare module "prom-client/lib/gauge.js" {
  export { Gauge as default } from "prom-client";
}
declare module "prom-client/lib/histogram.js" {
  export { Histogram as default } from "prom-client";
}
declare module "prom-client/lib/registry.js" {
  export { Registry as default } from "prom-client";
}
/** The runtime's HTTP parser, as `node:http` uses it: llhttp with callbacks in numbered places. */
declare module "node:_http_common" {
  type HeadersComplete = (
    major: number,
    minor: number,
    headers: string[] | null,
    method: unknown,
    url: unknown,
    status: number,
    statusMessage: string,
    isUpgrade: boolean,
    shouldKeepAlive: boolean,
  ) => 0;
  export class HTTPParser {
    static readonly RESPONSE: number;
    static readonly kOnMessageBegin: 0;
    static readonly kOnHeaders: 1;
    static readonly kOnHeadersComplete: 2;
    static readonly kOnBody: 3;
    static readonly kOnMessageComplete: 4;
    /** A part of the headers, or the trailers. */
    0: () => void;
    1: (headers: string[]) => void;
    2: HeadersComplete;
    3: (piece: Buffer) => void;
    4: () => void;
    initialize(type: number, resource: object, headerBytesMax: number): void;
    /** How many bytes were read, or why they cannot be. */
    execute(bytes: Buffer): number | Error;
    finish(): Error | undefined;
  }
}
