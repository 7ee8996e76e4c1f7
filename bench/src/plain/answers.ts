import { newId } from '../rows.ts'
import type { CompanyRow, PersonRow } from './store.ts'

/** A person as it is answered: the ten attributes under the names and in the form of ours. */
export const shown = (row: PersonRow) => ({
  id: row.id,
  name: { first_name: row.first_name, last_name: row.last_name, full_name: row.full_name },
  email_addresses: { items: [row.email] },
  phone_numbers: { items: [row.phone] },
  job_title: row.job_title,
  company_id: row.company_id,
  linkedin: row.linkedin,
  location: row.location,
  description: row.description,
  avatar_url: row.avatar_url,
  score: row.score,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export const shownCompany = (row: CompanyRow) => ({
  id: row.id,
  name: row.name,
  domains: { items: [row.domain] },
  industry: row.industry,
  location: row.location,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** The attributes that are sent of a person. */
export type PersonInput = Omit<ReturnType<typeof shown>, 'id' | 'created_at' | 'updated_at'>

export const rowOf = (input: PersonInput, now: Date, id = newId(now.getTime())): PersonRow => ({
  id,
  ...input.name,
  email: input.email_addresses.items[0] as string,
  phone: input.phone_numbers.items[0] as string,
  job_title: input.job_title,
  company_id: input.company_id,
  linkedin: input.linkedin,
  location: input.location,
  description: input.description,
  avatar_url: input.avatar_url,
  score: input.score,
  created_at: now,
  updated_at: now,
})
