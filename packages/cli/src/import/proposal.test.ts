import { expect, test } from 'vitest'
import type { ObjectSchemaDocument } from '@kontor/contract'
import { proposalInWords } from './proposal.ts'

const properties = {
  _id: { type: 'string' },
  name: { xSvcType: 'person_name', title: 'Name' },
  email_addresses: { xSvcType: 'email_addresses', title: 'E-mail addresses', xSvcUnique: true },
  phone_numbers: { xSvcType: 'phone_numbers', title: 'Phone numbers' },
  job_title: { xSvcType: 'text', title: 'Job title' },
  location: { xSvcType: 'location', title: 'Location' },
  company_id: { xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: 'people' }, title: 'Company' },
  deals: { xSvcRelationship: { kind: 'many-to-many', entity: 'deal', field: 'people' }, title: 'Deals' },
}
const person = { title: 'person', properties } as unknown as ObjectSchemaDocument

test('the proposal is what a shell takes', () => {
  expect(proposalInWords(['Mail', 'Notes'], person)).toContain(
    "\n  --map 'Mail=email_addresses' --match-on email_addresses\nColumns that look like no field: Notes\n",
  )
  expect(proposalInWords(['Notes'], person)).toMatch(/^Map columns to fields.*\nColumns: Notes\nFields of person: /)
})
