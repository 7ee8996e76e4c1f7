import { expect, test } from 'vitest'
import { proposalInWords } from './proposal.ts'

const column = (name: string, ...fields: string[]) => ({ name, fields, samples: [] })

test('the proposal is what a shell takes', () => {
  const proposal = {
    object: 'person',
    columns: [column("Mail's", 'email_addresses'), column('Notes'), column('Due', 'due')],
    mapping: [{ source: "Mail's", field: 'email_addresses' }],
    match_on: 'email_addresses',
    ambiguities: [{ columns: ['Due'], option: 'dates' as const, values: ['dmy', 'mdy'], detail: '' }],
  }
  expect(proposalInWords(proposal).split('\n').slice(2, 5)).toEqual([
    String.raw`  --map 'Mail'\''s=email_addresses' --match-on email_addresses`,
    'Due can be read in several ways; add --dates dmy or --dates mdy',
    'Columns that look like no field: Notes',
  ])
  const none = { ...proposal, columns: [column('Notes')], mapping: [], match_on: null, ambiguities: [] }
  expect(proposalInWords(none)).toMatch(/^Map columns to fields.*\nColumns: Notes\nFields of person: /)
})
