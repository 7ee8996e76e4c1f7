import { realCompanies, realPeople } from './real-rows.ts'

/** The attributes of a record in a body of ours, in the order in which they are sent. */
export type Attributes = Readonly<Record<string, unknown>>

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T

/** The numbered copy of a real company. */
export function companyAttributes(number: number): Attributes {
  const [name, industry, location] = at(realCompanies, number)
  return { name: `${name} ${number}`, domains: { items: [`company${number}.example.com`] }, industry, location }
}

/** Scores repeat: each is that of a hundred persons in a million. */
const scores = 10_000

/** The numbered copy of a real person, who works for a company; `tag` keeps the addresses of several sets apart. */
export function personAttributes(tag: string, number: string | number, companyId: string): Attributes {
  const [first, last, title, location, phone] = at(realPeople, typeof number === 'number' ? number : 0)
  return {
    name: { first_name: first, last_name: `${last} ${number}`, full_name: `${first} ${last} ${number}` },
    email_addresses: { items: [`${tag}${number}@example.com`] },
    phone_numbers: { items: [phone] },
    job_title: title,
    company_id: companyId,
    location,
    score: typeof number === 'number' ? (number * 7919) % scores : 0,
  }
}
