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
/** The package has no types. These are the parts that we use of an emscripten module that runs a command line. */
declare module "espeak-ng" {
  interface EspeakInstance {
    readonly FS: {
      writeFile(path: string, content: string): void;
      readFile(path: string): Uint8Array<ArrayBuffer>;
      analyzePath(path: string): { readonly exists: boolean };
    };
  }
  /** Resolves when the command line has ended. */
  export default function createInstance(options: {
    readonly arguments: string[];
    instantiateWasm(
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance) => void,
    ): object;
    onRuntimeInitialized(this: EspeakInstance): void;
    quit(status: number, error: unknown): void;
    print(line: string): void;
    printErr(line: string): void;
  }): Promise<EspeakInstance>;
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
