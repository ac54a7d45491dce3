/**
 * Entry of the thread in which a starting speech worker loads the recogniser once. The worker ends it then, which
 * gives the memory back for certain: a collector may take for alive what nobody needs any more.
 */
import { systemClock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import { createRecogniser } from "../engine/embedded/recogniser/recogniser.ts";
import type { SelfTestResult } from "../engine/embedded/speech-service.ts";

declare const self: Worker;

const tell = (result: SelfTestResult) => self.postMessage(result);
createRecogniser({ phonemes: () => "", clock: systemClock })
  .load()
  .then(
    () => tell({ failure: null }),
    (error) => tell({ failure: describeError(error) }),
  );
