/** A music school: used only for evaluation, never for tuning. */
import type { Faq } from "./faq.ts";

export const SCHOOL: Faq = {
  name: "music school",
  knowledge: `# Lindenhof music school

## Which instruments do you teach?
We teach piano, guitar, violin, flute and drums.
Also: What can I learn at your school?

## How much does a lesson cost?
A lesson of 45 minutes costs 32 euros.
Also: What are the fees?

## How long is a lesson?
A lesson lasts 45 minutes, for small children half an hour.

## Can I have a trial lesson?
Yes, the first lesson is a free trial.
Also: I would like to try it first

## At what age can children start?
Children can start at five years of age.
Also: How old must my child be?

## Do you teach adults?
Yes, a third of our pupils are adults.
Also: Am I too old to begin?

## Do I need my own instrument?
For the first year we lend instruments for 15 euros a month.
Also: Can I borrow an instrument?

## When are the school holidays?
We are closed in July and in the last two weeks of December.
Also: Are there lessons in summer?

## What happens if I miss a lesson?
Tell us a day before, and we will find another time.
Also: My child is ill and cannot come

## Do you give lessons online?
Yes, every teacher gives lessons online as well.
Also: Can I learn from home?

## Is there a choir?
Yes, our choir meets on Thursday at seven in the evening.
Also: I would like to sing in a choir

## How do I enrol?
Fill in the form on our web page, or call us.
Also: Where can I sign up for the school?

## How can I leave the school?
Give notice six weeks before the end of the term.
Also: I want to end my contract

## Do pupils play in concerts?
Yes, there is a concert in spring and one before Christmas.
Also: When is the next concert?

## Who are the teachers?
Eight teachers work here, all with a degree in music.
Also: What training do your teachers have?
`,
  paraphrased: {
    "Which instruments do you teach?": [
      "Can I learn the piano with you?",
      "Do you have lessons for drums?",
    ],
    "How much does a lesson cost?": [
      "What is the price of a lesson?",
      "How much do I have to pay for a guitar lesson?",
    ],
    "How long is a lesson?": [
      "How many minutes does a lesson take?",
      "Are the lessons a full hour?",
    ],
    "Can I have a trial lesson?": [
      "Is it possible to try a lesson for free?",
      "Is the first lesson free?",
    ],
    "At what age can children start?": [
      "My son is four, can he start already?",
      "From which age do you take children?",
    ],
    "Do you teach adults?": [
      "I am fifty, can I still learn an instrument?",
      "Are there lessons for adults?",
    ],
    "Do I need my own instrument?": [
      "Do I have to buy an instrument?",
      "Can I rent a violin from you?",
    ],
    "When are the school holidays?": [
      "Are you closed at Christmas?",
      "Do you have lessons in July?",
    ],
    "What happens if I miss a lesson?": [
      "I cannot come to my lesson tomorrow",
      "Can I move my lesson to another day?",
    ],
    "Do you give lessons online?": [
      "Can I have my lessons over the internet?",
      "Is it possible to take online lessons?",
    ],
    "Is there a choir?": ["Do you have a choir for singing?", "When does the choir meet?"],
    "How do I enrol?": ["I want to sign up my daughter", "How do I register for lessons?"],
    "How can I leave the school?": [
      "How do I end the contract?",
      "I want to stop taking lessons at the end of the term",
    ],
    "Do pupils play in concerts?": [
      "Will my child play in a concert?",
      "How many concerts are there?",
    ],
    "Who are the teachers?": [
      "How many teachers do you have?",
      "Have your teachers studied music?",
    ],
  },
  offTopic: [
    "What is the exchange rate of the dollar?",
    "My brakes make a squeaking noise",
    "Is there a chemist open at night?",
    "How far is it to the moon?",
    "I would like to order flowers for a funeral",
    "Which team won the cup last year?",
    "Do you sell kitchen furniture?",
    "The heating in my flat is broken",
    "How do I renew my passport?",
    "What should I cook for dinner tonight?",
    "Can you book a flight to London?",
    "My dog needs a vaccination",
    "Where can I buy a used car?",
    "How many calories are in a banana?",
    "Tell me the news of today",
  ],
};
