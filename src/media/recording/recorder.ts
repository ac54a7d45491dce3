/**
 * Records a call to a stereo WAV file, caller left, agent right, one frame of both per tick, so
 * that the sides never drift apart. Frames are collected for half a second and written in the
 * background.
 *
 * `write` never waits and never throws. At most `PENDING_BLOCKS_MAX` blocks wait for a slow disk.
 * If the disk fails or is too slow, the recording stops, but never the call. The header is valid
 * from the first byte and updated every 5 s, so that a crash loses seconds, not the file.
 */
import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { RecordingInfo } from "../../conversation/call-report.ts";
import { describeError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
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
  /** The block written last, reused as the next block to fill. */
  #spare: Int16Array | null = null;
  #filled = 0;
  #pendingBlocks = 0;
  #writtenBytes = 0;
  #blocksSinceHeader = 0;
  #file: FileHandle | null = null;
  #stopped = false;
  #work: Promise<void>;
  #closing: Promise<RecordingInfo | null> | null = null;

  /** Creates (or truncates) the file at once, in the background. */
  constructor(path: string, sampleRateHz: number, log: Log) {
    this.#path = path;
    this.#log = log;
    this.#format = { sampleRateHz, channels: CHANNELS };
    this.#block = this.#newBlock();
    this.#work = this.#guard(() => this.#create());
  }

  /** Adds one tick: both frames have the same length. */
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

  /**
   * Adds silence on both sides, in samples per side, for any duration. Whole blocks of it take
   * neither memory nor disk space.
   */
  writeSilence(samples: number): void {
    if (this.#stopped) return;
    const missing = this.#block.length - this.#filled;
    const left = samples * CHANNELS - missing;
    this.#block.fill(0, this.#filled);
    if (left < 0) {
      this.#filled += samples * CHANNELS;
      return;
    }
    this.#filled = this.#block.length;
    this.#handOver();
    this.#filled = left % this.#block.length;
    this.#block.fill(0, 0, this.#filled);
    const holeBytes = (left - this.#filled) * BYTES_PER_SAMPLE;
    this.#work = this.#work.then(() => {
      this.#writtenBytes += holeBytes;
    });
  }

  /**
   * Writes the rest and closes the file. Returns null, and removes the file, if nothing usable was
   * recorded.
   */
  close(): Promise<RecordingInfo | null> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  /** If the disk keeps up, two blocks are used alternately and none is allocated. */
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

  /**
   * Creates the directory again if it was removed, but not its parents: the disk may be unmounted.
   */
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
