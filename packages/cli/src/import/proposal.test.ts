import { expect, test } from 'vitest'
import type { ObjectSchemaDocument } from '@kontor/contract'
import { proposalInWords, proposeMapping } from './proposal.ts'

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

test('headers suggest fields by names, titles and usual words; a field of one value is proposed once', () => {
  const header = ['First Name', 'surname', 'E-Mail', 'Mobile', 'Work phone', 'job_title', 'Job title', 'ZIP', 'Company']
  expect(proposeMapping([...header, 'Deals', '_id', ''], person)).toEqual({
    maps: [
      'First Name=name.first_name',
      'surname=name.last_name',
      'E-Mail=email_addresses',
      'Mobile=phone_numbers',
      'Work phone=phone_numbers',
      'job_title=job_title',
      'ZIP=location.postal_code',
    ],
    matchOn: 'email_addresses',
    unmapped: ['Job title', 'Company', 'Deals', '_id'],
  })
})

test('the proposal is what a shell takes', () => {
  expect(proposalInWords(['Mail', 'Notes'], person)).toContain(
    "\n  --map 'Mail=email_addresses' --match-on email_addresses\nColumns that look like no field: Notes\n",
  )
  expect(proposalInWords(['Notes'], person)).toMatch(/^Map columns to fields.*\nColumns: Notes\nFields of person: /)
})
