/** Words of 40 people and 20 machines per language, and which of them count as a machine. */
import { expect, test } from "bun:test";
import { greetingKindOf } from "../../../src/conversation/answering-machine-detection/greeting-words.ts";
import * as en from "./sentences/en.ts";
import * as lt from "./sentences/lt.ts";
import * as lv from "./sentences/lv.ts";
import * as ru from "./sentences/ru.ts";

/** Some recognisers write neither capitals nor punctuation. */
const bare = (text: string) => text.toLocaleLowerCase().replace(/[.,;:!]/g, "");

const isMachine = (text: string) => greetingKindOf(text) === "machine";

test.each(Object.entries({ en, lt, lv, ru }))(
  "in %s at most one of 40 people counts as a machine, and at most two of 20 machines as a person",
  (_, { PEOPLE, MACHINES }) => {
    expect([PEOPLE.length, MACHINES.length]).toEqual([40, 20]);
    for (const written of [(text: string) => text, bare]) {
      const hungUpOn = PEOPLE.filter((text) => isMachine(written(text)));
      const missed = MACHINES.filter((text) => !isMachine(written(text)));
      expect({ hungUpOn, isRight: hungUpOn.length <= 1 }).toMatchObject({ isRight: true });
      expect({ missed, isRight: missed.length <= 2 }).toMatchObject({ isRight: true });
    }
  },
);
