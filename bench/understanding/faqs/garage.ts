/** A garage: used only for evaluation, never for tuning. */
import type { Faq } from "./faq.ts";

export const GARAGE: Faq = {
  name: "garage",
  knowledge: `# Northside garage

## What are your opening hours?
We are open Monday to Friday from half past seven to six.
Also: When do you open in the morning?

## Where is your workshop?
We are at 8 Mill Road, behind the fire station.
Also: What is your address?

## How much does an oil change cost?
An oil change costs 70 euros with the filter.
Also: What do you charge for an oil change?

## How much are new tyres?
New tyres cost from 60 euros each, fitting included.
Also: Do you sell tyres?

## Do you store winter tyres?
Yes, we store a set of tyres for 40 euros a season.

## How long does a brake repair take?
Most brake repairs take three hours.
Also: How long will you need for my brakes?

## Can I have a replacement car?
Yes, a replacement car costs 25 euros a day.
Also: Do you lend cars during a repair?

## Do you repair electric cars?
Yes, two of our mechanics are trained for electric cars.

## Do you work on motorcycles?
No, we repair cars and vans only.

## Can you tow my car?
Yes, our tow truck comes within an hour. Towing costs 80 euros in the city.
Also: My car has broken down

## How do I book a service?
Tell us the number plate and a day, and we will call you back.
Also: I would like an appointment for a service

## Do you do the yearly inspection?
Yes, we prepare your car and take it to the yearly inspection.
Also: Can you get my car through the inspection?

## Is there a guarantee on repairs?
We give two years of guarantee on all repairs.

## Can I pay in instalments?
Yes, bills above 300 euros can be paid in three instalments.
Also: Do I have to pay everything at once?

## Do you repair windscreens?
Yes, small chips are repaired within half an hour.
Also: A stone hit my windscreen
`,
  paraphrased: {
    "What are your opening hours?": ["How late are you open today?", "What time do you close?"],
    "Where is your workshop?": [
      "How do I find your garage?",
      "Can you give me the address please?",
    ],
    "How much does an oil change cost?": [
      "What is the price of changing the oil?",
      "I need an oil change, how much is that?",
    ],
    "How much are new tyres?": [
      "What do four new tyres cost?",
      "I am looking for the price of summer tyres",
    ],
    "Do you store winter tyres?": [
      "Can I leave my winter tyres with you over the summer?",
      "Is it possible to keep my tyres at your place?",
    ],
    "How long does a brake repair take?": [
      "How many hours does it take to repair the brakes?",
      "When will my brakes be done?",
    ],
    "Can I have a replacement car?": [
      "Do I get another car while mine is being repaired?",
      "I need a car for the time of the repair",
    ],
    "Do you repair electric cars?": [
      "My car is electric, can you fix it?",
      "Are your mechanics able to work on electric cars?",
    ],
    "Do you work on motorcycles?": ["Can you fix my motorcycle?", "Do you also repair motorbikes?"],
    "Can you tow my car?": [
      "My car does not start, can you come and tow it?",
      "How much does towing cost?",
    ],
    "How do I book a service?": [
      "I want to book my car in for a service",
      "Can I make an appointment?",
    ],
    "Do you do the yearly inspection?": [
      "My car needs its yearly inspection",
      "Can you prepare my car for the inspection?",
    ],
    "Is there a guarantee on repairs?": [
      "How long is the guarantee on your work?",
      "Do your repairs come with a warranty?",
    ],
    "Can I pay in instalments?": [
      "Is it possible to pay the bill in three parts?",
      "Can I pay the repair monthly?",
    ],
    "Do you repair windscreens?": [
      "There is a chip in my windscreen, can you repair it?",
      "My windscreen is cracked",
    ],
  },
  offTopic: [
    "How many people live in China?",
    "I would like a table for two this evening",
    "What is a good present for my mother?",
    "Who wrote Romeo and Juliet?",
    "My tooth hurts when I drink something cold",
    "Can you translate a letter into Spanish?",
    "The printer is out of paper again",
    "When is the next full moon?",
    "I want to learn to play the violin",
    "How do I get a stain out of a carpet?",
    "Is the museum free on Sundays?",
    "Please send me the pizza menu",
    "My cat has not eaten since Tuesday",
    "What is the best way to cook rice?",
    "Did the election results come out yet?",
  ],
};
