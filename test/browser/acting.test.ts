/** An operator sees every company's health on one page, and acts as one under a visible banner. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
