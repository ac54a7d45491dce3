/**
 * Entry of a transcriber's thread: it converts the speech of English callers to text for its speech
 * worker.
 */

import { TranscriberHost } from "../engine/embedded/recogniser/host.ts";
import type { ToTranscriber } from "../engine/embedded/recogniser/messages.ts";
import { lowerThreadPriority } from "../platform/threads/priority.ts";

declare const self: Worker;

// Late text only delays the answer; late audio is audible.
lowerThreadPriority();

const host = new TranscriberHost((message) => self.postMessage(message));
self.onmessage = (event: MessageEvent<ToTranscriber>) => host.receive(event.data);
