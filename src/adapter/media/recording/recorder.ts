/**
 * Records a call into a stereo WAV, caller left, agent right, one frame of both per tick, so that
 * the sides never drift apart. Frames are gathered to half a second and written in the background.
 *
 * Guarantees: `write` never waits and never throws; at most `PENDING_BLOCKS_MAX` blocks wait for a
 * slow disk; a disk that fails or falls behind stops the recording, never the call; the header is
 * valid from the first byte and corrected every 5 s, so that a crash loses seconds, not the file.
 */
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { describeError } from "../../../core/errors.ts";
import type { Log } from "../../../core/log.ts";
import type { RecordingInfo } from "../../../domain/conversation/call-report.ts";
import { durationMsOf, WAV_HEADER_BYTES, wavHeader } from "./wav.ts";

const CHANNELS = 2;
const BYTES_PER_SAMPLE = 2;
const BLOCK_MS = 500;
/** 10 s of audio. */
const PENDING_BLOCKS_MAX = 20;
const HEADER_EVERY_BLOCKS = 10;

export class CallRecorder {
  readonly #path: string;
  readonly #log: Log;
  readonly #format: { readonly sampleRateHz: number; readonly channels: number };
  #block: Int16Array;
  /** The last one that was written: the next to be filled. */
  #spare: Int16Array | null = null;
  #filled = 0;
  #pendingBlocks = 0;
  #writtenBytes = 0;
  #blocksSinceHeader = 0;
  #file: FileHandle | null = null;
  #stopped = false;
  #work: Promise<void>;
  #closing: Promise<RecordingInfo | null> | null = null;

  /** Creates (or empties) the file at once, in the background. */
  constructor(path: string, sampleRateHz: number, log: Log) {
    this.#path = path;
    this.#log = log;
    this.#format = { sampleRateHz, channels: CHANNELS };
    this.#block = this.#newBlock();
    this.#work = this.#guard(() => this.#create());
  }

  /** One tick: both frames have the same length. */
  write(caller: Int16Array, agent: Int16Array): void {
    if (this.#stopped) return;
    let block = this.#block;
    let filled = this.#filled;
    for (let index = 0; index < caller.length; index++) {
      block[filled++] = caller[index] ?? 0;
      block[filled++] = agent[index] ?? 0;
      if (filled < block.length) continue;
      this.#filled = filled;
      this.#handOver();
      block = this.#block;
      filled = this.#filled;
    }
    this.#filled = filled;
  }

  /** Writes what is left and closes. Null, and no file, when nothing usable was recorded. */
  close(): Promise<RecordingInfo | null> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  /** In the beat of a disk that keeps up, two blocks are filled in turns and nothing is thrown away. */
  #newBlock(): Int16Array {
    const spare = this.#spare;
    this.#spare = null;
    if (spare) return spare;
    return new Int16Array((this.#format.sampleRateHz * CHANNELS * BLOCK_MS) / 1000);
  }

  #handOver(): void {
    const block = this.#block;
    const samples = block.subarray(0, this.#filled);
    this.#block = this.#newBlock();
    this.#filled = 0;
    if (this.#pendingBlocks >= PENDING_BLOCKS_MAX) {
      this.#stop("the disk is too slow");
      return;
    }
    this.#pendingBlocks++;
    this.#work = this.#work.then(async () => {
      await this.#guard(() => this.#append(samples));
      this.#spare = block;
      this.#pendingBlocks--;
    });
  }

  async #create(): Promise<void> {
    this.#file = await this.#open();
    await this.#file.write(wavHeader(this.#format, 0), 0, WAV_HEADER_BYTES, 0);
  }

  /** Makes the directory anew where it was removed meanwhile, but nothing above it: a disk may be gone. */
  async #open(): Promise<FileHandle> {
    try {
      return await open(this.#path, "w");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      await mkdir(dirname(this.#path), { mode: 0o700 });
      return await open(this.#path, "w");
    }
  }

  async #append(samples: Int16Array): Promise<void> {
    const file = this.#file;
    if (!file) return;
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    const position = WAV_HEADER_BYTES + this.#writtenBytes;
    const { bytesWritten } = await file.write(bytes, 0, bytes.length, position);
    if (bytesWritten < bytes.length) throw new Error("the disk is full");
    this.#writtenBytes += bytes.length;
    this.#blocksSinceHeader++;
    if (this.#blocksSinceHeader >= HEADER_EVERY_BLOCKS) await this.#writeHeader();
  }

  async #writeHeader(): Promise<void> {
    this.#blocksSinceHeader = 0;
    await this.#file?.write(wavHeader(this.#format, this.#writtenBytes), 0, WAV_HEADER_BYTES, 0);
  }

  async #finish(): Promise<RecordingInfo | null> {
    if (!this.#stopped && this.#filled > 0) this.#handOver();
    this.#stopped = true;
    await this.#work;
    const file = this.#file;
    if (!file) return null;
    await this.#guard(async () => {
      const wholeFrames = this.#writtenBytes - (this.#writtenBytes % (CHANNELS * BYTES_PER_SAMPLE));
      this.#writtenBytes = wholeFrames;
      await file.truncate(WAV_HEADER_BYTES + wholeFrames);
      await this.#writeHeader();
    });
    await this.#guard(() => file.close());
    if (this.#writtenBytes === 0) {
      await this.#guard(() => rm(this.#path, { force: true }));
      return null;
    }
    return {
      path: this.#path,
      durationMs: durationMsOf(this.#format, this.#writtenBytes),
      bytes: WAV_HEADER_BYTES + this.#writtenBytes,
    };
  }

  async #guard(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.#stop(describeError(error));
    }
  }

  #stop(reason: string): void {
    if (!this.#stopped) this.#log.error("recording.stopped", { reason });
    this.#stopped = true;
  }
}
