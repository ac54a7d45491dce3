/** Texts of the payment page in each language. */
import { type TextsOf, textsOf } from "../../core/texts.ts";
import texts from "./checkout-texts.json" with { type: "json" };

export type CheckoutTexts = TextsOf<typeof texts>;

export const CHECKOUT_TEXTS = textsOf(texts);
