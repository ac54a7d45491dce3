/** Latvian. */
import type { Catalogue } from "../../catalogue.ts";
import { build } from "./build.ts";
import { calls } from "./calls.ts";
import { campaigns } from "./campaigns.ts";
import { company } from "./company.ts";
import { connect } from "./connect.ts";
import { contacts } from "./contacts.ts";
import { door } from "./door.ts";
import { features } from "./features.ts";
import { lamps } from "./lamps.ts";
import { operator } from "./operator.ts";
import { shell } from "./shell.ts";

export { answers } from "./answers.ts";

export const lv: Catalogue = {
  ...shell,
  ...door,
  ...calls,
  ...build,
  ...connect,
  ...company,
  ...operator,
  ...contacts,
  ...campaigns,
  ...features,
  ...lamps,
};
