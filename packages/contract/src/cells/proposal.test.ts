import { expect, test } from 'vitest'
import type { ObjectSchemaDocument } from '../schema-document.ts'
import { proposeMapping } from './proposal.ts'

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

test('texts suggest fields of columns whose headers say nothing', () => {
  const rows = [
    ['ada@example.com', '+41 44 668 18 00', '5'],
    ['', '+1 (212) 555-0100', 'x@y.z and more'],
  ]
  const textsOf = (column: number): string[] => rows.map((row) => row[column] ?? '')
  expect(proposeMapping(['Kontakt', 'Ruf', 'Rest'], person, textsOf)).toEqual({
    maps: [
      { source: 'Kontakt', field: 'email_addresses' },
      { source: 'Ruf', field: 'phone_numbers' },
    ],
    matchOn: 'email_addresses',
    unmapped: ['Rest'],
  })
})

test('headers suggest fields by names, titles and usual words; a field of one value is proposed once', () => {
  const header = ['First Name', 'surname', 'E-Mail', 'Mobile', 'Work phone', 'job_title', 'Job title', 'ZIP', 'Company']
  expect(proposeMapping([...header, 'Deals', '_id', ''], person)).toEqual({
    maps: [
      { source: 'First Name', field: 'name.first_name' },
      { source: 'surname', field: 'name.last_name' },
      { source: 'E-Mail', field: 'email_addresses' },
      { source: 'Mobile', field: 'phone_numbers' },
      { source: 'Work phone', field: 'phone_numbers' },
      { source: 'job_title', field: 'job_title' },
      { source: 'ZIP', field: 'location.postal_code' },
    ],
    matchOn: 'email_addresses',
    unmapped: ['Job title', 'Company', 'Deals', '_id'],
  })
})
