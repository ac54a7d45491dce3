/** A hotel: used only for evaluation, never for tuning. */
import type { Faq } from "./faq.ts";

export const HOTEL: Faq = {
  name: "hotel",
  knowledge: `# Hotel Old Harbour

## What time is check in?
You can check in from three in the afternoon.
Also: When can I get into my room?

## What time do I have to check out?
Please check out by eleven in the morning.
Also: When do we have to leave the room?

## How much is a double room?
A double room costs 95 euros a night.
Also: What does a room for two cost?

## Is breakfast included?
Yes, breakfast is included in all prices.
Also: Do I have to pay extra for breakfast?

## When is breakfast served?
Breakfast is served from seven to ten.

## Do you have a swimming pool?
Yes, there is an indoor swimming pool on the top floor.
Also: Can I go swimming in the hotel?

## Can I bring my dog?
Yes, dogs are welcome for ten euros a night.
Also: Are pets allowed?

## Where can I park my car?
There is a car park under the hotel. It costs 12 euros a day.
Also: Is there a car park?

## How do I get to the hotel from the airport?
Bus number nine takes you from the airport to our door in half an hour.
Also: How far is the airport?

## Do you have a shuttle bus?
No, but we will call a taxi for you.

## Is there wireless internet?
Yes, wireless internet is free in all rooms.
Also: Do you have internet?

## How can I cancel my booking?
You can cancel free of charge until the day before you arrive.
Also: I have to cancel my reservation

## Do you have rooms for families?
Yes, a family room has four beds and costs 140 euros.
Also: We are coming with two children

## Can I leave my luggage with you?
Yes, we keep your luggage at reception.
Also: Is there a place to store my suitcase?

## Is there a restaurant in the hotel?
Yes, our restaurant is open every evening from six to ten.
Also: Can we have dinner in the hotel?
`,
  paraphrased: {
    "What time is check in?": ["How early can I check in?", "From what time is my room ready?"],
    "What time do I have to check out?": [
      "How long can I stay in the room on the last day?",
      "Is a late check out possible?",
    ],
    "How much is a double room?": [
      "What is the price for a double room per night?",
      "How much do you charge for two people?",
    ],
    "Is breakfast included?": [
      "Does the price include breakfast?",
      "Do we get breakfast with the room?",
    ],
    "When is breakfast served?": [
      "What time can I have breakfast?",
      "Until when can we eat breakfast?",
    ],
    "Do you have a swimming pool?": [
      "Is there a pool where I can swim?",
      "Does your hotel have a pool?",
    ],
    "Can I bring my dog?": ["I am travelling with a dog, is that okay?", "Do you allow animals?"],
    "Where can I park my car?": ["Do you have parking spaces?", "What does parking cost?"],
    "How do I get to the hotel from the airport?": [
      "Which bus goes from the airport to you?",
      "I arrive at the airport, how do I reach you?",
    ],
    "Do you have a shuttle bus?": [
      "Is there a shuttle to the hotel?",
      "Can somebody pick us up with a bus?",
    ],
    "Is there wireless internet?": [
      "Is the internet free of charge?",
      "Can I use the internet in my room?",
    ],
    "How can I cancel my booking?": [
      "I would like to cancel my room",
      "Until when can I cancel for free?",
    ],
    "Do you have rooms for families?": [
      "Is there a room with four beds?",
      "We need a room for a family with kids",
    ],
    "Can I leave my luggage with you?": [
      "Where can we leave our bags after check out?",
      "Could you keep my luggage until the evening?",
    ],
    "Is there a restaurant in the hotel?": [
      "Can I eat in the hotel in the evening?",
      "When does your restaurant open?",
    ],
  },
  offTopic: [
    "My washing machine is making a strange noise",
    "How much does a new tyre cost?",
    "What is the square root of two?",
    "I need a doctor for my daughter",
    "Who is the president of France?",
    "Can you help me with my tax return?",
    "The dentist told me to brush twice a day",
    "Which phone has the best camera?",
    "How old is the universe?",
    "I forgot to water the plants",
    "When does the football season start?",
    "Do you teach guitar?",
    "My bicycle was stolen last week",
    "How do I change the language of my computer?",
    "Sing me a song about the sea",
  ],
};
