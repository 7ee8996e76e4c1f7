import { expect, test } from 'vitest'
import { proposalInWords, wholeNamesIn } from './proposal.ts'

const column = (name: string, ...fields: string[]) => ({ name, fields, samples: [] })

test('the proposal is what a shell takes', () => {
  const proposal = {
    object: 'person',
    columns: [column("Mail's", 'email_addresses'), column('Notes'), column('Due', 'due')],
    mapping: [{ source: "Mail's", field: 'email_addresses' }],
    match_on: 'email_addresses',
    writable: ['name', 'email_addresses'],
    ambiguities: [{ columns: ['Due'], option: 'dates' as const, values: ['dmy', 'mdy'], detail: '' }],
  }
  expect(proposalInWords(proposal).split('\n').slice(2, 5)).toEqual([
    String.raw`  --map 'Mail'\''s=email_addresses' --match-on email_addresses`,
    'Due can be read in several ways; add --dates dmy or --dates mdy',
    'Columns that look like no field: Notes',
  ])
  const none = { ...proposal, columns: [column('Notes')], mapping: [], match_on: null, ambiguities: [] }
  expect(proposalInWords(none)).toMatch(
    /^Map columns to fields.*\nColumns: Notes\nFields of person: name, email_addresses$/,
  )
  expect(proposalInWords({ ...none, writable: [] })).toMatch(/Fields of person: GET …\/schemas\/objects\/person$/)
})

const name = (first: string | null) => ({ first_name: first, last_name: null, full_name: 'Ada' })
const row = (attributes: Record<string, unknown>) => ({
  line: 2,
  outcome: 'created' as const,
  record_id: null,
  attributes,
  reason: null,
})
const mapping = (field: string) => [{ source: 'Name', field }]

test('a column that fills only full names is found by the first rows', () => {
  const rejected = { ...row({}), outcome: 'rejected' as const, attributes: null }
  const whole = [row({ name: name(null) }), rejected]
  expect(wholeNamesIn({ mapping: mapping('name'), rows: whole })).toEqual(['name'])
  expect(wholeNamesIn({ mapping: mapping('name.full_name'), rows: whole })).toEqual(['name'])
  expect(wholeNamesIn({ mapping: mapping('name.first_name'), rows: [row({ name: name('Ada') })] })).toEqual([])
  expect(wholeNamesIn({ mapping: mapping('name'), rows: [rejected, row({ name: 'Analytical Engines' })] })).toEqual([])
})
