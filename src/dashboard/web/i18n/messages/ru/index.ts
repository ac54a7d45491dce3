/** Russian. */
import type { Catalogue } from "../../catalogue.ts";
import { auth } from "./auth.ts";
import { build } from "./build.ts";
import { calls } from "./calls.ts";
import { campaigns } from "./campaigns.ts";
import { company } from "./company.ts";
import { connect } from "./connect.ts";
import { contacts } from "./contacts.ts";
import { features } from "./features.ts";
import { operator } from "./operator.ts";
import { shell } from "./shell.ts";
import { statuses } from "./statuses.ts";

export { answers } from "./answers.ts";

export const ru: Catalogue = {
  ...shell,
  ...auth,
  ...calls,
  ...build,
  ...connect,
  ...company,
  ...operator,
  ...contacts,
  ...campaigns,
  ...features,
  ...statuses,
};
