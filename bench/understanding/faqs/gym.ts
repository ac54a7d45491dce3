/** A gym: the decision's coefficients are fitted with it. */
import type { Faq } from "./faq.ts";

export const GYM: Faq = {
  name: "gym",
  knowledge: `# Riverside gym

## When is the gym open?
The gym is open every day from six in the morning to eleven at night.
Also: What are your opening hours?

## How much is a membership?
A membership costs 39 euros a month.
Also: What does it cost to join?

## Is there a discount for students?
Students pay 29 euros a month.
Also: Are you cheaper for students?

## Can I try the gym for a day?
Yes, the first day is free.
Also: Do you offer a trial day?

## Do you have a sauna?
Yes, the sauna is open from four in the afternoon.

## Do you have personal trainers?
Yes, an hour with a trainer costs 45 euros.
Also: I would like to work with a trainer

## Which classes do you offer?
We offer yoga, boxing, dancing and back training.
Also: What courses are there?

## Do I have to book a class?
Yes, please book the day before.
Also: How do I reserve a place in a class?

## How do I end my membership?
Write to us one month before the end of the year.
Also: I want to cancel my contract

## Can I pause my membership?
Yes, you can pause it for up to three months.
Also: I am ill for a long time

## Are there showers and lockers?
Yes, and you need a padlock of your own.
Also: Where can I change my clothes?

## Do I need to bring a towel?
Yes, please always bring a towel and clean shoes.
Also: What should I bring?

## Is there a minimum age?
You must be sixteen, or come with a parent.
Also: Can my son train here?

## Where do I find you?
We are at 3 Bridge Street, above the supermarket.
Also: What is your address?

## Is there somebody who shows me the machines?
Yes, a trainer shows you all machines on your first day.
Also: I have never been to a gym
`,
  paraphrased: {
    "When is the gym open?": ["How late can I train?", "Are you open on Sunday morning?"],
    "How much is a membership?": [
      "What do I pay per month?",
      "How much does it cost to become a member?",
    ],
    "Is there a discount for students?": [
      "I am a student, do I pay less?",
      "What is the student price?",
    ],
    "Can I try the gym for a day?": [
      "Is it possible to come for one day to try it?",
      "Can I have a free trial?",
    ],
    "Do you have a sauna?": ["Is there a sauna in the gym?", "When can I use the sauna?"],
    "Do you have personal trainers?": [
      "How much is a personal trainer?",
      "Can I book an hour with a trainer?",
    ],
    "Which classes do you offer?": ["Do you have yoga classes?", "Is there a dancing course?"],
    "Do I have to book a class?": [
      "Can I just come to a class without booking?",
      "How can I book a place in the yoga class?",
    ],
    "How do I end my membership?": [
      "I would like to cancel my membership",
      "How do I get out of the contract?",
    ],
    "Can I pause my membership?": [
      "I am travelling for two months, can I pause?",
      "Is it possible to stop the membership for a while?",
    ],
    "Are there showers and lockers?": ["Can I take a shower there?", "Do you have lockers?"],
    "Do I need to bring a towel?": ["Do you give out towels?", "What do I need to bring with me?"],
    "Is there a minimum age?": [
      "How old do I have to be?",
      "My daughter is fourteen, can she come?",
    ],
    "Where do I find you?": ["Which street are you in?", "How do I get to the gym?"],
    "Is there somebody who shows me the machines?": [
      "Can a trainer show me how the machines work?",
      "I am new, who explains the machines to me?",
    ],
  },
  offTopic: [
    "How do I repair a flat tyre?",
    "What is the name of the longest river?",
    "I want to change my telephone number",
    "Is the shop for garden tools still there?",
    "The letter has not arrived yet",
    "Do you rent out apartments?",
    "Where does this train go?",
    "My son has a fever since yesterday",
    "Can I return the jacket that I bought?",
    "Who painted the Mona Lisa?",
    "I need a new pair of glasses",
    "What will the weather be at the weekend?",
    "Read me the latest headlines",
    "How long must I boil an egg?",
    "A parcel for me should have come today",
  ],
};
