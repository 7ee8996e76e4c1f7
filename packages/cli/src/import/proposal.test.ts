import { expect, test } from 'vitest'
import type { ObjectSchemaDocument } from '@kontor/contract'
import { proposalInWords } from './proposal.ts'

const properties = {
  name: { xSvcType: 'text', title: 'Name' },
  email_addresses: { xSvcType: 'email_addresses', title: 'E-mail addresses', xSvcUnique: true },
}
const person = { title: 'person', properties } as unknown as ObjectSchemaDocument

test('the proposal is what a shell takes', () => {
  expect(proposalInWords(['Mail', 'Notes'], person)).toContain(
    "\n  --map 'Mail=email_addresses' --match-on email_addresses\nColumns that look like no field: Notes\n",
  )
  expect(proposalInWords(['Notes'], person)).toMatch(/^Map columns to fields.*\nColumns: Notes\nFields of person: /)
})
