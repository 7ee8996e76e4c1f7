import type { Attributes } from '../attributes.ts'
import { realPeople } from '../real-rows.ts'

/** Job titles by how many persons have each: so many titles of a word, each with exactly so many persons. */
const titles = [
  { matches: 5, word: 'Governor', values: 200 },
  { matches: 100, word: 'Mayor', values: 20 },
  { matches: 150, word: 'Judge', values: 20 },
  { matches: 1000, word: 'Clerk', values: 5 },
  { matches: 64_000, word: 'Citizen', values: 1 },
] as const

export type Matches = (typeof titles)[number]['matches']

export const matchCounts: readonly Matches[] = titles.map(({ matches }) => matches)

/** The persons that the titles above need; all others have the title of a real person. */
export const fewestPersons = titles.reduce((sum, { matches, values }) => sum + matches * values, 0)

/** The job titles that so many persons have. */
export function titlesWith(matches: Matches): string[] {
  const { word, values } = titles.find((one) => one.matches === matches) as (typeof titles)[number]
  return Array.from({ length: values }, (_, value) => `${word} ${value}`)
}

/** A prime, so that persons of one title lie all over the table. */
const stride = 7919

function titleOf(number: number, people: number): string | undefined {
  let rank = (number * stride) % people
  for (const { matches, word, values } of titles) {
    if (rank < matches * values) return `${word} ${Math.floor(rank / matches)}`
    rank -= matches * values
  }
  return undefined
}

/** A custom number of the object, without which there would be nine fields; no list ever has an index on it. */
export const score = { type: ['number', 'null'], title: 'Score', xSvcType: 'number' }

const realPerson = (number: number) => realPeople[number % realPeople.length] as (typeof realPeople)[number]

/** The numbered copy of a real person, one of so many, with ten fields. */
export function tenFields(number: number, people: number, companyId: string): Attributes {
  const [first, last, title, location, phone] = realPerson(number)
  return {
    name: { first_name: first, last_name: `${last} ${number}`, full_name: `${first} ${last} ${number}` },
    email_addresses: { items: [`person${number}@example.com`] },
    phone_numbers: { items: [phone] },
    job_title: titleOf(number, people) ?? title,
    company_id: companyId,
    ...profile(number, location),
    score: (number * stride) % 10_000,
  }
}

/** A person who is created under load; `{n}` becomes a number. Of a name that no list looks for. */
export const newcomer = (companyId: string): Attributes => ({
  name: { first_name: 'New', last_name: 'Comer {n}', full_name: 'New Comer {n}' },
  email_addresses: { items: ['newcomer{n}@example.com'] },
  phone_numbers: { items: ['+12022243441'] },
  job_title: 'Newcomer',
  company_id: companyId,
  ...profile('{n}', 'WA'),
  score: 1,
})

const profile = (number: number | string, location: string): Attributes => ({
  linkedin: `https://linkedin.example.com/in/person-${number}`,
  location,
  description: `Number ${number}: met at the spring conference, asked for an offer, prefers calls in the morning.`,
  avatar_url: `https://avatars.example.com/person-${number}.png`,
})

const fewestFound = 50
const mostFound = 70
const partsWanted = 40

/** Parts of names, each of which 50 to 70 of so many persons have: the end of a surname and the first digits. */
export function partsOfNames(people: number): string[] {
  const counts = new Map<string, number>()
  for (let number = 0; number < people; number++) {
    const [, last] = realPerson(number)
    const digits = `${number}`
    for (let length = 1; length < digits.length; length++) {
      const part = `${last.slice(-3)} ${digits.slice(0, length)}`
      counts.set(part, (counts.get(part) ?? 0) + 1)
    }
  }
  return [...counts]
    .filter(([, count]) => count >= fewestFound && count <= mostFound)
    .map(([part]) => part)
    .slice(0, partsWanted)
}
