import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { answered, scratchFile } from './kontor.ts'

const app = await startApp()
const { api, baseUrl, credentials } = app
await app.startJobs()
const records = recordsOf(app)
const env = { KONTOR_BASE_URL: baseUrl, KONTOR_API_KEY: credentials.keys.adminKey!, KONTOR_WORKSPACE: 'acme' }

const maps = (...texts: string[]) => texts.flatMap((text) => ['--map', text])
const run = async (object: string, csv: string, ...args: string[]) =>
  answered(['import', object, await scratchFile(csv), ...args, '--json'], env)
const list = async (object: string, filter: Record<string, string> = {}) =>
  (await api.get(`/workspaces/acme/objects/${object}/resources`, { query: { 'page[limit]': 1000, ...filter } })).body
    .data as ReturnType<typeof JSON.parse>[]
const linkedDomain = async (mail: string) => {
  const [person] = await list('person', { 'filter[email_addresses]': mail })
  const company = person?.relationships.company_id.data
  return company === null ? null : (await records.get('company', company.id)).body.data.attributes.domains.items[0]
}

test('a column names a linked record by a unique value; rows that find none are summed up by reason', async () => {
  await records.create('company', { domains: { items: ['navy.example.com'] } })
  const rows = ['ada@a.example.com,NAVY.example.com', 'eve@a.example.com,', ...more(12)]
  const csv = `Mail,Domain\n${rows.join('\n')}\n`
  const path = await scratchFile(csv)
  const args = ['import', 'person', path, ...maps('Mail=email_addresses', 'Domain=company_id.domains')]
  const { stdout } = await answered(args, env)
  expect(stdout.split('\n')).toEqual([
    '14 rows: 2 created, 0 updated, 0 unchanged, 12 rejected.',
    ...Array.from({ length: 10 }, (_, i) => `  line ${i + 4}: ${noCompany(`none${i}.example.com`)}`),
    'By reason:',
    `  12 rows: ${noCompany('…')}`,
    'To create the linked records that are missing, add --create-missing.',
    `All rejected rows and their reasons: ${path.replace('.csv', '.rejects.csv')}`,
    '',
  ])
  expect(await linkedDomain('ada@a.example.com')).toBe('navy.example.com')
  expect(await linkedDomain('eve@a.example.com')).toBeNull()
})

const noCompany = (domain: string) =>
  `company_id.domains: There is no company with domains "${domain}" that you may see.`
const more = (rows: number) => Array.from({ length: rows }, (_, i) => `p${i}@a.example.com,none${i}.example.com`)

test('--create-missing creates each linked record once, and changes none that is there', async () => {
  await records.create('company', { name: 'Army', domains: { items: ['army.example.com'] } })
  const csv =
    'Mail,Domain,Company\nb1@b.example.com,army.example.com,Other\nb2@b.example.com,New.example.com,New\n' +
    'b3@b.example.com,new.example.com;two.example.com,New\nb4@b.example.com,not a domain,Bad\n'
  const args = [
    ...maps('Mail=email_addresses', 'Domain=company_id.domains', 'Company=company_id.name'),
    '--match-on',
    'email_addresses',
    '--create-missing',
  ]
  const before = (await list('company')).length
  const dry = await run('person', csv, ...args, '--dry-run')
  expect(dry.json).toMatchObject({ created: 3, rejected: 1 })
  expect(await list('company')).toHaveLength(before)

  const first = await run('person', csv, ...args)
  expect(first.json).toMatchObject({ created: 3, rejected: 1, created_linked: { company: 1 } })
  expect(first.json.reasons[0].reason).toMatch(/^company_id\.domains: .* The company was not created: .*domain/)
  const again = await run('person', csv, ...args)
  expect(again.json).toMatchObject({ unchanged: 3, rejected: 1 })
  expect(again.json.created_linked).toBeUndefined()
  expect(await list('company')).toHaveLength(before + 1)
  const named = async (domain: string) => (await list('company', { 'filter[domains]': domain }))[0].attributes
  expect(await named('army.example.com')).toMatchObject({ name: 'Army', domains: { items: ['army.example.com'] } })
  expect(await named('new.example.com')).toMatchObject({ name: 'New', domains: { items: ['new.example.com'] } })
  expect(await linkedDomain('b3@b.example.com')).toBe('new.example.com')
})

test('--links links records at both ends, by value; twice, it changes nothing', async () => {
  const deals = await records.createMany('deal', [{ name: 'Bridge' }, { name: 'Tunnel' }])
  await records.create('person', { email_addresses: { items: ['cy@c.example.com'] } })
  const csv =
    'Mail,Deal\ncy@c.example.com,Bridge\ncy@c.example.com,tunnel\ncy@c.example.com,Nowhere\n' +
    'nobody@c.example.com,Bridge\n,Bridge\n'
  const path = await scratchFile(csv)
  const args = (...texts: string[]) => ['import', '--links', 'person.deals', path, ...maps(...texts), '--json']
  const byValue = args('Mail=person.email_addresses', 'Deal=deals.name')
  expect((await answered([...byValue, '--dry-run'], env)).json).toMatchObject({ linked: 2, rejected: 3 })
  const [person] = await list('person', { 'filter[email_addresses]': 'cy@c.example.com' })
  const linked = async () => {
    const { body } = await api.get(`/workspaces/acme/objects/person/records/${person.id}/relationships/deals`)
    return body.data.map((deal: { id: string }) => deal.id)
  }
  expect(await linked()).toEqual([])
  for (let times = 0; times < 2; times++) {
    const { json } = await answered(byValue, env)
    expect(json).toMatchObject({ object: 'person', relationship: 'deals', rows: 5, linked: 2, rejected: 3 })
    expect((await readFile(json.rejects_file, 'utf8')).split('\r\n').slice(1)).toEqual([
      'cy@c.example.com,Nowhere,4,"There is no deal with name ""Nowhere"" that you may see."',
      expect.stringMatching(/^nobody@.*,5,"There is no person with email_addresses ""nobody@c\.example\.com"" that/),
      ',Bridge,6,person: The cell that names the record is empty.',
      '',
    ])
    expect((await linked()).toSorted()).toEqual(deals.map(({ id }: { id: string }) => id).toSorted())
  }
  const created = await answered([...byValue, '--create-missing'], env)
  expect(created.json).toMatchObject({ linked: 4, rejected: 1, created_linked: { person: 1, deal: 1 } })
  expect(await linked()).toHaveLength(3)
})

const refused = async (...args: string[]) => (await answered(['import', ...args], env)).stderr

test('a mapping that names no linked record is refused before anything is sent', async () => {
  const file = await scratchFile('Mail,Company\na@d.example.com,D\n')
  const person = ['person', file, ...maps('Mail=email_addresses')]
  const [notUnique, unknown, toOne, noEnd] = await Promise.all([
    refused(...person, ...maps('Company=company_id.name')),
    refused(...person, ...maps('Company=company_id.nam', 'Mail=deals')),
    refused('--links', 'person.company_id', file, ...maps('Mail=person')),
    refused('--links', 'person.deals', file, ...maps('Mail=person', 'Company=name')),
  ])
  expect(notUnique).toContain('"name" of company is not unique, so no record can be found by it; unique: domains.')
  expect(unknown).toMatch(
    /company has no field "nam"\. Did you mean "name"\? The field "deals" .*kontor import --links person\.deals FILE/,
  )
  expect(toOne).toContain('leads to one record')
  expect(noEnd).toMatch(/Map a column to the deal: "deals\.name"\. .*"name" is neither/)
})
